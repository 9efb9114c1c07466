// Arguments that make no sense are a status and a message, and nothing was done.

#include <stdlib.h>

#include "check.h"

#define BAD(call, part) CHECK_FAILS(call, MASLIN_BAD_ARGUMENT, part)

static int never(void* arguments, const maslin_view* views) {
  (void)arguments;
  (void)views;
  CHECK(!"a task of bad arguments ran");
  return 0;
}
static int never_loop(void* env, int64_t first, int64_t last) {
  (void)env;
  (void)first;
  (void)last;
  CHECK(!"a loop of bad arguments ran");
  return 0;
}
static int never_reduce(void* env, int64_t first, int64_t last, void* value) {
  (void)value;
  return never_loop(env, first, last);
}
static int never_stream(void* env, int64_t index) { return never_loop(env, index, index); }
static int never_kernel(void* env) { return never_loop(env, 0, 0); }

static void tasks(void) {
  int x[10] = {0};
  const maslin_access one = maslin_inout(x, 10);
  maslin_task_options options = {.size = sizeof options};
  BAD(maslin_task(NULL, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL), "body is NULL");
  BAD(maslin_task(never, NULL, 8, MASLIN_NO_ACCESSES, NULL), "arguments is NULL");
  BAD(maslin_task(never, x, SIZE_MAX, MASLIN_NO_ACCESSES, NULL), "expected at most a mebibyte");
  BAD(maslin_task(never, x, (1 << 20) + 1, MASLIN_NO_ACCESSES, NULL), "expected at most a mebibyte");
  BAD(maslin_task(never, MASLIN_NO_ARGUMENTS, NULL, 1, NULL), "accesses is NULL");
  BAD(maslin_task(never, MASLIN_NO_ARGUMENTS, &one, -1, NULL), "access_count = -1");
  options.priority = 40000;
  BAD(maslin_task(never, MASLIN_NO_ARGUMENTS, &one, 1, &options), "priority = 40000");
  options.size = 0;
  BAD(maslin_task(never, MASLIN_NO_ARGUMENTS, &one, 1, &options), "size = 0");

  // More accesses than a task can have.
  enum { too_many = 70000 };
  maslin_access* all = malloc(too_many * sizeof *all);
  for (int i = 0; all && i < too_many; ++i) all[i] = one;
  if (all) CHECK_FAILS(maslin_task(never, MASLIN_NO_ARGUMENTS, all, too_many, NULL), MASLIN_ERROR, "70000 accesses");
  free(all);
}

