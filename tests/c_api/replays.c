// Recordings.

#include <string.h>

#include "check.h"

enum { columns = 6, rows = 20 };

struct field {
  double now[columns][rows];
  double next[columns][rows];
};

static int average(void* arguments, const maslin_view* views) {
  const double weight = *(const double*)arguments;
  const double* left = views[0].data;
  const double* right = views[1].data;
  double* made = views[2].data;
  for (int64_t k = 0; k < views[2].rows; ++k) made[k] = weight * left[k] + (1 - weight) * right[k];
  return 0;
}

static int sweep(double (*from)[rows], double (*to)[rows]) {
  for (int c = 0; c < columns; ++c) {
    const double weight = 0.25;
    const int status = maslin_task(
        average, MASLIN_COPY(weight),
        MASLIN_ACCESSES(maslin_in(from[c], rows), maslin_in(from[(c + 1) % columns], rows), maslin_out(to[c], rows)),
        NULL);
    if (status) return status;
  }
  return 0;
}

static int two_sweeps(void* env) {
  struct field* f = env;
  const int status = sweep(f->now, f->next);
  return status ? status : sweep(f->next, f->now);
}

static void begin_field(struct field* f) {
  for (int c = 0; c < columns; ++c)
    for (int k = 0; k < rows; ++k) f->now[c][k] = c * 10 + k;
}

static void expect_equal(struct field* a, struct field* b) {
  for (int c = 0; c < columns; ++c)
    for (int k = 0; k < rows; ++k) CHECK_DOUBLE(a->now[c][k], b->now[c][k]);
}

static int fails(void* arguments, const maslin_view* views) {
  (void)arguments;
  (void)views;
  return 9;
}

static void a_replay_does_what_was_recorded(void) {
  static struct field a, b, other;
  begin_field(&a);
  begin_field(&b);
  begin_field(&other);
  for (int i = 0; i < 10; ++i) {
    CHECK_GOOD(two_sweeps(&a));
    CHECK_GOOD(maslin_wait());
  }
  maslin_recording* recording = NULL;
  CHECK_GOOD(maslin_record(two_sweeps, &b, &recording));
  CHECK(recording != NULL);
  for (int i = 1; i < 10; ++i) CHECK_GOOD(maslin_replay(recording, NULL, 0));
  expect_equal(&a, &b);
  const maslin_rebinding instead[] = {{b.now, other.now, sizeof other.now}, {b.next, other.next, sizeof other.next}};
  for (int i = 0; i < 10; ++i) CHECK_GOOD(maslin_replay(recording, instead, 2));
  expect_equal(&a, &other);

  const maslin_rebinding part = {b.now, other.now, sizeof(double) * 3};
  for (int i = 0; i < 3; ++i) CHECK_GOOD(maslin_task(fails, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL));
  CHECK_FAILS(maslin_wait(), 9, "(and 2 others failed)");
  CHECK_FAILS(maslin_replay(recording, &part, 1), MASLIN_ERROR, "replays.c");
  CHECK(!strstr(maslin_error_message(), "others failed"));  // those were the wait's
  CHECK_FAILS(maslin_replay(recording, NULL, 1), MASLIN_BAD_ARGUMENT, "instead is NULL");
  CHECK_FAILS(maslin_replay(recording, &part, -1), MASLIN_BAD_ARGUMENT, "count = -1");
  const maslin_rebinding nowhere = {b.now, NULL, sizeof b.now};
  CHECK_FAILS(maslin_replay(recording, &nowhere, 1), MASLIN_BAD_ARGUMENT, "instead[0].to is NULL");
  CHECK_GOOD(maslin_recording_destroy(recording));
  CHECK_GOOD(maslin_recording_destroy(NULL));
}

static int waits(void* env) {
  (void)env;
  return maslin_wait();
}
static int gives_up(void* env) {
  (void)env;
  return 12;
}

static void a_recording_that_fails_is_none(void) {
  maslin_recording* recording = (maslin_recording*)&recording;
  CHECK_FAILS(maslin_record(waits, NULL, &recording), MASLIN_ERROR, "while tasks are recorded");
  CHECK(recording == NULL);
  CHECK_FAILS(maslin_record(gives_up, NULL, &recording), 12, "returned 12");
  CHECK_FAILS(maslin_record(NULL, NULL, &recording), MASLIN_BAD_ARGUMENT, "create is NULL");
  CHECK_FAILS(maslin_record(gives_up, NULL, NULL), MASLIN_BAD_ARGUMENT, "recording is NULL");
  CHECK_FAILS(maslin_replay(NULL, NULL, 0), MASLIN_BAD_ARGUMENT, "recording is NULL");
}

void test_replays(void) {
  a_replay_does_what_was_recorded();
  a_recording_that_fails_is_none();
}
