// Several threads of each rank call MPI at the same time.
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "../programs/expect.h"

enum { threads = 3, rounds = 40, longest = 5000 };

typedef void body(int thread);
typedef struct {
  body* what;
  int number;
} job;

static void* run(void* of) {
  const job* mine = of;
  mine->what(mine->number);
  return NULL;
}
/// Calls it on so many threads, and waits for them outside MPI.
static void on_threads(int count, body* what) {
  pthread_t all[16];
  job jobs[16];
  for (int i = 0; i < count; ++i) {
    jobs[i] = (job){what, i};
    EXPECT_EQUAL(pthread_create(&all[i], NULL, run, &jobs[i]), 0);
  }
  for (int i = 0; i < count; ++i) pthread_join(all[i], NULL);
}

static void is_not_main(int thread) {
  int flag = 1, level = -1, is = 0;
  (void)thread;
  MPI_Is_thread_main(&flag);
  EXPECT_EQUAL(flag, 0);
  MPI_Query_thread(&level);
  EXPECT_EQUAL(level, MPI_THREAD_MULTIPLE);
  MPI_Initialized(&is);
  EXPECT(is);
  MPI_Finalized(&is);
  EXPECT(!is);
}

static int number(int from, int thread, int round, int i) { return 1000003 * from + 10007 * thread + 101 * round + i; }
static int length(int thread, int round) { return round % 4 == 3 ? longest - thread : 1 + (thread + round) % 90; }

