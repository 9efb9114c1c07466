// Requests: started once and again, completed one by one and together; probes.
#include <malloc.h>

#include "expect.h"

enum { many = 20 };
static int left, right;

static void start_all(MPI_Request* requests, int* in, const int* out) {
  for (int i = 0; i < many; ++i) MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < many; ++i) MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[many + i]);
}

static void complete(int how) {
  MPI_Request requests[2 * many];
  MPI_Status statuses[2 * many];
  int in[many], out[many], done = 0, indices[2 * many], index, flag, count;
  for (int i = 0; i < many; ++i) out[i] = me * many + i;
  start_all(requests, in, out);
  switch (how) {
    case 0:
      MPI_Waitall(2 * many, requests, statuses);
      for (int i = 0; i < many; ++i) EXPECT_EQUAL(statuses[i].MPI_TAG, i);
      break;
    case 1:
      for (; done < 2 * many; ++done) {
        MPI_Waitany(2 * many, requests, &index, &statuses[0]);
        EXPECT(index >= 0 && index < 2 * many);
        EXPECT(index >= many || statuses[0].MPI_TAG == index);
        EXPECT_EQUAL(requests[index], MPI_REQUEST_NULL);
      }
      MPI_Waitany(2 * many, requests, &index, MPI_STATUS_IGNORE);
      EXPECT_EQUAL(index, MPI_UNDEFINED);
      break;
    case 2:
      while (done < 2 * many) {
        MPI_Waitsome(2 * many, requests, &count, indices, statuses);
        EXPECT(count > 0);
        done += count;
      }
      MPI_Waitsome(2 * many, requests, &count, indices, statuses);
      EXPECT_EQUAL(count, MPI_UNDEFINED);
      break;
    case 3:
      do MPI_Testall(2 * many, requests, &flag, statuses);
      while (!flag);
      break;
    case 4:
      while (done < 2 * many) {
        MPI_Testany(2 * many, requests, &index, &flag, statuses);
        done += flag;
      }
      break;
    case 5:
      while (done < 2 * many) {
        MPI_Testsome(2 * many, requests, &count, indices, statuses);
        done += count;
      }
      break;
    default:
      for (int i = 0; i < 2 * many; ++i) {
        do {
          MPI_Request_get_status(requests[i], &flag, &statuses[0]);
          if (flag) MPI_Test(&requests[i], &flag, &statuses[0]);
        } while (!flag);
      }
  }
  for (int i = 0; i < many; ++i) EXPECT_EQUAL(in[i], left * many + i);
  for (int i = 0; i < 2 * many; ++i) EXPECT_EQUAL(requests[i], MPI_REQUEST_NULL);
}

static void again_and_again(void) {
  int out[500] = {0}, in[500];
  MPI_Request both[2];
  MPI_Send_init(out, 500, MPI_INT, right, 2, MPI_COMM_WORLD, &both[0]);
  MPI_Recv_init(in, 500, MPI_INT, left, 2, MPI_COMM_WORLD, &both[1]);
  MPI_Wait(&both[0], MPI_STATUS_IGNORE);  // not started: nothing to wait for
  for (int turn = 0; turn < 10; ++turn) {
    for (int i = 0; i < 500; ++i) out[i] = me + turn + i;
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 500; ++i) EXPECT_EQUAL(in[i], left + turn + i);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
  EXPECT_EQUAL(both[0], MPI_REQUEST_NULL);
}

