// What `maslin-cc --check` links instead of tasks.c. Tasks run at once, in the program's order. The compiler has put a
// call before each of their reads and writes (-fsanitize=thread; its runtime library is not linked), which is looked up
// here: a task may touch what it declared, its own stack, and memory that it allocated itself. What is neither the
// program's data, nor its heap, nor its main stack, is not looked at: thread-local variables, tables of libraries.

#define _GNU_SOURCE  // dladdr
#include "tasks.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum mode { reads, writes_all, reads_and_writes };  // as maslin.h has them
enum { most_lines = 20, line_room = 1024 };

static struct {
  const char *name, *file;
  int line, count;
  const char* stack;  ///< the caller's frames begin here
  const struct maslin_css_access* accesses;
  unsigned char** written;  ///< for each access that is an output, which bytes the task has written
} task;                     ///< the one that runs; without a name, none does
static int found, is_more;  ///< lines that were said; whether there are others

// Memory that the program has allocated
// ---------------------------------------------------------------------------------------------------------------------

struct block {
  const char* at;
  size_t bytes;
  int of_task;  ///< the number of the task that allocated it; 0: the program outside of tasks
};
static struct block* blocks;  // by address
static size_t block_count, block_room;
static int task_number;

extern void* __real_malloc(size_t);
extern void* __real_calloc(size_t, size_t);
extern void* __real_realloc(void*, size_t);
extern void* __real_aligned_alloc(size_t, size_t);
extern int __real_posix_memalign(void**, size_t, size_t);
extern void __real_free(void*);

