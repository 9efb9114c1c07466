// Tasks that are too small to be handed over, by the rules and the learning of sched/grain/edtlp.hpp. What a body takes
// is virtual time here, and what handing it over takes is `[dispatch] task_us` of the description.

#include "exec/core/small_tasks.hpp"
#include "exec/virtual/monitor_guard.hpp"

namespace maslin {

grain::task_size virtual_executor::size_of(detail::task_function body, const location& where, std::size_t,
                                           std::uint64_t created) const noexcept {
  if (!runs_small_at_once_) return grain::task_size::large;
  const monitor_guard calling(const_cast<virtual_executor&>(*this));  // others have taken what they have by now
  virtual_worker* const w = has_stack_room() ? self() : nullptr;
  const grain::site_time known = w ? time_of_tasks(body, where.line()) : grain::site_time{};
  const auto handing_over = static_cast<double>(times_.task);
  const bool is_known = known.seen >= grain::task_known;
  const std::size_t shared = urgent_.holds_all() ? urgent_.size() : 0;
  return is_known ? core::size_of(*w, team_of(w), known, handing_over, created, shared) : grain::task_size::large;
}

grain::site_time virtual_executor::time_of_tasks(detail::task_function body, unsigned line) const noexcept {
  const auto found = task_times_.find({body, line});
  return found != task_times_.end() ? found->second : grain::site_time{};
}

void virtual_executor::learn(detail::task_function body, const location& where, std::uint64_t took,
                             bool leaves_tasks) noexcept {
  if (!runs_small_at_once_) return;
  const monitor_guard calling(*this, false);
  try {
    grain::site_time& known = task_times_[{body, where.line()}];
    known = grain::learned_task(known, took, static_cast<double>(times_.task), leaves_tasks).first;
  } catch (const std::bad_alloc&) {  // the next one is learned
  }
}

}  // namespace maslin
