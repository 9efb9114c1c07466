#pragma once
// Starting a thread where memory may be short.

#include <cstddef>
#include <exception>
#include <future>
#include <new>
#include <thread>
#include <utility>

namespace maslin::base {

/// Starts a thread that calls `begin()` and then `run()`; returns when it has begun. Throws std::system_error where the
/// system gives no thread, what `begin` throws, and std::bad_alloc where there is too little memory to begin: the C
/// library ends a process whose thread cannot register the destructor of what is thread-local.
template <class Begin, class Run>
std::thread start_thread(Begin begin, Run run) {
  constexpr std::size_t for_its_beginning = 16 << 10;
  ::operator delete(::operator new(for_its_beginning));
  std::promise<void> promise;
  std::future<void> has_begun = promise.get_future();
  std::thread thread([begin, run, promise = std::move(promise)]() mutable {
    try {
      begin();
    } catch (...) {
      return promise.set_exception(std::current_exception());
    }
    promise.set_value();
    run();
  });
  try {
    has_begun.get();
  } catch (...) {
    thread.join();
    throw;
  }
  return thread;
}

}  // namespace maslin::base
