#pragma once
// Which of two models fits better, when one has more parameters than the other.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "phylo/run/inputs.hpp"

namespace phylo {

/// Information criteria of a tree and model that were fitted; a lower one is better.
struct Criteria {
  int parameters = 0;          ///< free ones: of the models, the speeds of partitions, branch lengths
  int sites = 0;               ///< of the alignment: the size of the sample
  double aic = 0;              ///< Akaike 1974
  std::optional<double> aicc;  ///< Hurvich and Tsai 1989; nothing if there are too few sites for so many parameters
  double bic = 0;              ///< Schwarz 1978
};

/// Gives how many free parameters a tree and the models have. Counted frequencies are some, given values are none.
int parameters_of(const Data& data);

/// Gives those of a fit with that log-likelihood.
Criteria criteria_of(const Data& data, double lnl);

nlohmann::json to_json(const Criteria& criteria);

/// Gives them as one line.
std::string summarize(const Criteria& criteria);

}  // namespace phylo
