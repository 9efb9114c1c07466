// The other ways to send: buffered, synchronous and ready ones, once and again and again, and requests that are given
// up.
#include "expect.h"

enum { length = 5000 };  // more than a message that is kept for its receiver, also one of another process
static int left, right, out[length], in[length];

static void fill(int turn) {
  for (int i = 0; i < length; ++i) out[i] = me * 7 + turn + i, in[i] = -1;
}
static void expect_from_left(int count, int turn) {
  for (int i = 0; i < count; ++i) EXPECT_EQUAL(in[i], left * 7 + turn + i);
}

/// A synchronous send is not complete before it is received.
static void synchronous(void) {
  for (int count = 0; count <= length; count += count == 0 ? 1 : length - 1) {  // small ones, too
    MPI_Request request;
    int flag = 0, go = 0;
    fill(1);
    MPI_Issend(out, count, MPI_INT, right, 1, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 30; ++i) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQUAL(flag, 0);
    }
    // Each tells its receiver only now that it may receive.
    MPI_Sendrecv(&go, 1, MPI_INT, right, 2, &go, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, length, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_from_left(count, 1);
  }
  // Who sends so waits until the other receives.
  int told = 0, go = 1, flag = 0;
  if (ranks > 1 && me == 0) {
    MPI_Ssend(&go, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    MPI_Iprobe(1, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(flag, 1);
    MPI_Recv(&told, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (me == 1) {
    MPI_Send(&go, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Recv(&told, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void again_and_again(void) {
  static char room[2 * length * sizeof(int) + 2 * MPI_BSEND_OVERHEAD];
  void* was;
  int size;
  MPI_Buffer_attach(room, sizeof room);
  for (int mode = 0; mode < 4; ++mode)
    for (int count = 1; count <= length; count += length - 1) {
      MPI_Request both[2];
      MPI_Recv_init(in, length, MPI_INT, MPI_ANY_SOURCE, mode, MPI_COMM_WORLD, &both[0]);
      if (mode == 0) MPI_Send_init(out, count, MPI_INT, right, mode, MPI_COMM_WORLD, &both[1]);
      if (mode == 1) MPI_Ssend_init(out, count, MPI_INT, right, mode, MPI_COMM_WORLD, &both[1]);
      if (mode == 2) MPI_Rsend_init(out, count, MPI_INT, right, mode, MPI_COMM_WORLD, &both[1]);
      if (mode == 3) MPI_Bsend_init(out, count, MPI_INT, right, mode, MPI_COMM_WORLD, &both[1]);
      for (int turn = 0; turn < 5; ++turn) {
        MPI_Status status;
        int flag, got;
        MPI_Test(&both[0], &flag, &status);
        EXPECT_EQUAL(flag, 1);  // not active: as if there were none
        EXPECT_EQUAL(status.MPI_SOURCE, MPI_ANY_SOURCE);
        fill(turn);
        MPI_Start(&both[0]);
        MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs a receive that has begun
        MPI_Start(&both[1]);
        MPI_Wait(&both[0], &status);
        MPI_Wait(&both[1], MPI_STATUS_IGNORE);
        MPI_Get_count(&status, MPI_INT, &got);
        EXPECT_EQUAL(got, count);
        EXPECT_EQUAL(status.MPI_SOURCE, left);
        expect_from_left(count, turn);
        if (count < length) EXPECT_EQUAL(in[count], -1);
        EXPECT(both[0] != MPI_REQUEST_NULL && both[1] != MPI_REQUEST_NULL);
        MPI_Barrier(MPI_COMM_WORLD);
      }
      MPI_Request_free(&both[0]);
      MPI_Request_free(&both[1]);
    }
  MPI_Buffer_detach(&was, &size);
  EXPECT_EQUAL(size, sizeof room);
}

/// What is sent is copied: it may change at once. Where there is no room, that is an error.
static void buffered(void) {
  enum { parts = 4 };
  static char room[parts * (length * sizeof(int) + MPI_BSEND_OVERHEAD)];
  void* was;
  int size;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Bsend(out, 1, MPI_INT, right, 0, own), MPI_ERR_BUFFER);
  MPI_Buffer_attach(room, sizeof room);
  for (int part = 0; part < parts; ++part) {
    fill(part);
    if (part % 2) {
      MPI_Request request;
      MPI_Ibsend(out, length, MPI_INT, right, part, own, &request);
      fill(99);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Bsend(out, length, MPI_INT, right, part, own);
    }
    fill(99);
  }
  EXPECT_EQUAL(MPI_Bsend(out, length, MPI_INT, right, 0, own), MPI_ERR_BUFFER);
  MPI_Barrier(own);  // nobody receives before
  for (int part = parts - 1; part >= 0; --part) {
    MPI_Recv(in, length, MPI_INT, left, part, own, MPI_STATUS_IGNORE);
    expect_from_left(length, part);
  }
  MPI_Bsend(out, length, MPI_INT, MPI_PROC_NULL, 0, own);
  MPI_Buffer_detach(&was, &size);
  EXPECT(was == (void*)room);
  // Again, and what was sent is still to be received while the buffer is given back.
  MPI_Buffer_attach(room, sizeof room);
  fill(5);
  MPI_Request request;
  MPI_Irecv(in, length, MPI_INT, left, 9, own, &request);
  MPI_Bsend(out, length, MPI_INT, right, 9, own);
  MPI_Buffer_detach(&was, &size);
  memset(room, 0, sizeof room);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_from_left(length, 5);
  MPI_Comm_free(&own);
}

/// MPI_Buffer_detach waits for buffered messages, and for no others.
static void detached_while_others_go_on(void) {
  static char room[1000];
  static int more[length];
  void* was;
  int size, go = 0;
  MPI_Request request, receive;
  fill(3);
  memcpy(more, out, sizeof more);
  MPI_Isend(more, length, MPI_INT, right, 4, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Irecv(in, length, MPI_INT, left, 4, MPI_COMM_WORLD, &receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  expect_from_left(length, 3);
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Isend(more, length, MPI_INT, right, 5, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Buffer_attach(room, sizeof room);
  MPI_Buffer_detach(&was, &size);
  MPI_Sendrecv(&go, 1, MPI_INT, right, 6, &go, 1, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in, length, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect_from_left(length, 3);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void ready(void) {
  MPI_Request receive, sent;
  for (int count = 1; count <= length; count += length - 1) {
    fill(count);
    MPI_Irecv(in, length, MPI_INT, left, 3, MPI_COMM_WORLD, &receive);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irsend(out, count, MPI_INT, right, 3, MPI_COMM_WORLD, &sent);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    expect_from_left(count, count);
  }
}

/// A cancelled receive takes no message; the next receive gets it. A started one may be cancelled and started again.
static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int flag, got = -1, never = -1;
  MPI_Recv_init(&never, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &request);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQUAL(flag, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(&turn, 1, MPI_INT, right, 8, &got, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &status);
    EXPECT_EQUAL(got, turn);
    EXPECT_EQUAL(never, -1);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQUAL(flag, 0);
  }
  MPI_Start(&request);
  MPI_Send(&me, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT_EQUAL(flag, 0);
  EXPECT_EQUAL(never, left);
  // One that is complete stays so.
  MPI_Start(&request);
  MPI_Send(&me, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
  do MPI_Request_get_status(request, &flag, &status);
  while (!flag);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT_EQUAL(flag, 0);
  EXPECT_EQUAL(status.MPI_SOURCE, left);
  MPI_Request_free(&request);
}

/// Nobody is sent to and received from in every way.
static void nobody(void) {
  MPI_Request requests[4];
  MPI_Status statuses[4], status;
  MPI_Message message = MPI_MESSAGE_NULL;
  int data = 5, flag = 0, count = -1;
  MPI_Irecv(&data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(&data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(&data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[3]);
  MPI_Startall(2, &requests[2]);
  MPI_Waitall(4, requests, statuses);
  EXPECT_EQUAL(statuses[0].MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQUAL(statuses[2].MPI_SOURCE, MPI_PROC_NULL);
  MPI_Request_free(&requests[2]);
  MPI_Request_free(&requests[3]);
  MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
  EXPECT_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
  MPI_Iprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &status);
  EXPECT_EQUAL(flag, 1);
  MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status);
  EXPECT_EQUAL(message, MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&data, 1, MPI_INT, &message, &status);
  EXPECT_EQUAL(message, MPI_MESSAGE_NULL);
  EXPECT_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQUAL(status.MPI_TAG, MPI_ANY_TAG);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT_EQUAL(count, 0);
  MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &message, &status);
  EXPECT(flag && message == MPI_MESSAGE_NO_PROC);
  MPI_Imrecv(&data, 1, MPI_INT, &message, &requests[0]);
  MPI_Wait(&requests[0], &status);
  EXPECT_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
  MPI_Sendrecv_replace(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  EXPECT_EQUAL(data, 5);
  EXPECT_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
  int got = -1;
  // A line of ranks: its ends have one neighbour.
  const int before = me > 0 ? me - 1 : MPI_PROC_NULL, behind = me + 1 < ranks ? me + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(&me, 1, MPI_INT, behind, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &status);
  EXPECT_EQUAL(got, me - 1);
  EXPECT_EQUAL(status.MPI_SOURCE, before);
}

/// A message that was probed and taken is not received by others.
static void taken(void) {
  MPI_Request sent[2];
  MPI_Message first;
  MPI_Status status;
  int flag;
  fill(10);
  MPI_Isend(out, length, MPI_INT, right, 1, MPI_COMM_WORLD, &sent[0]);
  MPI_Isend(out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &sent[1]);
  MPI_Mprobe(left, 1, MPI_COMM_WORLD, &first, &status);
  int second = -1;
  MPI_Recv(&second, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  EXPECT_EQUAL(second, left * 7 + 10);
  MPI_Iprobe(left, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  EXPECT_EQUAL(flag, 0);
  MPI_Mrecv(in, length, MPI_INT, &first, &status);
  expect_from_left(length, 10);
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  left = (me + ranks - 1) % ranks;
  right = (me + 1) % ranks;
  synchronous();
  again_and_again();
  buffered();
  detached_while_others_go_on();
  ready();
  cancelled();
  nobody();
  taken();
  return end();
}
