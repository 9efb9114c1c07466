// Each rank draws random numbers of its own, and they are those of the C library.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

#include "expect.h"

/// All draw, each of a sequence of its own, while the others draw.
static void expect_sequence(unsigned seed, int of_rank) {
  struct random_data own = {0};
  char state[128];
  initstate_r(seed, state, sizeof state, &own);
  for (int i = 0; i < 50; ++i) {
    int32_t expected;
    random_r(&own, &expected);
    EXPECT_EQUAL(i % 2 ? rand() : random(), expected);
    if (i % 5 == of_rank % 5) MPI_Barrier(MPI_COMM_SELF);
    int all = 0;
    MPI_Allreduce(&i, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);  // others run
  }
}

static void draw_many(unsigned long* sum) {
  for (int i = 0; i < 500000; ++i) *sum += (unsigned long)random();
}

static pthread_barrier_t all_begin;

static void* run_thread(void* sum) {
  cpu_set_t all;
  memset(&all, 0xff, sizeof all);
  sched_setaffinity(0, sizeof all, &all);  // not only where the rank is
  pthread_barrier_wait(&all_begin);
  draw_many(sum);
  return NULL;
}

/// A rank's own threads draw from its sequence, each number once.
static void expect_numbers_of_threads(void) {
  srandom(3);
  unsigned long sums[2] = {0, 0}, expected = 0;
  pthread_t threads[2];
  pthread_barrier_init(&all_begin, NULL, 2);
  for (int i = 0; i < 2; ++i) EXPECT_EQUAL(pthread_create(&threads[i], NULL, run_thread, &sums[i]), 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  srandom(3);
  draw_many(&expected);
  draw_many(&expected);
  EXPECT(sums[0] + sums[1] == expected);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  expect_sequence(1, me);  // nobody has set a seed
  srand(42);
  expect_sequence(42, me);
  if (me == 0) expect_numbers_of_threads();
  srandom(7u + (unsigned)me);
  expect_sequence(7u + (unsigned)me, me);

  char other[256];
  char* const before = initstate(5, other, sizeof other);
  struct random_data own = {0};
  char room[256];
  int32_t first, second;
  initstate_r(5, room, sizeof room, &own);
  random_r(&own, &first);
  random_r(&own, &second);
  EXPECT_EQUAL(random(), first);
  EXPECT(setstate(before) == other);
  const long in_between = random();
  EXPECT(setstate(other) == before);
  EXPECT_EQUAL(random(), second);
  int least, most, between = (int)in_between;
  MPI_Allreduce(&between, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&between, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQUAL(least == most, ranks == 1);  // seeds were those of the ranks

  struct drand48_data numbers = {0};
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 20; ++i) {
      double real;
      long whole;
      unsigned short mine[3] = {1, 2, (unsigned short)i}, its[3] = {1, 2, (unsigned short)i};
      drand48_r(&numbers, &real);
      EXPECT(drand48() == real);
      lrand48_r(&numbers, &whole);
      EXPECT_EQUAL(lrand48(), whole);
      mrand48_r(&numbers, &whole);
      EXPECT_EQUAL(mrand48(), whole);
      erand48_r(its, &numbers, &real);
      EXPECT(erand48(mine) == real);
      nrand48_r(its, &numbers, &whole);
      EXPECT_EQUAL(nrand48(mine), whole);
      jrand48_r(its, &numbers, &whole);
      EXPECT_EQUAL(jrand48(mine), whole);
      int all = 0;
      MPI_Allreduce(&i, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    unsigned short seed[3] = {3, (unsigned short)me, 5}, more[7] = {1, 2, 3, 4, 5, (unsigned short)me, 7};
    if (turn == 0) srand48(me), srand48_r(me, &numbers);
    if (turn == 1) seed48(seed), seed48_r(seed, &numbers);
    if (turn == 2) lcong48(more), lcong48_r(more, &numbers);
  }
  double real;
  drand48_r(&numbers, &real);
  EXPECT(drand48() == real);
  return end();
}
