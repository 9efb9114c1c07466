// Calls of all ranks in which parts have different lengths or types: all forms, from each root, in place and not, few
// bytes and many, some parts empty.
#include "expect.h"

static int* counts;    // elements of each rank's part
static int* places;    // where it begins, with a gap of two behind each
static int* backward;  // the same parts, the last rank's first
static int total;

static double value(int rank, int i) { return rank * 1000003. + i; }
static void fill(double* data, int rank, int count) {
  for (int i = 0; i < count; ++i) data[i] = value(rank, i);
}
static void expect_of(const double* data, int rank, int count) {
  for (int i = 0; i < count; ++i) EXPECT_EQUAL(data[i], value(rank, i));
}
static void expect_gaps(const double* all, const int* at) {
  for (int r = 0; r < ranks; ++r) EXPECT(all[at[r] + counts[r]] == -1 && all[at[r] + counts[r] + 1] == -1);
}
static void clear(double* data, int count) {
  for (int i = 0; i < count; ++i) data[i] = -1;
}

/// Of three ranks one gives nothing; the others give `unit` times 1, 2, 3 elements.
static void divide(int unit) {
  total = 0;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = r % 3 == 1 ? 0 : unit * (1 + r % 4);
    places[r] = total;
    total += counts[r] + 2;
  }
  for (int r = ranks - 1, at = 0; r >= 0; --r) {
    backward[r] = at;
    at += counts[r] + 2;
  }
}

static void gathered_and_scattered(double* all, double* mine) {
  const int count = counts[me];
  for (int root = 0; root < ranks; ++root)
    for (int in_place = 0; in_place < 2; ++in_place) {
      const int stays = in_place && me == root;
      clear(all, total);
      fill(mine, me, count);
      if (stays) fill(&all[backward[me]], me, count);
      // Others need not say where the parts are, and may have no buffer for no elements.
      if (me == root)
        MPI_Gatherv(stays ? MPI_IN_PLACE : mine, count, MPI_DOUBLE, all, counts, backward, MPI_DOUBLE, root,
                    MPI_COMM_WORLD);
      else
        MPI_Gatherv(count ? mine : NULL, count, MPI_DOUBLE, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
      if (me == root) {
        for (int r = 0; r < ranks; ++r) expect_of(&all[backward[r]], r, counts[r]);
        expect_gaps(all, backward);
      }
      clear(mine, total);
      if (me == root)
        MPI_Scatterv(all, counts, backward, MPI_DOUBLE, stays ? MPI_IN_PLACE : mine, count, MPI_DOUBLE, root,
                     MPI_COMM_WORLD);
      else
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, count ? mine : NULL, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
      if (!stays) expect_of(mine, me, count);
      EXPECT(stays || mine[count] == -1);
    }
  for (int in_place = 0; in_place < 2; ++in_place) {
    clear(all, total);
    fill(in_place ? &all[places[me]] : mine, me, count);
    MPI_Allgatherv(in_place ? MPI_IN_PLACE : mine, in_place ? 0 : count, in_place ? MPI_DATATYPE_NULL : MPI_DOUBLE, all,
                   counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) expect_of(&all[places[r]], r, counts[r]);
    expect_gaps(all, places);
  }
}

/// Rank a gives rank b (a + b) % 3 * unit elements: as many as it gets from it.
static void exchanged(int unit) {
  int *const given = calloc((size_t)ranks * 4, sizeof *given), *const from = given + ranks, *const bytes = from + ranks;
  MPI_Datatype* const types = calloc((size_t)ranks, sizeof *types);
  int room = 0;
  for (int r = 0; r < ranks; ++r) {
    given[r] = (me + r) % 3 * unit;
    from[r] = room;
    bytes[r] = room * (int)sizeof(double);
    types[r] = MPI_DOUBLE;
    room += given[r] + 1;
  }
  double *const out = malloc((size_t)room * sizeof *out), *const in = malloc((size_t)room * sizeof *in);
  for (int way = 0; way < 4; ++way) {
    clear(in, room);
    double* const offered = way % 2 ? in : out;
    for (int r = 0; r < ranks; ++r) fill(&offered[from[r]], me * ranks + r, given[r]);
    if (way == 0) MPI_Alltoallv(out, given, from, MPI_DOUBLE, in, given, from, MPI_DOUBLE, MPI_COMM_WORLD);
    if (way == 1)
      MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, given, from, MPI_DOUBLE, MPI_COMM_WORLD);
    if (way == 2) MPI_Alltoallw(out, given, bytes, types, in, given, bytes, types, MPI_COMM_WORLD);
    if (way == 3) MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, given, bytes, types, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) {
      expect_of(&in[from[r]], r * ranks + me, given[r]);
      EXPECT_EQUAL(in[from[r] + given[r]], -1);
    }
  }
  free(given);
  free(types);
  free(out);
  free(in);
}

