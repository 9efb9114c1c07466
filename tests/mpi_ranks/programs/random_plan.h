// What the parts of random_messages.c share: what is drawn, and what is told of what has come.
#pragma once

#include "expect.h"

static unsigned long long state;      // of the plan: all ranks draw the same
static unsigned long long own_state;  // of what the others need not know

static unsigned next_drawn(unsigned long long* of, unsigned below) {
  *of = *of * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)((*of >> 33) % below);
}
static unsigned drawn(unsigned below) { return next_drawn(&state, below); }
static unsigned own_drawn(unsigned below) { return next_drawn(&own_state, below); }

static unsigned char byte_of(int round, int message, size_t i) {
  return (unsigned char)((unsigned)round * 31 + (unsigned)message * 17 + i * 13 + (i >> 8));
}

static FILE* file;                         // where this rank writes what it got
static unsigned long long got, got_bytes;  // in this round, in any order

/// The rank has got these bytes, as the numbered thing of its round.
static void note(int number, const void* data, size_t bytes) {
  if (!file) return;
  unsigned long long hash = 14695981039346656037ULL ^ (unsigned long long)number * 0x9e3779b97f4a7c15ULL;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 1099511628211ULL;
  got += hash * (2 * (unsigned long long)number + 1);
  got_bytes += bytes;
}

static void end_round(int round) {
  if (file) fprintf(file, "round %d: %llu bytes, %016llx\n", round, got_bytes, got);
  got = got_bytes = 0;
}
/// Where the numbers of what is got begin.
enum {
  of_order = 100,
  of_any = 200,
  of_calls = 300,
  of_started = 400,
  of_beside = 500,
  of_edges = 600,
  of_windows = 1000
};

enum { most = 64 };
struct plan {
  int from, to, tag, how_sent, how_received;
  size_t length;
  unsigned char* data;
};

static unsigned most_bytes = 4 << 20;
static int is_large;  // this round

static int drawn_message_count(void) { return 1 + (int)drawn(is_large ? most : 8); }

static size_t drawn_length(void) {
  static const unsigned limits[] = {1, 9, 257, 300, 5000, 200000};
  const unsigned limit = is_large && drawn(100) == 0 ? most_bytes + 1 : limits[drawn(is_large ? 6 : 5)];
  return drawn(limit <= most_bytes ? limit : most_bytes + 1);
}

enum { most_buffered = 200000 };

/// How many numbers a rank brings to a call of all.
static int drawn_count(void) {
  const unsigned limit = most_bytes / sizeof(unsigned long);
  return (int)drawn(drawn(is_large ? 2 : 8) ? 9 : limit < 3000 ? limit + 1 : 3000);
}
