#include "exec/foreign/one_thread.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "exec/foreign/libraries.hpp"
#include "maslin/error.hpp"
#include "task/context_watcher.hpp"

namespace maslin::foreign {

namespace {

/// What runs now may have been preceded by something that set a limit of its own, so nothing is taken as set.
void context_changed(context*) noexcept { limit_thread_anew(1); }

}  // namespace

policy policy_from_environment() {
  const char* text = std::getenv("MASLIN_FOREIGN");
  const std::string_view value = text ? text : "";
  if (value.empty() || value == "1") return policy::granted;
  if (value == "reproducible") return policy::one_thread;
  if (value == "0") return policy::alone;
  throw error(std::string("MASLIN_FOREIGN=") + text +
              ": expected 1 (BLAS and OpenMP code uses the threads that its caller was granted), reproducible (one "
              "thread always) or 0 (it uses what it likes)");
}

one_thread::one_thread() {
  process_.count_outside(1);
  look();
  there_is.store(this, std::memory_order_relaxed);
}

one_thread::~one_thread() {
  there_is.store(nullptr, std::memory_order_relaxed);
  set_context_watcher(nullptr);
  leave_thread();
  process_.count_outside(-1);
}

void one_thread::look() noexcept {
  if (current_context_or_null() || foreign::look() == 0) return;
  set_context_watcher(context_changed);
  limit_thread_anew(1);
  process_.apply_anew();
}

}  // namespace maslin::foreign
