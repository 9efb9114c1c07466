// Bodies that fail: what is cancelled, what the covering call gives, and what its message says.

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/// Gives "errors.c:LINE", the place that a message is to name.
static const char* place(int line) {
  static char text[40];
  snprintf(text, sizeof text, "errors.c:%d", line);
  return text;
}

static atomic_int ran;

static int count_or_fail(void* arguments, const maslin_view* views) {
  (void)views;
  ++ran;
  return *(const int*)arguments;
}

static const int good = 0;
static const int seven = 7;
static const int eight = 8;

static void what_depends_on_a_failed_task_is_cancelled(void) {
  int x = 0;
  int y = 0;
  int at = 0;
  ran = 0;
  for (int i = 0; i < 10; ++i) {
    if (i == 4) at = __LINE__ + 1;
    CHECK_GOOD(maslin_task(count_or_fail, MASLIN_COPY(*(i == 4 ? &seven : &good)), MASLIN_ACCESSES(maslin_inout(&x, 1)),
                           NULL));
    CHECK_GOOD(maslin_task(count_or_fail, MASLIN_COPY(good), MASLIN_ACCESSES(maslin_inout(&y, 1)), NULL));
  }
  const int wait = __LINE__ + 1;
  CHECK_INT(maslin_wait(), 7);
  CHECK_INT(ran, 5 + 10);
  char message[1000];
  snprintf(message, sizeof message, "%s", maslin_error_message());
  check_text_at(__FILE__, __LINE__, message, "maslin_wait at ");
  check_text_at(__FILE__, __LINE__, message, place(wait));
  check_text_at(__FILE__, __LINE__, message, "the task created at ");
  check_text_at(__FILE__, __LINE__, message, place(at));
  check_text_at(__FILE__, __LINE__, message, "returned 7");
  CHECK_GOOD(maslin_wait());  // it was said
}

static void the_earliest_in_program_order_is_given(void) {
  for (int i = 0; i < 3; ++i)
    CHECK_GOOD(maslin_task(count_or_fail, MASLIN_COPY(*(i == 0 ? &eight : &seven)), MASLIN_NO_ACCESSES, NULL));
  CHECK_FAILS(maslin_wait(), 8, "returned 8 (and 2 others failed)");
}

static void a_datum_that_failed_says_so(void) {
  int x = 0;
  CHECK_GOOD(maslin_task(count_or_fail, MASLIN_COPY(seven), MASLIN_ACCESSES(maslin_inout(&x, 1)), NULL));
  const int line = __LINE__ + 1;
  CHECK_FAILS(maslin_wait_on(maslin_in(&x, 1)), MASLIN_ERROR, place(line));
  CHECK(strstr(maslin_error_message(), "wait_on at") == strchr(maslin_error_message(), '_') + 1);
  CHECK(!strstr(maslin_error_message() + 10, "wait_on at"));  // once
  CHECK_FAILS(maslin_wait(), 7, "returned 7");
}

static void a_group_gives_what_its_tasks_failed_with(void) {
  maslin_group* group = NULL;
  CHECK_GOOD(maslin_group_create(&group));
  const maslin_task_options options = {.size = sizeof options, .group = group};
  CHECK_GOOD(maslin_task(count_or_fail, MASLIN_COPY(seven), MASLIN_NO_ACCESSES, &options));
  CHECK_FAILS(maslin_group_wait(group), 7, "maslin_group_wait at ");
  CHECK_GOOD(maslin_group_wait(group));
  CHECK_GOOD(maslin_task(count_or_fail, MASLIN_COPY(eight), MASLIN_NO_ACCESSES, &options));
  CHECK_GOOD(maslin_group_destroy(group));
  CHECK_FAILS(maslin_wait(), 8, "returned 8");  // nobody waited for the group
}

static int child_line;

static int pass_on(void* arguments, const maslin_view* views) {
  (void)arguments;
  (void)views;
  child_line = __LINE__ + 1;
  int status = maslin_task(count_or_fail, MASLIN_COPY(seven), MASLIN_NO_ACCESSES, NULL);
  return status ? status : maslin_wait();
}

static void a_body_passes_on_what_failed_in_it_and_why(void) {
  CHECK_GOOD(maslin_task(pass_on, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL));
  CHECK_FAILS(maslin_wait(), 7, place(child_line));
}

static int leave_child(void* arguments, const maslin_view* views) {
  (void)arguments;
  (void)views;
  return maslin_task(count_or_fail, MASLIN_COPY(seven), MASLIN_NO_ACCESSES, NULL);
}

