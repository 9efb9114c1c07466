// Threads that a rank's code has made, itself or by a library, belong to that rank. This program defines
// `pthread_create` and `thrd_create` in front of the C library's, so that they know it.

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

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

template <class Result>
struct beginning {
  rank_of_process* of;
  Result (*run)(void*);
  void* with;
};

template <class Result>
Result begin(void* at) {
  const beginning its = *std::unique_ptr<beginning<Result>>(static_cast<beginning<Result>*>(at));
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

/// Makes the thread by `make(first, with)`. `no_memory`: what that gives where there is none.
template <class Result, class Make>
int create(Result (*run)(void*), void* with, int no_memory, Make&& make) {
  rank_of_process* of = rank_here();
  if (!of) of = rank_that_is_loaded.load();
  if (!of) return make(run, with);
  std::unique_ptr<beginning<Result>> its(new (std::nothrow) beginning<Result>{of, run, with});
  if (!its) return no_memory;
  of->has_threads.store(true);
  const int problem = make(begin<Result>, its.get());
  if (problem == 0) static_cast<void>(its.release());  // the thread's
  return problem;
}

}  // namespace

std::atomic<rank_of_process*> rank_that_is_loaded{nullptr};

rank_of_process* rank_by_thread(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) - here.stack < here.bytes ? here.of : nullptr;
}

}  // namespace mpi

// What is compiled here is hidden, unless it says that it is not.
#pragma GCC visibility push(default)
extern "C" {
int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*run)(void*), void* with) {
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return mpi::create(run, with, EAGAIN, [&](void* (*first)(void*), void* its) { return real(made, how, first, its); });
}
int thrd_create(thrd_t* made, thrd_start_t run, void* with) {
  static const auto real = reinterpret_cast<decltype(&thrd_create)>(dlsym(RTLD_NEXT, "thrd_create"));
  return mpi::create(run, with, thrd_nomem, [&](thrd_start_t first, void* its) { return real(made, first, its); });
}
}
#pragma GCC visibility pop