/// Gives the index of the first block that begins behind `at`.
static size_t behind(const void* at) {
  size_t low = 0, high = block_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (blocks[middle].at <= (const char*)at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Gives the block in which that lies; NULL where it lies in none.
static const struct block* block_of(const char* at) {
  const size_t index = behind(at);
  return index > 0 && at < blocks[index - 1].at + blocks[index - 1].bytes ? &blocks[index - 1] : NULL;
}

static void add_block(void* at, size_t bytes) {
  if (!at) return;
  if (block_count == block_room) {
    block_room = block_room ? 2 * block_room : 1024;
    blocks = __real_realloc(blocks, block_room * sizeof *blocks);
    if (!blocks) abort();
  }
  const size_t index = behind(at);
  memmove(&blocks[index + 1], &blocks[index], (block_count - index) * sizeof *blocks);
  blocks[index] = (struct block){at, bytes, task.name ? task_number : 0};
  ++block_count;
}

static void remove_block(void* at) {
  const size_t index = behind(at);
  if (index == 0 || blocks[index - 1].at != at) return;
  memmove(&blocks[index - 1], &blocks[index], (block_count - index) * sizeof *blocks);
  --block_count;
}

void* __wrap_malloc(size_t bytes) {
  void* const made = __real_malloc(bytes);
  add_block(made, bytes);
  return made;
}
void* __wrap_calloc(size_t count, size_t bytes) {
  void* const made = __real_calloc(count, bytes);
  add_block(made, count * bytes);
  return made;
}
void* __wrap_realloc(void* old, size_t bytes) {
  remove_block(old);
  void* const made = __real_realloc(old, bytes);
  add_block(made, bytes);
  return made;
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  void* const made = __real_aligned_alloc(alignment, bytes);
  add_block(made, bytes);
  return made;
}
int __wrap_posix_memalign(void** made, size_t alignment, size_t bytes) {
  const int problem = __real_posix_memalign(made, alignment, bytes);
  if (problem == 0) add_block(*made, bytes);
  return problem;
}
void __wrap_free(void* old) {
  remove_block(old);
  __real_free(old);
}

// Reports
// ---------------------------------------------------------------------------------------------------------------------

extern char __executable_start, __data_start, _end;

static int is_static(const char* at) { return at >= &__data_start && at < &_end; }

static char told[line_room];  ///< the line that is to be said
static size_t told_end;

static void add(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = vsnprintf(told + told_end, line_room - told_end, format, values);
  va_end(values);
  if (length > 0) told_end += (size_t)length < line_room - told_end ? (size_t)length : line_room - 1 - told_end;
}

/// Adds where the program's code at `pc` was compiled from.
static void add_place(const void* pc) {
  char command[160], place[512] = "";
  snprintf(command, sizeof command, "addr2line -e /proc/%d/exe %#lx 2>/dev/null", (int)getpid(),
           (unsigned long)((const char*)pc - 1 - &__executable_start));
  FILE* const answer = popen(command, "r");
  if (answer) {
    if (!fgets(place, sizeof place, answer)) place[0] = 0;
    pclose(answer);
  }
  place[strcspn(place, "\n ")] = 0;
  if (place[0] && place[0] != '?')
    add("%s: ", place);
  else
    add("code at %p: ", pc);
}

static void begin_line(const void* pc, const char* does) {
  told_end = 0;
  add_place(pc);
  add("task '%s', called at %s:%d, %s ", task.name, task.file, task.line, does);
}

/// Adds which of the program's data lies there.
static void add_data(const char* at) {
  const struct block* const block = block_of(at);
  Dl_info info;
  if (block)
    add("byte %zu of a block of %zu bytes", (size_t)(at - block->at), block->bytes);
  else if (is_static(at) && dladdr(at, &info) && info.dli_sname)
    add("the variable '%s'", info.dli_sname);
  else if (is_static(at))
    add("a static variable");
  else
    add("a variable of a function that is not done");
}

/// Says the line, unless it was said before: a line of the program may touch the same data several times.
static void say_line(void) {
  static char said[most_lines][line_room];
  for (int i = 0; i < found; ++i)
    if (strcmp(said[i], told) == 0) return;
  if (found == most_lines) {
    is_more = 1;
    return;
  }
  strcpy(said[found++], told);
  fflush(stdout);
  fprintf(stderr, "%s\n", told);
}

static const void** known;  // places in the program's code, in a table with open addresses
static size_t known_count, known_room;

/// Gives the index at which `pc` stands in the table, or is to stand.
static size_t slot_of(const void* pc) {
  size_t at = ((uintptr_t)pc * 0x9e3779b97f4a7c15u >> 20) & (known_room - 1);
  while (known[at] && known[at] != pc) at = (at + 1) & (known_room - 1);
  return at;
}

/// Gives whether this place in the program's code has not been looked at before.
static int is_new(const void* pc) {
  if (2 * known_count >= known_room) {
    const void** const old = known;
    const size_t old_room = known_room;
    known_room = old_room ? 2 * old_room : 256;
    known = __real_calloc(known_room, sizeof *known);
    if (!known) abort();
    for (size_t i = 0; i < old_room; ++i)
      if (old[i]) known[slot_of(old[i])] = old[i];
    __real_free(old);
  }
  const size_t at = slot_of(pc);
  if (known[at]) return 0;
  known[at] = pc;
  ++known_count;
  return 1;
}

// What the compiled program calls
// ---------------------------------------------------------------------------------------------------------------------

/// Gives whether the memory is the program's, and not of the task's own making.
static int is_the_programs(const char* at, const char* frame) {
  if (at >= frame && at < task.stack) return 0;
  if (at >= &__executable_start && at < &_end) return is_static(at);
  const struct block* const block = block_of(at);
  if (block) return block->of_task != task_number;
  return at >= task.stack && at < task.stack + (8 << 20);  // frames of those that called
}

static void look(const char* at, size_t bytes, int is_write, const void* pc, const char* frame) {
  if (!task.name) return;
  const struct maslin_css_access* declared = NULL;
  for (int i = 0; i < task.count; ++i) {
    const struct maslin_css_access* const one = &task.accesses[i];
    const char* const begin = one->data;
    if (at < begin || at + bytes > begin + one->element * (size_t)one->extent) continue;
    declared = one;
    if (is_write) {
      if (one->mode == reads) continue;
      if (task.written[i]) memset(task.written[i] + (at - begin), 1, bytes);
      return;
    }
    if (one->mode != writes_all || !task.written[i]) return;
    if (!memchr(task.written[i] + (at - begin), 0, bytes)) return;
  }
  if (!declared && !is_the_programs(at, frame)) return;
  if (!is_new(pc)) return;
  begin_line(pc, is_write ? "writes" : "reads");
  if (declared) {
    const long index = (long)((size_t)(at - (const char*)declared->data) / declared->element);
    add(is_write ? "element %ld of '%s', which is input" : "element %ld of '%s', which is output, before it wrote that",
        index, declared->name);
  } else {
    add_data(at);
    add(", which it did not declare");
  }
  say_line();
}

#define LOOK(at, bytes, is_write) look(at, bytes, is_write, __builtin_return_address(0), __builtin_frame_address(0))
#define OF_SIZE(bytes)                                                         \
  void __tsan_read##bytes(char* at) { LOOK(at, bytes, 0); }                    \
  void __tsan_write##bytes(char* at) { LOOK(at, bytes, 1); }                   \
  void __tsan_unaligned_read##bytes(char* at) { LOOK(at, bytes, 0); }          \
  void __tsan_unaligned_write##bytes(char* at) { LOOK(at, bytes, 1); }         \
  void __tsan_volatile_read##bytes(char* at) { LOOK(at, bytes, 0); }           \
  void __tsan_volatile_write##bytes(char* at) { LOOK(at, bytes, 1); }          \
  void __tsan_unaligned_volatile_read##bytes(char* at) { LOOK(at, bytes, 0); } \
  void __tsan_unaligned_volatile_write##bytes(char* at) { LOOK(at, bytes, 1); }
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)
void __tsan_read_range(char* at, size_t bytes) { LOOK(at, bytes, 0); }
void __tsan_write_range(char* at, size_t bytes) { LOOK(at, bytes, 1); }
void __tsan_init(void) {}
void __tsan_func_entry(void* caller) { (void)caller; }
void __tsan_func_exit(void) {}

// Who changes an atomic variable expects others to; these are not looked at.
#define ATOMIC(bits, type)                                                                                \
  type __tsan_atomic##bits##_load(type* at, int order) {                                                  \
    (void)order;                                                                                          \
    return *at;                                                                                           \
  }                                                                                                       \
  void __tsan_atomic##bits##_store(type* at, type value, int order) {                                     \
    (void)order;                                                                                          \
    *at = value;                                                                                          \
  }                                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_strong(type* at, type* expected, type value, int a, int b) { \
    (void)a;                                                                                              \
    (void)b;                                                                                              \
    if (*at == *expected) return *at = value, 1;                                                          \
    return *expected = *at, 0;                                                                            \
  }                                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_weak(type* at, type* expected, type value, int a, int b) {   \
    return __tsan_atomic##bits##_compare_exchange_strong(at, expected, value, a, b);                      \
  }                                                                                                       \
  CHANGE(bits, type, exchange, value)                                                                     \
  CHANGE(bits, type, fetch_add, before + value)                                                           \
  CHANGE(bits, type, fetch_sub, before - value)                                                           \
  CHANGE(bits, type, fetch_and, before& value)                                                            \
  CHANGE(bits, type, fetch_or, before | value)                                                            \
  CHANGE(bits, type, fetch_xor, before ^ value)
