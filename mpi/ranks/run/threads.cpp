// Threads that a rank's code has made, itself or by a library, belong to that rank. This program defines
// `pthread_create` in front of the C library's, so that they know it.

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "table.hpp"

namespace mpi {

namespace {

/// Its own stack; where it runs something on another one, that says whose it is.
struct thread_of_rank {
  rank_of_process* of = nullptr;
  std::uintptr_t stack = 0;
  std::size_t bytes = 0;
};
thread_local constinit thread_of_rank here;

struct beginning {
  rank_of_process* of;
  void* (*run)(void*);
  void* with;
};

void* begin(void* at) {
  const beginning its = *std::unique_ptr<beginning>(static_cast<beginning*>(at));
  pthread_attr_t all;
  void* stack = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &all) == 0) {
    pthread_attr_getstack(&all, &stack, &bytes);
    pthread_attr_destroy(&all);
    here = {its.of, reinterpret_cast<std::uintptr_t>(stack), bytes};
  }
  return its.run(its.with);
}

}  // namespace

rank_of_process* rank_by_thread(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) - here.stack < here.bytes ? here.of : nullptr;
}

}  // namespace mpi

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* made, const pthread_attr_t* how,
                                                                     void* (*run)(void*), void* with) {
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  mpi::rank_of_process* const of = mpi::rank_here();
  if (!of) return real(made, how, run, with);
  std::unique_ptr<mpi::beginning> its(new (std::nothrow) mpi::beginning{of, run, with});
  if (!its) return EAGAIN;
  const int problem = real(made, how, mpi::begin, its.get());
  if (problem == 0) static_cast<void>(its.release());  // the thread's
  return problem;
}
