// What is given where a level of threads is asked for, and mistakes: levels ASKED WHAT [STATUS_OF_THREAD [OF_RANK_0]].
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>
#include <unistd.h>

#include "../programs/expect.h"

static int data;
static void* receives(void* unused) {
  MPI_Recv(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}
static void* for_ever(void* unused) {
  for (;;) usleep(1000);
  return unused;
}
static int for_ever_too(void* unused) {
  for_ever(unused);
  return 0;
}
static void* prints(void* unused) {
  printf("a thread of rank %d\n", me);
  return unused;
}
static void* prints_for_ever(void* unused) {
  for (;; usleep(1000)) prints(unused);
  return unused;
}
static int status;
static void* exits(void* unused) {
  if (me == 1) exit(status);
  return unused;
}
static void says_that_it_ends(void) { printf("rank %d ends\n", me); }
static atomic_int is_ending = 0;
static void lasts(void) {
  atomic_store(&is_ending, 1);
  usleep(200000);
}
/// A program's static objects may make threads, too.
__attribute__((constructor)) static void begins(void) {
  pthread_t other;
  if (getenv("BEGINS_A_THREAD")) pthread_create(&other, NULL, for_ever, NULL);
}
static int ends_slowly = 0;
__attribute__((destructor)) static void ends(void) {
  if (ends_slowly) usleep(50000);
}
static void* sends_to_itself(void* unused) {
  const int one = 1;
  int got = 0;
  MPI_Sendrecv(&one, 1, MPI_INT, me, 2, &got, 1, MPI_INT, me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}

int main(int argc, char** argv) {
  int given = -1, asked_again = -1;
  const char* const what = argc > 2 ? argv[2] : "";
  pthread_t other;
  MPI_Init_thread(&argc, &argv, atoi(argv[1]), &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Query_thread(&asked_again);
  EXPECT_EQUAL(asked_again, given);
  if (strcmp(what, "waits") == 0) {  // a thread that does so when the program ends
    pthread_create(&other, NULL, receives, NULL);
    usleep(100000);
  }
  if (strcmp(what, "runs") == 0) pthread_create(&other, NULL, for_ever, NULL);
  thrd_t another;
  if (strcmp(what, "runs, of C11") == 0) thrd_create(&another, for_ever_too, NULL);
  ends_slowly = strcmp(what, "prints to the end") == 0;
  if (ends_slowly) pthread_create(&other, NULL, prints_for_ever, NULL);
  status = argc > 3 ? atoi(argv[3]) : 3;
  void* (*const body)(void*) = strcmp(what, "calls") == 0    ? sends_to_itself
                               : strcmp(what, "prints") == 0 ? prints
                               : strcmp(what, "exits") == 0  ? exits
                                                             : NULL;
  if (body) {
    pthread_create(&other, NULL, body, NULL);
    pthread_join(other, NULL);
  }
  if (strcmp(what, "fails") == 0 && me == 1) {  // while threads of other ranks wait
    usleep(100000);
    MPI_Abort(MPI_COMM_WORLD, 5);
  } else if (strcmp(what, "fails") == 0) {
    pthread_create(&other, NULL, receives, NULL);
    pthread_join(other, NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) printf("%d is given\n", given);
  MPI_Finalize();
  if (strcmp(what, "exits at the end") == 0) {
    atexit(says_that_it_ends);
    pthread_create(&other, NULL, exits, NULL);
    pthread_join(other, NULL);
  }
  if (strcmp(what, "exits while the rank ends") == 0 && me == 1) {
    atexit(says_that_it_ends);
    atexit(lasts);  // the first to be called
    pthread_create(&other, NULL, exits, NULL);
    while (!atomic_load(&is_ending)) usleep(1000);
  }
  if (me != 1) usleep(50000);  // while rank 1 is over, and its thread is not
  return me == 0 && argc > 4 ? atoi(argv[4]) : 0;
}
