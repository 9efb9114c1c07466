// Communicators beside each other: who belongs to them, in which order, and whose messages are whose.
#include "expect.h"

/// Colors and keys decide; of equal keys, the order from before.
static void split(void) {
  for (int colors = 1; colors <= 4; ++colors)
    for (int way = 0; way < 3; ++way) {
      const int key = way == 0 ? 7 : way == 1 ? -me : me % 3;
      MPI_Comm part;
      MPI_Comm_split(MPI_COMM_WORLD, me % colors == 3 ? MPI_UNDEFINED : me % colors, key, &part);
      if (me % colors == 3) {
        EXPECT_EQUAL(part, MPI_COMM_NULL);
        continue;
      }
      int before = 0, members = 0, rank, size;
      for (int r = me % colors; r < ranks; r += colors) {
        const int its = way == 0 ? 7 : way == 1 ? -r : r % 3;
        before += its < key || (its == key && r < me);
        ++members;
      }
      MPI_Comm_rank(part, &rank);
      MPI_Comm_size(part, &size);
      EXPECT_EQUAL(rank, before);
      EXPECT_EQUAL(size, members);
      int* const all = calloc((size_t)size, sizeof *all);
      MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, part);
      for (int r = 0; r < size; ++r) EXPECT_EQUAL(all[r] % colors, me % colors);
      EXPECT_EQUAL(all[rank], me);
      free(all);
      MPI_Comm_free(&part);
      EXPECT_EQUAL(part, MPI_COMM_NULL);
    }
}

/// Equal envelopes in several communicators: each message is received in its own, also with wild cards.
static void messages_apart(void) {
  enum { many = 6 };
  MPI_Comm comms[many];
  MPI_Request requests[2 * many];
  int out[many], in[many], flag;
  comms[0] = MPI_COMM_WORLD;
  for (int c = 1; c < many; ++c) MPI_Comm_dup(comms[c / 2], &comms[c]);
  const int left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
  for (int c = 0; c < many; ++c) {
    out[c] = me * many + c;
    MPI_Isend(&out[c], 1, MPI_INT, right, 1, comms[c], &requests[c]);
  }
  for (int c = many - 1; c >= 0; --c)
    MPI_Irecv(&in[c], 1, MPI_INT, c % 2 ? MPI_ANY_SOURCE : left, c % 3 ? MPI_ANY_TAG : 1, comms[c],
              &requests[many + c]);
  MPI_Waitall(2 * many, requests, MPI_STATUSES_IGNORE);
  for (int c = 0; c < many; ++c) EXPECT_EQUAL(in[c], left * many + c);
  for (int c = 0; c < many; ++c) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c], &flag, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(flag, 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // A message that is not received yet disturbs no call of all ranks, nor the other way round.
  MPI_Isend(out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[0]);
  for (int c = 0; c < many; ++c) {
    int sum = 0;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comms[c]);
    EXPECT_EQUAL(sum, ranks * (ranks - 1) / 2);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c ? c : 1], &flag, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(flag, 0);
  }
  MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  EXPECT_EQUAL(in[0], left * many);
  // Ranks are those of the communicator, and it may be freed while a message is under way.
  MPI_Comm reversed, kept;
  int mine;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
  MPI_Comm_rank(reversed, &mine);
  EXPECT_EQUAL(mine, ranks - 1 - me);
  kept = reversed;
  MPI_Status status;
  MPI_Irecv(in, 1, MPI_INT, (mine + 1) % ranks, 3, kept, &requests[0]);
  MPI_Isend(&me, 1, MPI_INT, (mine + ranks - 1) % ranks, 3, kept, &requests[1]);
  MPI_Comm_free(&reversed);
  MPI_Wait(&requests[0], &status);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  EXPECT_EQUAL(status.MPI_SOURCE, (mine + 1) % ranks);
  EXPECT_EQUAL(in[0], ranks - 1 - (mine + 1) % ranks);
  for (int c = many - 1; c > 0; --c) MPI_Comm_free(&comms[c]);
}

/// Rows and columns of a square: calls of all ranks of each, as they come.
static void crossing(void) {
  int side = 1, in_row, in_column, sum;
  while ((side + 1) * (side + 1) <= ranks) ++side;
  MPI_Comm row, column;
  const int outside = me >= side * side;
  MPI_Comm_split(MPI_COMM_WORLD, outside ? MPI_UNDEFINED : me / side, me, &row);
  MPI_Comm_split(MPI_COMM_WORLD, outside ? MPI_UNDEFINED : me % side, me, &column);
  if (outside) return;
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Bcast(&turn, 1, MPI_INT, turn % side, row);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, row);
    EXPECT_EQUAL(sum, me / side * side * side + side * (side - 1) / 2);
    MPI_Allreduce(&sum, &in_row, 1, MPI_INT, MPI_SUM, column);
    EXPECT_EQUAL(in_row, side * side * (side * side - 1) / 2);
    MPI_Scan(&me, &in_column, 1, MPI_INT, MPI_MAX, column);
    EXPECT_EQUAL(in_column, me);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

