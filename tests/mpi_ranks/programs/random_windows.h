// Windows of messages, most of them small: more from one rank to another than a receiver keeps, of all modes, received
// in any way that gives each receive one message whatever comes first.
#pragma once

#include "random_plan.h"

enum { most_in_windows = 400 };
static struct plan windows[most_in_windows];
static int has_come[most_in_windows];  // or a receive was posted that gets it
static int window_count, windows_left, longest_in_windows;

/// A receive that was posted, for that message; for the next one of whoever sends if it is -1.
struct posted {
  int message;
  unsigned char* in;
};
struct batch {
  int count;
  MPI_Request requests[most];
  struct posted of[most];
};

/// The first message from that rank, with that tag, that has not come; -1 if there is none.
static int first_from(int from, int tag) {
  for (int m = 0; m < window_count; ++m)
    if (windows[m].to == me && !has_come[m] && windows[m].from == from && (tag == MPI_ANY_TAG || windows[m].tag == tag))
      return m;
  return -1;
}
/// One of those that have not come.
static int any_left(void) {
  int m = (int)own_drawn((unsigned)window_count);
  while (windows[m].to != me || has_come[m]) m = (m + 1) % window_count;
  return m;
}
static int is_only_sender(int from) {
  for (int m = 0; m < window_count; ++m)
    if (windows[m].to == me && !has_come[m] && windows[m].from != from) return 0;
  return 1;
}
static void take(int m) {
  EXPECT(m >= 0);
  has_come[m] = 1;
  --windows_left;
}

/// What has come is that message.
static void expect_message(int round, int m, const MPI_Status* status, const unsigned char* in) {
  const struct plan* const p = &windows[m];
  int length;
  EXPECT_EQUAL(status->MPI_SOURCE, p->from);
  EXPECT_EQUAL(status->MPI_TAG, p->tag);
  MPI_Get_count(status, MPI_BYTE, &length);
  EXPECT_EQUAL(length, p->length);
  for (size_t i = 0; i < p->length; ++i) EXPECT_EQUAL(in[i], byte_of(round, m, i));
  EXPECT_EQUAL(in[p->length], 222);
  note(of_windows + m, in, p->length);
}

static unsigned char* room_for(size_t length) {
  unsigned char* const made = malloc(length + 1);
  memset(made, 222, length + 1);
  return made;
}

static void post(struct batch* b, int m, int room, int from, int tag) {
  MPI_Request* const request = &b->requests[b->count];
  struct posted* const its = &b->of[b->count++];
  its->message = m;
  its->in = room_for((size_t)room);
  if (own_drawn(4)) {
    MPI_Irecv(its->in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, request);
  } else {
    MPI_Recv_init(its->in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, request);
    MPI_Start(request);
  }
}

