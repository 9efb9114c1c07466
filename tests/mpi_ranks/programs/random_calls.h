// Calls of all ranks, of which a seed decides which, how much, and what goes on beside them.
#pragma once

#include "random_plan.h"

static unsigned long number_of(int round, int rank, int i) {
  const unsigned long x =
      ((unsigned long)round * 1000 + (unsigned long)rank) * 2654435761UL + (unsigned long)i * 40503UL;
  return x ^ x >> 13;
}

static unsigned long made_of(int op, unsigned long a, unsigned long b) {
  switch (op) {
    case 0:
      return a + b;
    case 1:
      return a * b;
    case 2:
      return a > b ? a : b;
    case 3:
      return a < b ? a : b;
    case 4:
      return a ^ b;
    default:
      return a & b;
  }
}

/// A call of all ranks of a communicator. Its members are ranks of MPI_COMM_WORLD, in their order.
static void together(int round, MPI_Comm comm, const int* members, int size, int mine) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BXOR, MPI_BAND};
  const int what = (int)drawn(13), count = drawn_count(), in_place = (int)drawn(2);
  const int root = (int)drawn(1000) % size, op = (int)drawn(6);
  unsigned long *const a = malloc(((size_t)count * (size_t)size + 1) * sizeof *a),
                       *const b = malloc(((size_t)count * (size_t)size + 1) * sizeof *b);
  int *const counts = malloc((size_t)size * 2 * sizeof *counts), *const at = counts + size;
  for (int r = 0, all = 0; r < size; ++r) {
    counts[r] = count * (r % 3) / 2;
    at[r] = all;
    all += counts[r];
  }
  for (int i = 0; i < count * size; ++i) a[i] = b[i] = number_of(round, me, i);
    // What comes out at place i where ranks from `first` to `last` are combined.
#define EXPECT_COMBINED(found, first, last, i)                                                           \
  do {                                                                                                   \
    unsigned long all = number_of(round, members[first], i);                                             \
    for (int r = (first) + 1; r <= (last); ++r) all = made_of(op, all, number_of(round, members[r], i)); \
    EXPECT_EQUAL(found, all);                                                                            \
  } while (0)
  const int stays = in_place && mine == root, numbers = at[size - 1] + counts[size - 1];
  const unsigned long* out = b;  // what the rank gets, and how much
  int length = count;
  switch (what) {
    case 0:
      MPI_Bcast(a, count, MPI_UNSIGNED_LONG, root, comm);
      for (int i = 0; i < count; ++i) EXPECT_EQUAL(a[i], number_of(round, members[root], i));
      out = a;
      break;
    case 1:
      MPI_Reduce(stays ? MPI_IN_PLACE : a, b, count, MPI_UNSIGNED_LONG, ops[op], root, comm);
      for (int i = 0; mine == root && i < count; ++i) EXPECT_COMBINED(b[i], 0, size - 1, i);
      length = mine == root ? count : 0;
      break;
    case 2:
      MPI_Allreduce(in_place ? MPI_IN_PLACE : a, b, count, MPI_UNSIGNED_LONG, ops[op], comm);
      for (int i = 0; i < count; ++i) EXPECT_COMBINED(b[i], 0, size - 1, i);
      break;
    case 3:
      MPI_Scan(in_place ? MPI_IN_PLACE : a, b, count, MPI_UNSIGNED_LONG, ops[op], comm);
      for (int i = 0; i < count; ++i) EXPECT_COMBINED(b[i], 0, mine, i);
      break;
    case 4:
      MPI_Exscan(in_place ? MPI_IN_PLACE : a, b, count, MPI_UNSIGNED_LONG, ops[op], comm);
      for (int i = 0; mine > 0 && i < count; ++i) EXPECT_COMBINED(b[i], 0, mine - 1, i);
      length = mine > 0 ? count : 0;
      break;
    case 5:
      MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : a, b, count, MPI_UNSIGNED_LONG, ops[op], comm);
      for (int i = 0; i < count; ++i) EXPECT_COMBINED(b[i], 0, size - 1, mine * count + i);
      break;
    case 6:
      MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : a, b, counts, MPI_UNSIGNED_LONG, ops[op], comm);
      for (int i = 0; i < counts[mine]; ++i) EXPECT_COMBINED(b[i], 0, size - 1, at[mine] + i);
      length = counts[mine];
      break;
    case 7:
      MPI_Gather(a, count, MPI_UNSIGNED_LONG, b, count, MPI_UNSIGNED_LONG, root, comm);
      for (int i = 0; mine == root && i < count * size; ++i)
        EXPECT_EQUAL(b[i], number_of(round, members[i / count], i % count));
      length = mine == root ? count * size : 0;
      break;
    case 8:
      MPI_Scatter(a, count, MPI_UNSIGNED_LONG, b, count, MPI_UNSIGNED_LONG, root, comm);
      for (int i = 0; i < count; ++i) EXPECT_EQUAL(b[i], number_of(round, members[root], mine * count + i));
      break;
    case 9:
      MPI_Allgather(a, count, MPI_UNSIGNED_LONG, b, count, MPI_UNSIGNED_LONG, comm);
      for (int i = 0; i < count * size; ++i) EXPECT_EQUAL(b[i], number_of(round, members[i / count], i % count));
      length = count * size;
      break;
    case 10:
      MPI_Allgatherv(a, counts[mine], MPI_UNSIGNED_LONG, b, counts, at, MPI_UNSIGNED_LONG, comm);
      for (int r = 0; r < size; ++r)
        for (int i = 0; i < counts[r]; ++i) EXPECT_EQUAL(b[at[r] + i], number_of(round, members[r], i));
      length = numbers;
      break;
    case 11:
      MPI_Gatherv(a, counts[mine], MPI_UNSIGNED_LONG, b, counts, at, MPI_UNSIGNED_LONG, root, comm);
      for (int r = 0; mine == root && r < size; ++r)
        for (int i = 0; i < counts[r]; ++i) EXPECT_EQUAL(b[at[r] + i], number_of(round, members[r], i));
      length = mine == root ? numbers : 0;
      break;
    default:
      MPI_Alltoall(in_place ? MPI_IN_PLACE : a, count, MPI_UNSIGNED_LONG, b, count, MPI_UNSIGNED_LONG, comm);
      for (int i = 0; i < count * size; ++i)
        EXPECT_EQUAL(b[i], number_of(round, members[i / count], mine * count + i % count));
      length = count * size;
  }
  note(of_calls + round % 5, out, (size_t)length * sizeof *out);
  free(a);
  free(b);
  free(counts);
}