static void expect_group(MPI_Group group, int count, const int* members) {
  MPI_Group world;
  int size;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(group, &size);
  EXPECT_EQUAL(size, count);
  for (int i = 0; i < count; ++i) {
    int there;
    MPI_Group_translate_ranks(group, 1, &i, world, &there);
    EXPECT_EQUAL(there, members[i]);
  }
  MPI_Group_free(&world);
}

static void groups(void) {
  MPI_Group world, a, b, made;
  int result, there[3];
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (ranks >= 5) {
    int up[2][3] = {{0, 4, 2}, {3, 3, 1}}, down[1][3] = {{4, 1, -2}};
    MPI_Group_range_incl(world, 2, up, &a);
    expect_group(a, 4, (const int[]){0, 2, 4, 3});
    MPI_Group_range_incl(world, 1, down, &b);
    expect_group(b, 2, (const int[]){4, 2});
    MPI_Group_union(b, a, &made);
    expect_group(made, 4, (const int[]){4, 2, 0, 3});
    MPI_Group_compare(made, a, &result);
    EXPECT_EQUAL(result, MPI_SIMILAR);
    MPI_Group_free(&made);
    MPI_Group_intersection(a, b, &made);
    expect_group(made, 2, (const int[]){2, 4});
    MPI_Group_compare(made, b, &result);
    EXPECT_EQUAL(result, MPI_SIMILAR);
    MPI_Group_free(&made);
    MPI_Group_difference(a, b, &made);
    expect_group(made, 2, (const int[]){0, 3});
    MPI_Group_translate_ranks(a, 3, (const int[]){1, MPI_PROC_NULL, 3}, made, there);
    EXPECT_EQUAL(there[0], MPI_UNDEFINED);
    EXPECT_EQUAL(there[1], MPI_PROC_NULL);
    EXPECT_EQUAL(there[2], 1);
    MPI_Group_compare(made, a, &result);
    EXPECT_EQUAL(result, MPI_UNEQUAL);
    MPI_Group_free(&made);
    int holes[1][3] = {{1, 4, 2}};
    MPI_Group_range_excl(a, 1, holes, &made);
    expect_group(made, 2, (const int[]){0, 4});
    MPI_Group_free(&made);
    MPI_Group_difference(b, a, &made);
    EXPECT_EQUAL(made, MPI_GROUP_EMPTY);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
  }
  // Several groups at once: even and odd ranks, the latter backward.
  MPI_Comm half;
  int parts[1][3] = {{0, ranks - 1, 2}}, rank, size;
  if (me % 2) parts[0][0] = ranks % 2 ? ranks - 2 : ranks - 1, parts[0][1] = 1, parts[0][2] = -2;
  MPI_Group_range_incl(world, 1, parts, &a);
  MPI_Comm_create(MPI_COMM_WORLD, a, &half);
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  EXPECT_EQUAL(size, (ranks + 1 - me % 2) / 2);
  EXPECT_EQUAL(rank, me % 2 ? size - 1 - me / 2 : me / 2);
  MPI_Comm_group(half, &b);
  MPI_Group_compare(a, b, &result);
  EXPECT_EQUAL(result, MPI_IDENT);
  MPI_Comm_free(&half);
  MPI_Group_free(&a);
  MPI_Group_free(&b);
  MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &half);
  EXPECT_EQUAL(half, MPI_COMM_NULL);
  MPI_Comm_group(MPI_COMM_SELF, &a);
  expect_group(a, 1, &me);
  MPI_Group_free(&a);
  MPI_Group_free(&world);
  // The order makes the difference.
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &half);
  MPI_Comm_compare(MPI_COMM_WORLD, half, &result);
  EXPECT_EQUAL(result, ranks == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
  MPI_Comm_free(&half);
}

/// More communicators than there is place for at a time, if they were not given back.
static void come_and_go(void) {
  for (int i = 0; i < 300; ++i) {
    MPI_Comm one, other;
    int sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_split(one, me % 2, 0, &other);
    MPI_Comm_free(&one);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_MAX, other);
    EXPECT_EQUAL(sum % 2, me % 2);
    MPI_Comm_free(&other);
  }
}

static void names(void) {
  MPI_Comm one, other;
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_get_name(one, name, &length);
  EXPECT_EQUAL(length, 0);
  MPI_Comm_set_name(one, "of one's own");
  MPI_Comm_dup(one, &other);
  MPI_Comm_get_name(one, name, &length);
  EXPECT(strcmp(name, "of one's own") == 0 && length == 12);
  MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
  EXPECT(strcmp(name, "MPI_COMM_SELF") == 0);
  MPI_Comm_free(&one);
  MPI_Comm_free(&other);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  split();
  messages_apart();
  crossing();
  groups();
  come_and_go();
  names();
  return end();
}