/// Receives of one rank's messages, in the order in which they are posted, with their tags or any, and from any rank if
/// there is no other. Or receives that take what comes.
static void post_some(struct batch* b) {
  b->count = 0;
  if (windows_left == 0) return;
  int some = 1 + (int)own_drawn(windows_left < most ? (unsigned)windows_left : most);
  if (own_drawn(3) == 0) {
    for (; some > 0; --some) post(b, -1, longest_in_windows, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return;
  }
  const int from = windows[any_left()].from, is_only = is_only_sender(from);
  for (int m; some > 0 && (m = first_from(from, MPI_ANY_TAG)) >= 0; --some) {
    int tag = own_drawn(2) ? windows[m].tag : MPI_ANY_TAG;
    if (own_drawn(8) == 0) m = first_from(from, tag = (int)own_drawn(3));  // passes others
    if (m < 0) continue;
    take(m);
    const int room = (int)windows[m].length + (int)own_drawn(2);
    post(b, m, room, is_only && own_drawn(2) ? MPI_ANY_SOURCE : from, tag);
  }
}

static void finish(struct batch* b, int round) {
  MPI_Status statuses[most];
  int indices[most];
  switch (own_drawn(4)) {
    case 0:
      MPI_Waitall(b->count, b->requests, statuses);
      break;
    case 1:
      for (int left = b->count, index; left > 0; --left) {
        MPI_Status status;
        MPI_Waitany(b->count, b->requests, &index, &status);
        statuses[index] = status;
      }
      break;
    case 2:
      for (int left = b->count, done; left > 0; left -= done) {
        MPI_Status some[most];
        MPI_Waitsome(b->count, b->requests, &done, indices, some);
        for (int i = 0; i < done; ++i) statuses[indices[i]] = some[i];
      }
      break;
    default:
      for (int i = b->count - 1; i >= 0; --i) MPI_Wait(&b->requests[i], &statuses[i]);
  }
  // What takes what comes gets the messages of each rank in their order, too.
  for (int i = 0; i < b->count; ++i) {
    int m = b->of[i].message;
    if (m < 0) take(m = first_from(statuses[i].MPI_SOURCE, MPI_ANY_TAG));
    expect_message(round, m, &statuses[i], b->of[i].in);
    free(b->of[i].in);
    if (b->requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&b->requests[i]);
  }
}

/// One message, which is received as it is found.
static void receive_one(int round) {
  const int m = any_left(), from = own_drawn(2) ? windows[m].from : MPI_ANY_SOURCE;
  unsigned char* const in = room_for((size_t)longest_in_windows);
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  int flag = 0;
  switch (own_drawn(5)) {
    case 0:
      MPI_Recv(in, longest_in_windows, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      break;
    case 1:
      MPI_Probe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Recv(in, longest_in_windows, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
      break;
    case 2:
      MPI_Mprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
      MPI_Imrecv(in, longest_in_windows, MPI_BYTE, &message, &request);
      MPI_Wait(&request, &status);
      break;
    case 3:
      MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
      MPI_Recv(in, longest_in_windows, MPI_BYTE, flag ? status.MPI_SOURCE : from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      break;
    default:  // it may be taken back
      MPI_Irecv(in, longest_in_windows, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &flag);
      if (flag) {
        free(in);
        return;
      }
  }
  const int came = first_from(status.MPI_SOURCE, MPI_ANY_TAG);
  take(came);
  expect_message(round, came, &status, in);
  free(in);
}

/// Starts all that the rank sends; gives how many requests there are.
static int start_windows(int round, MPI_Request* requests) {
  int active = 0;
  for (int m = 0; m < window_count; ++m) {
    struct plan* const p = &windows[m];
    if (p->from != me) continue;
    const int length = (int)p->length;
    p->data = malloc(p->length + 1);
    for (size_t i = 0; i < p->length; ++i) p->data[i] = byte_of(round, m, i);
    switch (p->how_sent) {
      case 0:
        MPI_Issend(p->data, length, MPI_BYTE, p->to, p->tag, MPI_COMM_WORLD, &requests[active++]);
        break;
      case 1:
        MPI_Bsend(p->data, length, MPI_BYTE, p->to, p->tag, MPI_COMM_WORLD);
        break;
      case 2:
        MPI_Send_init(p->data, length, MPI_BYTE, p->to, p->tag, MPI_COMM_WORLD, &requests[active]);
        MPI_Start(&requests[active++]);
        break;
      default:
        MPI_Isend(p->data, length, MPI_BYTE, p->to, p->tag, MPI_COMM_WORLD, &requests[active++]);
    }
  }
  return active;
}

static void in_windows(int round) {
  static MPI_Request requests[most_in_windows];
  int from[3], to[2], senders = 1 + (int)drawn(3), receivers = 1 + (int)drawn(2);
  for (int i = 0; i < 3; ++i) from[i] = (int)drawn((unsigned)ranks);
  for (int i = 0; i < 2; ++i) to[i] = (int)drawn((unsigned)ranks);
  window_count = 1 + (int)drawn(drawn(is_large ? 2 : 16) ? 16 : most_in_windows);
  windows_left = longest_in_windows = 0;
  for (int m = 0; m < window_count; ++m) {
    struct plan* const p = &windows[m];
    p->from = from[drawn((unsigned)senders)];
    p->to = to[drawn((unsigned)receivers)];
    p->tag = (int)drawn(3);
    p->length = drawn(16) ? drawn(48) : drawn_length();
    p->how_sent = (int)drawn(12);
    if (p->how_sent == 1 && p->length > 5000) p->how_sent = 0;
    p->data = NULL;
    has_come[m] = 0;
    if (p->to != me) continue;
    ++windows_left;
    if (longest_in_windows < (int)p->length) longest_in_windows = (int)p->length;
  }
  MPI_Barrier(MPI_COMM_WORLD);  // who receives from any rank gets none of these before, and none of the others here
  struct batch first = {0}, next;
  if (own_drawn(2)) post_some(&first);
  const int active = start_windows(round, requests);
  finish(&first, round);
  while (windows_left > 0)
    if (own_drawn(2)) {
      receive_one(round);
    } else {
      post_some(&next);
      finish(&next, round);
    }
  MPI_Waitall(active, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < active; ++i)
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);  // what was sent and kept has been received
  for (int m = 0; m < window_count; ++m) free(windows[m].data);
}

/// A message that its sender takes back, and says whether it could; behind it another one with its tag.
static void taken_back(int round) {
  enum { tag = 7, told = 8 };
  const int from = (int)drawn((unsigned)ranks), to = (int)drawn((unsigned)ranks), is_synchronous = (int)drawn(2);
  const size_t length = drawn_length();
  unsigned char* const data = room_for(length);
  int is_gone, next = round;
  MPI_Request requests[2];
  MPI_Barrier(MPI_COMM_WORLD);  // who receives from any rank gets none of these before
  if (me == from) {
    MPI_Request request;
    MPI_Status status;
    for (size_t i = 0; i < length; ++i) data[i] = byte_of(round, 0, i);
    (is_synchronous ? MPI_Issend : MPI_Isend)(data, (int)length, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
    MPI_Isend(&next, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is_gone);
    MPI_Isend(&is_gone, 1, MPI_INT, to, told, MPI_COMM_WORLD, &requests[1]);
  }
  if (me == to) {
    unsigned char* const in = room_for(length);
    int has_gone, came;
    MPI_Recv(&has_gone, 1, MPI_INT, from, told, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!has_gone) {
      MPI_Recv(in, (int)length, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (size_t i = 0; i < length; ++i) EXPECT_EQUAL(in[i], byte_of(round, 0, i));
    }
    MPI_Recv(&came, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(came, round);
    free(in);
  }
  if (me == from) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  free(data);
}
