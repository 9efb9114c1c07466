// Runs all promises in the runtime that the environment describes.

#define _POSIX_C_SOURCE 200809L

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "check.h"

static atomic_int failures;

int failed_checks(void) { return failures; }

void check_true_at(const char* file, int line, const char* text, int holds) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "%s:%d: %s is false\n", file, line, text);
}

void check_int_at(const char* file, int line, const char* text, int64_t found, int64_t expected) {
  if (found == expected) return;
  ++failures;
  fprintf(stderr, "%s:%d: %s is %lld, expected %lld; the last message: %s\n", file, line, text, (long long)found,
          (long long)expected, maslin_error_message());
}

void check_double_at(const char* file, int line, const char* text, double found, double expected) {
  if (found == expected) return;
  ++failures;
  fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g\n", file, line, text, found, expected);
}

void check_text_at(const char* file, int line, const char* found, const char* part) {
  if (strstr(found, part)) return;
  ++failures;
  fprintf(stderr, "%s:%d: the message is \"%s\", expected \"%s\" in it\n", file, line, found, part);
}

void dawdle(void) {
  const struct timespec a_while = {0, 200000};
  nanosleep(&a_while, NULL);
}

int main(int count, char** arguments) {
  CHECK_GOOD(maslin_begin(NULL));
  if (count > 1 && strcmp(arguments[1], "unobserved") == 0) {
    leave_unobserved();
  } else if (count > 1 && strcmp(arguments[1], "writes_through_in") == 0) {
    test_writes_through_in();
  } else {
    test_tasks();
    test_data();
    test_loops();
    test_phases();
    test_replays();
    test_errors();
    test_bad_arguments();
  }
  CHECK_GOOD(maslin_end());
  if (count == 1) test_process();
  if (failed_checks() > 0) fprintf(stderr, "%d checks failed\n", failed_checks());
  return failed_checks() > 0;
}
