// Calls of all ranks that are started: they give what the blocking ones give, however they are completed, and also
// where a rank that has started one waits for something else first.
#include "expect.h"

enum { room = 8 * 3000, kinds = 17 };
static int most;  // numbers from one rank to another: what is shared out, and fits
static int given[room], wanted[room], got[room];
static int counts[64], places[64], bytes[64];
static MPI_Datatype types[64];
static MPI_Op last_of;

static void take_last(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] = 2 * ((int*)in)[i] + ((int*)inout)[i] % 1000;
}

/// Makes the call of that kind, of `n` numbers from each rank to each: blocking, or started if there is a request.
static void call(int kind, int n, int* to, MPI_Comm comm, MPI_Request* r) {
  const int root = (kind + n) % ranks;
  switch (kind) {
    case 0:
      if (r)
        MPI_Ibarrier(comm, r);
      else
        MPI_Barrier(comm);
      break;
    case 1:
      if (me == root) memcpy(to, given, (size_t)n * sizeof(int));
      if (r)
        MPI_Ibcast(to, n, MPI_INT, root, comm, r);
      else
        MPI_Bcast(to, n, MPI_INT, root, comm);
      break;
    case 2:
      if (r)
        MPI_Igather(given, n, MPI_INT, to, n, MPI_INT, root, comm, r);
      else
        MPI_Gather(given, n, MPI_INT, to, n, MPI_INT, root, comm);
      break;
    case 3:
      if (r)
        MPI_Igatherv(given, n, MPI_INT, to, counts, places, MPI_INT, root, comm, r);
      else
        MPI_Gatherv(given, n, MPI_INT, to, counts, places, MPI_INT, root, comm);
      break;
    case 4:
      if (r)
        MPI_Iscatter(given, n, MPI_INT, to, n, MPI_INT, root, comm, r);
      else
        MPI_Scatter(given, n, MPI_INT, to, n, MPI_INT, root, comm);
      break;
    case 5:
      if (r)
        MPI_Iscatterv(given, counts, places, MPI_INT, to, n, MPI_INT, root, comm, r);
      else
        MPI_Scatterv(given, counts, places, MPI_INT, to, n, MPI_INT, root, comm);
      break;
    case 6:
      if (r)
        MPI_Iallgather(given, n, MPI_INT, to, n, MPI_INT, comm, r);
      else
        MPI_Allgather(given, n, MPI_INT, to, n, MPI_INT, comm);
      break;
    case 7:
      if (r)
        MPI_Iallgatherv(given, n, MPI_INT, to, counts, places, MPI_INT, comm, r);
      else
        MPI_Allgatherv(given, n, MPI_INT, to, counts, places, MPI_INT, comm);
      break;
    case 8:
      if (r)
        MPI_Ialltoall(given, n, MPI_INT, to, n, MPI_INT, comm, r);
      else
        MPI_Alltoall(given, n, MPI_INT, to, n, MPI_INT, comm);
      break;
    case 9:
      if (r)
        MPI_Ialltoallv(given, counts, places, MPI_INT, to, counts, places, MPI_INT, comm, r);
      else
        MPI_Alltoallv(given, counts, places, MPI_INT, to, counts, places, MPI_INT, comm);
      break;
    case 10:
      if (r)
        MPI_Ialltoallw(given, counts, bytes, types, to, counts, bytes, types, comm, r);
      else
        MPI_Alltoallw(given, counts, bytes, types, to, counts, bytes, types, comm);
      break;
    case 11:
      if (r)
        MPI_Ireduce(given, to, n, MPI_INT, MPI_SUM, root, comm, r);
      else
        MPI_Reduce(given, to, n, MPI_INT, MPI_SUM, root, comm);
      break;
    case 12:
      if (r)
        MPI_Iallreduce(given, to, n, MPI_INT, last_of, comm, r);
      else
        MPI_Allreduce(given, to, n, MPI_INT, last_of, comm);
      break;
    case 13:
      if (r)
        MPI_Ireduce_scatter(given, to, counts, MPI_INT, MPI_MAX, comm, r);
      else
        MPI_Reduce_scatter(given, to, counts, MPI_INT, MPI_MAX, comm);
      break;
    case 14:
      if (r)
        MPI_Ireduce_scatter_block(given, to, n, MPI_INT, MPI_BXOR, comm, r);
      else
        MPI_Reduce_scatter_block(given, to, n, MPI_INT, MPI_BXOR, comm);
      break;
    case 15:
      if (r)
        MPI_Iscan(given, to, n, MPI_INT, last_of, comm, r);
      else
        MPI_Scan(given, to, n, MPI_INT, last_of, comm);
      break;
    default:
      if (r)
        MPI_Iexscan(given, to, n, MPI_INT, MPI_SUM, comm, r);
      else
        MPI_Exscan(given, to, n, MPI_INT, MPI_SUM, comm);
  }
}

