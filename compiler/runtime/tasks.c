// Annotated C on Maslin: each call becomes one of the public C API. A failure here ends the program, since nothing in
// its source could look at a status.

#include "tasks.h"

#include <maslin/maslin.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(struct maslin_css_view) == sizeof(maslin_view), "bodies get Maslin's views");
_Static_assert(sizeof(long) == sizeof(int64_t), "extents are as wide as Maslin's");

static void must(int status) {
  if (status == MASLIN_OK) return;
  fprintf(stderr, "%s\n", maslin_error_message());
  exit(2);
}

/// Is the caller a task's body? It may be said too often, where a body that called Maslin itself was suspended, and
/// another went on in its thread: then tasks are waited for one by one, which is right and slow.
static _Thread_local int inside;

int maslin_css_inside(int now) {
  const int before = inside;
  inside = now;
  return before;
}

void maslin_css_task(const char* file, int line, const char* name, maslin_css_body body, const void* values,
                     unsigned long bytes, const struct maslin_css_access* declared, int count, int high) {
  (void)name;
  maslin_access accesses[count > 0 ? count : 1];
  for (int i = 0; i < count; ++i) {
    const struct maslin_css_access* const one = &declared[i];
    accesses[i] = maslin_access_range(one->mode, one->data, one->element, one->extent);
  }
  const maslin_location where = maslin_place(file, line);
  maslin_task_options options = {.size = sizeof options, .priority = high};
  must(maslin_task_at(where, (maslin_task_body)body, values, bytes, accesses, count, &options));
  // Tasks do not nest: to a task's body, the tasks that it calls are plain functions.
  if (inside) must(maslin_wait_at(where));
}

void maslin_css_barrier(const char* file, int line) { must(maslin_wait_at(maslin_place(file, line))); }

void maslin_css_wait_on(const char* file, int line, const void* data, unsigned long bytes) {
  must(maslin_wait_on_at(maslin_place(file, line), maslin_access_range_in(data, 1, (int64_t)bytes)));
}

void maslin_css_start(const char* file, int line) { must(maslin_begin_at(maslin_place(file, line), NULL)); }

void maslin_css_finish(const char* file, int line) {
  maslin_css_barrier(file, line);
  must(maslin_end_at(maslin_place(file, line)));
}
