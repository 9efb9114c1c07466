// Loops, and loops with a result.

#include <math.h>
#include <stdatomic.h>

#include "check.h"

enum { n = 10000 };

struct counted {
  atomic_int blocks;
  int64_t most;
  int touched[n];
};

static int touch(void* env, int64_t first, int64_t last) {
  struct counted* all = env;
  ++all->blocks;
  CHECK(last - first <= all->most);
  int width = 0;
  CHECK_GOOD(maslin_width(&width));
  CHECK_INT(width, 1);
  for (int64_t i = first; i < last; ++i) ++all->touched[i];
  return 0;
}

static void a_loop_runs_each_iteration_once(void) {
  static struct counted all;
  int rounds = 0;
  for (int schedule = MASLIN_SCHEDULE_OF_THE_RUN; schedule <= MASLIN_SCHEDULE_AFS; ++schedule)
    for (int64_t block = 1; block <= 10 * n; block *= 10) {
      const maslin_loop_options options = {.size = sizeof options, .block = block, .schedule = schedule};
      all.blocks = 0;
      all.most = block;
      CHECK_GOOD(maslin_parallel_for(0, n, touch, &all, &options));
      CHECK_INT(all.blocks, block < n ? n / block : 1);
      ++rounds;
    }
  all.blocks = 0;
  all.most = n / 400;
  CHECK_GOOD(maslin_parallel_for(0, n, touch, &all, NULL));
  CHECK(all.blocks <= 512);
  for (int i = 0; i < n; ++i) CHECK_INT(all.touched[i], rounds + 1);
  all.blocks = 0;
  CHECK_GOOD(maslin_parallel_for(5, 5, touch, &all, NULL));
  CHECK_GOOD(maslin_parallel_for(5, 4, touch, &all, NULL));
  CHECK_GOOD(maslin_parallel_for(INT64_MAX, INT64_MIN, touch, &all, NULL));
  CHECK_INT(all.blocks, 0);
}

static int add_lengths(void* env, int64_t first, int64_t last, void* value) {
  (void)env;
  *(int64_t*)value += (last - first) / 4;
  return 0;
}

static void a_range_may_be_as_long_as_integers_go(void) {
  const int64_t block = (int64_t)1 << 56;
  const maslin_loop_options options = {.size = sizeof options, .block = block};
  int64_t quarter = 0;
  CHECK_GOOD(maslin_parallel_reduce(INT64_MIN, INT64_MAX, add_lengths, NULL, &maslin_sum_int64, &quarter, &options));
  CHECK(quarter == ((int64_t)1 << 62) - 1);
  CHECK_GOOD(maslin_parallel_reduce(-4, INT64_MAX - 3, add_lengths, NULL, &maslin_sum_int64, &quarter, NULL));
  CHECK(quarter == (int64_t)1 << 61);
}

static int sum_of_sines(void* env, int64_t first, int64_t last, void* value) {
  (void)env;
  for (int64_t i = first; i < last; ++i) *(double*)value += sin((double)i) * 1e10 / (double)(i + 1);
  return 0;
}

static void a_reduction_is_the_same_to_the_last_bit(void) {
  for (int schedule = MASLIN_SCHEDULE_OF_THE_RUN; schedule <= MASLIN_SCHEDULE_AFS; ++schedule) {
    const maslin_loop_options options = {.size = sizeof options, .block = 64, .schedule = schedule};
    double expected = 0;
    for (int64_t first = 0; first < n; first += 64) {
      double block = 0;
      sum_of_sines(NULL, first, first + 64 < n ? first + 64 : n, &block);
      expected += block;
    }
    double found = -1;
    CHECK_GOOD(maslin_parallel_reduce(0, n, sum_of_sines, NULL, &maslin_sum_double, &found, &options));
    CHECK_DOUBLE(found, expected);
  }
  double none = -1;
  CHECK_GOOD(maslin_parallel_reduce(3, 3, sum_of_sines, NULL, &maslin_sum_double, &none, NULL));
  CHECK_DOUBLE(none, 0);
}

static int extreme(void* env, int64_t first, int64_t last, void* value) {
  const int least = *(const int*)env;
  for (int64_t i = first; i < last; ++i) {
    const double x = cos((double)i);
    if (least ? x < *(double*)value : x > *(double*)value) *(double*)value = x;
  }
  return 0;
}

static void the_least_and_the_most_are_found(void) {
  int wants_least = 1;
  double least = 0;
  double most = 0;
  CHECK_GOOD(maslin_parallel_reduce(0, n, extreme, &wants_least, &maslin_min_double, &least, NULL));
  wants_least = 0;
  CHECK_GOOD(maslin_parallel_reduce(0, n, extreme, &wants_least, &maslin_max_double, &most, NULL));
  double expected_least = 2;
  double expected_most = -2;
  for (int i = 0; i < n; ++i) {
    expected_least = fmin(expected_least, cos(i));
    expected_most = fmax(expected_most, cos(i));
  }
  CHECK_DOUBLE(least, expected_least);
  CHECK_DOUBLE(most, expected_most);
}

static int row_of_sums(void* env, int64_t first, int64_t last) {
  double* to = env;
  for (int64_t i = first; i < last; ++i) {
    const int status = maslin_parallel_reduce(0, i, sum_of_sines, NULL, &maslin_sum_double, &to[i], NULL);
    if (status) return status;
  }
  return 0;
}

static int loop_in_a_task(void* arguments, const maslin_view* views) {
  (void)arguments;
  return maslin_parallel_for(0, views[0].rows, row_of_sums, views[0].data, NULL);
}

static void loops_nest_and_stand_in_tasks(void) {
  double sums[50];
  CHECK_GOOD(maslin_task(loop_in_a_task, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_out(sums, 50)), NULL));
  CHECK_GOOD(maslin_wait());
  for (int i = 0; i < 50; ++i) {
    double expected = 0;
    for (int k = 0; k < i; ++k) sum_of_sines(NULL, k, k + 1, &expected);
    CHECK_DOUBLE(sums[i], expected);
  }
}

void test_loops(void) {
  a_loop_runs_each_iteration_once();
  a_range_may_be_as_long_as_integers_go();
  a_reduction_is_the_same_to_the_last_bit();
  the_least_and_the_most_are_found();
  loops_nest_and_stand_in_tasks();
}
