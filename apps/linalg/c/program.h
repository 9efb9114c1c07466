#ifndef MASLIN_LINALG_PROGRAM_H
#define MASLIN_LINALG_PROGRAM_H
// What the six programs do alike: options, memory, and what they say at the end. There is nothing parallel in it.

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "input.h"

struct number {
  const char* option;
  int* value;
};

static struct {
  const char* name;
  const char* output;  ///< file that gets the result
  int check, spoil, say_time;
  double began, seconds;
} program = {.check = 1};

_Noreturn static inline void refuse(const char* what, const char* expected) {
  fprintf(stderr, "%s: %s; expected %s\n", program.name, what, expected);
  exit(2);
}

/// Reads the options of all programs, and the numbers of this one, which must be positive.
static inline void read_options(const char* name, int argc, char** argv, const struct number* numbers, int count) {
  program.name = name;
  for (int i = 1; i < argc; ++i) {
    int* number = NULL;
    for (int k = 0; k < count; ++k)
      if (strcmp(argv[i], numbers[k].option) == 0) number = numbers[k].value;
    if (number) {
      char* end = "";
      const long value = i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
      if (value < 1 || value > INT_MAX || *end) refuse(argv[i], "a positive number behind it");
      *number = (int)value;
      ++i;
    } else if (strcmp(argv[i], "--output") == 0 && i + 1 < argc) {
      program.output = argv[++i];
    } else if (strcmp(argv[i], "--no-check") == 0) {
      program.check = 0;
    } else if (strcmp(argv[i], "--spoil") == 0) {
      program.spoil = 1;
    } else if (strcmp(argv[i], "--time") == 0) {
      program.say_time = 1;
    } else {
      char known[200] = "--output FILE, --no-check, --spoil, --time";
      for (int k = 0; k < count; ++k) strcat(strcat(strcat(known, ", "), numbers[k].option), " N");
      refuse(argv[i], known);
    }
  }
}

/// Gives memory for so many elements, which begins on a line of the cache. Leaves the program where there is none.
static inline void* allocate(size_t count, size_t bytes_each) {
  void* const made = aligned_alloc(64, (count * bytes_each + 63) / 64 * 64);
  if (!made) refuse("there is not enough memory for this size", "a smaller one");
  return made;
}
static inline float* new_block(int size) { return allocate((size_t)size * (size_t)size, sizeof(float)); }

static inline double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static inline void start_clock(void) { program.began = now(); }
static inline void stop_clock(void) { program.seconds = now() - program.began; }

/// The element that is furthest off.
struct worst {
  double error;  ///< relative to what the program says
  double found, expected;
  long row, column;
};

static inline void compare(struct worst* worst, long row, long column, double found, double expected, double scale) {
  double error = fabs(found - expected) / scale;
  if (error != error) error = INFINITY;
  if (error > worst->error) *worst = (struct worst){error, found, expected, row, column};
}

/// Bytes of the result, in an order that does not depend on blocks: their checksum, and the file if one is wanted.
struct result {
  uint64_t checksum;
  FILE* file;
};

static inline struct result begin_result(void) {
  struct result r = {0xcbf29ce484222325U, NULL};  // FNV-1a
  if (program.output && !(r.file = fopen(program.output, "wb")))
    refuse(program.output, "a file that can be written behind --output");
  return r;
}
static inline void add_to_result(struct result* r, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < 4; ++i) r->checksum = (r->checksum ^ (bits >> 8 * i & 0xff)) * 0x100000001b3U;
  if (r->file) fwrite(&value, sizeof value, 1, r->file);
}
static inline void end_result(struct result* r) {
  if (r->file && (ferror(r->file) | fclose(r->file))) refuse(program.output, "a file with room behind --output");
  printf("checksum %016llx\n", (unsigned long long)r->checksum);
}

/// Says how far the answer is off. Gives the program's exit status: 1 if that is more than the bound.
static inline int report(struct worst worst, double bound) {
  if (program.say_time) printf("%.4f s\n", program.seconds);
  if (!program.check) return 0;
  printf("error %.2e, bound %.2e\n", worst.error, bound);
  if (worst.error <= bound) return 0;
  fprintf(stderr, "%s: wrong: row %ld, column %ld has %.9g; expected %.9g (error %.2e, bound %.2e)\n", program.name,
          worst.row, worst.column, worst.found, worst.expected, worst.error, bound);
  return 1;
}

#endif
