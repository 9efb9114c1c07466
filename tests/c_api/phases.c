// Phases, off-loads, width and workers.

#include <stdlib.h>

#include "check.h"

enum { streams = 40, steps = 3000 };

struct estimate {
  double frequency;
  double value;
};

static maslin_kernel integral;

static int add_area(void* env, int64_t first, int64_t last, void* value) {
  const struct estimate* e = env;
  for (int64_t i = first; i < last; ++i) {
    const double x = ((double)i + 0.5) / steps;
    *(double*)value += (4 / (1 + x * x) + e->frequency * (x - 0.5)) / steps;
  }
  return 0;
}

static int integrate(void* env) {
  struct estimate* e = env;
  return maslin_parallel_reduce(0, steps, add_area, e, &maslin_sum_double, &e->value, NULL);
}

static int estimate(void* env, int64_t index) {
  double* values = env;
  for (int k = 0; k < 5; ++k) {
    struct estimate e = {(double)index, 0};
    const int status = maslin_offload(integral, integrate, &e);
    if (status) return status;
    values[index] = e.value;
  }
  return 0;
}

static void streams_off_load_kernels(void) {
  CHECK_GOOD(maslin_kernel_named("integral", &integral));
  char name[] = "estimates in C";
  double values[streams] = {0};
  CHECK_GOOD(maslin_phase(name, streams, estimate, values));
  name[0] = 'E';  // the phase has its own copy
  for (int i = 0; i < streams; ++i) {
    struct estimate e = {(double)i, 0};
    CHECK_GOOD(integrate(&e));  // the same to the last bit at any width
    CHECK_DOUBLE(values[i], e.value);
    CHECK(values[i] > 3.1415 && values[i] < 3.1417);
  }
  maslin_phase_report report = {.size = sizeof report};
  CHECK_GOOD(maslin_report("estimates in C", &report));
  CHECK_INT(report.streams, streams);
  CHECK_INT(report.done, streams);
  CHECK_INT(report.running, 0);
  CHECK(report.current_streams >= 1 && report.current_width >= 1);
  CHECK(report.seconds > 0);
  CHECK_GOOD(maslin_phase("nothing", 0, estimate, values));

  // The struct of an earlier version is filled as far as it goes; of a later one, the rest is 0.
  maslin_phase_report earlier = {.size = offsetof(maslin_phase_report, done), .done = -5};
  CHECK_GOOD(maslin_report("estimates in C", &earlier));
  CHECK_INT(earlier.streams, streams);
  CHECK_INT(earlier.done, -5);
  struct {
    maslin_phase_report known;
    int64_t more;
  } later = {.known = {.size = sizeof later}, .more = 5};
  CHECK_GOOD(maslin_report("estimates in C", &later.known));
  CHECK_INT(later.known.done, streams);
  CHECK_INT(later.more, 0);
}

static void equal_names_are_one_kernel(void) {
  maslin_kernel again = 0;
  maslin_kernel other = 0;
  CHECK_GOOD(maslin_kernel_named("integral", &again));
  CHECK_GOOD(maslin_kernel_named("another", &other));
  CHECK_INT(again, integral);
  CHECK(other != integral);
  struct estimate e = {0, 0};
  CHECK_GOOD(maslin_offload(other, integrate, &e));  // outside phases, too
  CHECK(e.value > 3.1415 && e.value < 3.1417);
}

static void the_number_of_workers_is_the_environments(void) {
  const char* wish = getenv("MASLIN_WORKERS");
  const int expected = wish ? atoi(wish) : 1;
  int workers = 0;
  int width = 0;
  CHECK_GOOD(maslin_workers(&workers));
  CHECK_INT(workers, expected);
  CHECK_GOOD(maslin_width(&width));
  CHECK_INT(width, expected);
}

void test_phases(void) {
  streams_off_load_kernels();
  equal_names_are_one_kernel();
  the_number_of_workers_is_the_environments();
}
