// Each rank has random numbers of its own: the C library keeps one sequence for a process, whose ranks would take them
// from each other. The numbers are those of the C library.
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdlib.h>

// A program may have functions of these names itself.
#define OURS __attribute__((visibility("hidden"), weak))

static struct random_data sequence;
static char state[128];  // as many as the C library's own

static struct random_data* begun(void) {
  if (!sequence.state) initstate_r(1, state, sizeof state, &sequence);
  return &sequence;
}

static int32_t drawn(void) {
  int32_t next;
  random_r(begun(), &next);
  return next;
}

OURS long random(void) { return drawn(); }
OURS int rand(void) { return drawn(); }
OURS void srandom(unsigned seed) { srandom_r(seed, begun()); }
OURS void srand(unsigned seed) { srandom_r(seed, begun()); }
OURS char* initstate(unsigned seed, char* room, size_t bytes) {
  char* const before = (char*)begun()->state - sizeof(int32_t);
  return initstate_r(seed, room, bytes, &sequence) == 0 ? before : NULL;
}
OURS char* setstate(char* room) {
  char* const before = (char*)begun()->state - sizeof(int32_t);
  return setstate_r(room, &sequence) == 0 ? before : NULL;
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
