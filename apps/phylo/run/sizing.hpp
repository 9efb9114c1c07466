#pragma once
// What right-sizing did with the phase, as the results show it.

#include <optional>
#include <string>
#include <vector>

#include "maslin/phase.hpp"

namespace phylo {

/// One configuration that was sampled.
struct SizedConfiguration {
  maslin::configuration under;
  int samples = 0;
  double seconds = 0;     ///< of all its samples
  double throughput = 0;  ///< median over its samples: seconds of one worker's kernels completed per second
  bool chosen = false;
};

/// The configurations that were sampled, and what the choice was worth.
struct Sizing {
  std::vector<SizedConfiguration> configurations;  ///< by width, then by streams
  std::optional<maslin::configuration> chosen;
  std::string pinned_by;                  ///< e.g. "MASLIN_PIN"; empty when right-sizing decided
  std::optional<double> gain_over_worst;  ///< throughput of the choice over that of the worst sampled, minus 1
  std::optional<double> loss_to_best;     ///< throughput of the best sampled over that of the choice, minus 1
  double sampling_seconds = 0;
  double seconds = 0;  ///< of the whole phase
};

/// Gives the summary of a finished phase.
Sizing summarize(const maslin::phase_report& report);

/// Gives "2 x 1" (streams × width) as tables and the progress bar show it.
std::string to_string(maslin::configuration c);

/// Gives the table for people, one line a configuration, and a line about the choice.
std::string format_table(const Sizing& sizing);

}  // namespace phylo
