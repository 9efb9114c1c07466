// Communicators of two groups: messages and calls of all go from one group to the other. And communicators that only
// their own ranks ask for.
#include "expect.h"

static int mine, others, at, size, other_size;  // the groups' numbers, and the place and sizes in them
static MPI_Comm half, both;

static int in_world(int group, int place) { return 2 * place + group; }

static void made(void) {
  int flag, result;
  MPI_Group remote, local;
  MPI_Comm_test_inter(half, &flag);
  EXPECT_EQUAL(flag, 0);
  MPI_Comm_test_inter(both, &flag);
  EXPECT_EQUAL(flag, 1);
  MPI_Comm_size(both, &result);
  EXPECT_EQUAL(result, size);
  MPI_Comm_rank(both, &result);
  EXPECT_EQUAL(result, at);
  MPI_Comm_remote_size(both, &result);
  EXPECT_EQUAL(result, other_size);
  MPI_Comm_remote_group(both, &remote);
  MPI_Comm_group(both, &local);
  MPI_Group_size(local, &result);
  EXPECT_EQUAL(result, size);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int i = 0; i < other_size; ++i) {
    MPI_Group_translate_ranks(remote, 1, &i, world, &result);
    EXPECT_EQUAL(result, in_world(others, i));
  }
  MPI_Group_free(&remote);
  MPI_Group_free(&local);
  MPI_Group_free(&world);
}

static void messages(void) {
  int in = -1, out = me, flag = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  // Each to those of the same number in the other group; who has none speaks to the last.
  if (at < other_size) {
    MPI_Sendrecv(&out, 1, MPI_INT, at, 1, &in, 1, MPI_INT, at, 1, both, &status);
    EXPECT_EQUAL(in, in_world(others, at));
    EXPECT_EQUAL(status.MPI_SOURCE, at);
    MPI_Isend(&out, 1, MPI_INT, at, 2, both, &request);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, both, &status);
    EXPECT_EQUAL(status.MPI_SOURCE, at);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, at, 3, both, &request);
    MPI_Probe(at, 3, both, &status);
    EXPECT_EQUAL(status.MPI_SOURCE, at);
    MPI_Iprobe(MPI_ANY_SOURCE, 3, both, &flag, &status);
    EXPECT(flag && status.MPI_SOURCE == at);
    MPI_Mprobe(at, MPI_ANY_TAG, both, &message, &status);
    MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
    EXPECT(status.MPI_SOURCE == at && in == in_world(others, at));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Irecv(&in, 1, MPI_INT, other_size - 1, 4, both, &request);
  if (at == size - 1)
    for (int i = 0; i < other_size; ++i) MPI_Ssend(&out, 1, MPI_INT, i, 4, both);
  MPI_Wait(&request, &status);
  EXPECT(in == in_world(others, other_size - 1) && status.MPI_SOURCE == other_size - 1);
}

/// Calls with a root, which is rank 0 of group `from`.
static void rooted(int from, int n) {
  int all[64 * 100], one[100];
  const int root = mine != from ? 0 : at == 0 ? MPI_ROOT : MPI_PROC_NULL;
  for (int i = 0; i < n; ++i) one[i] = root == MPI_ROOT ? 7 * i : -1;
  MPI_Bcast(one, n, MPI_INT, root, both);
  for (int i = 0; i < n && mine != from; ++i) EXPECT_EQUAL(one[i], 7 * i);

  for (int i = 0; i < n; ++i) one[i] = 1000 * me + i;
  MPI_Gather(one, n, MPI_INT, all, n, MPI_INT, root, both);
  for (int i = 0; root == MPI_ROOT && i < n * other_size; ++i)
    EXPECT_EQUAL(all[i], 1000 * in_world(others, i / n) + i % n);

  for (int i = 0; i < n * other_size; ++i) all[i] = 3 * i;
  MPI_Scatter(all, n, MPI_INT, one, n, MPI_INT, root, both);
  for (int i = 0; i < n && mine != from; ++i) EXPECT_EQUAL(one[i], 3 * (at * n + i));

  for (int i = 0; i < n; ++i) one[i] = at + i;
  MPI_Request request;
  MPI_Ireduce(one, all, n, MPI_INT, MPI_SUM, root, both, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; root == MPI_ROOT && i < n; ++i)
    EXPECT_EQUAL(all[i], other_size * (other_size - 1) / 2 + other_size * i);
  // The root gives nothing, so what it says of that does not matter.
  if (root == MPI_ROOT) memset(all, 0, sizeof all);
  MPI_Reduce(root == MPI_ROOT ? all : one, all, n, MPI_INT, MPI_SUM, root, both);
  for (int i = 0; root == MPI_ROOT && i < n; ++i)
    EXPECT_EQUAL(all[i], other_size * (other_size - 1) / 2 + other_size * i);
}