static void accesses(void) {
  double x[16] = {0};
  const maslin_operation of_floats = {sizeof(float), maslin_sum_double.begin, maslin_sum_double.combine};
  const maslin_operation half = {sizeof(double), maslin_sum_double.begin, NULL};
  const maslin_operation empty = {0, maslin_sum_double.begin, maslin_sum_double.combine};
  maslin_access unknown = maslin_in(x, 4);
  unknown.mode = 99;
  maslin_access elementless = maslin_in(x, 4);
  elementless.element = 0;
  maslin_access operated = maslin_inout(x, 4);
  operated.operation = &maslin_sum_double;
  maslin_access tiled = maslin_reduction(x, 2, &maslin_sum_double);
  tiled.columns = 2;
  tiled.ld = 4;
  const struct {
    maslin_access access;
    const char* says;
  } all[] = {
      {maslin_in((double*)NULL, 4), "accesses[1].data is NULL"},
      {maslin_in(x, -4), "accesses[1].rows = -4"},
      {maslin_out_tile(x, 4, -1, 4), "accesses[1].columns = -1"},
      {maslin_out_tile(x, 4, 4, 3), "accesses[1].ld = 3: expected the elements from column to column, at least the 4"},
      {maslin_inout_tile(x, 4, 4, -4), "accesses[1].ld = -4"},
      {maslin_inout(x, INT64_MAX), "larger than memory"},
      {maslin_inout_tile(x, 4, INT64_MAX / 4, 16), "larger than memory"},
      {unknown, "accesses[1].mode = 99"},
      {elementless, "accesses[1].element = 0"},
      {operated, "accesses[1].operation is set"},
      {tiled, "accesses[1].columns = 2: expected 1"},
      {maslin_reduction(x, 4, NULL), "the operation is NULL"},
      {maslin_reduction(x, 4, &half), "expected a function"},
      {maslin_reduction(x, 4, &empty), "operation->element is 0"},
      {maslin_reduction(x, 4, &of_floats), "accesses[1].element = 8: expected the 4 bytes"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    BAD(maslin_task(never, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_in(x, 1), all[i].access), NULL), all[i].says);
  BAD(maslin_wait_on(maslin_in(x, -1)), "data.rows = -1");
  BAD(maslin_wait_on(maslin_in((double*)NULL, 1)), "data.data is NULL");
  CHECK_FAILS(maslin_task(never, MASLIN_NO_ARGUMENTS,
                          MASLIN_ACCESSES(maslin_in(x, 4), maslin_reduction(x, 4, &maslin_sum_double)), NULL),
              MASLIN_ERROR, "names the same data twice");
}

static int unlock(void* arguments, const maslin_view* views) {
  (void)views;
  CHECK_FAILS(maslin_mutex_unlock(*(maslin_mutex**)arguments), MASLIN_ERROR, "another task, stream or thread");
  return 0;
}

static void unlocking_what_one_has_not_locked(void) {
  maslin_mutex* lock = NULL;
  CHECK_GOOD(maslin_mutex_create(&lock));
  CHECK_FAILS(maslin_mutex_unlock(lock), MASLIN_ERROR, "that is not locked");
  CHECK_GOOD(maslin_mutex_lock(lock));
  CHECK_GOOD(maslin_task(unlock, MASLIN_COPY(lock), MASLIN_NO_ACCESSES, NULL));
  CHECK_GOOD(maslin_wait());
  CHECK_GOOD(maslin_mutex_unlock(lock));
  CHECK_GOOD(maslin_mutex_destroy(lock));
}

static void groups_and_locks(void) {
  BAD(maslin_group_create(NULL), "group is NULL");
  BAD(maslin_group_wait(NULL), "group is NULL");
  BAD(maslin_mutex_create(NULL), "mutex is NULL");
  BAD(maslin_mutex_lock(NULL), "mutex is NULL");
  BAD(maslin_mutex_unlock(NULL), "mutex is NULL");
  BAD(maslin_mutex_try_lock(NULL, NULL), "held is NULL");
}

static void loops(void) {
  double result = 0;
  maslin_loop_options options = {.size = sizeof options, .block = -1};
  BAD(maslin_parallel_for(0, 10, NULL, NULL, NULL), "body is NULL");
  BAD(maslin_parallel_for(0, 10, never_loop, NULL, &options), "block = -1");
  options.block = 0;
  options.schedule = 17;
  BAD(maslin_parallel_for(0, 10, never_loop, NULL, &options), "schedule = 17: expected one of");
  BAD(maslin_parallel_reduce(0, 10, NULL, NULL, &maslin_sum_double, &result, NULL), "body is NULL");
  BAD(maslin_parallel_reduce(0, 10, never_reduce, NULL, NULL, &result, NULL), "the operation is NULL");
  BAD(maslin_parallel_reduce(0, 10, never_reduce, NULL, &maslin_sum_double, NULL, NULL), "result is NULL");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end a process that asks for so much
  // A value for each of 2^47 blocks.
  options = (maslin_loop_options){.size = sizeof options, .block = 1};
  CHECK_FAILS(maslin_parallel_reduce(0, INT64_MAX / 4, never_reduce, NULL, &maslin_sum_double, &result, &options),
              MASLIN_NO_MEMORY, "not enough memory");
#endif
}

static void phases(void) {
  maslin_kernel kernel = 0;
  maslin_phase_report report = {.size = sizeof report};
  maslin_phase_report small = {.size = 1};
  BAD(maslin_phase(NULL, 3, never_stream, NULL), "name is NULL");
  BAD(maslin_phase("p", -3, never_stream, NULL), "streams = -3");
  BAD(maslin_phase("p", 3, NULL, NULL), "body is NULL");
  BAD(maslin_report("never begun", &report), "no phase \"never begun\"");
  BAD(maslin_report(NULL, &report), "name is NULL");
  BAD(maslin_report("p", NULL), "report is NULL");
  BAD(maslin_report("p", &small), "size = 1");
  BAD(maslin_kernel_named(NULL, &kernel), "name is NULL");
  BAD(maslin_kernel_named("k", NULL), "kernel is NULL");
  BAD(maslin_offload(123456, never_kernel, NULL), "kernel = 123456");
  CHECK_GOOD(maslin_kernel_named("k", &kernel));
  BAD(maslin_offload(kernel, NULL, NULL), "body is NULL");
}

static void numbers(void) {
  BAD(maslin_width(NULL), "width is NULL");
  BAD(maslin_workers(NULL), "workers is NULL");
  maslin_options negative = {.size = sizeof negative, .workers = -2};
  BAD(maslin_begin(&negative), "workers is negative");
  struct {
    maslin_options known;
    int64_t more;
  } later = {.known = {.size = sizeof later}, .more = 1};
  BAD(maslin_begin(&later.known), "a later version");
  later.more = 0;  // it asks for nothing that this version lacks
  CHECK_GOOD(maslin_begin(&later.known));
  CHECK_GOOD(maslin_end());
  CHECK_FAILS(maslin_wait_at(maslin_place(NULL, -4)) ? 0 : maslin_width_at(maslin_place(NULL, -4), NULL),
              MASLIN_BAD_ARGUMENT, "maslin_width at ");
}

void test_bad_arguments(void) {
  tasks();
  accesses();
  groups_and_locks();
  unlocking_what_one_has_not_locked();
  loops();
  phases();
  numbers();
  CHECK_GOOD(maslin_wait());
}
