// A send and a receive as one request: it is complete when both are, however that is found out.
#include "expect.h"

enum { large = 30000 };
static int out[large], in[large];
static int left, right;

static void finish(int how, MPI_Request* request, MPI_Status* status) {
  int flag = 0, index = -1, done = 0;
  switch (how) {
    case 0:
      MPI_Wait(request, status);
      break;
    case 1:
      MPI_Waitall(1, request, status);
      break;
    case 2:
      MPI_Waitany(1, request, &index, status);
      EXPECT_EQUAL(index, 0);
      break;
    case 3:
      MPI_Waitsome(1, request, &done, &index, status);
      EXPECT(done == 1 && index == 0);
      break;
    case 4:
      while (!flag) MPI_Test(request, &flag, status);
      break;
    case 5:
      while (!flag) MPI_Testall(1, request, &flag, status);
      break;
    case 6:
      while (!flag) MPI_Testany(1, request, &index, &flag, status);
      break;
    default:
      while (!flag) MPI_Request_get_status(*request, &flag, status);
      MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  EXPECT_EQUAL(*request, MPI_REQUEST_NULL);
}

static void around_a_ring(void) {
  for (int how = 0; how < 8; ++how)
    for (int n = 1; n <= large; n += large - 1)
      for (int replace = 0; replace < 2; ++replace) {
        MPI_Request request;
        MPI_Status status;
        int count;
        for (int i = 0; i < n; ++i) in[i] = -1, out[i] = 1000 * me + i + how;
        if (replace) {
          MPI_Isendrecv_replace(out, n, MPI_INT, right, 3, left, 3, MPI_COMM_WORLD, &request);
        } else {
          MPI_Isendrecv(out, n, MPI_INT, right, 3, in, large, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        }
        finish(how, &request, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT(status.MPI_SOURCE == left && status.MPI_TAG == 3 && count == n);
        for (int i = 0; i < n; ++i) EXPECT_EQUAL((replace ? out : in)[i], 1000 * left + i + how);
        if (!replace)
          for (int i = 0; i < n; ++i) EXPECT_EQUAL(out[i], 1000 * me + i + how);
      }
}

static void with_nobody(void) {
  MPI_Request request;
  MPI_Status status;
  int count, got = -1, mine = me;
  MPI_Isendrecv(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, &got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && got == -1);
  // A line: it has ends.
  const int from = me == 0 ? MPI_PROC_NULL : me - 1, to = me == ranks - 1 ? MPI_PROC_NULL : me + 1;
  for (int how = 0; how < 8; ++how) {
    for (int i = 0; i < large; ++i) out[i] = me + i;
    MPI_Isendrecv_replace(out, large, MPI_INT, to, 1, from, 1, MPI_COMM_WORLD, &request);
    finish(how, &request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQUAL(count, from == MPI_PROC_NULL ? 0 : large);
    for (int i = 0; i < large; ++i) EXPECT_EQUAL(out[i], (from == MPI_PROC_NULL ? me : from) + i);
  }
}

/// One half of an exchange is complete, the other waits for what the rank does when another request is.
static void half_of_one_holds_nobody_up(void) {
  if (ranks < 2) return;
  int small = -1, other = -1, index;
  MPI_Request both[2];
  if (me == 0) {
    MPI_Isendrecv(out, large, MPI_INT, 1, 1, &small, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &both[0]);
    MPI_Irecv(&other, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &both[1]);
    MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(index, 1);
    MPI_Send(&me, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(index, 0);
    EXPECT(small == 5 && other == 6);
  } else if (me == 1) {
    const int five = 5, six = 6;
    MPI_Send(&five, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Send(&six, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Recv(&small, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, large, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void many_among_others(void) {
  enum { many = 100 };
  static int given[many], got[many];
  MPI_Request requests[2 * many];
  for (int i = 0; i < many; ++i) {
    given[i] = me * many + i;
    MPI_Isendrecv(&given[i], 1, MPI_INT, right, i, &got[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[2 * i]);
    MPI_Isend(&given[i], 0, MPI_INT, right, many, MPI_COMM_WORLD, &requests[2 * i + 1]);
  }
  for (int i = 0; i < many; ++i) MPI_Recv(in, 0, MPI_INT, left, many, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2 * many, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < many; ++i) EXPECT_EQUAL(got[i], left * many + i);
}

/// What is given up goes on.
static void freed(void) {
  static int got = -1;
  MPI_Request request;
  for (int i = 0; i < large; ++i) out[i] = me - i;
  MPI_Isendrecv(out, large, MPI_INT, right, 1, &got, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  EXPECT_EQUAL(request, MPI_REQUEST_NULL);
  MPI_Recv(in, large, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < large; ++i) EXPECT_EQUAL(in[i], left - i);
  MPI_Send(&me, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void errors(void) {
  MPI_Comm own;
  MPI_Request request;
  int got[2], flag = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Isendrecv(out, 1, MPI_INT, ranks, 0, got, 1, MPI_INT, left, 0, own, &request), MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Isendrecv(out, 1, MPI_INT, right, 0, got, 1, MPI_INT, ranks, 0, own, &request), MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Isendrecv(out, 1, MPI_INT, right, -1, got, 1, MPI_INT, left, 0, own, &request), MPI_ERR_TAG);
  EXPECT_EQUAL(MPI_Isendrecv(out, -1, MPI_INT, right, 0, got, 1, MPI_INT, left, 0, own, &request), MPI_ERR_COUNT);
  EXPECT_EQUAL(MPI_Isendrecv_replace(out, 1, MPI_DATATYPE_NULL, right, 0, left, 0, own, &request), MPI_ERR_TYPE);
  EXPECT_EQUAL(MPI_Isendrecv_replace(out, 1, MPI_INT, right, 0, left, 0, MPI_COMM_NULL, &request), MPI_ERR_COMM);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own, &flag, MPI_STATUS_IGNORE);
  EXPECT(!flag);  // nothing was sent
  MPI_Barrier(own);
  EXPECT_EQUAL(MPI_Isendrecv(out, 2, MPI_INT, right, 0, got, 1, MPI_INT, left, 0, own, &request), MPI_SUCCESS);
  EXPECT_EQUAL(MPI_Cancel(&request), MPI_ERR_REQUEST);
  EXPECT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  // Nobody sends a number of no type.
  MPI_Status status;
  EXPECT_EQUAL(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, own, &status), MPI_SUCCESS);
  EXPECT_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQUAL(MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, own, &request), MPI_SUCCESS);
  EXPECT_EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
  EXPECT_EQUAL(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, left, 0, own, &status), MPI_ERR_TYPE);
  EXPECT_EQUAL(MPI_Send(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, own), MPI_ERR_TYPE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&own);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
  around_a_ring();
  with_nobody();
  half_of_one_holds_nobody_up();
  many_among_others();
  freed();
  errors();
  return end();
}
