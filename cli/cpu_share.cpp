#include "cpu_share.hpp"

#include <fmt/format.h>

#include <algorithm>

std::optional<double> cpu_share(const recorded& program, std::optional<double> of_whole_run) {
  if (program.phase_seconds > 0) return std::min(1.0, program.phase_cpu_seconds / program.phase_seconds);
  return of_whole_run;
}

std::string about_cpu_share(std::optional<double> share) {
  constexpr double enough = 0.95;
  if (!share || *share >= enough) return {};
  return fmt::format(
      "The machine was busy: the recorded run had a CPU for {:.0f} % of its time, and what follows is too long.\nIf it "
      "waits for something else than a CPU, that is counted as computing, too.\n",
      100 * *share);
}
