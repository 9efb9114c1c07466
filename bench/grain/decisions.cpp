#include "decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace grain {

namespace {

std::string text(maslin::configuration c) { return fmt::format("{}x{}", c.streams, c.width); }

/// Gives the largest throughput of a sample under `c`; of all samples where there is none.
double reference(const maslin::phase_report& r, maslin::configuration c) {
  double chosen = 0;
  double best = 0;
  for (const maslin::phase_sample& s : r.samples) {
    best = std::max(best, s.throughput());
    if (s.under == c) chosen = std::max(chosen, s.throughput());
  }
  return chosen > 0 ? chosen : best;
}

}  // namespace

nlohmann::json decisions(const maslin::phase_report& r) {
  double seconds = 0;
  double lost = 0;
  std::map<std::string, double> by_configuration;
  const double best = reference(r, r.chosen.value_or(r.current));
  for (const maslin::phase_sample& s : r.samples) {
    seconds += s.seconds;
    by_configuration[text(s.under)] += s.seconds;
    if (best > 0) lost += s.seconds * std::max(0.0, 1 - s.throughput() / best);
  }
  std::string settled = text(r.chosen.value_or(r.current));
  if (!r.chosen && !by_configuration.empty())  // it never decides: what it ran in for longest
    settled = std::max_element(by_configuration.begin(), by_configuration.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
              })->first;
  return {{"configuration", settled},     {"decided", r.chosen.has_value()}, {"policy", r.policy},
          {"pinned_by", r.pinned_by},     {"samples", r.samples.size()},     {"sampling_seconds", seconds},
          {"sampling_lost_seconds", lost}};
}

}  // namespace grain
