#pragma once
// Whether a worker runs a new task at once, on every machine that learns how long tasks take.

#include <cstdint>

#include "exec/phase/team.hpp"
#include "sched/grain/edtlp.hpp"

namespace maslin::core {

/// Gives what the worker, one of a team of that width, has at hand. `created`: by the creator that it runs; `shared`:
/// ready tasks that no worker's queue holds.
template <class Worker>
grain::tasks_at_hand at_hand(Worker& w, std::uint64_t created, int width, std::size_t shared) noexcept {
  const auto all = static_cast<std::uint32_t>(w.tasks.size() + shared);
  return {all, created, w.refills = grain::refills(w.refills, all, width)};
}

/// Gives the size of a task whose accesses cost nothing, if there are any. `known`: of its call site's bodies;
/// `handing_over`: what that takes, in the same unit.
template <class Worker>
grain::task_size size_of(Worker& w, const team& t, const grain::site_time& known, double handing_over,
                         std::uint64_t created, std::size_t shared = 0) noexcept {
  using enum grain::task_size;
  const double expected = known.expected(1);
  if (grain::is_too_small(expected, handing_over)) return tiny;
  const int width = t.width();
  return grain::runs_at_once(expected, handing_over, 0, at_hand(w, created, width, shared), width) ? small : large;
}

}  // namespace maslin::core
