#include "phylo/run/sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace phylo {

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

Sizing summarize(const maslin::phase_report& report) {
  Sizing sizing;
  sizing.pinned_by = report.pinned_by;
  sizing.chosen = report.chosen;
  if (!sizing.chosen && !report.pinned_by.empty()) sizing.chosen = report.current;
  sizing.seconds = report.seconds;

  std::map<std::tuple<int, int, int>, std::vector<maslin::phase_sample>> by_configuration;
  for (const maslin::phase_sample& s : report.samples)
    by_configuration[{s.under.width, s.under.wider, s.under.streams}].push_back(s);
  for (const auto& [key, samples] : by_configuration) {
    SizedConfiguration row;
    row.under = samples.front().under;
    std::vector<double> throughputs;
    for (const maslin::phase_sample& s : samples) {
      row.seconds += s.seconds;
      throughputs.push_back(s.throughput());
    }
    row.samples = static_cast<int>(samples.size());
    row.throughput = median(std::move(throughputs));
    row.chosen = sizing.chosen == row.under;
    sizing.sampling_seconds += row.seconds;
    sizing.configurations.push_back(row);
  }

  const auto chosen = std::find_if(sizing.configurations.begin(), sizing.configurations.end(),
                                   [](const SizedConfiguration& c) { return c.chosen; });
  if (chosen == sizing.configurations.end() || chosen->throughput <= 0) return sizing;
  double worst = chosen->throughput;
  double best = chosen->throughput;
  for (const SizedConfiguration& c : sizing.configurations) {
    worst = std::min(worst, c.throughput);
    best = std::max(best, c.throughput);
  }
  if (worst > 0) sizing.gain_over_worst = chosen->throughput / worst - 1;
  sizing.loss_to_best = best / chosen->throughput - 1;
  return sizing;
}

std::string to_string(maslin::configuration c) {
  return fmt::format("{} x {}", c.streams, c.width) + (c.wider > 0 ? fmt::format("+{}", c.wider) : "");
}

std::string format_table(const Sizing& sizing) {
  std::string out;
  if (!sizing.pinned_by.empty()) {
    out += fmt::format("Configuration (streams x width): {}, pinned by {}.\n",
                       sizing.chosen ? to_string(*sizing.chosen) : "unknown", sizing.pinned_by);
    return out;
  }
  if (sizing.configurations.empty()) {
    out += sizing.chosen ? fmt::format("Configuration (streams x width): {}; nothing had to be sampled.\n",
                                       to_string(*sizing.chosen))
                         : "Configuration (streams x width): the work ended before one was chosen.\n";
    return out;
  }
  out += "Right-sizing: configurations sampled (streams x width)\n";
  out += fmt::format("  {:>13}  {:>7}  {:>8}  {:>10}\n", "configuration", "samples", "seconds", "throughput");
  for (const SizedConfiguration& c : sizing.configurations)
    out += fmt::format("  {:>13}  {:>7}  {:>8.2f}  {:>10.3f}{}\n", to_string(c.under), c.samples, c.seconds,
                       c.throughput, c.chosen ? "  <- chosen" : "");
  out += "  throughput: kernel work completed per second, in seconds of one worker\n";
  if (sizing.gain_over_worst && sizing.loss_to_best)
    out += fmt::format(
        "  the choice gained {:.1f} % over the worst and lost {:.1f} % to the best in hindsight;\n"
        "  sampling took {:.2f} of {:.2f} s, and was work that had to be done anyway\n",
        100 * *sizing.gain_over_worst, 100 * *sizing.loss_to_best, sizing.sampling_seconds, sizing.seconds);
  else if (!sizing.chosen)
    out += "  the phase ended before the choice was made\n";
  return out;
}

}  // namespace phylo