/// Calls of all ranks that go on while messages are sent and received.
struct started {
  int round, count, root;
  unsigned long *given, *sums, *told;
  MPI_Request requests[3];
};

static void start(struct started* s, int round) {
  s->round = round;
  s->count = drawn_count();
  s->root = (int)drawn((unsigned)ranks);
  const size_t size = ((size_t)s->count + 1) * sizeof *s->given;
  s->given = malloc(size);
  s->sums = malloc(size);
  s->told = malloc(size);
  for (int i = 0; i < s->count; ++i) s->given[i] = s->told[i] = number_of(round, me, i);
  MPI_Iallreduce(s->given, s->sums, s->count, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD, &s->requests[0]);
  MPI_Ibcast(s->told, s->count, MPI_UNSIGNED_LONG, s->root, MPI_COMM_WORLD, &s->requests[1]);
  MPI_Ibarrier(MPI_COMM_WORLD, &s->requests[2]);
}

static void end_started(struct started* s) {
  if (s->count % 2 == 0) MPI_Wait(&s->requests[1], MPI_STATUS_IGNORE);
  MPI_Waitall(3, s->requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < s->count; ++i) {
    unsigned long sum = 0;
    for (int r = 0; r < ranks; ++r) sum += number_of(s->round, r, i);
    EXPECT_EQUAL(s->sums[i], sum);
    EXPECT_EQUAL(s->told[i], number_of(s->round, s->root, i));
  }
  note(of_started, s->sums, (size_t)s->count * sizeof *s->sums);
  note(of_started + 1, s->told, (size_t)s->count * sizeof *s->told);
  free(s->given);
  free(s->sums);
  free(s->told);
}

/// One of calls that follow each other, most of them of a few numbers. They may be started, and then go on while their
/// ranks come to the next ones.
struct beside {
  int what, number, count, root;
  unsigned long *given, *got;
  MPI_Request request;  // MPI_REQUEST_NULL when it is over
};
enum { most_beside = 12, beside_kinds = 6 };

