#include "exec/phase/phase_waiting.hpp"

#include <new>
#include <string>

#include "trace/recorder.hpp"

namespace maslin {

phase_waiting::phase_waiting(phase_host& exec, std::uint32_t phase, live_report& report, bool inner)
    : exec_(exec), phase_(phase), report_(report) {
  if (!inner) {
    cpu_began_ = exec.cpu_seconds();
    cpu_read_ = exec.ticks();
  }
  if (!exec.waits(0, 0)) return;  // nobody waits there in a way that could be another
  if (exec.wait_policy() == grain::wait_policy::automatic) {
    learns_.emplace(exec.learned_wait());
    current_ = learns_->current();
    look_at_.store(0, std::memory_order_relaxed);
  } else {
    current_ = exec.wait_policy();
  }
}

void phase_waiting::serve(int first, int width) noexcept {
  if (width_ == 0 && exec_.waits(0, 0)) tell();
  first_ = first;
  width_ = width;
  if (learns_) before_ = *exec_.waits(first, width);
}

bool phase_waiting::look(std::uint64_t now) noexcept {
  if (!learns_ || !due(now)) return false;
  constexpr double apart = 2e-3;  // seconds: a few slices of right-sizing
  look_at_.store(now + static_cast<std::uint64_t>(apart / exec_.seconds_per_tick()), std::memory_order_relaxed);
  const grain::wait_sums sums = *exec_.waits(first_, width_);
  seen_ += sums - before_;
  before_ = sums;
  try {
    if (!learns_->observe(seen_)) return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  const bool changed = learns_->current() != current_;
  current_ = learns_->current();
  tell();
  return changed;
}

std::optional<double> phase_waiting::cpu_seconds(std::uint64_t now) noexcept {
  if (!cpu_began_) return std::nullopt;
  constexpr double apart = 1e-3;  // seconds
  if (static_cast<double>(now - cpu_read_) * exec_.seconds_per_tick() >= apart) {
    cpu_seconds_ = *exec_.cpu_seconds() - *cpu_began_;
    cpu_read_ = now;
  }
  return cpu_seconds_;
}

void phase_waiting::tell() noexcept try {
  const std::string name(grain::name_of(current_));
  const std::string who = exec_.wait_policy_by() && !learns_ ? exec_.wait_policy_by() : "auto";
  const std::string reason = learns_ ? who + ": " + learns_->reason() : who + " says so";
  report_.change([&](phase_report& r) {
    r.waiting = name;
    r.waiting_reason = reason;
  });
  if (!trace::on(trace::event_kind::waiting)) return;
  const trace::waiting_of what{trace::intern(name.c_str()), trace::intern(reason.c_str())};
  trace::record(exec_.track(), trace::event_kind::waiting, phase_, trace::pack(what));
} catch (const std::bad_alloc&) {  // the report stays as it was
}

void phase_waiting::end() noexcept {
  cpu_read_ = 0;
  if (const auto seconds = cpu_seconds(exec_.ticks()))
    trace::record(exec_.track(), trace::event_kind::cpu_time, phase_, static_cast<std::uint64_t>(1e9 * *seconds));
}

}  // namespace maslin
