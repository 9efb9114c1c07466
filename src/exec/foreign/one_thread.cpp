#include "exec/foreign/one_thread.hpp"

#include "exec/foreign/libraries.hpp"
#include "task/context_watcher.hpp"

namespace maslin::foreign {

namespace {

/// What runs now may have been preceded by something that set a limit of its own, so nothing is taken as set.
void context_changed(context*) noexcept { limit_thread_anew(1); }

}  // namespace

one_thread::one_thread() {
  process_.count_outside(1);
  look();
  there_is.store(this, std::memory_order_relaxed);
}

one_thread::~one_thread() {
  there_is.store(nullptr, std::memory_order_relaxed);
  set_context_watcher(nullptr, watched::nothing);
  leave_thread();
  process_.count_outside(-1);
}

void one_thread::look() noexcept {
  if (!is_outside_tasks() || foreign::look() == 0) return;
  set_context_watcher(context_changed, watched::everything);
  limit_thread_anew(1);
  process_.apply_anew();
}

}  // namespace maslin::foreign
