// What the figure `touched` of messages.c takes without any MPI: two threads that spin, one copy a message.
//
//     copies sender|receiver BYTES    who copies; prints the seconds of a message, and whether all data was right

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "touched.h"

static size_t bytes;
static int sender_copies, calls;
static double *given[2], *got[2];
static _Atomic int passed;  // messages that are there
static _Atomic int wrong;

/// Sends every second message, and receives the others.
static void* take_turns(void* number) {
  const int me = *(const int*)number;
  const size_t count = bytes / sizeof **given;
  for (int message = 0; message < 2 * calls; ++message) {
    if (message % 2 == me) {
      write_all(given[me], count, message);
      if (sender_copies) memcpy(got[1 - me], given[me], bytes);
      atomic_store_explicit(&passed, message + 1, memory_order_release);
    } else {
      while (atomic_load_explicit(&passed, memory_order_acquire) <= message) {
      }
      if (!sender_copies) memcpy(got[me], given[1 - me], bytes);
      if (!are_right(got[me], count, message)) wrong = 1;
    }
  }
  return NULL;
}

/// Gives the seconds of so many messages there and back.
static double run(void) {
  struct timespec begin, end;
  pthread_t other;
  int numbers[] = {0, 1};
  passed = 0;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (pthread_create(&other, NULL, take_turns, &numbers[1]) != 0) exit(3);
  take_turns(&numbers[0]);
  pthread_join(other, NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

int main(int argc, char** argv) {
  bytes = argc > 2 ? (size_t)atoll(argv[2]) : 0;
  sender_copies = argc > 1 && strcmp(argv[1], "sender") == 0;
  if (argc < 3 || (!sender_copies && strcmp(argv[1], "receiver") != 0) || bytes < sizeof **given ||
      bytes % sizeof **given != 0) {
    fprintf(stderr, "copies: expected sender or receiver, and a multiple of 8\n");
    return 2;
  }
  for (int i = 0; i < 2; ++i)
    if (!(given[i] = calloc(bytes, 1)) || !(got[i] = calloc(bytes, 1))) return 3;
  double seconds;
  for (calls = 1; (seconds = run()) < 0.1 && calls < 1 << 24;) calls *= 2;
  printf("{\"seconds\": %.9g, \"calls\": %d, \"checked\": %s}\n", seconds / (2.0 * calls), calls,
         wrong ? "false" : "true");
  for (int i = 0; i < 2; ++i) {
    free(given[i]);
    free(got[i]);
  }
  return wrong;
}