#define CHANGE(bits, type, name, after)                                \
  type __tsan_atomic##bits##_##name(type* at, type value, int order) { \
    (void)order;                                                       \
    const type before = *at;                                           \
    *at = (type)(after);                                               \
    return before;                                                     \
  }
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order) { (void)order; }

// These read and write in the C library, where the compiler has put no calls.
extern void* __real_memcpy(void*, const void*, size_t);
extern void* __real_memmove(void*, const void*, size_t);
extern void* __real_memset(void*, int, size_t);
#define COPY(name)                                                \
  void* __wrap_##name(void* to, const void* from, size_t bytes) { \
    if (bytes) LOOK((char*)from, bytes, 0);                       \
    if (bytes) LOOK((char*)to, bytes, 1);                         \
    return __real_##name(to, from, bytes);                        \
  }
COPY(memcpy)
COPY(memmove)
void* __wrap_memset(void* to, int value, size_t bytes) {
  if (bytes) LOOK((char*)to, bytes, 1);
  return __real_memset(to, value, bytes);
}

// Tasks
// ---------------------------------------------------------------------------------------------------------------------

static void say_how_many(void) {
  if (found == 0) return;
  fflush(stdout);
  fprintf(stderr, "maslin-cc --check: %s%d place%s where a task touches what it did not declare\n",
          is_more ? "more than " : "", found, found == 1 ? "" : "s");
  _exit(1);
}

int maslin_css_inside(int now) { return now; }

void maslin_css_task(const char* file, int line, const char* name, maslin_css_body body, const void* values,
                     unsigned long bytes, const struct maslin_css_access* accesses, int count, int high) {
  static int is_known;
  (void)high;
  if (!is_known) is_known = 1, atexit(say_how_many);
  struct maslin_css_view views[count > 0 ? count : 1];
  for (int i = 0; i < count; ++i)
    views[i] =
        (struct maslin_css_view){accesses[i].data, accesses[i].extent, 1, accesses[i].extent, accesses[i].element};
  char own[bytes + 1] __attribute__((aligned(16)));
  if (bytes) __real_memcpy(own, values, bytes);
  const int is_outermost = !task.name;  // one that a task calls is a part of it
  unsigned char* written[count > 0 ? count : 1];
  if (is_outermost) {
    task.name = name, task.file = file, task.line = line, task.count = count;
    task.stack = __builtin_frame_address(0), task.accesses = accesses, task.written = written, ++task_number;
    for (int i = 0; i < count; ++i)
      written[i] = accesses[i].mode == writes_all
                       ? __real_calloc(1, accesses[i].element * (size_t)accesses[i].extent + 1)
                       : NULL;
  }
  body(own, views);
  if (!is_outermost) return;
  for (int i = 0; i < count; ++i) __real_free(written[i]);
  task.name = NULL;
}

void maslin_css_barrier(const char* file, int line) { (void)file, (void)line; }
void maslin_css_wait_on(const char* file, int line, const void* data, unsigned long bytes) {
  (void)file, (void)line, (void)data, (void)bytes;
}
void maslin_css_start(const char* file, int line) { (void)file, (void)line; }
void maslin_css_finish(const char* file, int line) { (void)file, (void)line; }
