// Messages of two neighbours in a ring: order, tags, wild cards, lengths, what a status says.
#include "expect.h"

static int left, right;

static void order_is_kept(void) {
  for (int i = 0; i < 200; ++i) {
    int got = -1;
    MPI_Sendrecv(&i, 1, MPI_INT, right, 3, &got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(got, i);
  }
}

static void tags_choose(void) {
  MPI_Request sent[3];
  int data[3] = {10, 20, 30}, got;
  for (int tag = 0; tag < 3; ++tag) MPI_Isend(&data[tag], 1, MPI_INT, right, tag, MPI_COMM_WORLD, &sent[tag]);
  for (int tag = 2; tag >= 0; --tag) {
    MPI_Recv(&got, 1, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(got, data[tag]);
  }
  MPI_Waitall(3, sent, MPI_STATUSES_IGNORE);
}

static void anybody_is_received_from(void) {
  if (me != 0) {
    MPI_Send(&me, 1, MPI_INT, 0, 100 + me, MPI_COMM_WORLD);
    return;
  }
  int seen = 0;
  for (int i = 1; i < ranks; ++i) {
    int got = -1, count = -1;
    MPI_Status status;
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT_EQUAL(status.MPI_SOURCE, got);
    EXPECT_EQUAL(status.MPI_TAG, 100 + got);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQUAL(count, 1);
    seen += got;
  }
  EXPECT_EQUAL(seen, ranks * (ranks - 1) / 2);
}

static void all_lengths_arrive(void) {
  for (size_t length = 0; length <= 4 << 20; length = length * 4 + (length == 0)) {
    unsigned char *const out = malloc(length + 1), *const in = malloc(length + 1);
    for (size_t i = 0; i < length; ++i) out[i] = (unsigned char)(i * 7 + (size_t)me);
    in[length] = 99;
    MPI_Status status;
    int count = -1;
    MPI_Sendrecv(out, (int)length, MPI_BYTE, right, 0, in, (int)length, MPI_BYTE, left, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQUAL(count, length);
    for (size_t i = 0; i < length; ++i) EXPECT_EQUAL(in[i], (unsigned char)(i * 7 + (size_t)left));
    EXPECT_EQUAL(in[length], 99);
    free(out);
    free(in);
  }
}

static void shorter_ones_are_told(void) {
  double data[4] = {1, 2, 3, 4}, got[8] = {0};
  MPI_Status status;
  int count;
  MPI_Sendrecv(data, 3, MPI_DOUBLE, right, 0, got, 8, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  EXPECT_EQUAL(count, 3);
  EXPECT(got[2] == 3 && got[3] == 0);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  MPI_Get_count(&status, pair, &count);
  EXPECT_EQUAL(count, MPI_UNDEFINED);
  MPI_Get_elements(&status, pair, &count);
  EXPECT_EQUAL(count, 3);
  MPI_Type_free(&pair);
}

static void what_is_replaced(void) {
  int data[1000];
  for (int i = 0; i < 1000; ++i) data[i] = me * 1000 + i;
  MPI_Sendrecv_replace(data, 1000, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 1000; ++i) EXPECT_EQUAL(data[i], left * 1000 + i);
}

static void nobody(void) {
  int data = 5;
  MPI_Status status;
  MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  EXPECT_EQUAL(data, 5);
  EXPECT_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQUAL(status.MPI_TAG, MPI_ANY_TAG);
}

static void too_long_is_an_error(void) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  int data[200] = {0}, got[200];
  MPI_Request sent;
  for (int length = 2; length <= 200; length += 198) {
    MPI_Isend(data, length, MPI_INT, right, 0, own, &sent);
    EXPECT_EQUAL(MPI_Recv(got, 1, MPI_INT, left, 0, own, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
  EXPECT_EQUAL(MPI_Send(data, 1, MPI_INT, ranks, 0, own), MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Send(data, 1, MPI_INT, right, -3, own), MPI_ERR_TAG);
  EXPECT_EQUAL(MPI_Send(data, -1, MPI_INT, right, 0, own), MPI_ERR_COUNT);
  EXPECT_EQUAL(MPI_Send(data, 1, MPI_DATATYPE_NULL, right, 0, own), MPI_ERR_TYPE);
  EXPECT_EQUAL(MPI_Send(NULL, 1, MPI_INT, right, 0, own), MPI_ERR_BUFFER);
  MPI_Comm_free(&own);
  EXPECT_EQUAL(own, MPI_COMM_NULL);
}

static void modes(void) {
  int got, size, data[300];
  char room[8192];
  void* was;
  for (int i = 0; i < 300; ++i) data[i] = me + i;
  MPI_Buffer_attach(room, sizeof room);
  for (int length = 1; length <= 300; length += 299) {
    MPI_Bsend(data, length, MPI_INT, right, 9, MPI_COMM_WORLD);
    int in[300];
    MPI_Recv(in, 300, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(in[length - 1], left + length - 1);
  }
  MPI_Buffer_detach(&was, &size);
  EXPECT(was == (void*)room);
  EXPECT_EQUAL(size, sizeof room);
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rsend(&me, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQUAL(got, left);
  MPI_Issend(data, 300, MPI_INT, right, 5, MPI_COMM_WORLD, &request);
  int in[300];
  MPI_Recv(in, 300, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQUAL(in[299], left + 299);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  left = (me + ranks - 1) % ranks;
  right = (me + 1) % ranks;
  order_is_kept();
  tags_choose();
  MPI_Barrier(MPI_COMM_WORLD);
  anybody_is_received_from();
  MPI_Barrier(MPI_COMM_WORLD);
  all_lengths_arrive();
  shorter_ones_are_told();
  what_is_replaced();
  nobody();
  too_long_is_an_error();
  modes();
  return end();
}