static void fill(int n) {
  for (int i = 0; i < ranks * n; ++i) given[i] = (me + 1) * 1000 + 7 * i, wanted[i] = got[i] = -5;
  for (int i = 0; i < ranks; ++i)
    counts[i] = n, places[i] = i * n, bytes[i] = i * n * (int)sizeof(int), types[i] = MPI_INT;
}

static void finish(int how, MPI_Request* request) {
  int flag = 0, index = -1;
  MPI_Status status;
  if (how == 0) MPI_Wait(request, &status);
  if (how == 1) MPI_Waitall(1, request, &status);
  if (how == 2) MPI_Waitany(1, request, &index, &status);
  if (how == 3) do
      MPI_Test(request, &flag, &status);
    while (!flag);
  EXPECT_EQUAL(*request, MPI_REQUEST_NULL);
}

static void each_gives_what_the_blocking_one_gives(void) {
  for (int kind = 0; kind < kinds; ++kind)
    for (int n = 1, how = 0; n <= most; n += n == 1 ? 99 : most - 100, ++how) {
      MPI_Request request;
      fill(n);
      call(kind, n, wanted, MPI_COMM_WORLD, NULL);
      call(kind, n, got, MPI_COMM_WORLD, &request);
      // The counts are the program's again.
      for (int i = 0; i < ranks; ++i) counts[i] = places[i] = bytes[i] = -1, types[i] = MPI_DATATYPE_NULL;
      finish((kind + how) % 4, &request);
      for (int i = 0; i < ranks * n; ++i) EXPECT_EQUAL(got[i], wanted[i]);
    }
}

/// A rank that waits for a message helps nobody; the others complete without it.
static void complete_without_those_who_wait_elsewhere(void) {
  MPI_Request request;
  int go = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    fill(most);
    call(kind, most, wanted, MPI_COMM_WORLD, NULL);
    call(kind, most, got, MPI_COMM_WORLD, &request);
    if (me == 0) {
      for (int other = 1; other < ranks; ++other)
        MPI_Recv(&go, 1, MPI_INT, other, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      finish(0, &request);
    } else {
      finish(kind % 4, &request);
      MPI_Send(&go, 1, MPI_INT, 0, kind, MPI_COMM_WORLD);
    }
    for (int i = 0; i < ranks * most; ++i) EXPECT_EQUAL(got[i], wanted[i]);
  }
}

/// Many at a time, completed in another order in each rank, among messages and blocking calls.
static void many_at_a_time(void) {
  enum { many = 24 };
  MPI_Request requests[many + 2];
  MPI_Status statuses[many + 2];
  int sums[many], firsts[many], out = me, in = -1, index, left = many + 2;
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  for (int i = 0; i < many; ++i) {
    firsts[i] = me + i;
    MPI_Iallreduce(&firsts[i], &sums[i], 1, MPI_INT, MPI_SUM, i % 2 ? MPI_COMM_WORLD : twin, &requests[i]);
    if (i % 5 == 0) MPI_Barrier(i % 2 ? MPI_COMM_WORLD : twin);
  }
  MPI_Irecv(&in, 1, MPI_INT, (me + 1) % ranks, 1, twin, &requests[many]);
  MPI_Isend(&out, 1, MPI_INT, (me + ranks - 1) % ranks, 1, twin, &requests[many + 1]);
  for (int i = me % many; i < many; i += 7, --left) MPI_Wait(&requests[i], &statuses[i]);
  for (; left > 10; --left) {
    MPI_Waitany(many + 2, requests, &index, &statuses[0]);
    EXPECT(index != MPI_UNDEFINED);
  }
  MPI_Waitall(many + 2, requests, statuses);
  for (int i = 0; i < many; ++i) EXPECT_EQUAL(sums[i], ranks * (ranks - 1) / 2 + ranks * i);
  EXPECT_EQUAL(in, (me + 1) % ranks);
  MPI_Comm_free(&twin);
}

