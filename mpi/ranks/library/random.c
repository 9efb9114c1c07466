// Each rank has random numbers of its own: the C library keeps one sequence for a process, whose ranks would take them
// from each other. The numbers are those of the C library.
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

// A program may have functions of these names itself.
#define OURS __attribute__((visibility("hidden"), weak))

static struct random_data sequence;
static char state[128];  // as many as the C library's own
// A rank's own threads may draw at the same time, as in the C library. There, too, drand48 and its like are for one.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct random_data* locked(void) {
  pthread_mutex_lock(&lock);
  if (!sequence.state) initstate_r(1, state, sizeof state, &sequence);
  return &sequence;
}
static void unlock(void) { pthread_mutex_unlock(&lock); }

static int32_t drawn(void) {
  int32_t next;
  random_r(locked(), &next);
  unlock();
  return next;
}
static void seeded(unsigned seed) {
  srandom_r(seed, locked());
  unlock();
}
static char* room_of(const struct random_data* its) { return (char*)its->state - sizeof(int32_t); }

OURS long random(void) { return drawn(); }
OURS int rand(void) { return drawn(); }
OURS void srandom(unsigned seed) { seeded(seed); }
OURS void srand(unsigned seed) { seeded(seed); }
OURS char* initstate(unsigned seed, char* room, size_t bytes) {
  char* const before = room_of(locked());
  const int failed = initstate_r(seed, room, bytes, &sequence);
  unlock();
  return failed ? NULL : before;
}
OURS char* setstate(char* room) {
  char* const before = room_of(locked());
  const int failed = setstate_r(room, &sequence);
  unlock();
  return failed ? NULL : before;
}

static struct drand48_data of_48_bits;  // zeros are its beginning

OURS double drand48(void) {
  double next;
  drand48_r(&of_48_bits, &next);
  return next;
}
OURS double erand48(unsigned short from[3]) {
  double next;
  erand48_r(from, &of_48_bits, &next);
  return next;
}
OURS long lrand48(void) {
  long next;
  lrand48_r(&of_48_bits, &next);
  return next;
}
OURS long nrand48(unsigned short from[3]) {
  long next;
  nrand48_r(from, &of_48_bits, &next);
  return next;
}
OURS long mrand48(void) {
  long next;
  mrand48_r(&of_48_bits, &next);
  return next;
}
OURS long jrand48(unsigned short from[3]) {
  long next;
  jrand48_r(from, &of_48_bits, &next);
  return next;
}
OURS void srand48(long seed) { srand48_r(seed, &of_48_bits); }
OURS unsigned short* seed48(unsigned short seed[3]) {
  seed48_r(seed, &of_48_bits);
  return of_48_bits.__old_x;
}
OURS void lcong48(unsigned short all[7]) { lcong48_r(all, &of_48_bits); }
