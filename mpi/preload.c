// libmaslin_mpi.so: an MPI program whose ranks use Maslin shares the CPUs of each node among them, unmodified:
//
//   LD_PRELOAD=libmaslin_mpi.so mpirun ...
//
// A rank that waits in a blocking call lends its CPUs to the ranks that have work (docs/node.md). The library stands
// between the program and MPI by MPI's own profiling interface, and needs neither: it links nothing, so a program that
// has no MPI, or no Maslin, runs as it would without it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

// The job -------------------------------------------------------------------------------------------------------------

/// Ranks of one job find each other by what their launcher calls it.
__attribute__((constructor)) static void name_the_job(void) {
  static const char* const launchers[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_STEP_ID"};
  if (getenv("MASLIN_NODE")) return;
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i) {
    const char* const id = getenv(launchers[i]);
    if (!id || !*id) continue;
    const char* const batch = getenv("SLURM_JOB_ID");
    char job[64];
    snprintf(job, sizeof job, "mpi-%s-%s", batch ? batch : "0", id);
    for (char* c = job; *c; ++c)
      if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9'))) *c = '-';
    setenv("MASLIN_NODE", job, 0);
    return;
  }
}

// The runtime ---------------------------------------------------------------------------------------------------------

/// What Maslin's runtime offers while it shares its node.
struct maslin_calls {
  void (*lend)(void);
  void (*reclaim)(void);
};
static _Atomic(const struct maslin_calls*) runtime;
/// MPI calls sched_yield while it waits, so that there it can be seen that a wait is long.
static atomic_bool yields;

static void let_mpi_yield(void) {
  void* (*set)(int);
  *(void**)&set = dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle");
  if (!set) return;  // not Open MPI
  set(1);
  atomic_store(&yields, 1);
}

/// The runtime calls this when it starts (and with null when it stops): it may be linked into the program, where nobody
/// else sees it.
EXPORTED void maslin_mpi_hear_runtime(const struct maslin_calls* calls) {
  if (calls) let_mpi_yield();
  atomic_store(&runtime, calls);
}

// Waiting -------------------------------------------------------------------------------------------------------------

/// Shorter waits are over before another process could make use of the CPU.
static const int64_t patience_ns = 50000;
/// How long a waiting thread leaves the CPU alone between two looks for its message.
static const long nap_ns = 50000;

static _Thread_local struct {
  const struct maslin_calls* lent_by;  // null unless lent
  int depth;                           // of blocking calls
  int64_t since_ns;                    // when the call first yielded; 0: not yet
} waiting;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void lend(void) {
  const struct maslin_calls* const calls = atomic_load_explicit(&runtime, memory_order_acquire);
  if (!calls || waiting.lent_by) return;
  calls->lend();
  waiting.lent_by = calls;
}

static void enter(void) {
  if (waiting.depth++ > 0) return;
  waiting.since_ns = 0;
  if (!atomic_load_explicit(&yields, memory_order_relaxed)) lend();
}

static void leave(void) {
  if (--waiting.depth > 0 || !waiting.lent_by) return;
  // The runtime may have been ended by another thread meanwhile.
  if (waiting.lent_by == atomic_load(&runtime)) waiting.lent_by->reclaim();
  waiting.lent_by = NULL;
}

/// In a blocking call of a rank that shares its node, a wait that lasts gives the CPU away in earnest: a thread that
/// only yields would take turns with whoever borrowed the CPU.
EXPORTED int sched_yield(void) {
  if (waiting.depth > 0 && atomic_load_explicit(&runtime, memory_order_relaxed)) {
    const int64_t now = now_ns();
    if (waiting.since_ns == 0) waiting.since_ns = now;
    if (now - waiting.since_ns > patience_ns) {
      lend();
      const struct timespec nap = {0, nap_ns};
      nanosleep(&nap, NULL);
      return 0;
    }
  }
  return (int)syscall(SYS_sched_yield);
}

// MPI -----------------------------------------------------------------------------------------------------------------

// Weak: a program without MPI has none of these.
extern __typeof__(PMPI_Init) PMPI_Init __attribute__((weak));
extern __typeof__(PMPI_Init_thread) PMPI_Init_thread __attribute__((weak));

