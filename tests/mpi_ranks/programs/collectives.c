// Calls of all ranks: each with few and with many elements, from each root, in place and not.
#include "expect.h"

static long value(int rank, int i) { return rank * 100003L + i; }

static void fill(long* data, int rank, int count) {
  for (int i = 0; i < count; ++i) data[i] = value(rank, i);
}
static void expect_of(const long* data, int rank, int count) {
  for (int i = 0; i < count; ++i) EXPECT_EQUAL(data[i], value(rank, i));
}

static void copies(int count) {
  const size_t room = (size_t)count * (size_t)ranks;
  long *const mine = calloc(room, sizeof *mine), *const all = calloc(room, sizeof *all);
  for (int root = 0; root < ranks; root += 1 + ranks / 3) {
    fill(mine, me == root ? root : ranks, count);
    MPI_Bcast(mine, count, MPI_LONG, root, MPI_COMM_WORLD);
    expect_of(mine, root, count);

    fill(mine, me, count);
    memset(all, 0, room * sizeof *all);
    if (me == root) fill(&all[me * count], me, count);
    for (int in_place = 0; in_place < 2; ++in_place) {
      const void* const given = in_place && me == root ? MPI_IN_PLACE : mine;
      MPI_Gather(given, count, MPI_LONG, me == root ? all : NULL, count, MPI_LONG, root, MPI_COMM_WORLD);
      if (me == root)
        for (int r = 0; r < ranks; ++r) expect_of(&all[r * count], r, count);
    }

    if (me == root)
      for (int r = 0; r < ranks; ++r) fill(&all[r * count], r, count);
    for (int in_place = 0; in_place < 2; ++in_place) {
      memset(mine, 0, (size_t)count * sizeof *mine);
      void* const into = in_place && me == root ? MPI_IN_PLACE : mine;
      MPI_Scatter(me == root ? all : NULL, count, MPI_LONG, into, count, MPI_LONG, root, MPI_COMM_WORLD);
      if (into == mine) expect_of(mine, me, count);
    }
  }
  for (int in_place = 0; in_place < 2; ++in_place) {
    memset(all, 0, room * sizeof *all);
    fill(mine, me, count);
    if (in_place) fill(&all[me * count], me, count);
    MPI_Allgather(in_place ? MPI_IN_PLACE : mine, count, MPI_LONG, all, count, MPI_LONG, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) expect_of(&all[r * count], r, count);

    long* const out = in_place ? all : mine;
    for (int r = 0; r < ranks; ++r) fill(&out[r * count], me * ranks + r, count);
    MPI_Alltoall(in_place ? MPI_IN_PLACE : out, count, MPI_LONG, all, count, MPI_LONG, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) expect_of(&all[r * count], r * ranks + me, count);
  }
  free(mine);
  free(all);
}

