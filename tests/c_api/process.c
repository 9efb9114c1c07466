// The runtime's beginnings and ends.

#include <stdlib.h>

#include "check.h"

static int end_here(void* arguments, const maslin_view* views) {
  (void)arguments;
  (void)views;
  CHECK_FAILS(maslin_begin(NULL), MASLIN_BAD_ARGUMENT, "inside a task");
  CHECK_FAILS(maslin_end(), MASLIN_BAD_ARGUMENT, "inside a task");
  return 0;
}

static int add_one(void* arguments, const maslin_view* views) {
  (void)arguments;
  dawdle();
  *(int*)views[0].data += 1;
  return 0;
}

static void beginnings_are_counted(void) {
  const maslin_options three = {.size = sizeof three, .workers = 3};
  const maslin_options four = {.size = sizeof four, .workers = 4};
  int workers = 0;
  CHECK_GOOD(maslin_begin(&three));
  CHECK_GOOD(maslin_begin(NULL));
  CHECK_GOOD(maslin_end());
  CHECK_GOOD(maslin_workers(&workers));
  CHECK_INT(workers, getenv("MASLIN_SERIAL") ? 1 : 3);
  CHECK_FAILS(maslin_begin(&four), MASLIN_ERROR, "is running already");
  const maslin_options chains = {.size = sizeof chains, .place = MASLIN_PLACEMENT_CHAINS};
  if (!getenv("MASLIN_SERIAL")) CHECK_FAILS(maslin_begin(&chains), MASLIN_ERROR, "is running already");
  const maslin_options other = {.size = sizeof other, .place = MASLIN_PLACEMENT_AUTOMATIC + 1};
  CHECK_FAILS(maslin_begin(&other), MASLIN_BAD_ARGUMENT, "expected one of MASLIN_PLACEMENT_OF_THE_RUN");
  CHECK_GOOD(maslin_task(end_here, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL));
  CHECK_GOOD(maslin_wait());
  CHECK_GOOD(maslin_end());
  CHECK_FAILS(maslin_end(), MASLIN_BAD_ARGUMENT, "no maslin_begin");
}

static void the_end_waits_for_everything(void) {
  const maslin_options serial = {.size = sizeof serial, .serial = 1};
  int x = 0;
  for (int round = 0; round < 4; ++round) {
    CHECK_GOOD(maslin_begin(round % 2 ? &serial : NULL));
    for (int i = 0; i < 25; ++i)
      CHECK_GOOD(maslin_task(add_one, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_inout(&x, 1)), NULL));
    CHECK_GOOD(maslin_end());
  }
  CHECK_INT(x, 100);
}

static int begin_late(void* arguments, const maslin_view* views) {
  (void)arguments;
  (void)views;
  dawdle();
  CHECK_FAILS(maslin_begin(NULL), MASLIN_BAD_ARGUMENT, "inside a task");
  return 0;
}

/// The end waits for a task that would make a beginning.
static void a_beginning_inside_a_task_does_not_wait_for_the_end(void) {
  CHECK_GOOD(maslin_begin(NULL));
  CHECK_GOOD(maslin_task(begin_late, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL));
  CHECK_GOOD(maslin_end());
}

void test_process(void) {
  beginnings_are_counted();
  the_end_waits_for_everything();
  a_beginning_inside_a_task_does_not_wait_for_the_end();
  // And a call without a beginning starts what lives until the process ends.
  int x = 0;
  CHECK_GOOD(maslin_task(add_one, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_inout(&x, 1)), NULL));
  CHECK_GOOD(maslin_wait());
  CHECK_INT(x, 1);
}