static void of_all(int n) {
  int all[64 * 100], out[64 * 100], one[100], counts[64], places[64];
  MPI_Request request;
  for (int i = 0; i < n; ++i) one[i] = 1000 * me + i;
  MPI_Allgather(one, n, MPI_INT, all, n, MPI_INT, both);
  for (int i = 0; i < n * other_size; ++i) EXPECT_EQUAL(all[i], 1000 * in_world(others, i / n) + i % n);
  for (int i = 0; i < n * other_size; ++i) out[i] = 1000 * me + i;
  for (int i = 0; i < other_size; ++i) counts[i] = n, places[i] = i * n;
  MPI_Ialltoallv(out, counts, places, MPI_INT, all, counts, places, MPI_INT, both, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n * other_size; ++i) EXPECT_EQUAL(all[i], 1000 * in_world(others, i / n) + at * n + i % n);
  for (int i = 0; i < n; ++i) one[i] = at + 10 * mine + i;
  MPI_Allreduce(one, all, n, MPI_INT, MPI_SUM, both);
  for (int i = 0; i < n; ++i) EXPECT_EQUAL(all[i], other_size * (other_size - 1) / 2 + other_size * (10 * others + i));
  // Both groups give as many numbers; each divides the other's among its ranks.
  for (int i = 0; i < size; ++i) counts[i] = n * other_size;
  for (int i = 0; i < n * size * other_size; ++i) out[i % (64 * 100)] = i;
  if (n * size * other_size <= 64 * 100) {
    MPI_Reduce_scatter(out, all, counts, MPI_INT, MPI_SUM, both);
    for (int i = 0; i < n * other_size; ++i) EXPECT_EQUAL(all[i], other_size * (at * n * other_size + i));
  }
  MPI_Barrier(both);
}

static void merged(void) {
  MPI_Comm one;
  int rank, flag, sum;
  for (int first = 0; first < 2; ++first) {
    MPI_Intercomm_merge(both, mine != first, &one);
    MPI_Comm_test_inter(one, &flag);
    EXPECT_EQUAL(flag, 0);
    MPI_Comm_rank(one, &rank);
    EXPECT_EQUAL(rank, mine == first ? at : at + other_size);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, one);
    EXPECT_EQUAL(sum, ranks * (ranks - 1) / 2);
    MPI_Comm_free(&one);
  }
}

static void of_other_shapes(void) {
  MPI_Comm twin, part;
  MPI_Request request;
  int result, sum, n;
  MPI_Comm_dup(both, &twin);
  MPI_Comm_compare(both, twin, &result);
  EXPECT_EQUAL(result, MPI_CONGRUENT);
  MPI_Comm_compare(both, half, &result);
  EXPECT_EQUAL(result, MPI_UNEQUAL);
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_MAX, twin);
  EXPECT_EQUAL(sum, in_world(others, other_size - 1));
  MPI_Comm_free(&twin);
  MPI_Comm_idup(both, &twin, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(twin);
  // Only the first of each group, in one piece; all others say they belong to none.
  MPI_Comm_split(twin, at == 0 ? 3 : MPI_UNDEFINED, 0, &part);
  EXPECT_EQUAL(part != MPI_COMM_NULL, at == 0);
  if (at == 0) {
    MPI_Comm_remote_size(part, &n);
    EXPECT_EQUAL(n, 1);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, part);
    EXPECT_EQUAL(sum, others);
    MPI_Comm_free(&part);
  }
  // The last comes first.
  MPI_Comm_split(twin, 0, -at, &part);
  MPI_Comm_rank(part, &n);
  EXPECT_EQUAL(n, size - 1 - at);
  MPI_Allreduce(&at, &sum, 1, MPI_INT, MPI_SUM, part);
  EXPECT_EQUAL(sum, other_size * (other_size - 1) / 2);
  MPI_Comm_free(&part);
  // A color of one group only.
  MPI_Comm_split(twin, mine, 0, &part);
  EXPECT_EQUAL(part, MPI_COMM_NULL);
  MPI_Group local, first;
  const int zero = 0;
  MPI_Comm_group(twin, &local);
  MPI_Group_incl(local, 1, &zero, &first);
  MPI_Comm_create(twin, first, &part);
  EXPECT_EQUAL(part != MPI_COMM_NULL, at == 0);
  if (at == 0) {
    MPI_Comm_remote_size(part, &n);
    EXPECT_EQUAL(n, 1);
    MPI_Comm_free(&part);
  }
  MPI_Group_free(&local);
  MPI_Group_free(&first);
  MPI_Comm_free(&twin);
}

