// Tasks, groups, waits, locks.

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "check.h"

enum { many = 5000 };

static atomic_int ran;

static int count_one(void* arguments, const maslin_view* views) {
  (void)views;
  CHECK(arguments == NULL);
  ++ran;
  return 0;
}

static void a_task_runs_once(void) {
  ran = 0;
  for (int i = 0; i < many; ++i) CHECK_GOOD(maslin_task(count_one, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, NULL));
  CHECK_GOOD(maslin_wait());
  CHECK_INT(ran, many);
}

struct thirteen {
  char bytes[13];
};
static atomic_int sum_of_bytes;

static int add_bytes(void* arguments, const maslin_view* views) {
  const struct thirteen* mine = arguments;
  CHECK_INT((int64_t)((uintptr_t)arguments % alignof(max_align_t)), 0);
  for (int k = 0; k < 13; ++k) sum_of_bytes += mine->bytes[k];
  *(int*)views[0].data += 1;
  return 0;
}

static void arguments_are_copied_into_the_task(void) {
  int touched = 0;
  sum_of_bytes = 0;
  struct thirteen argument;
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 13; ++k) argument.bytes[k] = (char)i;
    CHECK_GOOD(maslin_task(add_bytes, MASLIN_COPY(argument), MASLIN_ACCESSES(maslin_inout(&touched, 1)), NULL));
  }
  CHECK_GOOD(maslin_wait());
  CHECK_INT(sum_of_bytes, 13 * 45);
  CHECK_INT(touched, 10);
}

static int add_first_to_second(void* arguments, const maslin_view* views) {
  const int* from = views[0].data;
  int* to = views[1].data;
  (void)arguments;
  dawdle();
  *to += *from;
  return 0;
}

static int make_children(void* arguments, const maslin_view* views) {
  (void)arguments;
  // The views of the parent's data are data of its children.
  int* x = views[0].data;
  int one = 1;
  int status = maslin_task(add_first_to_second, MASLIN_NO_ARGUMENTS,
                           MASLIN_ACCESSES(maslin_in(x, 1), maslin_inout(x + 1, 1)), NULL);
  if (status) return status;
  status = maslin_task(add_first_to_second, MASLIN_NO_ARGUMENTS,
                       MASLIN_ACCESSES(maslin_in(&one, 1), maslin_inout(x + 1, 1)), NULL);
  if (status) return status;
  return maslin_wait();  // `one` is a local
}

static void tasks_create_tasks(void) {
  int x[2] = {4, 0};
  int total = 0;
  for (int i = 0; i < 5; ++i) {
    CHECK_GOOD(maslin_task(make_children, MASLIN_NO_ARGUMENTS, MASLIN_ACCESSES(maslin_inout(x, 2)), NULL));
    CHECK_GOOD(maslin_task(add_first_to_second, MASLIN_NO_ARGUMENTS,
                           MASLIN_ACCESSES(maslin_in(x + 1, 1), maslin_inout(&total, 1)), NULL));
  }
  CHECK_GOOD(maslin_wait());
  CHECK_INT(x[1], 25);
  CHECK_INT(total, 5 + 10 + 15 + 20 + 25);
}

static void groups_are_waited_for_alone(void) {
  maslin_group* group = NULL;
  CHECK_GOOD(maslin_group_create(&group));
  maslin_task_options options = {.size = sizeof options, .group = group};
  int x = 0;
  const int seven = 7;
  for (int i = 0; i < 20; ++i)
    CHECK_GOOD(maslin_task(add_first_to_second, MASLIN_NO_ARGUMENTS,
                           MASLIN_ACCESSES(maslin_in(&seven, 1), maslin_inout(&x, 1)), &options));
  CHECK_GOOD(maslin_group_wait(group));
  CHECK_INT(x, 140);
  CHECK_GOOD(maslin_task(add_first_to_second, MASLIN_NO_ARGUMENTS,
                         MASLIN_ACCESSES(maslin_in(&seven, 1), maslin_inout(&x, 1)), &options));
  CHECK_GOOD(maslin_group_destroy(group));  // waits
  CHECK_INT(x, 147);
  CHECK_GOOD(maslin_group_destroy(NULL));
}

static void priorities_are_taken(void) {
  ran = 0;
  for (int i = 0; i < 100; ++i) {
    maslin_task_options options = {.size = sizeof options, .priority = i % 3 == 0 ? 32767 : -32768};
    CHECK_GOOD(maslin_task(count_one, MASLIN_NO_ARGUMENTS, MASLIN_NO_ACCESSES, &options));
  }
  CHECK_GOOD(maslin_wait());
  CHECK_INT(ran, 100);
}

struct guarded_count {
  maslin_mutex* lock;
  int* count;
};

static int count_under_lock(void* arguments, const maslin_view* views) {
  struct guarded_count* all = arguments;
  (void)views;
  CHECK_GOOD(maslin_mutex_lock(all->lock));
  const int before = *all->count;
  dawdle();
  int width = 0;
  CHECK_GOOD(maslin_width(&width));  // a call while the lock is held
  *all->count = before + 1;
  CHECK_GOOD(maslin_mutex_unlock(all->lock));
  return 0;
}

static void a_mutex_excludes(void) {
  int count = 0;
  int held = 0;
  struct guarded_count all = {NULL, &count};
  CHECK_GOOD(maslin_mutex_create(&all.lock));
  for (int i = 0; i < 50; ++i) CHECK_GOOD(maslin_task(count_under_lock, MASLIN_COPY(all), MASLIN_NO_ACCESSES, NULL));
  CHECK_GOOD(maslin_wait());
  CHECK_INT(count, 50);
  CHECK_GOOD(maslin_mutex_try_lock(all.lock, &held));
  CHECK_INT(held, 1);
  CHECK_GOOD(maslin_mutex_try_lock(all.lock, &held));
  CHECK_INT(held, 0);
  CHECK_GOOD(maslin_mutex_unlock(all.lock));
  CHECK_GOOD(maslin_mutex_destroy(all.lock));
  CHECK_GOOD(maslin_mutex_destroy(NULL));
}

void test_tasks(void) {
  a_task_runs_once();
  arguments_are_copied_into_the_task();
  tasks_create_tasks();
  groups_are_waited_for_alone();
  priorities_are_taken();
  a_mutex_excludes();
}