static void a_child_that_nobody_waited_for_fails_its_parent(void) {
  int x = 0;
  ran = 0;
  CHECK_GOOD(maslin_task(leave_child, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_inout(&x, 1)), NULL));
  CHECK_GOOD(maslin_task(count_or_fail, MASLIN_COPY(good), MASLIN_ACCESSES(maslin_in(&x, 1)), NULL));
  CHECK_FAILS(maslin_wait(), 7, "returned 7");
  CHECK_INT(ran, 1);
}

static atomic_int blocks_below;

static int fail_from_fifty(void* env, int64_t first, int64_t last) {
  (void)env;
  (void)last;
  if (first >= 50) return (int)first;
  ++blocks_below;
  return 0;
}

static int fail_in_reduce(void* env, int64_t first, int64_t last, void* value) {
  *(double*)value = 3;
  return fail_from_fifty(env, first, last);
}

static void a_loop_gives_the_value_of_its_lowest_block(void) {
  const maslin_loop_options options = {.size = sizeof options, .block = 10};
  blocks_below = 0;
  CHECK_FAILS(maslin_parallel_for(0, 100, fail_from_fifty, NULL, &options), 50, "the block [50, 60) of the loop at ");
  CHECK_INT(blocks_below, 5);
  double result = 1.5;
  CHECK_FAILS(maslin_parallel_reduce(0, 100, fail_in_reduce, NULL, &maslin_sum_double, &result, &options), 50,
              "maslin_parallel_reduce at ");
  CHECK_DOUBLE(result, 1.5);
}

static int fail_late(void* env, int64_t index) {
  ++*(atomic_int*)env;
  return index >= 3 ? (int)index : 0;
}

static void a_phase_gives_the_value_of_its_lowest_stream(void) {
  atomic_int begun = 0;
  CHECK_FAILS(maslin_phase("fails", 10, fail_late, &begun), 3, "stream 3 of the phase \"fails\" at ");
  CHECK_INT(begun, 10);
}

static int fail_plainly(void* env) { return *(const int*)env; }

static void an_off_load_gives_the_kernels_value(void) {
  maslin_kernel kernel = 0;
  int value = 42;
  CHECK_GOOD(maslin_kernel_named("fails", &kernel));
  CHECK_FAILS(maslin_offload(kernel, fail_plainly, &value), 42, "the kernel off-loaded at ");
}

static int fail_and_ask(void* arguments, const maslin_view* views) {
  (void)arguments;
  (void)views;
  CHECK_INT(maslin_task(NULL, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL), MASLIN_BAD_ARGUMENT);
  CHECK(*maslin_error_message() != 0);
  return 0;
}
static int only_ask(void* arguments, const maslin_view* views) {
  (void)arguments;
  (void)views;
  CHECK_INT((int)strlen(maslin_error_message()), 0);
  return 0;
}

static void a_message_is_its_callers(void) {
  for (int i = 0; i < 100; ++i) {
    CHECK_GOOD(maslin_task(fail_and_ask, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL));
    CHECK_GOOD(maslin_task(only_ask, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL));
  }
  CHECK_GOOD(maslin_wait());
}

void test_errors(void) {
  what_depends_on_a_failed_task_is_cancelled();
  the_earliest_in_program_order_is_given();
  a_datum_that_failed_says_so();
  a_group_gives_what_its_tasks_failed_with();
  a_body_passes_on_what_failed_in_it_and_why();
  a_child_that_nobody_waited_for_fails_its_parent();
  a_loop_gives_the_value_of_its_lowest_block();
  a_phase_gives_the_value_of_its_lowest_stream();
  an_off_load_gives_the_kernels_value();
  a_message_is_its_callers();
}

static int write_through_in(void* arguments, const maslin_view* views) {
  (void)arguments;
  ((double*)views[0].data)[1 + views[0].ld] = 5;  // the second column, which was said to be read only
  return 0;
}

void test_writes_through_in(void) {
  static double a[16];
  const int line = __LINE__ + 1;
  CHECK_GOOD(maslin_task(write_through_in, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_in_tile(a, 2, 2, 8)), NULL));
  CHECK_FAILS(maslin_wait(), MASLIN_ERROR, place(line));
}

void leave_unobserved(void) {
  const int nine = 9;
  CHECK_GOOD(maslin_task(count_or_fail, MASLIN_COPY(nine), MASLIN_NO_ACCESSES, NULL));
}
