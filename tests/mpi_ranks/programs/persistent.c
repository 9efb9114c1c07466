// Persistent calls of all ranks: each start gives what the blocking call gives then, in whatever order ranks start
// them.
#include "expect.h"

enum { room = 16 * 1200, kinds = 22, rounds = 3 };
static int most;  // numbers from one rank to another
static int given[room], wanted[room], got[kinds][room];
static int counts[64], places[64], bytes[64];
static MPI_Aint distances[64];
static MPI_Datatype types[64];
static MPI_Op last_of;
static MPI_Comm ring;

static void take_last(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] = 2 * ((int*)in)[i] + ((int*)inout)[i] % 1000;
}

/// The call, or its persistent form if there is a request.
#define CALL(name, comm, ...)                                                            \
  do {                                                                                   \
    if (r)                                                                               \
      EXPECT_EQUAL(MPI_##name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, r), MPI_SUCCESS); \
    else                                                                                 \
      EXPECT_EQUAL(MPI_##name(__VA_ARGS__, comm), MPI_SUCCESS);                          \
  } while (0)
#define OF_ALL(name, ...) CALL(name, MPI_COMM_WORLD, __VA_ARGS__)

static void call(int kind, int n, int* to, MPI_Request* r) {
  const int root = (kind + n) % ranks;
  switch (kind) {
    case 0:
      if (r)
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, r);
      else
        MPI_Barrier(MPI_COMM_WORLD);
      break;
    case 1:
      OF_ALL(Bcast, to, n, MPI_INT, root);
      break;
    case 2:
      OF_ALL(Gather, given, n, MPI_INT, to, n, MPI_INT, root);
      break;
    case 3:
      OF_ALL(Gatherv, given, n, MPI_INT, to, counts, places, MPI_INT, root);
      break;
    case 4:
      OF_ALL(Scatter, given, n, MPI_INT, to, n, MPI_INT, root);
      break;
    case 5:
      OF_ALL(Scatterv, given, counts, places, MPI_INT, to, n, MPI_INT, root);
      break;
    case 6:
      OF_ALL(Allgather, given, n, MPI_INT, to, n, MPI_INT);
      break;
    case 7:
      OF_ALL(Allgatherv, given, n, MPI_INT, to, counts, places, MPI_INT);
      break;
    case 8:
      OF_ALL(Alltoall, given, n, MPI_INT, to, n, MPI_INT);
      break;
    case 9:
      OF_ALL(Alltoallv, given, counts, places, MPI_INT, to, counts, places, MPI_INT);
      break;
    case 10:
      OF_ALL(Alltoallw, given, counts, bytes, types, to, counts, bytes, types);
      break;
    case 11:
      OF_ALL(Reduce, given, to, n, MPI_INT, MPI_SUM, root);
      break;
    case 12:
      OF_ALL(Allreduce, given, to, n, MPI_INT, last_of);
      break;
    case 13:
      OF_ALL(Reduce_scatter, given, to, counts, MPI_INT, MPI_MAX);
      break;
    case 14:
      OF_ALL(Reduce_scatter_block, given, to, n, MPI_INT, MPI_BXOR);
      break;
    case 15:
      OF_ALL(Scan, given, to, n, MPI_INT, last_of);
      break;
    case 16:
      OF_ALL(Exscan, given, to, n, MPI_INT, MPI_SUM);
      break;
    case 17:
      CALL(Neighbor_allgather, ring, given, n, MPI_INT, to, n, MPI_INT);
      break;
    case 18:
      CALL(Neighbor_allgatherv, ring, given, n, MPI_INT, to, counts, places, MPI_INT);
      break;
    case 19:
      CALL(Neighbor_alltoall, ring, given, n, MPI_INT, to, n, MPI_INT);
      break;
    case 20:
      CALL(Neighbor_alltoallv, ring, given, counts, places, MPI_INT, to, counts, places, MPI_INT);
      break;
    default:
      CALL(Neighbor_alltoallw, ring, given, counts, distances, types, to, counts, distances, types);
  }
}

static int numbers_of(int n) { return n * (ranks < 2 ? 2 : ranks); }  // in a ring there are two parts

static void fill(int n, int round) {
  for (int i = 0; i < numbers_of(n); ++i) given[i] = (me + 1) * 1000 + 7 * i + 100003 * round, wanted[i] = -5;
}
/// What a broadcast gives lies where it is got.
static void fill_own(int kind, int n, int round, int* to) {
  for (int i = 0; i < numbers_of(n); ++i) to[i] = -5;
  if (kind == 1 && me == (kind + n) % ranks)
    for (int i = 0; i < n; ++i) to[i] = 31 * i + round;
}

static void each_start_gives_what_the_blocking_one_gives(int n) {
  MPI_Request requests[kinds];
  for (int i = 0; i < 64; ++i) {
    counts[i] = n, places[i] = i * n, bytes[i] = i * n * (int)sizeof(int), distances[i] = bytes[i];
    types[i] = MPI_INT;
  }
  for (int kind = 0; kind < kinds; ++kind) call(kind, n, got[kind], &requests[kind]);
  for (int round = 0; round < rounds; ++round) {
    fill(n, round);
    for (int kind = 0; kind < kinds; ++kind) fill_own(kind, n, round, got[kind]);
    // Each rank has an order of its own.
    if (round == 0) {
      MPI_Startall(kinds, requests);
      MPI_Waitall(kinds, requests, MPI_STATUSES_IGNORE);
    } else {
      for (int i = 0; i < kinds; ++i) MPI_Start(&requests[(me % 2 ? kinds - 1 - i : i + me) % kinds]);
      for (int i = 0, flag = 0, index; i < kinds; ++i, flag = 0) {
        const int kind = (5 * i + me) % kinds;
        if (round == 1)
          while (!flag) MPI_Test(&requests[kind], &flag, MPI_STATUS_IGNORE);
        else
          MPI_Waitany(kinds, requests, &index, MPI_STATUS_IGNORE);
      }
    }
    for (int kind = 0; kind < kinds; ++kind) {
      EXPECT(requests[kind] != MPI_REQUEST_NULL);
      fill_own(kind, n, round, wanted);
      call(kind, n, wanted, NULL);
      for (int i = 0; i < numbers_of(n); ++i) EXPECT_EQUAL(got[kind][i], wanted[i]);
    }
  }
  for (int kind = 0; kind < kinds; ++kind) MPI_Request_free(&requests[kind]);
  EXPECT_EQUAL(requests[0], MPI_REQUEST_NULL);
}

/// Types, operations and communicators may be freed when the call has been prepared.
static void what_is_freed_stays(void) {
  MPI_Comm twin;
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Request both[2];
  int parts[3], sum = 0, own;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(take_last, 0, &op);
  MPI_Allreduce_init(&own, &sum, 1, MPI_INT, op, twin, MPI_INFO_NULL, &both[0]);
  MPI_Bcast_init(parts, 1, pair, ranks - 1, twin, MPI_INFO_NULL, &both[1]);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  MPI_Comm_free(&twin);
  for (int round = 0; round < rounds; ++round) {
    int expected;
    own = 10 * round + me;
    parts[0] = 100 * round + me, parts[1] = -1, parts[2] = me + 1;
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&own, &expected, 1, MPI_INT, last_of, MPI_COMM_WORLD);
    EXPECT_EQUAL(sum, expected);
    EXPECT(parts[0] == 100 * round + ranks - 1 && parts[1] == -1 && parts[2] == ranks);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}

/// Each start takes what lies there then.
static void in_place(void) {
  MPI_Request requests[2];
  int all[64], own[64];
  MPI_Alltoall_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Reduce_scatter_block_init(MPI_IN_PLACE, own, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < ranks; ++i) all[i] = own[i] = 100 * me + i + 10000 * round;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < ranks; ++i) EXPECT_EQUAL(all[i], 100 * i + me + 10000 * round);
    EXPECT_EQUAL(own[0], me + 10000 * round);  // rank 0 gives the least
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void between_two_groups(void) {
  if (ranks < 2) return;
  MPI_Comm half, both;
  MPI_Request request;
  int out, sum, size;
  const int second = me >= ranks / 2;
  MPI_Comm_split(MPI_COMM_WORLD, second, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, second ? 0 : ranks / 2, 1, &both);
  MPI_Comm_remote_size(both, &size);
  MPI_Allreduce_init(&out, &sum, 1, MPI_INT, MPI_SUM, both, MPI_INFO_NULL, &request);
  MPI_Comm_free(&both);
  for (int round = 0; round < rounds; ++round) {
    out = round + 100 * second;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(sum, size * (round + 100 * !second));
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&half);
}

static void errors(void) {
  MPI_Comm own;
  MPI_Request request, copy;
  int flag, out[2] = {1, 2}, in[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Bcast_init(in, -1, MPI_INT, 0, own, MPI_INFO_NULL, &request), MPI_ERR_COUNT);
  EXPECT_EQUAL(MPI_Bcast_init(in, 1, MPI_INT, ranks, own, MPI_INFO_NULL, &request), MPI_ERR_ROOT);
  EXPECT_EQUAL(MPI_Allreduce_init(out, in, 1, MPI_FLOAT, MPI_BXOR, own, MPI_INFO_NULL, &request), MPI_ERR_OP);
  EXPECT_EQUAL(MPI_Allgather_init(out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, own, MPI_INFO_NULL, &request),
               MPI_ERR_TYPE);
  EXPECT_EQUAL(MPI_Barrier_init(MPI_COMM_NULL, MPI_INFO_NULL, &request), MPI_ERR_COMM);
  EXPECT_EQUAL(MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, own, MPI_INFO_NULL, &request),
               MPI_ERR_TOPOLOGY);
  MPI_Allreduce_init(out, in, me == 0 ? 1 : 2, MPI_INT, MPI_SUM, own, MPI_INFO_NULL, &request);
  // One that has not been started is complete.
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  EXPECT(flag && request != MPI_REQUEST_NULL);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQUAL(MPI_Start(&request), MPI_SUCCESS);
    copy = request;
    EXPECT_EQUAL(MPI_Start(&copy), MPI_ERR_REQUEST);
    EXPECT_EQUAL(MPI_Request_free(&copy), MPI_ERR_REQUEST);
    EXPECT_EQUAL(MPI_Cancel(&copy), MPI_ERR_REQUEST);
    EXPECT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), ranks == 1 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  }
  EXPECT_EQUAL(MPI_Request_free(&request), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&own);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  most = ranks <= 8 ? 1200 : room / ranks;
  MPI_Op_create(take_last, 0, &last_of);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (const int[]){1}, 0, &ring);
  each_start_gives_what_the_blocking_one_gives(1);
  each_start_gives_what_the_blocking_one_gives(most);
  what_is_freed_stays();
  in_place();
  between_two_groups();
  errors();
  MPI_Comm_free(&ring);
  MPI_Op_free(&last_of);
  return end();
}
