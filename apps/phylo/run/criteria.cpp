#include "phylo/run/criteria.hpp"

#include <fmt/format.h>

#include <cmath>

#include "phylo/like/parameters.hpp"

namespace phylo {

int parameters_of(const Data& data) {
  const int branches = 2 * data.alignment.taxa() - 3;
  int count = data.unlinked() ? branches * static_cast<int>(data.parts.size()) : branches;
  bool free_speeds = true;
  for (const Part& part : data.parts) {
    const Model& model = part.model;
    count += static_cast<int>(free_parameters(model).size());
    if (model.frequencies_from == Origin::empirical) count += model.states() - 1;
    if (model.with_invariant && model.invariant_from == Origin::empirical) ++count;
    free_speeds = free_speeds && model.speed_from == Origin::optimized;
  }
  return free_speeds ? count - 1 : count;  // all of them and the branches have a factor in common
}

Criteria criteria_of(const Data& data, double lnl) {
  Criteria out;
  out.parameters = parameters_of(data);
  out.sites = data.alignment.sites();
  const double k = out.parameters, n = out.sites;
  out.aic = 2 * k - 2 * lnl;
  if (n > k + 1) out.aicc = out.aic + 2 * k * (k + 1) / (n - k - 1);
  out.bic = k * std::log(n) - 2 * lnl;
  return out;
}

nlohmann::json to_json(const Criteria& criteria) {
  return {{"free_parameters", criteria.parameters},
          {"aic", criteria.aic},
          {"aicc", criteria.aicc ? nlohmann::json(*criteria.aicc) : nlohmann::json()},
          {"bic", criteria.bic}};
}

std::string summarize(const Criteria& criteria) {
  return fmt::format("AIC {:.3f}, {}BIC {:.3f} ({} free parameters, {} sites)", criteria.aic,
                     criteria.aicc ? fmt::format("AICc {:.3f}, ", *criteria.aicc) : std::string(), criteria.bic,
                     criteria.parameters, criteria.sites);
}

}  // namespace phylo