/// Each with the same thread of the next rank, by its tag.
static void exchange(int thread) {
  int* const out = malloc(longest * sizeof(int));
  int* const in = malloc(longest * sizeof(int));
  const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  for (int round = 0; round < rounds; ++round) {
    const int n = length(thread, round);
    MPI_Status status;
    MPI_Request request;
    int count = 0;
    for (int i = 0; i < n; ++i) out[i] = number(me, thread, round, i);
    memset(in, 0, longest * sizeof(int));
    if (round % 3 == 0) {
      MPI_Sendrecv(out, n, MPI_INT, to, thread, in, longest, MPI_INT, from, thread, MPI_COMM_WORLD, &status);
    } else if (round % 3 == 1) {
      MPI_Isend(out, n, MPI_INT, to, thread, MPI_COMM_WORLD, &request);
      MPI_Recv(in, longest, MPI_INT, MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      int done = 0;
      MPI_Irecv(in, longest, MPI_INT, from, thread, MPI_COMM_WORLD, &request);
      MPI_Send(out, n, MPI_INT, to, thread, MPI_COMM_WORLD);
      while (!done) MPI_Test(&request, &done, &status);
    }
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQUAL(count, n);
    EXPECT_EQUAL(status.MPI_SOURCE, from);
    EXPECT_EQUAL(status.MPI_TAG, thread);
    for (int i = 0; i < n; ++i) EXPECT_EQUAL(in[i], number(from, thread, round, i));
  }
  free(out);
  free(in);
}

/// A rank's own threads, with each other: only one of them can wait where the other one does not call.
static void with_each_other(int thread) {
  int got = 0;
  const int tag = 100 + thread / 2;
  for (int round = 0; round < rounds; ++round) {
    if (thread % 2 == 0) {
      MPI_Ssend(&round, 1, MPI_INT, me, tag, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&got, 1, MPI_INT, me, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQUAL(got, round);
    }
  }
}

static MPI_Comm of_thread[threads];

/// Calls of all of different communicators at the same time, and in another order on each rank.
static void calls_of_all(int thread) {
  const MPI_Comm comm = of_thread[thread];
  int* const all = malloc((size_t)ranks * 3000 * sizeof(int));
  int* const mine = malloc((size_t)ranks * 3000 * sizeof(int));
  for (int round = 0; round < rounds / 2; ++round) {
    int sum = 0, one = me + thread + round, part_size = 0;
    MPI_Comm part;
    MPI_Request request;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT_EQUAL(sum, ranks * (ranks - 1) / 2 + ranks * (thread + round));
    const int n = round % 5 == 0 ? 3000 : 3;  // what is shared out, and what is not
    for (int i = 0; i < ranks * n; ++i) mine[i] = number(me, thread, round, i);
    MPI_Alltoall(mine, n, MPI_INT, all, n, MPI_INT, comm);
    for (int from = 0; from < ranks; ++from)
      for (int i = 0; i < n; ++i) EXPECT_EQUAL(all[from * n + i], number(from, thread, round, me * n + i));
    MPI_Ibcast(&one, 1, MPI_INT, round % ranks, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(one, round % ranks + thread + round);
    MPI_Barrier(comm);
    if (round % 4 == 1) {
      MPI_Comm_split(comm, me % 2, -me, &part);
      MPI_Comm_size(part, &part_size);
      EXPECT_EQUAL(part_size, (ranks + (me % 2 == 0)) / 2);
      MPI_Bcast(&round, 1, MPI_INT, 0, part);
      MPI_Comm_free(&part);
      MPI_Comm_dup(comm, &part);
      MPI_Barrier(part);
      MPI_Comm_free(&part);
    }
  }
  free(all);
  free(mine);
}

static long long taken;
static pthread_mutex_t taken_lock = PTHREAD_MUTEX_INITIALIZER;

/// The last thread sends to all ranks; the others take what comes, each message once.
static void producers_and_consumers(int thread) {
  if (thread == threads - 1) {
    for (int round = 0; round < rounds; ++round)
      for (int to = 0; to < ranks; ++to) MPI_Send(&round, 1, MPI_INT, to, 200, MPI_COMM_WORLD);
    return;
  }
  long long sum = 0;
  for (int i = thread; i < ranks * rounds; i += threads - 1) {
    MPI_Message message;
    MPI_Status status;
    int got = -1;
    if (i % 3 == 0) {
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 200, MPI_COMM_WORLD, &status);
    } else {
      MPI_Mprobe(MPI_ANY_SOURCE, 200, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    }
    sum += got;
  }
  pthread_mutex_lock(&taken_lock);
  taken += sum;
  pthread_mutex_unlock(&taken_lock);
}

/// Objects come and go while other threads use theirs.
static void objects(int thread) {
  for (int round = 0; round < 10 * rounds; ++round) {
    MPI_Datatype pairs;
    MPI_Group whole, part;
    MPI_Info info;
    int apart[12], got[12] = {0}, size = 0, first[1] = {me};
    MPI_Request both[2];
    MPI_Type_vector(3, 2, 4, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    for (int i = 0; i < 12; ++i) apart[i] = number(me, thread, round, i);
    MPI_Irecv(got, 1, pairs, me, 300 + thread, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(apart, 1, pairs, me, 300 + thread, MPI_COMM_WORLD, &both[1]);
    MPI_Type_free(&pairs);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 12; ++i) EXPECT_EQUAL(got[i], i % 4 < 2 && i < 10 ? apart[i] : 0);
    MPI_Comm_group(MPI_COMM_WORLD, &whole);
    MPI_Group_incl(whole, 1, first, &part);
    MPI_Group_size(part, &size);
    EXPECT_EQUAL(size, 1);
    MPI_Group_free(&part);
    MPI_Group_free(&whole);
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Info_free(&info);
  }
}

static MPI_Datatype waited_with;
static int got_apart[4];
static void receives_with_a_type(int thread) {
  (void)thread;
  MPI_Recv(got_apart, 1, waited_with, me, 400, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
/// What a call uses stays until it has ended.
static void a_type_is_freed_while_another_thread_waits(void) {
  pthread_t other;
  job receive = {receives_with_a_type, 0};
  const int sent[2] = {7, 8};
  MPI_Type_vector(2, 1, 3, MPI_INT, &waited_with);
  MPI_Type_commit(&waited_with);
  pthread_create(&other, NULL, run, &receive);
  usleep(20000);
  MPI_Datatype gone = waited_with;
  MPI_Type_free(&gone);
  for (int i = 0; i < 100; ++i) {  // in its memory, if that is free
    MPI_Type_vector(1 + i % 3, 2, 5, MPI_CHAR, &gone);
    MPI_Type_commit(&gone);
    MPI_Type_free(&gone);
  }
  MPI_Send(sent, 2, MPI_INT, me, 400, MPI_COMM_WORLD);
  pthread_join(other, NULL);
  EXPECT_EQUAL(got_apart[0], 7);
  EXPECT_EQUAL(got_apart[3], 8);
}

static MPI_Comm peers, alone, joined;
static void joins(int thread) {
  (void)thread;
  MPI_Intercomm_create(alone, 0, peers, 1 - me, 17, &joined);
}
/// The communicator of those who lead two groups, while one of them waits for the other.
static void a_communicator_is_freed_while_another_thread_waits(void) {
  MPI_Comm gone, others[20];
  int nothing = 0, size = 0;
  if (ranks == 1) return;
  MPI_Comm_dup(MPI_COMM_WORLD, &peers);
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  gone = peers;
  if (me == 0) {
    pthread_t other;
    job join = {joins, 0};
    pthread_create(&other, NULL, run, &join);
    usleep(20000);
    MPI_Comm_free(&gone);
    for (int i = 0; i < 20; ++i) MPI_Comm_dup(MPI_COMM_SELF, &others[i]);  // in its memory, if that is free
    MPI_Send(&nothing, 1, MPI_INT, 1, 450, MPI_COMM_WORLD);
    pthread_join(other, NULL);
    for (int i = 0; i < 20; ++i) MPI_Comm_free(&others[i]);
  } else if (me == 1) {
    MPI_Recv(&nothing, 1, MPI_INT, 0, 450, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    joins(0);
    MPI_Comm_free(&gone);
  } else {
    MPI_Comm_free(&gone);
  }
  MPI_Comm_free(&alone);
  if (me > 1) return;
  MPI_Comm_remote_size(joined, &size);
  EXPECT_EQUAL(size, 1);
  MPI_Comm_free(&joined);
}

static MPI_Request handed_on[threads];
static int handed_on_data[threads];
static void starts(int thread) {
  MPI_Irecv(&handed_on_data[thread], 1, MPI_INT, (me + 1) % ranks, 500 + thread, MPI_COMM_WORLD, &handed_on[thread]);
}
static void sends_to_those(int thread) {
  const int data = 50 * me + thread;
  MPI_Send(&data, 1, MPI_INT, (me + ranks - 1) % ranks, 500 + thread, MPI_COMM_WORLD);
}
/// A thread completes what others have started.
static void requests_are_handed_on(void) {
  on_threads(threads, starts);
  on_threads(threads, sends_to_those);
  for (int i = 0; i < threads; ++i) {
    int index = -1;
    MPI_Waitany(threads, handed_on, &index, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(handed_on_data[index], 50 * ((me + 1) % ranks) + index);
  }
}

static void sends_buffered(int thread) {
  for (int round = 0; round < rounds; ++round) {
    int data[50], got[50];
    for (int i = 0; i < 50; ++i) data[i] = number(me, thread, round, i);
    MPI_Bsend(data, 50, MPI_INT, (me + 1) % ranks, 600 + thread, MPI_COMM_WORLD);
    MPI_Recv(got, 50, MPI_INT, (me + ranks - 1) % ranks, 600 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 50; ++i) EXPECT_EQUAL(got[i], number((me + ranks - 1) % ranks, thread, round, i));
  }
}

static void sum_of(void* in, void* inout, int* count, MPI_Datatype* type) {
  int size = 0;
  MPI_Type_size(*type, &size);  // a call within a call
  EXPECT_EQUAL(size, (int)sizeof(int));
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}
static MPI_Op own_sum;
static void own_operations(int thread) {
  for (int round = 0; round < rounds / 4; ++round) {
    int data[100], sum[100];
    for (int i = 0; i < 100; ++i) data[i] = me + i + thread;
    MPI_Allreduce(data, sum, 100, MPI_INT, own_sum, of_thread[thread]);
    for (int i = 0; i < 100; ++i) EXPECT_EQUAL(sum[i], ranks * (ranks - 1) / 2 + ranks * (i + thread));
  }
}

static int served;
/// Answers until it is told to end.
static void serves(int thread) {
  (void)thread;
  for (;;) {
    int asked = 0;
    MPI_Status status;
    MPI_Recv(&asked, 1, MPI_INT, MPI_ANY_SOURCE, 700, MPI_COMM_WORLD, &status);
    if (asked < 0) return;
    ++served;
    asked *= 2;
    MPI_Send(&asked, 1, MPI_INT, status.MPI_SOURCE, 701, MPI_COMM_WORLD);
  }
}
/// While one thread waits for questions, the main thread computes and asks, and meets the other ranks.
static void a_thread_answers(void) {
  pthread_t server;
  job its = {serves, 0};
  volatile double computed = 0;
  int end = -1, all = 0;
  pthread_create(&server, NULL, run, &its);
  for (int round = 0; round < rounds; ++round) {
    int question = round, answer = 0;
    for (int i = 0; i < 10000; ++i) computed = computed + i;
    MPI_Send(&question, 1, MPI_INT, (me + round) % ranks, 700, MPI_COMM_WORLD);
    MPI_Recv(&answer, 1, MPI_INT, (me + round) % ranks, 701, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(answer, 2 * round);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&end, 1, MPI_INT, me, 700, MPI_COMM_WORLD);
  pthread_join(server, NULL);
  MPI_Allreduce(&served, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQUAL(all, ranks * rounds);
}

static MPI_Request never_comes;
static int was_cancelled;
static void tests_until_it_is_over(int thread) {
  MPI_Status status;
  for (int flag = 0; !flag;) MPI_Test(&never_comes, &flag, &status);
  MPI_Test_cancelled(&status, &was_cancelled);
  (void)thread;
}
/// One thread tests what another cancels.
static void what_is_tested_is_cancelled(void) {
  for (int round = 0; round < 8; ++round) {
    int data = 0;
    pthread_t other;
    job test = {tests_until_it_is_over, 0};
    MPI_Irecv(&data, 1, MPI_INT, me, 800, MPI_COMM_WORLD, &never_comes);
    MPI_Request handle = never_comes;
    was_cancelled = 0;
    pthread_create(&other, NULL, run, &test);
    if (round % 4 == 3) usleep(200);
    MPI_Cancel(&handle);
    pthread_join(other, NULL);
    EXPECT(was_cancelled);
  }
}

static pthread_t ended_last;
static void waits_for_the_end(int thread) {
  int end = 0;
  (void)thread;
  MPI_Recv(&end, 1, MPI_INT, me, 900, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQUAL(end, 17);
}
static int ends_it(MPI_Comm comm, int key, void* value, void* extra) {
  const int end = 17;
  (void)comm, (void)key, (void)value, (void)extra;
  MPI_Send(&end, 1, MPI_INT, me, 900, MPI_COMM_WORLD);
  pthread_join(ended_last, NULL);
  return MPI_SUCCESS;
}
/// MPI_Finalize deletes this attribute first, and so ends a thread that waits.
static void a_thread_ends_with_mpi(void) {
  static job wait = {waits_for_the_end, 0};
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ends_it, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  pthread_create(&ended_last, NULL, run, &wait);
}

int main(int argc, char** argv) {
  int level = -1, flag = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT_EQUAL(level, MPI_THREAD_MULTIPLE);
  MPI_Is_thread_main(&flag);
  EXPECT(flag);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
  on_threads(1, is_not_main);
  on_threads(threads, exchange);
  on_threads(4, with_each_other);
  on_threads(threads, calls_of_all);
  on_threads(threads, producers_and_consumers);
  EXPECT_EQUAL(taken, ranks * (long long)rounds * (rounds - 1) / 2);
  on_threads(threads, objects);
  a_type_is_freed_while_another_thread_waits();
  a_communicator_is_freed_while_another_thread_waits();
  requests_are_handed_on();
  char* const room = malloc(1 << 20);
  int bytes = 0;
  void* detached = NULL;
  MPI_Buffer_attach(room, 1 << 20);
  on_threads(threads, sends_buffered);
  MPI_Buffer_detach(&detached, &bytes);
  free(room);
  MPI_Op_create(sum_of, 1, &own_sum);
  on_threads(threads, own_operations);
  MPI_Op_free(&own_sum);
  a_thread_answers();
  what_is_tested_is_cancelled();
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&of_thread[i]);
  a_thread_ends_with_mpi();
  return end();
}