EXPORTED int MPI_Init(int* argc, char*** argv) {
  const int status = PMPI_Init(argc, argv);
  if (atomic_load(&runtime)) let_mpi_yield();  // MPI has just set what it likes
  return status;
}

EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int status = PMPI_Init_thread(argc, argv, required, provided);
  if (atomic_load(&runtime)) let_mpi_yield();
  return status;
}

#define BLOCKING(call, parameters, arguments)                       \
  extern __typeof__(PMPI_##call) PMPI_##call __attribute__((weak)); \
  EXPORTED int MPI_##call parameters {                              \
    enter();                                                        \
    const int result = PMPI_##call arguments;                       \
    leave();                                                        \
    return result;                                                  \
  }

BLOCKING(Recv, (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status),
         (buf, count, datatype, source, tag, comm, status))
BLOCKING(Send, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
         (buf, count, datatype, dest, tag, comm))
BLOCKING(Ssend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
         (buf, count, datatype, dest, tag, comm))
BLOCKING(Sendrecv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
          int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status),
         (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status))
BLOCKING(Sendrecv_replace,
         (void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
          MPI_Status* status),
         (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))
BLOCKING(Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status), (source, tag, comm, status))
BLOCKING(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
         (source, tag, comm, message, status))
BLOCKING(Mrecv, (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status),
         (buf, count, type, message, status))
BLOCKING(Wait, (MPI_Request * request, MPI_Status* status), (request, status))
BLOCKING(Waitall, (int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses),
         (count, array_of_requests, array_of_statuses))
BLOCKING(Waitany, (int count, MPI_Request array_of_requests[], int* index, MPI_Status* status),
         (count, array_of_requests, index, status))
BLOCKING(Waitsome,
         (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
          MPI_Status array_of_statuses[]),
         (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
BLOCKING(Barrier, (MPI_Comm comm), (comm))
BLOCKING(Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
         (buffer, count, datatype, root, comm))
BLOCKING(Gather,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root, MPI_Comm comm),
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
BLOCKING(Gatherv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm),
         (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))
BLOCKING(Scatter,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, int root, MPI_Comm comm),
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
BLOCKING(Scatterv,
         (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
          int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
         (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))
BLOCKING(Allgather,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm),
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
BLOCKING(Allgatherv,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
         (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
BLOCKING(Alltoall,
         (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
          MPI_Datatype recvtype, MPI_Comm comm),
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
BLOCKING(Alltoallv,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
          const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
         (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
BLOCKING(Alltoallw,
         (const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
          void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
         (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
BLOCKING(Reduce,
         (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm),
         (sendbuf, recvbuf, count, datatype, op, root, comm))
BLOCKING(Allreduce, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
         (sendbuf, recvbuf, count, datatype, op, comm))
BLOCKING(Reduce_scatter,
         (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
         (sendbuf, recvbuf, recvcounts, datatype, op, comm))
BLOCKING(Reduce_scatter_block,
         (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
         (sendbuf, recvbuf, recvcount, datatype, op, comm))
BLOCKING(Scan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
         (sendbuf, recvbuf, count, datatype, op, comm))
BLOCKING(Exscan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
         (sendbuf, recvbuf, count, datatype, op, comm))
BLOCKING(Win_fence, (int assert, MPI_Win win), (assert, win))
BLOCKING(Win_lock, (int lock_type, int rank, int assert, MPI_Win win), (lock_type, rank, assert, win))
BLOCKING(Win_unlock, (int rank, MPI_Win win), (rank, win))
BLOCKING(Win_flush, (int rank, MPI_Win win), (rank, win))
BLOCKING(Win_wait, (MPI_Win win), (win))
BLOCKING(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm), (comm, color, key, newcomm))
BLOCKING(Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm), (comm, newcomm))
BLOCKING(Comm_free, (MPI_Comm * comm), (comm))
BLOCKING(File_read_all, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
         (fh, buf, count, datatype, status))
BLOCKING(File_write_all, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
         (fh, buf, count, datatype, status))
