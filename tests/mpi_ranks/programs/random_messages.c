// Rounds that a seed decides: messages of all kinds in all directions, and calls of all ranks. All ranks draw the same
// plan, so each knows what it is to get, to the byte.
//
//     random_messages SEED ROUNDS [MOST_BYTES] [LARGE_ONE_IN] [FILE]
//
// A round is a program of its own; many_messages.py runs any number of them. One in LARGE_ONE_IN (1 if not said) has up
// to 64 messages at a time, of all lengths, and windows of up to 400; the others have some short ones. Each rank writes
// to FILE.RANK what it got in each round, as a number that all bytes have a part in: another MPI's ranks must get the
// same.
#include "random_calls.h"
#include "random_neighbours.h"
#include "random_windows.h"

static void send_all(struct plan* plans, int count, int round, MPI_Comm comm, MPI_Request* requests, int* active) {
  for (int m = 0; m < count; ++m) {
    struct plan* const p = &plans[m];
    if (p->from != me) continue;
    p->data = malloc(p->length + 1);
    for (size_t i = 0; i < p->length; ++i) p->data[i] = byte_of(round, m, i);
    const int length = (int)p->length;
    switch (p->how_sent) {
      case 0:
        MPI_Send(p->data, length, MPI_BYTE, p->to, p->tag, comm);
        break;
      case 1:
        MPI_Isend(p->data, length, MPI_BYTE, p->to, p->tag, comm, &requests[(*active)++]);
        break;
      case 2:
        MPI_Ssend(p->data, length, MPI_BYTE, p->to, p->tag, comm);
        break;
      case 3:
        MPI_Bsend(p->data, length, MPI_BYTE, p->to, p->tag, comm);
        break;
      case 4:
        MPI_Issend(p->data, length, MPI_BYTE, p->to, p->tag, comm, &requests[(*active)++]);
        break;
      case 5: {
        MPI_Request again;
        MPI_Send_init(p->data, length, MPI_BYTE, p->to, p->tag, comm, &again);
        MPI_Start(&again);
        MPI_Wait(&again, MPI_STATUS_IGNORE);
        MPI_Request_free(&again);
        break;
      }
      case 6: {
        MPI_Request forgotten;  // the data stays until all have received
        MPI_Isend(p->data, length, MPI_BYTE, p->to, p->tag, comm, &forgotten);
        MPI_Request_free(&forgotten);
        break;
      }
      default: {
        // Every other byte of twice as many.
        MPI_Datatype every_other;
        unsigned char* const wide = malloc(2 * p->length + 1);
        for (size_t i = 0; i < p->length; ++i) wide[2 * i] = p->data[i];
        MPI_Type_vector(length, 1, 2, MPI_BYTE, &every_other);
        MPI_Type_commit(&every_other);
        MPI_Send(wide, length > 0, every_other, p->to, p->tag, comm);
        MPI_Type_free(&every_other);
        free(wide);
      }
    }
  }
}