/// Rank r gives r + 1 elements, with one free between the parts.
static void copies_of_different_lengths(void) {
  const int root = ranks - 1, room = ranks * (ranks + 3);
  int *const counts = calloc((size_t)ranks, sizeof *counts), *const at = calloc((size_t)ranks, sizeof *at);
  int *const equal = calloc((size_t)ranks, sizeof *equal), *const equal_at = calloc((size_t)ranks, sizeof *equal_at);
  MPI_Datatype* const types = calloc((size_t)ranks, sizeof *types);
  long *const mine = calloc((size_t)room, sizeof *mine), *const all = calloc((size_t)room, sizeof *all);
  for (int r = 0; r < ranks; ++r) {
    counts[r] = r + 1;
    at[r] = r == 0 ? 0 : at[r - 1] + counts[r - 1] + 1;
    types[r] = MPI_LONG;
  }
  fill(mine, me, me + 1);
  MPI_Gatherv(mine, me + 1, MPI_LONG, all, counts, at, MPI_LONG, root, MPI_COMM_WORLD);
  if (me == root)
    for (int r = 0; r < ranks; ++r) expect_of(&all[at[r]], r, counts[r]);
  memset(mine, 0, (size_t)room * sizeof *mine);
  MPI_Scatterv(all, counts, at, MPI_LONG, mine, me + 1, MPI_LONG, root, MPI_COMM_WORLD);
  expect_of(mine, me, me + 1);
  memset(all, 0, (size_t)room * sizeof *all);
  MPI_Allgatherv(mine, me + 1, MPI_LONG, all, counts, at, MPI_LONG, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_of(&all[at[r]], r, counts[r]);
  for (int r = 1; r < ranks; ++r) EXPECT_EQUAL(all[at[r] - 1], 0);

  // To rank r go r + 1 elements; so each rank gets me + 1 from all.
  for (int r = 0; r < ranks; ++r) {
    equal[r] = me + 1;
    equal_at[r] = r * (me + 2);
    fill(&mine[at[r]], me * ranks + r, counts[r]);
  }
  memset(all, 0, (size_t)room * sizeof *all);
  MPI_Alltoallv(mine, counts, at, MPI_LONG, all, equal, equal_at, MPI_LONG, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_of(&all[equal_at[r]], r * ranks + me, me + 1);
  for (int r = 0; r < ranks; ++r) {
    at[r] *= (int)sizeof(long);
    equal_at[r] *= (int)sizeof(long);
  }
  memset(all, 0, (size_t)room * sizeof *all);
  MPI_Alltoallw(mine, counts, at, types, all, equal, equal_at, types, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_of(&all[equal_at[r] / (int)sizeof(long)], r * ranks + me, me + 1);
  free(counts);
  free(at);
  free(equal);
  free(equal_at);
  free(types);
  free(mine);
  free(all);
}

static void sums(int count) {
  long* const mine = calloc((size_t)count * (size_t)ranks, sizeof *mine);
  long* const got = calloc((size_t)count * (size_t)ranks, sizeof *got);
  const long pairs = (long)ranks * (ranks - 1) / 2;
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int root = 0; root < ranks; root += 1 + ranks / 2) {
      fill(mine, me, count);
      fill(got, me, count);
      MPI_Reduce(in_place && me == root ? MPI_IN_PLACE : mine, me == root ? got : NULL, count, MPI_LONG, MPI_SUM, root,
                 MPI_COMM_WORLD);
      if (me == root)
        for (int i = 0; i < count; ++i) EXPECT_EQUAL(got[i], pairs * 100003L + (long)ranks * i);
    }
    fill(got, me, count);
    MPI_Allreduce(in_place ? MPI_IN_PLACE : mine, got, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) EXPECT_EQUAL(got[i], pairs * 100003L + (long)ranks * i);

    fill(got, me, count);
    MPI_Scan(in_place ? MPI_IN_PLACE : mine, got, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    const long up_to = (long)me * (me + 1) / 2, before = (long)me * (me - 1) / 2;
    for (int i = 0; i < count; ++i) EXPECT_EQUAL(got[i], up_to * 100003L + (me + 1L) * i);
    fill(got, me, count);
    MPI_Exscan(in_place ? MPI_IN_PLACE : mine, got, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) EXPECT_EQUAL(got[i], me == 0 ? value(0, i) : before * 100003L + (long)me * i);

    fill(mine, me, count * ranks);
    fill(got, me, count * ranks);
    MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : mine, got, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) EXPECT_EQUAL(got[i], pairs * 100003L + (long)ranks * (me * count + i));
    int* const counts = calloc((size_t)ranks, sizeof *counts);
    for (int r = 0; r < ranks; ++r) counts[r] = r % 2 == 0 ? count : 0;
    fill(got, me, count * ranks);
    MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : mine, got, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < counts[me]; ++i) EXPECT_EQUAL(got[i], pairs * 100003L + (long)ranks * (me / 2 * count + i));
    free(counts);
  }
  free(mine);
  free(got);
}

