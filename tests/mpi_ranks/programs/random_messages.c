// Rounds that a seed decides: messages of all kinds in all directions, and calls of all ranks. All ranks draw the same
// plan, so each knows what it is to get, to the byte.
//
//     random_messages SEED ROUNDS
#include "expect.h"

static unsigned long long state;

static unsigned drawn(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)((state >> 33) % below);
}

static unsigned char byte_of(int round, int message, size_t i) {
  return (unsigned char)((unsigned)round * 31 + (unsigned)message * 17 + i * 13 + (i >> 8));
}

enum { most = 64 };
struct plan {
  int from, to, tag, how_sent, how_received;
  size_t length;
  unsigned char* data;
};

static size_t drawn_length(void) {
  static const unsigned limits[] = {1, 9, 257, 300, 5000, 200000};
  return drawn(limits[drawn(6)]);
}

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
  int of_request[2 * most], count = 1 + (int)drawn(most), active = 0;
  for (int m = 0; m < count; ++m) {
    struct plan* const p = &plans[m];
    p->from = (int)drawn((unsigned)ranks);
    p->to = (int)drawn((unsigned)ranks);
    p->tag = (int)drawn(2) * 100 + m;  // each is known by its tag
    p->length = drawn_length();
    p->how_sent = (int)drawn(5);
    p->how_received = (int)drawn(4);
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
    MPI_Irecv(in[m], room, MPI_BYTE, from, plans[m].tag, comm, &requests[active++]);
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
  for (int k = 0; k < laters; ++k) {
    const int m = later[k];
    for (size_t i = 0; i < plans[m].length; ++i) EXPECT_EQUAL(in[m][i], byte_of(round, m, i));
    EXPECT_EQUAL(in[m][plans[m].length], 222);
    free(in[m]);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // what was sent and kept has been received
  for (int m = 0; m < count; ++m) free(plans[m].data);
}

static void together(void) {
  const int root = (int)drawn((unsigned)ranks), count = 1 + (int)drawn(drawn(2) ? 8 : 3000), what = (int)drawn(5);
  long *const a = malloc((size_t)count * (size_t)ranks * sizeof *a), *const b = malloc((size_t)count * (size_t)ranks *
                                                                                       sizeof *b);
  for (int i = 0; i < count * ranks; ++i) a[i] = me * 7L + i, b[i] = -1;
  const long ranks_sum = 7L * ranks * (ranks - 1) / 2;
  switch (what) {
    case 0:
      MPI_Bcast(a, count, MPI_LONG, root, MPI_COMM_WORLD);
      for (int i = 0; i < count; ++i) EXPECT_EQUAL(a[i], root * 7L + i);
      break;
    case 1:
      MPI_Reduce(a, b, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
      if (me == root)
        for (int i = 0; i < count; ++i) EXPECT_EQUAL(b[i], ranks_sum + (long)ranks * i);
      break;
    case 2:
      MPI_Allgather(a, count, MPI_LONG, b, count, MPI_LONG, MPI_COMM_WORLD);
      for (int r = 0; r < ranks; ++r) EXPECT_EQUAL(b[r * count + count - 1], r * 7L + count - 1);
      break;
    case 3:
      MPI_Alltoall(a, count, MPI_LONG, b, count, MPI_LONG, MPI_COMM_WORLD);
      for (int r = 0; r < ranks; ++r) EXPECT_EQUAL(b[r * count], r * 7L + me * count);
      break;
    default:
      MPI_Scan(a, b, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      for (int i = 0; i < count; ++i) EXPECT_EQUAL(b[i], 7L * me * (me + 1) / 2 + (me + 1L) * i);
  }
  free(a);
  free(b);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (argc < 3 || ranks > 512) MPI_Abort(MPI_COMM_WORLD, 2);
  state = strtoull(argv[1], NULL, 10);
  static char room[most * 200100];
  MPI_Buffer_attach(room, sizeof room);
  int colors[512];
  for (int round = 0, rounds = atoi(argv[2]); round < rounds; ++round) {
    const int divided = drawn(3) == 0;
    for (int r = 0; r < ranks; ++r) colors[r] = divided ? (int)drawn(2) : 0;
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, colors[me], me, &comm);
    messages(round, comm, colors);
    MPI_Comm_free(&comm);
    together();
  }
  void* was;
  int size;
  MPI_Buffer_detach(&was, &size);
  return end();
}
