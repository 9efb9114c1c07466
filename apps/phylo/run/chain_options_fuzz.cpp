// Any bytes as a model's number and what is said of chains, a line an option: moves that are made, priors whose text
// gives them back and under which a chain goes on, or an `input_error`.

#include "phylo/run/chain_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"
#include "phylo/io/error.hpp"
#include "phylo/mcmc/chain.hpp"
#include "phylo/model/notation.hpp"

namespace {

using phylo::PriorOf;

phylo::McmcCommand command_of(std::string_view text) {
  phylo::McmcCommand command;
  command.generations = 1000;
  command.sample = 10;
  for (std::string* option :
       {&command.weights, &command.stop_at, &command.prior_branches, &command.prior_rates, &command.prior_frequencies,
        &command.prior_kappa, &command.prior_shape, &command.prior_invariant}) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    *option = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return command;
}

void check_prior(PriorOf what, const phylo::Distribution& prior) {
  const std::string text = phylo::to_string(prior);
  check(phylo::to_string(phylo::parse_prior(what, text, "again", prior.parameters.size())) == text);
}

/// A chain without data begins and makes some moves, unless the priors exclude where it begins.
void check_chain(phylo::ChainSetup setup) {
  phylo::Patterns patterns;
  patterns.taxa = 6;
  setup.patterns = &patterns;
  setup.with_data = false;
  phylo::Tuning tuning = phylo::first_tuning(setup.weights);
  phylo::Chain chain(setup, 0, 0);
  chain.advance(0, 50, 1, tuning);
  check(std::isfinite(chain.state().log_prior) && chain.state().tree.complete());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<phylo::Model, 6> models = {phylo::parse_model("GTR+G+I"), phylo::parse_model("HKY+G"),
                                                     phylo::parse_model("JC"),      phylo::parse_model("LG+G"),
                                                     phylo::parse_model("TIM2"),    phylo::parse_model("LG+F")};
  if (size == 0) return 0;
  try {
    const phylo::ChainOptions options = phylo::read_options(
        command_of({reinterpret_cast<const char*>(data + 1), size - 1}), models[data[0] % models.size()]);
    const phylo::ChainSetup& setup = options.grid.chain;
    double sum = 0;
    for (const double weight : setup.weights) {
      check(weight >= 0 && std::isfinite(weight));
      sum += weight;
    }
    check(sum > 0 && (!options.stop_at || (*options.stop_at > 0 && *options.stop_at < 1)));
    const phylo::Priors& p = setup.priors;
    check_prior(PriorOf::branches, p.branches);
    check_prior(PriorOf::rates, p.rates);
    check_prior(PriorOf::frequencies, p.frequencies);
    check_prior(PriorOf::kappa, p.kappa);
    check_prior(PriorOf::shape, p.shape);
    check_prior(PriorOf::invariant, p.invariant);
    check_chain(setup);
  } catch (const phylo::input_error& e) {
    check_message(e);
  }
  return 0;
}
