// The whole promise to C users (C11). What the words mean stands in the C++ headers beside this one.
//
// Every call gives a status: 0 is good. Otherwise `maslin_error_message()` says which call failed, where it stands,
// what was found and what was expected. A call is written without its place: `maslin_wait()` is
// `maslin_wait_at(MASLIN_HERE)`; who makes calls for others (a binding) names the place itself.
//
// Bodies return int. 0 is good; anything else fails the task, loop or stream whose body it is, as an exception does in
// C++: what depends on it is cancelled, everything else runs, and the call that covers it gives that value as its
// status. So a body may pass on the status of a call that failed in it. No C++ exception leaves a call.
//
// Structs that say how large they are (`size`) may grow at their end; a program that was compiled against an older
// header keeps working. What is not set is 0 and means the default.

#ifndef MASLIN_MASLIN_H
#define MASLIN_MASLIN_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)  // the shared library exports what follows
#ifdef __cplusplus
extern "C" {
#endif

// Statuses
// -------------------------------------------------------------------------------------------------------------------

/// What a call gives that is no body's value. Bodies keep to other values if theirs are to be told apart.
enum maslin_status {
  MASLIN_OK = 0,
  MASLIN_BAD_ARGUMENT = -10001,  ///< an argument that makes no sense; nothing was done
  MASLIN_ERROR = -10002,         ///< what a user can mend (MASLIN_WORKERS=banana), or cancelled data
  MASLIN_NO_MEMORY = -10003,
  MASLIN_EXCEPTION = -10004  ///< something else was thrown, by C++ code that runs in the same program
};

/// Gives what the last call that failed in the caller (a task, stream, loop body or thread) had to say; "" if none
/// did. One line; valid until the caller's next call. Like errno, it is lost to a later call that also fails.
const char* maslin_error_message(void);

/// A place in the program. `file` must outlive the program's tasks (a literal does).
typedef struct maslin_location {
  const char* file;
  int line;
} maslin_location;

static inline maslin_location maslin_place(const char* file, int line) {
  maslin_location place;
  place.file = file;
  place.line = line;
  return place;
}

#define MASLIN_HERE maslin_place(__FILE__, __LINE__)

// The runtime
// ----------------------------------------------------------------------------------------------------------------

/// Which of the tasks that are ready a worker runs next (maslin::placement); the first is what MASLIN_PLACE says.
enum maslin_placement {
  MASLIN_PLACEMENT_OF_THE_RUN,
  MASLIN_PLACEMENT_DBS,
  MASLIN_PLACEMENT_LOCALITY,
  MASLIN_PLACEMENT_CHAINS,
  MASLIN_PLACEMENT_PROGRAM_ORDER,
  MASLIN_PLACEMENT_AUTOMATIC
};

/// What `maslin_begin` may be told. What is 0 is the default.
typedef struct maslin_options {
  size_t size;  ///< sizeof(maslin_options)
  int workers;  ///< 0: MASLIN_WORKERS, else this process's CPU budget
  int serial;   ///< not 0: every call runs in place, in program order (also MASLIN_SERIAL=1)
  int place;    ///< a maslin_placement
} maslin_options;

/// Starts the runtime and keeps it alive until `maslin_end`; counted. Nobody needs to: the first call of anything else
/// starts it, too, until the process ends. The starting thread is worker 0 while it is inside Maslin. `options` may be
/// NULL. MASLIN_ERROR for a bad environment, or when a runtime with other options is running.
int maslin_begin_at(maslin_location where, const maslin_options* options);
#define maslin_begin(...) maslin_begin_at(MASLIN_HERE, __VA_ARGS__)

/// Takes one `maslin_begin` back. The last one waits for everything, prints what failed and no wait observed, and stops
/// the workers. MASLIN_BAD_ARGUMENT inside a task, stream or loop, or when there is no `maslin_begin` to take back.
int maslin_end_at(maslin_location where);
#define maslin_end() maslin_end_at(MASLIN_HERE)

/// Sets `*width` to the number of workers granted to the caller: a stream's; 1 inside a task or a loop's body. BLAS and
/// OpenMP code inside uses as many threads (MASLIN_FOREIGN).
int maslin_width_at(maslin_location where, int* width);
#define maslin_width(...) maslin_width_at(MASLIN_HERE, __VA_ARGS__)

/// Sets `*workers` to the number of workers of the runtime.
int maslin_workers_at(maslin_location where, int* workers);
#define maslin_workers(...) maslin_workers_at(MASLIN_HERE, __VA_ARGS__)

// Accesses
// -------------------------------------------------------------------------------------------------------------------

/// How the elements of a reduction begin and how they are combined. `combine` is associative. The functions cannot
/// fail, and are the same throughout the program; the struct itself is copied.
typedef struct maslin_operation {
  size_t element;                                                  ///< bytes
  void (*begin)(void* values, size_t extent);                      ///< sets each of `extent` elements to the identity
  void (*combine)(void* into, const void* values, size_t extent);  ///< element by element: into = into ∘ values
} maslin_operation;

extern const maslin_operation maslin_sum_double;
extern const maslin_operation maslin_min_double;
extern const maslin_operation maslin_max_double;
extern const maslin_operation maslin_sum_int64;
extern const maslin_operation maslin_min_int64;
extern const maslin_operation maslin_max_int64;

/// What a task does to its data.
enum maslin_mode {
  MASLIN_IN,          ///< reads it
  MASLIN_OUT,         ///< writes every element and reads none; what is still in use gets other memory (renaming)
  MASLIN_INOUT,       ///< reads and writes it
  MASLIN_CONCURRENT,  ///< updates it, one task at a time, in an order that does not matter and may differ each run
  MASLIN_REDUCTION    ///< adds to elements of its own, which are combined in program order: the same to the last bit
};

/// One declared access: `columns` runs of `rows` elements, one every `ld` elements (a block of a column-major matrix;
/// a row-major block is the one of its transpose). A contiguous range is one column. Made by the calls below.
typedef struct maslin_access {
  void* data;
  size_t element;  ///< bytes
  int64_t rows;
  int64_t columns;
  int64_t ld;
  int mode;                           ///< a maslin_mode
  const maslin_operation* operation;  ///< of a reduction, which is contiguous; else NULL
} maslin_access;

/// One access as a body receives it. The data may lie elsewhere than where the program declared it, and columns may lie
/// at another distance; so bodies use `data` and `ld` of this, never their own pointers.
typedef struct maslin_view {
  void* data;
  int64_t rows;     ///< elements of a column: the extent of a contiguous range
  int64_t columns;  ///< 1 for a contiguous range
  int64_t ld;       ///< elements from column to column
  size_t element;   ///< bytes
} maslin_view;

static inline maslin_access maslin_access_to(int mode, void* data, size_t element, int64_t rows, int64_t columns,
                                             int64_t ld) {
  maslin_access made;
  made.data = data;
  made.element = element;
  made.rows = rows;
  made.columns = columns;
  made.ld = ld;
  made.mode = mode;
  made.operation = NULL;  // NOLINT(modernize-use-nullptr): this is C, too
  return made;
}
static inline maslin_access maslin_access_in(const void* data, size_t element, int64_t rows, int64_t columns,
                                             int64_t ld) {
  return maslin_access_to(MASLIN_IN, (void*)data, element, rows, columns, ld);
}
static inline maslin_access maslin_access_range_in(const void* data, size_t element, int64_t extent) {
  return maslin_access_in(data, element, extent, 1, extent);
}
static inline maslin_access maslin_access_range(int mode, void* data, size_t element, int64_t extent) {
  return maslin_access_to(mode, data, element, extent, 1, extent);
}
static inline maslin_access maslin_access_reduction(void* data, size_t element, int64_t extent,
                                                    const maslin_operation* operation) {
  maslin_access made = maslin_access_range(MASLIN_REDUCTION, data, element, extent);
  made.operation = operation;
  return made;
}

/// The access to `extent` elements behind a typed pointer.
#define maslin_in(pointer, extent) maslin_access_range_in((pointer), sizeof *(pointer), (extent))
#define maslin_out(pointer, extent) maslin_access_range(MASLIN_OUT, (pointer), sizeof *(pointer), (extent))
#define maslin_inout(pointer, extent) maslin_access_range(MASLIN_INOUT, (pointer), sizeof *(pointer), (extent))
#define maslin_concurrent(pointer, extent) \
  maslin_access_range(MASLIN_CONCURRENT, (pointer), sizeof *(pointer), (extent))
#define maslin_reduction(pointer, extent, operation) \
  maslin_access_reduction((pointer), sizeof *(pointer), (extent), (operation))

/// The access to a block of a column-major matrix; `ld` in elements.
#define maslin_in_tile(pointer, rows, columns, ld) \
  maslin_access_in((pointer), sizeof *(pointer), (rows), (columns), (ld))
#define maslin_out_tile(pointer, rows, columns, ld) \
  maslin_access_to(MASLIN_OUT, (pointer), sizeof *(pointer), (rows), (columns), (ld))
#define maslin_inout_tile(pointer, rows, columns, ld) \
  maslin_access_to(MASLIN_INOUT, (pointer), sizeof *(pointer), (rows), (columns), (ld))
#define maslin_concurrent_tile(pointer, rows, columns, ld) \
  maslin_access_to(MASLIN_CONCURRENT, (pointer), sizeof *(pointer), (rows), (columns), (ld))

// Tasks
// ----------------------------------------------------------------------------------------------------------------------

/// A task's body. `arguments`: the task's own copy, aligned for any type, NULL if there are none; `views`: one for each
/// access, in their order.
typedef int (*maslin_task_body)(void* arguments, const maslin_view* views);

/// A set of tasks that can be waited for.
typedef struct maslin_group maslin_group;

/// What `maslin_task` may be told besides the body and its data.
typedef struct maslin_task_options {
  size_t size;          ///< sizeof(maslin_task_options)
  int priority;         ///< -32768 to 32767: among ready tasks, a higher one goes first; 0 and less are not ordered
  maslin_group* group;  ///< NULL: the task is covered by `maslin_wait`
} maslin_task_options;

/// Makes a task that calls the body once; the caller goes on. Copied into the task are the `bytes` at `arguments` (a
/// mebibyte at most, with the accesses). It runs when those tasks are done that the same caller created before and
/// whose accesses conflict with its own: a read waits for the last write; a write for earlier reads and writes, unless
/// it is a MASLIN_OUT. If one whose data it would read failed, it is cancelled. It is done when its body has returned
/// and all tasks it created are done. `options` may be NULL. Its own failure is no status of this call.
int maslin_task_at(maslin_location where, maslin_task_body body, const void* arguments, size_t bytes,
                   const maslin_access* accesses, int access_count, const maslin_task_options* options);
#define maslin_task(...) maslin_task_at(MASLIN_HERE, __VA_ARGS__)

/// Two arguments of `maslin_task` each: a variable that is copied into the task, and accesses written where they stand.
#define MASLIN_COPY(variable) &(variable), sizeof(variable)
#define MASLIN_NO_ARGUMENTS NULL, 0
#define MASLIN_NO_ACCESSES NULL, 0
#ifndef __cplusplus
#define MASLIN_ACCESSES(...) \
  (const maslin_access[]){__VA_ARGS__}, (int)(sizeof((const maslin_access[]){__VA_ARGS__}) / sizeof(maslin_access))
#endif

/// Returns when every task that the caller created, and all their descendants, are done; what they wrote is where the
/// program declared it. Gives the value of the body that failed and is earliest in program order; the message says how
/// many others there were.
int maslin_wait_at(maslin_location where);
#define maslin_wait() maslin_wait_at(MASLIN_HERE)

/// Returns when the data (a range or a tile, as by `maslin_in`) has its value and lies where the program declared it.
/// MASLIN_ERROR if a task that writes it failed or was cancelled; the next `maslin_wait` says what failed.
int maslin_wait_on_at(maslin_location where, maslin_access data);
#define maslin_wait_on(...) maslin_wait_on_at(MASLIN_HERE, __VA_ARGS__)

/// Makes a group and sets `*group` to it; NULL when it fails.
int maslin_group_create_at(maslin_location where, maslin_group** group);
#define maslin_group_create(...) maslin_group_create_at(MASLIN_HERE, __VA_ARGS__)

/// Returns when every task of the group and all their descendants are done; statuses as of `maslin_wait`.
int maslin_group_wait_at(maslin_location where, maslin_group* group);
#define maslin_group_wait(...) maslin_group_wait_at(MASLIN_HERE, __VA_ARGS__)

/// Waits for the group's tasks and ends it. What failed and no `maslin_group_wait` gave goes to the caller's next
/// covering wait. NULL is no group, and good.
int maslin_group_destroy_at(maslin_location where, maslin_group* group);
#define maslin_group_destroy(...) maslin_group_destroy_at(MASLIN_HERE, __VA_ARGS__)

// Loops
// ----------------------------------------------------------------------------------------------------------------------

/// How a loop's blocks are handed to the workers of the team; results are the same under all. The default is what
/// MASLIN_LOOP names, else Dynamic Bisectioning.
enum maslin_schedule {
  MASLIN_SCHEDULE_OF_THE_RUN,
  MASLIN_SCHEDULE_DBS,
  MASLIN_SCHEDULE_STATIC,
  MASLIN_SCHEDULE_GSS,
  MASLIN_SCHEDULE_AFS
};

/// What a loop may be told.
typedef struct maslin_loop_options {
  size_t size;    ///< sizeof(maslin_loop_options)
  int64_t block;  ///< iterations per block, and more where a loop would have over 2^47; 0: at most 512 blocks
  int schedule;   ///< a maslin_schedule
} maslin_loop_options;

/// A loop's body: runs the iterations from `first` up to, but not including, `last`.
typedef int (*maslin_loop_body)(void* env, int64_t first, int64_t last);

/// Calls the body once for each block of [first, last), on the workers of the caller's team, and returns when all are
/// done. Blocks may run at the same time and in any order. If bodies fail, every block below the lowest that failed has
/// run, and that one's value is the status. `options` may be NULL. An empty range is good.
int maslin_parallel_for_at(maslin_location where, int64_t first, int64_t last, maslin_loop_body body, void* env,
                           const maslin_loop_options* options);
#define maslin_parallel_for(...) maslin_parallel_for_at(MASLIN_HERE, __VA_ARGS__)

/// The body of a loop with a result: adds what its iterations give to `*value`, which begins as the identity.
typedef int (*maslin_reduce_body)(void* env, int64_t first, int64_t last, void* value);

/// As `maslin_parallel_for`, and sets `*result` (one element of the operation) to the blocks' values, combined in index
/// order: the same to the last bit at any width. The identity for an empty range; unchanged if a body fails.
int maslin_parallel_reduce_at(maslin_location where, int64_t first, int64_t last, maslin_reduce_body body, void* env,
                              const maslin_operation* operation, void* result, const maslin_loop_options* options);
#define maslin_parallel_reduce(...) maslin_parallel_reduce_at(MASLIN_HERE, __VA_ARGS__)

// Phases
// ---------------------------------------------------------------------------------------------------------------------

/// The body of a phase's stream: which of them it is.
typedef int (*maslin_stream_body)(void* env, int64_t index);

/// Runs the body for each index in [0, streams) as streams of the phase `name` (copied) and returns when all are done.
/// Streams off-load kernels and run loops; Maslin chooses how many run at a time and how many workers each has, from
/// measured throughput unless MASLIN_GRAIN names another policy. If streams fail, the others still run, and the value
/// of the lowest index is the status.
int maslin_phase_at(maslin_location where, const char* name, int64_t streams, maslin_stream_body body, void* env);
#define maslin_phase(...) maslin_phase_at(MASLIN_HERE, __VA_ARGS__)

/// What right-sizing did with a phase. Times in seconds.
typedef struct maslin_phase_report {
  size_t size;      ///< sizeof(maslin_phase_report), set by the caller
  int64_t streams;  ///< of the whole phase
  int64_t done;
  int running;          ///< 1 while the phase runs
  int current_streams;  ///< at a time, now or at the end
  int current_width;    ///< workers of each one's team
  int chosen_streams;   ///< 0 while sampling, as chosen_width
  int chosen_width;
  double work;     ///< of all completed kernels, each counted with its mean one-worker time
  double seconds;  ///< since the phase began, to its end
} maslin_phase_report;

/// Fills `*report` about the latest phase of that name in this process; callable from any thread while it runs.
/// MASLIN_BAD_ARGUMENT when no such phase has begun.
int maslin_report_at(maslin_location where, const char* name, maslin_phase_report* report);
#define maslin_report(...) maslin_report_at(MASLIN_HERE, __VA_ARGS__)

/// The number of a kernel: a named function that streams off-load.
typedef uint32_t maslin_kernel;

/// Sets `*kernel` to the number under which kernels of that name (copied) are counted; the same name gives the same
/// number. Once for each kernel, before it is off-loaded.
int maslin_kernel_named_at(maslin_location where, const char* name, maslin_kernel* kernel);
#define maslin_kernel_named(...) maslin_kernel_named_at(MASLIN_HERE, __VA_ARGS__)

/// Runs `body(env)` as one off-load of that kernel and gives its value. The stream may be suspended before and
/// meanwhile, and may continue on another thread. Loops in the body are shared by the stream's team.
int maslin_offload_at(maslin_location where, maslin_kernel kernel, int (*body)(void* env), void* env);
#define maslin_offload(...) maslin_offload_at(MASLIN_HERE, __VA_ARGS__)

// Recordings
// -----------------------------------------------------------------------------------------------------------------

/// Tasks that can run again and again.
typedef struct maslin_recording maslin_recording;

/// Says that a replay uses the `bytes` at `to` where the recorded accesses name the `bytes` at `from`, or parts of it.
typedef struct maslin_rebinding {
  const void* from;
  void* to;
  size_t bytes;
} maslin_rebinding;

/// Calls `create(env)`, records the tasks that it creates, runs them as `maslin_replay` does, and sets `*recording` to
/// them; NULL when anything fails. Its value is passed on if `create` fails. MASLIN_ERROR in `create` for what a replay
/// would leave out: waits, loops, phases, off-loads, tasks of groups.
int maslin_record_at(maslin_location where, int (*create)(void* env), void* env, maslin_recording** recording);
#define maslin_record(...) maslin_record_at(MASLIN_HERE, __VA_ARGS__)

/// Waits for the caller's tasks, runs the recorded ones in the order that their data demand, and returns when they are
/// done and their data is where the program declared it. `instead`, of `count`, names other data; NULL and 0 for none.
/// Statuses as of `maslin_wait`; MASLIN_ERROR when a recorded access is only partly inside what is replaced, or what
/// replaces it overlaps other data of the replay.
int maslin_replay_at(maslin_location where, maslin_recording* recording, const maslin_rebinding* instead, int count);
#define maslin_replay(...) maslin_replay_at(MASLIN_HERE, __VA_ARGS__)

/// Ends a recording that is not being replayed. NULL is no recording, and good.
int maslin_recording_destroy_at(maslin_location where, maslin_recording* recording);
#define maslin_recording_destroy(...) maslin_recording_destroy_at(MASLIN_HERE, __VA_ARGS__)

// Locks
// ----------------------------------------------------------------------------------------------------------------------

/// A lock that may be held across calls of Maslin: who must wait for it is suspended, and its worker goes on.
typedef struct maslin_mutex maslin_mutex;

/// Makes a mutex, free, and sets `*mutex` to it; NULL when it fails.
int maslin_mutex_create_at(maslin_location where, maslin_mutex** mutex);
#define maslin_mutex_create(...) maslin_mutex_create_at(MASLIN_HERE, __VA_ARGS__)

/// Returns when the caller holds the mutex.
int maslin_mutex_lock_at(maslin_location where, maslin_mutex* mutex);
#define maslin_mutex_lock(...) maslin_mutex_lock_at(MASLIN_HERE, __VA_ARGS__)

/// Sets `*held` to 1 if the mutex was free and is now the caller's, else to 0.
int maslin_mutex_try_lock_at(maslin_location where, maslin_mutex* mutex, int* held);
#define maslin_mutex_try_lock(...) maslin_mutex_try_lock_at(MASLIN_HERE, __VA_ARGS__)

/// Gives back the mutex, which the caller holds: MASLIN_ERROR where nobody does, or another task, stream or thread.
int maslin_mutex_unlock_at(maslin_location where, maslin_mutex* mutex);
#define maslin_mutex_unlock(...) maslin_mutex_unlock_at(MASLIN_HERE, __VA_ARGS__)

/// Ends a mutex that nobody holds or waits for. NULL is no mutex, and good.
int maslin_mutex_destroy_at(maslin_location where, maslin_mutex* mutex);
#define maslin_mutex_destroy(...) maslin_mutex_destroy_at(MASLIN_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
