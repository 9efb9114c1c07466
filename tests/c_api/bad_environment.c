// Runs with MASLIN_WORKERS=banana: whichever call comes first gives a status and a message, and nobody leaves. When the
// environment was mended, the calls work.

#define _POSIX_C_SOURCE 200809L

#include <maslin/maslin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int line, const char* call, int status) {
  const char* message = maslin_error_message();
  const char* parts[] = {call, "bad_environment.c:", "MASLIN_WORKERS=", "banana"};
  if (status != MASLIN_ERROR) {
    ++failures;
    fprintf(stderr, "%s:%d: %s gives %d, expected %d\n", __FILE__, line, call, status, MASLIN_ERROR);
  }
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (!strstr(message, parts[i])) {
      ++failures;
      fprintf(stderr, "%s:%d: the message is \"%s\", expected \"%s\" in it\n", __FILE__, line, message, parts[i]);
    }
}

static int body(void* arguments, const maslin_view* views) {
  (void)arguments;
  ++*(int*)views[0].data;
  return 0;
}
static int loop(void* env, int64_t first, int64_t last) {
  *(int64_t*)env = last - first;
  return 0;
}
static int stream(void* env, int64_t index) { return loop(env, index, index); }

int main(void) {
  int x = 0;
  int64_t length = 0;
  check(__LINE__, "maslin_begin", maslin_begin(NULL));
  check(__LINE__, "maslin_task", maslin_task(body, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_inout(&x, 1)), NULL));
  check(__LINE__, "maslin_wait", maslin_wait());
  check(__LINE__, "maslin_wait_on", maslin_wait_on(maslin_in(&x, 1)));
  check(__LINE__, "maslin_parallel_for", maslin_parallel_for(0, 10, loop, &length, NULL));
  check(__LINE__, "maslin_phase", maslin_phase("none", 3, stream, &length));
  check(__LINE__, "maslin_width", maslin_width(&x));
  check(__LINE__, "maslin_workers", maslin_workers(&x));
  if (x != 0 || length != 0) {
    ++failures;
    fprintf(stderr, "%s: a body ran: x is %d, length is %lld\n", __FILE__, x, (long long)length);
  }

  setenv("MASLIN_WORKERS", "2", 1);
  const int created = maslin_task(body, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_inout(&x, 1)), NULL);
  const int waited = maslin_wait();
  if (created || waited || x != 1) {
    ++failures;
    fprintf(stderr, "%s: mended, yet %d, %d, x is %d: %s\n", __FILE__, created, waited, x, maslin_error_message());
  }
  return failures > 0;
}
