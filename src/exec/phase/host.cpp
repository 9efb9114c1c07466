#include "exec/phase/host.hpp"

#include <utility>

#include "base/settings.hpp"
#include "task/kernels.hpp"

namespace maslin {

phase_host::phase_host() {
  wait_ = base::choice_of<grain::wait_policy>("MASLIN_WAIT");
  if (base::text_of("MASLIN_WAIT")) wait_by_ = "MASLIN_WAIT";
  if (const char* text = base::text_of("MASLIN_PIN")) {
    grain::pinned all = grain::parse_pins(text);
    pins_ = std::move(all.phases);
    pinned_kernels_ = std::move(all.kernels);
    if (all.wait) {
      wait_ = *all.wait;
      wait_by_ = "MASLIN_PIN";
    }
  }
  if (const char* text = base::text_of("MASLIN_GRAIN")) policy_ = grain::parse_policy(text);
}

std::optional<grain::kernel_place> phase_host::pinned_place(std::uint32_t kernel) const {
  if (pinned_kernels_.empty()) return std::nullopt;
  auto found = pinned_kernels_.find(kernel_name(kernel));
  if (found == pinned_kernels_.end()) found = pinned_kernels_.find("kernels");
  return found == pinned_kernels_.end() ? std::nullopt : std::optional(found->second);
}

learned_phases& phase_host::learned() {
  if (!learned_) learned_ = open_learned();
  return *learned_;
}

std::vector<grain::knowledge> phase_host::learned_of(std::string_view phase, int workers, std::int64_t streams) {
  const base::locked held(learning_);
  return learned().of(phase, workers, streams);
}

void phase_host::learn(std::string_view phase, int workers, std::int64_t streams, grain::knowledge what) {
  const base::locked held(learning_);
  learned().keep(phase, workers, streams, std::move(what));
}

team& phase_host::make_whole(int workers) {
  const base::locked held(pool_);
  return teams_.emplace_back(workers, team::span{0, workers});
}

void phase_host::promise_teams(int count) {
  const base::locked held(pool_);
  const auto needed = static_cast<std::size_t>(promised_teams_ + count) + 1;  // and the whole
  free_teams_.reserve(needed);
  while (teams_.size() < needed) free_teams_.push_back(&teams_.emplace_back(worker_count()));
  promised_teams_ += count;
}

team* phase_host::take_team() {
  const base::locked held(pool_);
  team* t = free_teams_.back();
  free_teams_.pop_back();
  return t;
}

void phase_host::return_team(team* t) {
  t->runs = nullptr;
  t->wants_stream.store(false, std::memory_order_relaxed);
  t->may_resume.store(false, std::memory_order_relaxed);
  const base::locked held(pool_);
  free_teams_.push_back(t);
}

}  // namespace maslin