static void begin_beside(struct beside* b, int round, int index) {
  const int is_started = (int)drawn(2);
  const MPI_Datatype number = MPI_UNSIGNED_LONG;
  const MPI_Comm all = MPI_COMM_WORLD;
  b->what = (int)drawn(beside_kinds);
  b->number = round * 16 + index;
  b->count = drawn(8) ? 1 + (int)drawn(4) : drawn_count();
  b->root = (int)drawn((unsigned)ranks);
  const size_t size = ((size_t)b->count * (size_t)ranks + 1) * sizeof *b->given;
  b->given = malloc(size);
  b->got = malloc(size);
  for (int i = 0; i < b->count * ranks; ++i) b->given[i] = b->got[i] = number_of(b->number, me, i);
  switch (b->what * 2 + is_started) {
    case 0:
      MPI_Barrier(all);
      break;
    case 1:
      MPI_Ibarrier(all, &b->request);
      break;
    case 2:
      MPI_Bcast(b->got, b->count, number, b->root, all);
      break;
    case 3:
      MPI_Ibcast(b->got, b->count, number, b->root, all, &b->request);
      break;
    case 4:
      MPI_Allreduce(b->given, b->got, b->count, number, MPI_SUM, all);
      break;
    case 5:
      MPI_Iallreduce(b->given, b->got, b->count, number, MPI_SUM, all, &b->request);
      break;
    case 6:
      MPI_Reduce(b->given, b->got, b->count, number, MPI_SUM, b->root, all);
      break;
    case 7:
      MPI_Ireduce(b->given, b->got, b->count, number, MPI_SUM, b->root, all, &b->request);
      break;
    case 8:
      MPI_Allgather(b->given, b->count, number, b->got, b->count, number, all);
      break;
    case 9:
      MPI_Iallgather(b->given, b->count, number, b->got, b->count, number, all, &b->request);
      break;
    case 10:
      MPI_Alltoall(b->given, b->count, number, b->got, b->count, number, all);
      break;
    default:
      MPI_Ialltoall(b->given, b->count, number, b->got, b->count, number, all, &b->request);
  }
}

static void end_beside(struct beside* b) {
  if (b->request != MPI_REQUEST_NULL) MPI_Wait(&b->request, MPI_STATUS_IGNORE);
  const int of_all = b->what > 3 ? b->count * ranks : b->what > 0 ? b->count : 0;
  for (int i = 0; i < of_all; ++i) {
    unsigned long expected = 0;
    if (b->what == 1) expected = number_of(b->number, b->root, i);
    for (int r = 0; r < ranks && (b->what == 2 || b->what == 3); ++r) expected += number_of(b->number, r, i);
    if (b->what == 3 && me != b->root) expected = number_of(b->number, me, i);  // as it was
    if (b->what > 3) expected = number_of(b->number, i / b->count, (b->what == 4 ? 0 : me * b->count) + i % b->count);
    EXPECT_EQUAL(b->got[i], expected);
  }
  note(of_beside + b->number % 16, b->got, (size_t)of_all * sizeof *b->got);
  free(b->given);
  free(b->got);
  b->got = NULL;
}

/// A sum that is begun again and again by one request. Another MPI may have no such requests.
struct again {
  int number, is_active;
  unsigned long given[3], got[3];
  MPI_Request request;
};

static void end_again(struct again* a) {
  if (!a->is_active) return;
  a->is_active = 0;
  MPI_Wait(&a->request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) {
    unsigned long sum = 0;
    for (int r = 0; r < ranks; ++r) sum += number_of(a->number, r, i);
    EXPECT_EQUAL(a->got[i], sum);
  }
}

static void begin_again(struct again* a, int number) {
  end_again(a);
  a->number = number;
  a->is_active = 1;
  for (int i = 0; i < 3; ++i) a->given[i] = number_of(number, me, i);
#ifdef MASLIN_MPI
  MPI_Start(&a->request);
#else
  MPI_Iallreduce(a->given, a->got, 3, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD, &a->request);
#endif
}

/// Calls that begin and end beside each other. Which ranks wait for which calls when is each rank's own.
static void side_by_side(int round) {
  struct beside calls[most_beside];
  struct again sum = {0};
  const int count = 1 + (int)drawn(most_beside), has_again = drawn(4) == 0;
#ifdef MASLIN_MPI
  if (has_again)
    MPI_Allreduce_init(sum.given, sum.got, 3, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &sum.request);
#endif
  for (int i = 0; i < count; ++i) {
    calls[i] = (struct beside){.request = MPI_REQUEST_NULL};
    begin_beside(&calls[i], round, i);
    if (has_again && drawn(3) == 0) begin_again(&sum, round * 16 + i);
    const int other = (int)own_drawn((unsigned)i + 1);
    if (calls[other].got && own_drawn(2)) end_beside(&calls[other]);
    int flag;
    if (calls[i].got && own_drawn(4) == 0) MPI_Test(&calls[i].request, &flag, MPI_STATUS_IGNORE);
    if (own_drawn(4) == 0) end_again(&sum);
  }
  for (int i = count - 1; i >= 0; --i)
    if (calls[i].got) end_beside(&calls[i]);
  end_again(&sum);
#ifdef MASLIN_MPI
  if (has_again) MPI_Request_free(&sum.request);
#endif
}