static void what_is_wrong(void) {
  MPI_Comm none;
  int one = 1;
  MPI_Group group;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Comm_remote_group(half, &group), MPI_ERR_COMM);
  EXPECT_EQUAL(MPI_Intercomm_merge(half, 0, &none), MPI_ERR_COMM);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Scan(&one, &one, 1, MPI_INT, MPI_SUM, both), MPI_ERR_COMM);
  EXPECT_EQUAL(MPI_Send(&one, 1, MPI_INT, other_size, 0, both), MPI_ERR_RANK);
  // What the root of a reduction expects is not what the others give.
  int given[100] = {0}, got[100];
  for (int i = 0; i < 100; ++i) got[i] = -3;
  const int root = mine == 1 ? 0 : at == 0 ? MPI_ROOT : MPI_PROC_NULL;
  EXPECT_EQUAL(MPI_Reduce(given, got, mine == 0 ? 1 : 100, MPI_INT, MPI_SUM, root, both), MPI_ERR_TRUNCATE);
  EXPECT_EQUAL(MPI_Reduce(given, got, 50, mine == 0 ? MPI_SHORT : MPI_INT, MPI_SUM, root, both), MPI_ERR_OP);
  EXPECT_EQUAL(MPI_Reduce(given, got, 50, MPI_INT, mine == 0 ? MPI_MAX : MPI_SUM, root, both), MPI_ERR_OP);
  for (int i = 0; i < 100; ++i) EXPECT_EQUAL(got[i], -3);
  // What a leader says of the other group is wrong: all of its group are told.
  EXPECT_EQUAL(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, ranks + 3, 9, &none), MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, others, -9, &none), MPI_ERR_TAG);
  EXPECT_EQUAL(MPI_Intercomm_create(half, 0, MPI_COMM_NULL, others, 9, &none), MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// Only the ranks of a group make its communicator; others do something else.
static void of_a_group(void) {
  MPI_Group world, odd;
  MPI_Comm some, more;
  int range[1][3] = {{ranks - 1 - ranks % 2, 1, -2}}, sum, first;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, ranks > 1, range, &odd);
  if (me % 2 == 1) {
    for (int tag = 0; tag < 3; ++tag) {
      MPI_Comm_create_group(MPI_COMM_WORLD, odd, tag, &some);
      MPI_Comm_create_group(some, odd, tag, &more);
      MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, more);
      EXPECT_EQUAL(sum, (ranks / 2) * (ranks / 2));
      first = me;
      MPI_Bcast(&first, 1, MPI_INT, 0, some);
      EXPECT_EQUAL(first, range[0][0]);
      MPI_Comm_free(&some);
      MPI_Comm_free(&more);
    }
  } else if (me == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, odd, 0, &some);
    EXPECT_EQUAL(some, MPI_COMM_NULL);
  }
  MPI_Group_free(&world);
  if (odd != MPI_GROUP_EMPTY) MPI_Group_free(&odd);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  of_a_group();
  if (ranks > 1) {
    mine = me % 2;
    others = 1 - mine;
    at = me / 2;
    size = (ranks + 1 - mine) / 2;
    other_size = ranks - size;
    MPI_Comm_split(MPI_COMM_WORLD, mine, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, others, 9, &both);
    made();
    messages();
    for (int n = 1; n <= 100; n += 99)
      for (int from = 0; from < 2; ++from) rooted(from, n);
    of_all(1);
    of_all(100);
    merged();
    of_other_shapes();
    what_is_wrong();
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
  }
  return end();
}
