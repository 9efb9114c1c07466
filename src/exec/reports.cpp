#include "exec/reports.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <string>

#include "base/no_leak.hpp"

namespace maslin {

namespace {

struct table {
  base::mutex lock;
  std::map<std::string, std::shared_ptr<live_report>, std::less<>> reports MASLIN_GUARDED_BY(lock);
  std::int64_t begun MASLIN_GUARDED_BY(lock) = 0;
};

// A forked child gets a fresh one: a thread that it has not may have held the other one's lock. Never destroyed: phases
// may run until the process ends.
table* ours = new table;

}  // namespace

double expected_of(configuration c, const std::vector<phase_estimate>& estimates) noexcept {
  const auto known = std::ranges::find(estimates, c, &phase_estimate::under);
  return known == estimates.end() ? 0 : known->throughput;
}

void live_report::keep_choice() noexcept {
  choices_ = std::min(choices_ + 1, most_choices);
  choice_[choices_ - 1] = {*value_.chosen, expected_of(*value_.chosen, value_.estimates)};
}

told_phase live_report::tell() const {
  const base::locked held(lock_);
  return {value_, {choice_.begin(), choice_.begin() + static_cast<std::ptrdiff_t>(choices_)}, times_, loop_master_};
}

std::shared_ptr<live_report> begin_report(const detail::phase& p) {
  phase_report begin;
  begin.name = p.name;
  begin.streams = p.streams;
  begin.running = true;
  auto made = std::make_shared<live_report>(std::move(begin));
  std::shared_ptr<live_report> before = made;  // ends up with the one that is replaced, and lets it go without the lock
  const base::locked held(ours->lock);
  std::shared_ptr<live_report>& latest = ours->reports[p.name];
  made->is(++ours->begun, latest ? latest->times() + 1 : 1);
  latest.swap(before);
  return made;
}

std::optional<phase_report> report(std::string_view phase) {
  std::shared_ptr<live_report> found;
  {
    const base::locked held(ours->lock);
    const auto at = ours->reports.find(phase);
    if (at == ours->reports.end()) return std::nullopt;
    found = at->second;
  }
  return found->read();
}

std::vector<std::shared_ptr<const live_report>> all_reports() {
  std::vector<std::shared_ptr<const live_report>> all;
  {
    const base::locked held(ours->lock);
    all.reserve(ours->reports.size());
    for (const auto& [name, report] : ours->reports) all.push_back(report);
  }
  std::ranges::sort(all, {}, &live_report::number);
  return all;
}

void forget_reports_after_fork() noexcept {
  auto* fresh = new (std::nothrow) table;
  if (!fresh) return;
  base::keep_reachable(ours);
  ours = fresh;
}

}  // namespace maslin
