#include "exec/threads/branch_requests.hpp"

#include "exec/threads/threads.hpp"

namespace maslin {

void branch_requests::ask(const worker& w, const team& t) noexcept {
  const auto [first, width] = t.workers();
  for (int i = first; i < first + width; ++i) {
    if (i != w.index && !exec_.sleeps(i)) set(exec_.at(i).asked);
  }
}

bool branch_requests::may_give(worker& w) noexcept {
  w.asked.branch.store(false, std::memory_order_relaxed);
  // Until then nobody asks.
  const bool is_first = !used_.exchange(true, std::memory_order_relaxed);
  return !is_first || exec_.any_sleeps(w.in_team.load(std::memory_order_acquire)->workers());
}

}  // namespace maslin
