// Accesses: ranges, tiles, every mode.

#include <stdlib.h>

#include "check.h"

static int fill(void* arguments, const maslin_view* views) {
  const double value = *(const double*)arguments;
  double* to = views[0].data;
  CHECK_INT((int64_t)views[0].element, sizeof(double));
  for (int64_t j = 0; j < views[0].columns; ++j)
    for (int64_t i = 0; i < views[0].rows; ++i) to[i + j * views[0].ld] = value;
  return 0;
}

/// Gives in the second datum whether the first lies elsewhere than at `arguments`.
static int lies_elsewhere(void* arguments, const maslin_view* views) {
  *(int*)views[1].data = views[0].data != *(void**)arguments;
  return 0;
}

static int sum_up(void* arguments, const maslin_view* views) {
  const double* from = views[0].data;
  double* to = views[1].data;
  (void)arguments;
  dawdle();
  *to = 0;
  for (int64_t j = 0; j < views[0].columns; ++j)
    for (int64_t i = 0; i < views[0].rows; ++i) *to += from[i + j * views[0].ld];
  return 0;
}

static void an_out_of_a_busy_range_is_renamed_and_comes_home(void) {
  static double buffer[100];
  double sums[20];
  for (int i = 0; i < 20; ++i) {
    const double value = i;
    CHECK_GOOD(maslin_task(fill, MASLIN_COPY(value), MASLIN_ACCESSES(maslin_out(buffer, 100)), NULL));
    CHECK_GOOD(maslin_task(sum_up, MASLIN_NO_ARGUMENTS,
                           MASLIN_ACCESSES(maslin_in(buffer, 100), maslin_out(&sums[i], 1)), NULL));
  }
  CHECK_GOOD(maslin_wait_on(maslin_in(&sums[7], 1)));
  CHECK_DOUBLE(sums[7], 700);
  CHECK_GOOD(maslin_wait());
  for (int i = 0; i < 20; ++i) CHECK_DOUBLE(sums[i], 100.0 * i);
  for (int i = 0; i < 100; ++i) CHECK_DOUBLE(buffer[i], 19);
}

static void tiles_have_a_leading_dimension_that_the_view_tells(void) {
  enum { n = 8, b = 4 };
  static double a[n * n];  // overlaps no data that was named before, so that it can be renamed
  double sums[10];
  int renamed = 0;
  for (int round = 0; round < 10; ++round) {
    const double value = round;
    double* const tile = a + b + b * n;  // the lower right one
    CHECK_GOOD(maslin_task(fill, MASLIN_COPY(value), MASLIN_ACCESSES(maslin_out_tile(tile, b, b, n)), NULL));
    CHECK_GOOD(maslin_task(sum_up, MASLIN_NO_ARGUMENTS,
                           MASLIN_ACCESSES(maslin_in_tile(tile, b, b, n), maslin_out(&sums[round], 1)), NULL));
  }
  double* const tile = a + b + b * n;
  CHECK_GOOD(maslin_task(lies_elsewhere, MASLIN_COPY(tile),
                         MASLIN_ACCESSES(maslin_in_tile(tile, b, b, n), maslin_out(&renamed, 1)), NULL));
  CHECK_GOOD(maslin_wait_on(maslin_in_tile(tile, b, b, n)));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) CHECK_DOUBLE(a[i + j * n], i >= b && j >= b ? 9 : 0);
  const double one = 1;
  CHECK_GOOD(maslin_task(fill, MASLIN_COPY(one), MASLIN_ACCESSES(maslin_inout_tile(a, b, n, n)), NULL));
  CHECK_GOOD(maslin_task(fill, MASLIN_COPY(one), MASLIN_ACCESSES(maslin_concurrent_tile(a + b, b, b, n)), NULL));
  CHECK_GOOD(maslin_wait());
  for (int round = 0; round < 10; ++round) CHECK_DOUBLE(sums[round], 16.0 * round);
  int workers = 0;
  CHECK_GOOD(maslin_workers(&workers));
  // One worker creates all tasks before it runs any: the last version is not at home.
  if (workers == 1 && !getenv("MASLIN_SERIAL")) CHECK_INT(renamed, 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) CHECK_DOUBLE(a[i + j * n], i >= b && j >= b ? 9 : 1);
}

static int add_to(void* arguments, const maslin_view* views) {
  const double value = *(const double*)arguments;
  double* to = views[0].data;
  for (int64_t i = 0; i < views[0].rows; ++i) {
    const double before = to[i];
    if (i == 0) dawdle();
    to[i] = before + value;
  }
  return 0;
}

