#include "base/cannot_start.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "maslin/error.hpp"

namespace maslin::base {

namespace {

/// The runtime could not start, for the environment does not let it.
struct cannot_start final : error {
  using error::error;
};

void (*terminate_before)() = nullptr;

[[noreturn]] void terminate() {
  static std::atomic<bool> leaves{false};
  try {
    if (const std::exception_ptr what = std::current_exception()) std::rethrow_exception(what);
  } catch (const cannot_start& e) {
    std::fprintf(stderr, "maslin: %s\n", e.what());
    constexpr int wrong_request = 2;
    // A static destructor may call and find the same.
    if (leaves.exchange(true)) std::_Exit(wrong_request);
    std::exit(wrong_request);
  } catch (...) {
  }
  terminate_before();
  std::abort();
}

/// Whoever throws cannot know whether somebody catches: that shows in the terminate handler.
void handle_uncaught() {
  static const bool handled = [] {
    if (std::get_terminate() != __gnu_cxx::__verbose_terminate_handler) return false;
    terminate_before = std::set_terminate(terminate);
    return true;
  }();
  (void)handled;
}

}  // namespace

void throw_cannot_start(const error& why) {
  handle_uncaught();
  throw cannot_start(why.what());
}

}  // namespace maslin::base