/// A rank that gets nothing of the sums need not have a place for it.
static void reduced_and_scattered(double* all) {
  int begin = 0, sum = 0;
  for (int r = 0; r < ranks; ++r) {
    begin += r < me ? counts[r] : 0;
    sum += counts[r];
  }
  const double pairs = ranks * (ranks - 1) / 2 * 1000003.;
  for (int in_place = 0; in_place < 2; ++in_place) {
    double* const got = malloc((size_t)(sum + 1) * sizeof *got);
    double* const given = in_place ? got : all;
    clear(got, sum + 1);
    fill(given, me, sum);
    double* const into = in_place || counts[me] ? got : NULL;
    MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : given, into, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < counts[me]; ++i) EXPECT_EQUAL(got[i], pairs + (double)ranks * (begin + i));
    free(got);
  }
}

/// What goes out as a column arrives as a row: the types differ, the numbers are the same.
static void of_other_types(void) {
  enum { side = 40 };
  static double matrix[side][side];
  double row[side], *const rows = malloc((size_t)ranks * sizeof row);
  MPI_Datatype column, narrow;
  MPI_Type_vector(side, 1, side, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &narrow);
  MPI_Type_free(&column);
  MPI_Type_commit(&narrow);
  const int root = ranks / 2;
  clear(&matrix[0][0], side * side);
  for (int i = 0; i < side; ++i) matrix[i][2] = value(me, i), matrix[i][3] = value(me + ranks, i);

  MPI_Gather(&matrix[0][2], 1, narrow, rows, side, MPI_DOUBLE, root, MPI_COMM_WORLD);
  for (int r = 0; me == root && r < ranks; ++r) expect_of(&rows[r * side], r, side);
  MPI_Allgather(&matrix[0][2], 1, narrow, rows, side, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_of(&rows[r * side], r, side);
  if (ranks <= side) {
    MPI_Allgather(row, 0, MPI_DOUBLE, rows, 0, MPI_DOUBLE, MPI_COMM_WORLD);
    fill(row, me, side);
    MPI_Allgather(row, side, MPI_DOUBLE, matrix, 1, narrow, MPI_COMM_WORLD);  // column r from rank r
    for (int r = 0; r < ranks; ++r)
      for (int i = 0; i < side; ++i) EXPECT_EQUAL(matrix[i][r], value(r, i));
  }
  // The root has a column, the others rows.
  for (int i = 0; i < side; ++i) matrix[i][1] = value(77, i);
  if (me == root)
    MPI_Bcast(&matrix[0][1], 1, narrow, root, MPI_COMM_WORLD);
  else
    MPI_Bcast(row, side, MPI_DOUBLE, root, MPI_COMM_WORLD);
  if (me != root) expect_of(row, 77, side);
  MPI_Type_free(&narrow);
  free(rows);
}

/// Types that say where in memory their numbers are: every buffer is MPI_BOTTOM.
static void at_addresses(void) {
  enum { most = 500 };
  static double given[most], wanted[most];
  for (int half = 1; half <= most / 2; half += most / 2 - 1) {
    MPI_Datatype from, to;
    MPI_Aint places[2];
    const int lengths[2] = {half, half};
    MPI_Get_address(&given[most - half], &places[0]);
    MPI_Get_address(&given[0], &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &from);
    MPI_Get_address(&wanted[0], &places[0]);
    MPI_Get_address(&wanted[most - half], &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &to);
    MPI_Type_commit(&from);
    MPI_Type_commit(&to);
    const int root = ranks - 1;
    clear(wanted, most);
    fill(given, me, most);
    MPI_Bcast(MPI_BOTTOM, 1, me == root ? from : to, root, MPI_COMM_WORLD);
    for (int i = 0; me != root && i < half; ++i) {
      EXPECT_EQUAL(wanted[i], value(root, most - half + i));
      EXPECT_EQUAL(wanted[most - half + i], value(root, i));
    }
    if (me == root) memcpy(wanted, given, sizeof wanted);
    clear(given, most);
    MPI_Bcast(MPI_BOTTOM, 1, me == root ? to : from, root, MPI_COMM_WORLD);
    MPI_Sendrecv(MPI_BOTTOM, 1, from, (me + 1) % ranks, 0, MPI_BOTTOM, 1, to, (me + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&from);
    MPI_Type_free(&to);
  }
}

static void nothing_at_all(void) {
  double one = 7;
  MPI_Bcast(NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Reduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, ranks - 1, MPI_COMM_WORLD);
  MPI_Allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(NULL, 0, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgather(&one, 0, MPI_DOUBLE, &one, 0, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(&one, 0, MPI_DOUBLE, &one, 0, MPI_DOUBLE, MPI_COMM_WORLD);
  EXPECT_EQUAL(one, 7);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  counts = calloc((size_t)ranks * 3, sizeof *counts);
  places = counts + ranks;
  backward = places + ranks;
  const int units[] = {1, 50, 25000};
  for (int i = 0; i < 3; ++i) {
    const int unit = units[i] > 1000 && ranks > 8 ? 1000 : units[i];
    divide(unit);
    double *const all = malloc((size_t)total * sizeof *all), *const mine = malloc((size_t)total * sizeof *mine);
    gathered_and_scattered(all, mine);
    reduced_and_scattered(all);
    exchanged(unit);
    free(all);
    free(mine);
  }
  of_other_types();
  at_addresses();
  nothing_at_all();
  free(counts);
  return end();
}