/// A type, an operation and a communicator may be freed while a call goes on.
static void what_is_freed_stays_until_the_end(void) {
  MPI_Comm twin;
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Request both[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(take_last, 0, &op);
  fill(300);
  MPI_Allreduce(given, wanted, 300, MPI_INT, op, twin);
  MPI_Iallreduce(given, got, 300, MPI_INT, op, twin, &both[0]);
  int parts[3] = {me, -1, me + 1};
  MPI_Ibcast(parts, 1, pair, ranks - 1, twin, &both[1]);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  MPI_Comm_free(&twin);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 300; ++i) EXPECT_EQUAL(got[i], wanted[i]);
  EXPECT(parts[0] == ranks - 1 && parts[1] == -1 && parts[2] == ranks);
}

static void in_place(void) {
  MPI_Request request;
  int all[64 * 2];
  for (int i = 0; i < 2 * ranks; ++i) all[i] = i / 2 == me ? me * 10 + i % 2 : -1;
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * ranks; ++i) EXPECT_EQUAL(all[i], i / 2 * 10 + i % 2);
  for (int i = 0; i < ranks; ++i) all[i] = 100 * me + i;
  MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < ranks; ++i) EXPECT_EQUAL(all[i], 100 * i + me);
  MPI_Ireduce_scatter_block(MPI_IN_PLACE, all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQUAL(all[0], 100 * me);  // rank 0 gives the least
}

static void errors_are_told_when_it_is_complete(void) {
  MPI_Comm own;
  MPI_Request request, freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Ibcast(got, -1, MPI_INT, 0, own, &request), MPI_ERR_COUNT);
  fill(300);
  EXPECT_EQUAL(MPI_Iallreduce(given, got, me == 0 ? 100 : 101, MPI_INT, MPI_SUM, own, &request), MPI_SUCCESS);
  EXPECT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), ranks == 1 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  EXPECT_EQUAL(MPI_Ibcast(got, me == 0 ? 1000 : 900, MPI_INT, 0, own, &request), MPI_SUCCESS);
  EXPECT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), me == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  if (ranks > 1) {
    EXPECT_EQUAL(me == 0 ? MPI_Ibarrier(own, &request) : MPI_Iscan(given, got, 1, MPI_INT, MPI_SUM, own, &request),
                 MPI_SUCCESS);
    EXPECT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
  }
  MPI_Ibarrier(own, &request);
  freed = request;
  EXPECT_EQUAL(MPI_Request_free(&freed), MPI_ERR_REQUEST);
  EXPECT_EQUAL(MPI_Cancel(&request), MPI_ERR_REQUEST);
  EXPECT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&own);
}

static void duplicates_are_started(void) {
  MPI_Comm twin[3];
  MPI_Request all[3];
  int sum = 0;
  for (int i = 0; i < 2; ++i) MPI_Comm_idup(MPI_COMM_WORLD, &twin[i], &all[i]);
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &twin[2], &all[2]);
  MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) {
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, twin[i]);
    EXPECT_EQUAL(sum, i * ranks);
    MPI_Comm_free(&twin[i]);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  most = ranks <= 8 ? 3000 : room / ranks;
  MPI_Op_create(take_last, 0, &last_of);
  each_gives_what_the_blocking_one_gives();
  complete_without_those_who_wait_elsewhere();
  many_at_a_time();
  what_is_freed_stays_until_the_end();
  in_place();
  errors_are_told_when_it_is_complete();
  duplicates_are_started();
  return end();
}