static void all_operations(void) {
  const int bits = 1 << (me % 8);
  int got;
  unsigned every = 0;
  for (int r = 0; r < ranks; ++r) every |= 1u << (r % 8);
  MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQUAL(got, ranks - 1);
  MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  EXPECT_EQUAL(got, 0);
  MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  EXPECT_EQUAL(got, 0);
  MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  EXPECT_EQUAL(got, ranks > 1);
  MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_LXOR, MPI_COMM_WORLD);
  EXPECT_EQUAL(got, (ranks - 1) % 2);
  MPI_Allreduce(&bits, &got, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
  EXPECT_EQUAL(got, every);
  MPI_Allreduce(&bits, &got, 1, MPI_INT, MPI_BAND, MPI_COMM_WORLD);
  EXPECT_EQUAL(got, ranks == 1 ? 1 : 0);
  MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
  int expected = 0;
  for (int r = 0; r < ranks; ++r) expected ^= r;
  EXPECT_EQUAL(got, expected);
  const double two = 2;
  double power;
  MPI_Allreduce(&two, &power, 1, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) power /= 2;
  EXPECT(power == 1);
  struct {
    double value;
    int index;
  } here = {me % 3, me}, there;
  MPI_Allreduce(&here, &there, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  EXPECT_EQUAL(there.index, ranks < 3 ? ranks - 1 : 2);
  MPI_Allreduce(&here, &there, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  EXPECT_EQUAL(there.index, 0);
}

/// 2 x 2 matrices, whose product depends on the order.
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const unsigned* a = in;
  unsigned* b = inout;
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    const unsigned p[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                           a[2] * b[1] + a[3] * b[3]};
    memcpy(b, p, sizeof p);
  }
}

static void matrix_of(int rank, int i, unsigned* m) {
  const unsigned k = (unsigned)(rank + i);
  m[0] = 1 + k, m[1] = 2, m[2] = 3 * k, m[3] = k + 5;
}

static void own_operations(int count) {
  MPI_Op op;
  MPI_Datatype type;
  int commutes = 1;
  MPI_Type_contiguous(4, MPI_UNSIGNED, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply, 0, &op);
  MPI_Op_commutative(op, &commutes);
  EXPECT_EQUAL(commutes, 0);
  unsigned *const mine = calloc((size_t)count * 4, sizeof *mine), *const got = calloc((size_t)count * 4, sizeof *got);
  for (int i = 0; i < count; ++i) matrix_of(me, i, &mine[4 * i]);
  for (int way = 0; way < 2; ++way) {
    if (way == 0)
      MPI_Allreduce(mine, got, count, type, op, MPI_COMM_WORLD);
    else
      MPI_Scan(mine, got, count, type, op, MPI_COMM_WORLD);
    const int last = way == 0 ? ranks - 1 : me;
    for (int i = 0; i < count; ++i) {
      unsigned expected[4], before[4];
      matrix_of(last, i, expected);
      for (int r = last - 1; r >= 0; --r) {
        int one = 1;
        matrix_of(r, i, before);
        multiply(before, expected, &one, &type);
      }
      for (int k = 0; k < 4; ++k) EXPECT_EQUAL(got[4 * i + k], expected[k]);
    }
  }
  free(mine);
  free(got);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/// The order of the ranks decides: sums of numbers of very different size do not depend on the number of workers.
static void sums_of_reals_are_ordered(void) {
  double mine = me % 2 ? 1e16 : 1 + me, got, expected = 0;
  MPI_Allreduce(&mine, &got, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expected = r == 0 ? 1 : expected + (r % 2 ? 1e16 : 1 + r);
  EXPECT(got == expected);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int counts[] = {1, 7, 9, 5000, 100000};  // the last is too much where each rank has a part for each
  for (int i = 0; i < (ranks <= 3 ? 5 : 4); ++i) {
    copies(counts[i]);
    sums(counts[i]);
    own_operations(counts[i]);
  }
  copies_of_different_lengths();
  all_operations();
  sums_of_reals_are_ordered();
  return end();
}
