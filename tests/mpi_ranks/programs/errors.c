// Errors that a program wants to be told: what each call gives, whose handler is called, and that all goes on.
#include <stdarg.h>
#include <stddef.h>

#include "expect.h"

static MPI_Comm own;
static int told, told_by_other;
static MPI_Comm told_of, other_told_of;

static void on_error(MPI_Comm* comm, int* code, ...) {
  told = *code;
  told_of = *comm;
}
static void on_other_error(MPI_Comm* comm, int* code, ...) {
  told_by_other = *code;
  other_told_of = *comm;
}

static int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}
#define EXPECT_ERROR(call, error) EXPECT_EQUAL(class_of(call), error)

static void of_messages(void) {
  int data[4] = {0}, flag;
  MPI_Request request;
  MPI_Datatype type;
  EXPECT_ERROR(MPI_Send(data, 1, MPI_INT, ranks, 0, own), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Send(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, own), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Recv(data, 1, MPI_INT, -5, 0, own, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Send(data, 1, MPI_INT, 0, -1, own), MPI_ERR_TAG);
  EXPECT_ERROR(MPI_Isend(data, 1, MPI_INT, 0, -5, own, &request), MPI_ERR_TAG);
  EXPECT_ERROR(MPI_Send(data, -1, MPI_INT, 0, 0, own), MPI_ERR_COUNT);
  EXPECT_ERROR(MPI_Irecv(data, -1, MPI_INT, 0, 0, own, &request), MPI_ERR_COUNT);
  EXPECT_ERROR(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, own), MPI_ERR_TYPE);
  MPI_Type_contiguous(2, MPI_INT, &type);
  EXPECT_ERROR(MPI_Send(data, 1, type, 0, 0, own), MPI_ERR_TYPE);  // not committed
  EXPECT_ERROR(MPI_Recv_init(data, 1, type, 0, 0, own, &request), MPI_ERR_TYPE);
  MPI_Type_free(&type);
  EXPECT_ERROR(MPI_Probe(ranks, 0, own, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Iprobe(0, -7, own, &flag, MPI_STATUS_IGNORE), MPI_ERR_TAG);
  EXPECT_ERROR(MPI_Sendrecv(data, 1, MPI_INT, 0, 0, data, 1, MPI_INT, ranks, 0, own, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  EXPECT_EQUAL(told, MPI_ERR_RANK);
  EXPECT_EQUAL(told_of, own);
  // Of a message that is too long, the beginning arrives; the next one is not touched.
  const int out[3] = {1, 2, 3};
  MPI_Request sent[2];
  MPI_Isend(out, 3, MPI_INT, me, 1, own, &sent[0]);
  MPI_Isend(&out[1], 1, MPI_INT, me, 1, own, &sent[1]);
  data[1] = -1;
  EXPECT_ERROR(MPI_Recv(data, 1, MPI_INT, me, 1, own, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  EXPECT_EQUAL(data[1], -1);
  EXPECT_ERROR(MPI_Recv(data, 1, MPI_INT, me, 1, own, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQUAL(data[0], 2);
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
}

/// What was sent arrives, although what came at the same time was too long.
static void of_exchanges(void) {
  static int large[2000];
  int got = 0, flag;
  for (int way = 0; way < 2 && ranks > 1; ++way) {
    if (me == 0 && way == 0) {
      EXPECT_ERROR(MPI_Sendrecv(large, 2000, MPI_INT, 1, 5, &got, 1, MPI_INT, 1, 6, own, MPI_STATUS_IGNORE),
                   MPI_ERR_TRUNCATE);
    } else if (me == 0) {
      EXPECT_ERROR(MPI_Sendrecv_replace(large, 1000, MPI_INT, 1, 5, 1, 6, own, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    } else if (me == 1) {
      MPI_Send(large, way == 0 ? 2 : 2000, MPI_INT, 0, 6, own);
      for (int i = 0; i < 1000; ++i) MPI_Iprobe(0, 7, own, &flag, MPI_STATUS_IGNORE);  // rank 0 is told meanwhile
      EXPECT_ERROR(MPI_Recv(large, 2000, MPI_INT, 0, 5, own, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    MPI_Barrier(own);
  }
}

/// What a message begins with is compared with what its receive begins with.
static void of_types(void) {
  struct mixed {
    int i;
    float f[3];
  };
  const MPI_Aint places[2] = {offsetof(struct mixed, i), offsetof(struct mixed, f)};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_FLOAT};
  MPI_Datatype mixed, ints, apart;
  MPI_Type_create_struct(2, (int[]){1, 3}, places, parts, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Type_contiguous(4, MPI_INT, &ints);
  MPI_Type_commit(&ints);
  MPI_Type_vector(2, 2, 3, MPI_UNSIGNED, &apart);
  MPI_Type_commit(&apart);
  const struct {
    MPI_Datatype sent, received;
    int sends, receives, error;
  } cases[] = {
      {MPI_INT, MPI_UNSIGNED, 4, 4, MPI_SUCCESS},
      {MPI_INT, MPI_INTEGER, 4, 4, MPI_SUCCESS},
      {MPI_LONG, MPI_LONG_LONG, 2, 2, MPI_SUCCESS},
      {MPI_C_FLOAT_COMPLEX, MPI_FLOAT, 2, 4, MPI_SUCCESS},
      {MPI_2INT, MPI_INT, 2, 4, MPI_SUCCESS},
      {ints, MPI_INT, 1, 4, MPI_SUCCESS},
      {apart, ints, 1, 1, MPI_SUCCESS},
      {MPI_INT, apart, 4, 1, MPI_SUCCESS},
      {mixed, mixed, 1, 1, MPI_SUCCESS},
      {mixed, MPI_BYTE, 1, 16, MPI_SUCCESS},
      {MPI_PACKED, mixed, 16, 1, MPI_SUCCESS},
      {MPI_CHAR, MPI_DOUBLE, 16, 2, MPI_SUCCESS},
      {MPI_DOUBLE, MPI_INT, 0, 4, MPI_SUCCESS},
      {MPI_INT, MPI_FLOAT, 4, 4, MPI_ERR_TYPE},
      {MPI_INT, MPI_DOUBLE, 4, 2, MPI_ERR_TYPE},
      {MPI_INT, MPI_LONG, 4, 2, MPI_ERR_TYPE},
      {MPI_SHORT, MPI_INT, 8, 4, MPI_ERR_TYPE},
      {MPI_FLOAT, MPI_DOUBLE, 4, 2, MPI_ERR_TYPE},
      {mixed, MPI_FLOAT, 1, 4, MPI_ERR_TYPE},
      {ints, MPI_DOUBLE_COMPLEX, 1, 1, MPI_ERR_TYPE},
      {apart, MPI_LONG_DOUBLE, 1, 1, MPI_ERR_TYPE},
  };
  const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int way = 0; way < 4; ++way) {
      long out[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[8] = {0};
      MPI_Request request;
      if (way == 0) {
        EXPECT_ERROR(MPI_Sendrecv(out, cases[i].sends, cases[i].sent, to, 1, in, cases[i].receives, cases[i].received,
                                  from, 1, own, MPI_STATUS_IGNORE),
                     cases[i].error);
      } else if (way == 1) {
        MPI_Irecv(in, cases[i].receives, cases[i].received, from, 1, own, &request);
        MPI_Send(out, cases[i].sends, cases[i].sent, to, 1, own);
        EXPECT_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), cases[i].error);
      } else if (way == 2) {
        MPI_Issend(out, cases[i].sends, cases[i].sent, to, 1, own, &request);
        EXPECT_ERROR(MPI_Recv(in, cases[i].receives, cases[i].received, from, 1, own, MPI_STATUS_IGNORE),
                     cases[i].error);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {  // what was taken by a probe is not compared
        MPI_Message message;
        MPI_Isend(out, cases[i].sends, cases[i].sent, to, 1, own, &request);
        MPI_Mprobe(from, 1, own, &message, MPI_STATUS_IGNORE);
        EXPECT_ERROR(MPI_Mrecv(in, cases[i].receives, cases[i].received, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      if (way < 3) EXPECT_EQUAL(in[0] != 0, cases[i].error == MPI_SUCCESS && cases[i].sends > 0);
    }
  MPI_Type_free(&mixed);
  MPI_Type_free(&ints);
  MPI_Type_free(&apart);
}

/// The handler is that of the request's communicator, whoever waits for it.
static void of_requests(void) {
  MPI_Comm other;
  MPI_Errhandler handler;
  MPI_Request request, sent;
  const int out[300] = {0};
  int in, index, flag;
  MPI_Comm_dup(own, &other);
  MPI_Comm_create_errhandler(on_other_error, &handler);
  MPI_Comm_set_errhandler(other, handler);
  MPI_Errhandler_free(&handler);
  EXPECT_EQUAL(handler, MPI_ERRHANDLER_NULL);
  for (int way = 0; way < 6; ++way) {
    const int count = way % 2 ? 300 : 2;
    MPI_Message message;
    told = told_by_other = 0;
    MPI_Isend(out, count, MPI_INT, me, 1, other, &sent);
    if (way < 5) MPI_Irecv(&in, 1, MPI_INT, me, 1, other, &request);
    switch (way) {
      case 0:
        EXPECT_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        break;
      case 1:
        EXPECT_ERROR(MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        EXPECT_EQUAL(index, 0);
        break;
      case 2: {
        MPI_Status status;
        EXPECT_ERROR(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
        EXPECT_ERROR(status.MPI_ERROR, MPI_ERR_TRUNCATE);
        break;
      }
      case 3: {
        int code;
        do code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        while (code == MPI_SUCCESS && !flag);
        EXPECT_ERROR(code, MPI_ERR_TRUNCATE);
        break;
      }
      case 4: {
        int code;
        do code = MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
        while (code == MPI_SUCCESS && !flag);
        EXPECT_ERROR(code, MPI_ERR_TRUNCATE);
        EXPECT_EQUAL(index, 0);
        break;
      }
      default:
        MPI_Mprobe(me, 1, other, &message, MPI_STATUS_IGNORE);
        EXPECT_ERROR(MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    }
    EXPECT(told_by_other != MPI_SUCCESS);
    EXPECT_EQUAL(told, 0);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&other);
}

/// So is that of what is wrong when a request is started again, cancelled or freed, also of a communicator that is
/// gone.
static void of_requests_that_are_not_waited_for(void) {
  for (int is_gone = 0; is_gone < 2; ++is_gone) {
    MPI_Comm other;
    MPI_Errhandler handler;
    MPI_Request started, buffered, met;
    int data = me;
    MPI_Comm_dup(own, &other);
    MPI_Comm_create_errhandler(on_other_error, &handler);
    MPI_Comm_set_errhandler(other, handler);
    MPI_Errhandler_free(&handler);
    MPI_Recv_init(&data, 1, MPI_INT, me, 1, other, &started);
    MPI_Bsend_init(&data, 1, MPI_INT, me, 1, other, &buffered);
    MPI_Ibarrier(other, &met);
    if (is_gone) MPI_Comm_free(&other);
    MPI_Start(&started);
    told = 0;
    for (int way = 0; way < 5; ++way) {
      told_by_other = 0;
      const int code = way == 0   ? MPI_Start(&started)
                       : way == 1 ? MPI_Startall(1, &started)
                       : way == 2 ? MPI_Start(&buffered)  // there is no room
                       : way == 3 ? MPI_Cancel(&met)
                                  : MPI_Request_free(&met);
      EXPECT_ERROR(code, way == 2 ? MPI_ERR_BUFFER : MPI_ERR_REQUEST);
      EXPECT_EQUAL(told_by_other, code);
    }
    EXPECT_EQUAL(told, 0);
    MPI_Wait(&met, MPI_STATUS_IGNORE);
    MPI_Cancel(&started);
    MPI_Wait(&started, MPI_STATUS_IGNORE);
    MPI_Request_free(&started);
    MPI_Request_free(&buffered);
    if (!is_gone) MPI_Comm_free(&other);
  }
}

/// What was begun in a communicator goes on when that is freed, and tells its handler, also when another one has got
/// its number.
static void of_freed(void) {
  static char room[100 + MPI_BSEND_OVERHEAD];
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_other_error, &handler);
  MPI_Buffer_attach(room, sizeof room);
  for (int way = 0; way < 4; ++way) {
    MPI_Comm gone, next;
    MPI_Request request, sent = MPI_REQUEST_NULL;
    MPI_Message message;
    MPI_Status status;
    int out[2] = {me, 2}, in[2] = {-1, -1};
    MPI_Comm_dup(own, &gone);
    MPI_Comm_set_errhandler(gone, handler);
    const MPI_Comm number = gone;
    told = told_by_other = 0;
    other_told_of = -1;
    if (way == 0) MPI_Irecv(in, 1, MPI_INT, me, 1, gone, &request);
    if (way < 2) MPI_Isend(out, 2, MPI_INT, me, 1, gone, &sent);
    if (way == 1) MPI_Mprobe(me, 1, gone, &message, MPI_STATUS_IGNORE);
    if (way == 2) MPI_Allreduce_init(out, in, 1 + (me == ranks - 1), MPI_INT, MPI_SUM, gone, MPI_INFO_NULL, &request);
    if (way == 3) MPI_Irecv(in, 2, MPI_INT, me, 1, gone, &request);
    if (way == 3) MPI_Bsend_init(out, 2, MPI_INT, me, 1, gone, &sent);
    MPI_Comm_free(&gone);
    if (way != 1) MPI_Comm_split(own, me, 0, &next);  // of fewer ranks
    if (way == 1) MPI_Comm_dup(own, &next);
    EXPECT_EQUAL(next, number);
    if (way == 0) EXPECT_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    if (way == 1) EXPECT_ERROR(MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    if (way == 1) EXPECT_ERROR(MPI_Mrecv(in, 2, MPI_INT, &message, &status), MPI_SUCCESS);
    if (way == 1) EXPECT_EQUAL(status.MPI_SOURCE, me);
    if (way == 2) {
      MPI_Start(&request);
      EXPECT_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), ranks > 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
      MPI_Request_free(&request);
    }
    if (way == 3) {
      MPI_Start(&sent);
      MPI_Wait(&request, &status);
      EXPECT_EQUAL(status.MPI_SOURCE, me);
    }
    const int is_wrong = way == 2 ? ranks > 1 : way < 2;
    EXPECT_EQUAL(told_by_other, is_wrong ? MPI_ERR_TRUNCATE : 0);
    EXPECT_EQUAL(other_told_of, is_wrong ? MPI_COMM_NULL : -1);
    EXPECT_EQUAL(told, 0);
    if (way % 2) EXPECT(in[0] == me && in[1] == 2);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    if (way == 3) MPI_Request_free(&sent);
    MPI_Comm_free(&next);
  }
  void* was;
  int size;
  MPI_Buffer_detach(&was, &size);
  MPI_Errhandler_free(&handler);
}

/// All ranks are told of what is wrong in a call of all, and the next one is right.
static void of_all(void) {
  int data[200] = {0}, sum;
  EXPECT_ERROR(MPI_Bcast(data, 1, MPI_INT, ranks, own), MPI_ERR_ROOT);
  EXPECT_ERROR(MPI_Reduce(data, &sum, 1, MPI_INT, MPI_SUM, -1, own), MPI_ERR_ROOT);
  EXPECT_ERROR(MPI_Allreduce(data, &sum, 1, MPI_INT, MPI_OP_NULL, own), MPI_ERR_OP);
  EXPECT_ERROR(MPI_Allreduce(data, &sum, 1, MPI_DOUBLE, MPI_BAND, own), MPI_ERR_OP);
  EXPECT_ERROR(MPI_Allreduce(data, &sum, 1, MPI_INT, MPI_MAXLOC, own), MPI_ERR_OP);
  EXPECT_ERROR(MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, own), MPI_ERR_BUFFER);
  EXPECT_ERROR(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
  EXPECT_ERROR(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_MAX, own), MPI_SUCCESS);
  EXPECT_EQUAL(sum, ranks - 1);
}

static void of_objects(void) {
  MPI_Datatype type = MPI_INT;
  MPI_Group world, made;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Info info;
  MPI_Op op = MPI_SUM;
  int rank, key = 99999;
  char value[2];
  int flag;
  MPI_Errhandler before;
  // These belong to no communicator: MPI_COMM_WORLD's handler is called.
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_ERROR(MPI_Type_free(&type), MPI_ERR_TYPE);
  EXPECT_ERROR(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
  EXPECT_ERROR(MPI_Op_free(&op), MPI_ERR_OP);
  EXPECT_ERROR(MPI_Comm_free(&comm), MPI_ERR_COMM);
  EXPECT_ERROR(MPI_Comm_rank(MPI_COMM_NULL, &rank), MPI_ERR_COMM);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  EXPECT_ERROR(MPI_Group_incl(world, 2, (const int[]){0, 0}, &made), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Group_incl(world, 1, &ranks, &made), MPI_ERR_RANK);
  MPI_Group_free(&world);
  EXPECT_ERROR(MPI_Group_size(MPI_GROUP_NULL, &rank), MPI_ERR_GROUP);
  EXPECT_ERROR(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
  MPI_Request request = 99999;
  MPI_Status status;
  EXPECT_ERROR(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
  EXPECT_ERROR(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
  EXPECT_EQUAL(status.MPI_ERROR, MPI_ERR_REQUEST);
  MPI_Info_create(&info);
  EXPECT_ERROR(MPI_Info_delete(info, "none"), MPI_ERR_INFO_NOKEY);
  MPI_Info_get(info, "none", 1, value, &flag);
  EXPECT_EQUAL(flag, 0);
  MPI_Info_free(&info);
  EXPECT_EQUAL(info, MPI_INFO_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
}

static void of_the_program(void) {
  int error_class, code, other, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Errhandler now;
  MPI_Add_error_class(&error_class);
  MPI_Add_error_code(error_class, &code);
  MPI_Add_error_code(MPI_ERR_COUNT, &other);
  EXPECT(error_class > MPI_ERR_LASTCODE && code != error_class && other != code);
  EXPECT_ERROR(code, error_class);
  EXPECT_ERROR(other, MPI_ERR_COUNT);
  MPI_Error_string(code, text, &length);
  EXPECT_EQUAL(strlen(text), length);
  MPI_Add_error_string(code, "words");
  MPI_Error_string(code, text, &length);
  EXPECT(strcmp(text, "words") == 0 && length == 5);
  for (int known = 0; known < MPI_ERR_LASTCODE; ++known) {
    MPI_Error_string(known, text, &length);
    EXPECT(length > 0);
  }
  told = 0;
  EXPECT_EQUAL(MPI_Comm_call_errhandler(own, code), MPI_SUCCESS);
  EXPECT_EQUAL(told, code);
  // What is made of a communicator has its handler.
  MPI_Comm part;
  MPI_Errhandler its;
  MPI_Comm_split(own, 0, 0, &part);
  MPI_Comm_get_errhandler(own, &now);
  MPI_Comm_get_errhandler(part, &its);
  EXPECT_EQUAL(its, now);
  told = 0;
  EXPECT(MPI_Send(&code, 1, MPI_INT, ranks, 0, part) != MPI_SUCCESS);
  EXPECT(told != 0 && told_of == part);
  MPI_Comm_free(&part);
}

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(own, handler);
  MPI_Errhandler_free(&handler);
  of_messages();
  of_exchanges();
  of_types();
  of_requests();
  of_requests_that_are_not_waited_for();
  of_freed();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  of_all();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  of_objects();
  of_the_program();
  MPI_Comm_free(&own);
  return end();
}