static void freed_ones_go_on(void) {
  static int out[1000], in[1000];
  MPI_Request request;
  for (int i = 0; i < 1000; ++i) out[i] = me + i;
  MPI_Isend(out, 1000, MPI_INT, right, 6, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Recv(in, 1000, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQUAL(in[999], left + 999);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void receives_are_cancelled(void) {
  int never = 17, flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&never, 1, MPI_INT, left, 77, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT_EQUAL(flag, 1);
  EXPECT_EQUAL(never, 17);
}

/// What was sent is received or cancelled, and never both, in each mode and size.
static void sends_are_cancelled(void) {
  enum { length = 1000, modes = 4 };
  static int out[length], in[length];
  static char room[4 * length * sizeof(int)];
  void* was;
  int flag, size, bytes;
  MPI_Request request;
  MPI_Status status;
  MPI_Buffer_attach(room, sizeof room);
  for (int mode = 0; mode < modes; ++mode)
    for (int count = 0; count <= length; count += count == 0 ? 1 : length - 1)
      for (int persistent = 0; persistent < 2; ++persistent) {
        for (int i = 0; i < length; ++i) out[i] = me + i, in[i] = -1;
        if (persistent) {
          if (mode == 0) MPI_Send_init(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
          if (mode == 1) MPI_Ssend_init(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
          if (mode == 2) MPI_Bsend_init(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
          if (mode == 3) MPI_Rsend_init(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
          MPI_Start(&request);
        } else {
          if (mode == 0) MPI_Isend(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
          if (mode == 1) MPI_Issend(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
          if (mode == 2) MPI_Ibsend(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
          if (mode == 3) MPI_Irsend(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
        }
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        EXPECT_EQUAL(flag, 1);  // nobody receives it before the barrier
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Iprobe(left, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQUAL(flag, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        if (persistent) {  // it may be started again
          MPI_Start(&request);
          MPI_Recv(in, length, MPI_INT, left, 8, MPI_COMM_WORLD, &status);
          MPI_Get_count(&status, MPI_INT, &bytes);
          EXPECT_EQUAL(bytes, count);
          if (count > 0) EXPECT_EQUAL(in[count - 1], left + count - 1);
          MPI_Wait(&request, &status);
          MPI_Test_cancelled(&status, &flag);
          EXPECT_EQUAL(flag, 0);
          MPI_Request_free(&request);
        }
        MPI_Barrier(MPI_COMM_WORLD);
      }
  // The buffer is free again.
  MPI_Buffer_detach(&was, &size);
  EXPECT_EQUAL(size, sizeof room);
  // What has been received is not cancelled.
  for (int count = 1; count <= length; count += length - 1) {
    MPI_Isend(out, count, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
    MPI_Recv(in, length, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQUAL(flag, 0);
  }
}

/// A send that the program was told is complete is not taken back.
static void told_ones_are_not_cancelled(void) {
  int in = -1, flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Isend(&me, 1, MPI_INT, right, 9, MPI_COMM_WORLD, &request);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  if (flag) {
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQUAL(flag, 0);
  }
  MPI_Recv(&in, 1, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQUAL(in, left);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Handles of requests that are there at a time differ, whichever of them were given back before.
static void handles_differ(void) {
  enum { more = 300 };
  static MPI_Request requests[more];
  static int in[more];
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = turn; i < more; ++i) MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = turn; i < more; ++i) {
      EXPECT(requests[i] != MPI_REQUEST_NULL);
      for (int k = turn; k < i; ++k) EXPECT(requests[i] != requests[k]);
    }
    for (int i = turn; i < more; ++i) {
      const int out = me * more + i;
      MPI_Send(&out, 1, MPI_INT, right, i, MPI_COMM_WORLD);
    }
    for (int i = turn; i < more; i += turn + 1) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Waitall(more - turn, &requests[turn], MPI_STATUSES_IGNORE);
    for (int i = turn; i < more; ++i) EXPECT_EQUAL(in[i], left * more + i);
  }
}

static void probed_then_received(void) {
  int length = 10 + me, flag = 0, count;
  int* const out = calloc((size_t)length, sizeof *out);
  MPI_Status status;
  MPI_Message message;
  for (int way = 0; way < 4; ++way) {
    MPI_Request sent;
    out[length - 1] = me + way;
    MPI_Isend(out, length, MPI_INT, right, way, MPI_COMM_WORLD, &sent);
    int* in = NULL;
    if (way == 0) MPI_Probe(left, way, MPI_COMM_WORLD, &status);
    if (way == 1) do
        MPI_Iprobe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &flag, &status);
      while (!flag);
    if (way == 2) MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    if (way == 3) do
        MPI_Improbe(left, way, MPI_COMM_WORLD, &flag, &message, &status);
      while (!flag);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQUAL(count, 10 + left);
    EXPECT_EQUAL(status.MPI_SOURCE, left);
    EXPECT_EQUAL(status.MPI_TAG, way);
    in = calloc((size_t)count, sizeof *in);
    if (way < 2) MPI_Recv(in, count, MPI_INT, left, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (way == 2) MPI_Mrecv(in, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    if (way == 3) {
      MPI_Request request;
      MPI_Imrecv(in, count, MPI_INT, &message, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (way >= 2) EXPECT_EQUAL(message, MPI_MESSAGE_NULL);
    EXPECT_EQUAL(in[count - 1], left + way);
    free(in);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
  free(out);
}

static void failures_are_told_by_all_ways(void) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  int out[2] = {1, 2}, in[2], flag;
  for (int way = 0; way < 5; ++way) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(&in[0], 1, MPI_INT, left, 0, own, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, left, 1, own, &requests[1]);
    MPI_Send(out, 2, MPI_INT, right, 0, own);
    MPI_Send(out, 1, MPI_INT, right, 1, own);
    if (way == 0) {
      EXPECT_EQUAL(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
      EXPECT_EQUAL(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
      EXPECT_EQUAL(statuses[1].MPI_ERROR, MPI_SUCCESS);
    } else if (way >= 3) {
      // Both are told, with an error in one of the statuses, whenever they end.
      int left_over = 2, seen = 0, done, indices[2];
      while (left_over > 0) {
        const int error = way == 3 ? MPI_Waitsome(2, requests, &done, indices, statuses)
                                   : MPI_Testsome(2, requests, &done, indices, statuses);
        int is_in_status = 0;
        for (int k = 0; k < done; ++k) {
          is_in_status |= indices[k] == 0;
          seen |= 1 << indices[k];
          if (error != MPI_SUCCESS)
            EXPECT_EQUAL(statuses[k].MPI_ERROR, indices[k] == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        }
        EXPECT_EQUAL(error, is_in_status ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
        left_over -= done;
      }
      EXPECT_EQUAL(seen, 3);
      EXPECT_EQUAL(MPI_Waitsome(2, requests, &done, indices, statuses), MPI_SUCCESS);
      EXPECT_EQUAL(done, MPI_UNDEFINED);
    } else {
      int error = MPI_SUCCESS;
      if (way == 1) error = MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      if (way == 2) do
          error = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        while (error == MPI_SUCCESS && !flag);
      EXPECT_EQUAL(error, MPI_ERR_TRUNCATE);
      EXPECT_EQUAL(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    EXPECT_EQUAL(in[1], 1);
  }
  MPI_Comm_free(&own);
}

/// A message may be cancelled between MPI_Mprobe's finding it and taking it.
static void cancelled_while_it_is_probed(void) {
  for (int i = 0; i < 50 && ranks > 1; ++i) {
    if (me == 0) {
      MPI_Request sent;
      MPI_Status status;
      int flag;
      MPI_Isend(&i, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &sent);
      MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, &status);  // others go on
      MPI_Cancel(&sent);
      MPI_Wait(&sent, &status);
      MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      MPI_Test_cancelled(&status, &flag);
      if (flag) MPI_Send(&i, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    } else if (me == 1) {
      MPI_Message message = MPI_MESSAGE_NULL;
      int got = -1;
      MPI_Mprobe(0, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      EXPECT_EQUAL(got, i);
    }
  }
}

static void freed_ones_give_memory_back(void) {
  enum { rounds = 10000 };
  MPI_Barrier(MPI_COMM_WORLD);
  size_t before = 0;
  for (int i = 0; i < rounds && me == 0; ++i) {
    MPI_Request sent;
    int got = -1;
    MPI_Isend(&i, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &sent);
    MPI_Request_free(&sent);
    MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(got, i);
    if (i == 100) before = mallinfo2().uordblks;
  }
  if (me == 0) EXPECT(mallinfo2().uordblks < before + rounds * 100);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  left = (me + ranks - 1) % ranks;
  right = (me + 1) % ranks;
  for (int how = 0; how < 7; ++how) complete(how);
  again_and_again();
  freed_ones_go_on();
  receives_are_cancelled();
  sends_are_cancelled();
  told_ones_are_not_cancelled();
  handles_differ();
  probed_then_received();
  failures_are_told_by_all_ways();
  cancelled_while_it_is_probed();
  freed_ones_give_memory_back();
  return end();
}