static void concurrent_updates_exclude_each_other(void) {
  double x = 0;
  const double one = 1;
  for (int i = 0; i < 60; ++i)
    CHECK_GOOD(maslin_task(add_to, MASLIN_COPY(one), MASLIN_ACCESSES(maslin_concurrent(&x, 1)), NULL));
  CHECK_GOOD(maslin_wait());
  CHECK_DOUBLE(x, 60);
}

static void reductions_combine_in_program_order(void) {
  double found[3] = {1e16, 0.5, -3};
  double expected[3] = {1e16, 0.5, -3};
  for (int i = 0; i < 200; ++i) {
    const double value = 0.1 * i;
    CHECK_GOOD(
        maslin_task(add_to, MASLIN_COPY(value), MASLIN_ACCESSES(maslin_reduction(found, 3, &maslin_sum_double)), NULL));
    for (int k = 0; k < 3; ++k) expected[k] += value;
  }
  CHECK_GOOD(maslin_wait());
  for (int k = 0; k < 3; ++k) CHECK_DOUBLE(found[k], expected[k]);
}

/// A pair whose combination is associative, but not commutative: of two maps x → ax + b, one after the other.
struct map {
  int64_t a, b;
};

static void begin_maps(void* values, size_t extent) {
  struct map* all = values;
  for (size_t i = 0; i < extent; ++i) all[i] = (struct map){1, 0};
}
static void combine_maps(void* into, const void* values, size_t extent) {
  struct map* first = into;
  const struct map* second = values;
  for (size_t i = 0; i < extent; ++i)
    first[i] = (struct map){second[i].a * first[i].a, second[i].a * first[i].b + second[i].b};
}

static int then_map(void* arguments, const maslin_view* views) {
  combine_maps(views[0].data, arguments, 1);
  return 0;
}

static void an_operation_of_ones_own_needs_not_commute(void) {
  struct map all = {1, 5};
  struct map expected = all;
  for (int i = 0; i < 100; ++i) {
    // The struct may go; its functions stay.
    const maslin_operation chain = {sizeof(struct map), begin_maps, combine_maps};
    const struct map one = {i % 3 == 0 ? -1 : 1, i};
    CHECK_GOOD(maslin_task(then_map, MASLIN_COPY(one), MASLIN_ACCESSES(maslin_reduction(&all, 1, &chain)), NULL));
    combine_maps(&expected, &one, 1);
  }
  CHECK_GOOD(maslin_wait());
  CHECK_INT(all.a, expected.a);
  CHECK_INT(all.b, expected.b);
}

static int keep_int64(void* arguments, const maslin_view* views) {
  for (int k = 0; k < 3; ++k) {
    int64_t* to = views[k].data;
    const int64_t value = *(const int64_t*)arguments;
    if (k == 0) *to += value;
    if (k == 1 && value < *to) *to = value;
    if (k == 2 && value > *to) *to = value;
  }
  return 0;
}

static void the_ready_made_operations_do_what_they_say(void) {
  int64_t sum = 0;
  int64_t least = 50;
  int64_t most = 50;
  for (int64_t i = 0; i < 100; ++i)
    CHECK_GOOD(maslin_task(
        keep_int64, MASLIN_COPY(i),
        MASLIN_ACCESSES(maslin_reduction(&sum, 1, &maslin_sum_int64), maslin_reduction(&least, 1, &maslin_min_int64),
                        maslin_reduction(&most, 1, &maslin_max_int64)),
        NULL));
  CHECK_GOOD(maslin_wait());
  CHECK_INT(sum, 4950);
  CHECK_INT(least, 0);
  CHECK_INT(most, 99);
}

static int check_twenty(void* arguments, const maslin_view* views) {
  (void)arguments;
  for (int k = 0; k < 20; ++k) {
    CHECK_INT(views[k].rows, k);
    CHECK_INT(views[k].columns, 1);
    if (k > 0) *(int*)views[k].data += k;
  }
  return 0;
}

static void a_task_may_have_many_accesses(void) {
  int data[20][20] = {{0}};
  maslin_access accesses[20];
  for (int k = 0; k < 20; ++k) accesses[k] = maslin_inout(data[k], k);  // the first one is empty
  for (int i = 0; i < 3; ++i) CHECK_GOOD(maslin_task(check_twenty, MASLIN_NO_ARGUMENTS, accesses, 20, NULL));
  CHECK_GOOD(maslin_wait());
  for (int k = 0; k < 20; ++k) CHECK_INT(data[k][0], 3 * k);
}

void test_data(void) {
  an_out_of_a_busy_range_is_renamed_and_comes_home();
  tiles_have_a_leading_dimension_that_the_view_tells();
  concurrent_updates_exclude_each_other();
  reductions_combine_in_program_order();
  an_operation_of_ones_own_needs_not_commute();
  the_ready_made_operations_do_what_they_say();
  a_task_may_have_many_accesses();
}