static void messages(int round, MPI_Comm comm, const int* colors) {
  struct plan plans[most];
  MPI_Request requests[2 * most];
  int of_request[2 * most], count = drawn_message_count(), active = 0;
  for (int m = 0; m < count; ++m) {
    struct plan* const p = &plans[m];
    p->from = (int)drawn((unsigned)ranks);
    p->to = (int)drawn((unsigned)ranks);
    p->tag = (int)drawn(2) * 100 + m;  // each is known by its tag
    p->length = drawn_length();
    p->how_sent = (int)drawn(8);
    if (p->how_sent == 3 && p->length > most_buffered) p->how_sent = 1;
    p->how_received = (int)drawn(8);
    p->data = NULL;
    // Only within the caller's communicator, by the ranks there.
    if (colors[p->from] != colors[p->to]) p->from = p->to;
  }
  int place[512];
  for (int r = 0, next[2] = {0, 0}; r < ranks; ++r) place[r] = next[colors[r]]++;
  unsigned char* in[most] = {NULL};
  int later[most], laters = 0;
  for (int m = 0; m < count; ++m) {
    if (plans[m].to != me) continue;
    in[m] = malloc(plans[m].length + 1);
    in[m][plans[m].length] = 222;
    const int from = plans[m].how_received & 1 ? MPI_ANY_SOURCE : place[plans[m].from];
    const int room = (int)plans[m].length + (int)(plans[m].how_received >> 1 & (plans[m].length == 0));
    of_request[active] = m;
    if (plans[m].how_received & 4) {
      MPI_Recv_init(in[m], room, MPI_BYTE, from, plans[m].tag, comm, &requests[active]);
      MPI_Start(&requests[active++]);
    } else {
      MPI_Irecv(in[m], room, MPI_BYTE, from, plans[m].tag, comm, &requests[active++]);
    }
    later[laters++] = m;
  }
  const int receives = active;
  for (int m = 0; m < count; ++m) plans[m].to = place[plans[m].to];  // its rank in the communicator
  send_all(plans, count, round, comm, requests, &active);
  if (drawn(2)) {
    MPI_Status statuses[2 * most];
    MPI_Waitall(active, requests, statuses);
    for (int i = 0; i < receives; ++i) {
      int length;
      MPI_Get_count(&statuses[i], MPI_BYTE, &length);
      EXPECT_EQUAL(length, plans[of_request[i]].length);
      EXPECT_EQUAL(statuses[i].MPI_SOURCE, place[plans[of_request[i]].from]);
    }
  } else {
    for (int left = active, index; left > 0; --left) MPI_Waitany(active, requests, &index, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < receives; ++i)
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  for (int k = 0; k < laters; ++k) {
    const int m = later[k];
    for (size_t i = 0; i < plans[m].length; ++i) EXPECT_EQUAL(in[m][i], byte_of(round, m, i));
    EXPECT_EQUAL(in[m][plans[m].length], 222);
    note(m, in[m], plans[m].length);
    free(in[m]);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // what was sent and kept has been received
  for (int m = 0; m < count; ++m) free(plans[m].data);
}

/// Draws from whom to whom it goes, its tag and its length.
static void draw_message(struct plan* p) {
  p->from = (int)drawn((unsigned)ranks);
  p->to = (int)drawn((unsigned)ranks);
  p->tag = (int)drawn(3);
  p->length = drawn_length();
}

/// Messages that come in the order in which they were sent: each is received as the first that its sender has sent.
static void in_order(int round) {
  struct plan plans[most];
  MPI_Request requests[most];
  const int count = drawn_message_count();
  int active = 0;
  for (int m = 0; m < count; ++m) {
    struct plan* const p = &plans[m];
    draw_message(p);
    p->how_received = (int)drawn(5);
    p->data = NULL;
    if (p->from != me) continue;
    p->data = malloc(p->length + 1);
    for (size_t i = 0; i < p->length; ++i) p->data[i] = byte_of(round, m, i);
    MPI_Isend(p->data, (int)p->length, MPI_BYTE, p->to, p->tag, MPI_COMM_WORLD, &requests[active++]);
  }
  for (int m = 0; m < count; ++m) {
    const struct plan* const p = &plans[m];
    if (p->to != me) continue;
    // Messages of the same tag that come earlier have been received.
    const int tag = p->how_received == 0 ? p->tag : MPI_ANY_TAG, room = (int)p->length;
    unsigned char* const in = malloc(p->length + 1);
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0, length = -1;
    in[p->length] = 222;
    switch (p->how_received) {
      case 0:
      case 1:
        MPI_Recv(in, room, MPI_BYTE, p->from, tag, MPI_COMM_WORLD, &status);
        break;
      case 2:
        MPI_Probe(p->from, tag, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &length);
        EXPECT_EQUAL(length, p->length);
        MPI_Recv(in, length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        break;
      case 3:
        MPI_Mprobe(p->from, tag, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(in, room, MPI_BYTE, &message, &status);
        break;
      default:
        while (!flag) MPI_Improbe(p->from, tag, MPI_COMM_WORLD, &flag, &message, &status);
        MPI_Imrecv(in, room, MPI_BYTE, &message, &request);
        MPI_Wait(&request, &status);
    }
    EXPECT_EQUAL(status.MPI_SOURCE, p->from);
    EXPECT_EQUAL(status.MPI_TAG, p->tag);
    MPI_Get_count(&status, MPI_BYTE, &length);
    EXPECT_EQUAL(length, p->length);
    for (size_t i = 0; i < p->length; ++i) EXPECT_EQUAL(in[i], byte_of(round, m, i));
    EXPECT_EQUAL(in[p->length], 222);
    note(of_order + m, in, p->length);
    free(in);
  }
  MPI_Waitall(active, requests, MPI_STATUSES_IGNORE);
  for (int m = 0; m < count; ++m) free(plans[m].data);
}

/// Messages of which each is received as one of any rank, with its tag or any: those of a rank come in their order. The
/// next round begins with a call of all, so none of its messages comes before.
static void from_any(int round) {
  struct plan plans[most];
  MPI_Request requests[most];
  const int count = drawn_message_count();
  int active = 0, left = 0, has_come[most] = {0};
  size_t longest = 0;
  for (int m = 0; m < count; ++m) {
    struct plan* const p = &plans[m];
    draw_message(p);
    p->how_sent = (int)drawn(2);
    p->how_received = (int)drawn(3);
    p->data = NULL;
    if (p->to == me) {
      ++left;
      if (p->length > longest) longest = p->length;
    }
    if (p->from != me) continue;
    p->data = malloc(p->length + 1);
    for (size_t i = 0; i < p->length; ++i) p->data[i] = byte_of(round, m, i);
    (p->how_sent ? MPI_Issend : MPI_Isend)(p->data, (int)p->length, MPI_BYTE, p->to, p->tag, MPI_COMM_WORLD,
                                           &requests[active++]);
  }
  unsigned char* const in = malloc(longest + 1);
  for (int next = 0; left > 0; --left) {
    while (plans[next].to != me || has_come[next]) ++next;
    // One of that tag has not come; it may be another's that comes.
    const int tag = plans[next].how_received ? MPI_ANY_TAG : plans[next].tag;
    MPI_Status status;
    MPI_Request request;
    if (plans[next].how_received == 2) {
      MPI_Irecv(in, (int)longest, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
      for (int flag = 0; !flag;) MPI_Test(&request, &flag, &status);
    } else {
      MPI_Recv(in, (int)longest, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    }
    int m = 0, length;
    while (m < count && (plans[m].to != me || plans[m].from != status.MPI_SOURCE || has_come[m] ||
                         (tag != MPI_ANY_TAG && plans[m].tag != tag)))
      ++m;
    EXPECT(m < count);
    EXPECT_EQUAL(status.MPI_TAG, plans[m].tag);
    MPI_Get_count(&status, MPI_BYTE, &length);
    EXPECT_EQUAL(length, plans[m].length);
    for (size_t i = 0; i < plans[m].length; ++i) EXPECT_EQUAL(in[i], byte_of(round, m, i));
    note(of_any + m, in, plans[m].length);
    has_come[m] = 1;
  }
  free(in);
  MPI_Waitall(active, requests, MPI_STATUSES_IGNORE);
  for (int m = 0; m < count; ++m) free(plans[m].data);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (argc < 3 || ranks > 512) MPI_Abort(MPI_COMM_WORLD, 2);
  state = strtoull(argv[1], NULL, 10);
  own_state = state * 4096 + (unsigned)me;
  if (argc > 3) most_bytes = (unsigned)strtoul(argv[3], NULL, 10);
  const unsigned large_one_in = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 1;
  if (argc > 5) {
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", argv[5], me);
    if (!(file = fopen(name, "w"))) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  static char room[most * (most_buffered + 100 + MPI_BSEND_OVERHEAD)];
  MPI_Buffer_attach(room, sizeof room);
  int colors[512];
  for (int round = 0, rounds = atoi(argv[2]); round < rounds; ++round) {
    is_large = drawn(large_one_in) == 0;
    const int divided = drawn(3) == 0;
    for (int r = 0; r < ranks; ++r) colors[r] = divided ? (int)drawn(2) : 0;
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, colors[me], me, &comm);
    int members[512], size = 0, mine = 0;
    for (int r = 0; r < ranks; ++r) {
      if (r == me) mine = size;
      if (colors[r] == colors[me]) members[size++] = r;
    }
    struct started begun = {0};
    const int has_started = drawn(3) == 0;
    if (has_started) start(&begun, round);
    messages(round, comm, colors);
    for (int call = (int)drawn(4); call >= 0; --call) together(round * 5 + call, comm, members, size, mine);
    MPI_Comm_free(&comm);
    in_order(round);
    if (has_started) end_started(&begun);
    from_any(round);
    if (drawn(2)) in_windows(round);
    if (drawn(4) == 0 && !file) taken_back(round);  // Open MPI takes no send back, and waits
    if (drawn(4) == 0) side_by_side(round);
    if (drawn(16) == 0) in_a_graph(round);
    if (drawn(16) == 0) in_a_grid(round);
    end_round(round);
  }
  if (file && fclose(file) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  void* was;
  int size;
  MPI_Buffer_detach(&was, &size);
  return end();
}
