#include "phylo/run/chain_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {
namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Gives the weights; those that the text gives are not adapted.
PerMove<double> read_weights(const std::string& text, const PerMove<double>& usual, PerMove<bool>& adapts) {
  PerMove<double> weights = usual;
  adapts.fill(true);
  constexpr const char* expected = "expected moves with their weights, as in spr=30,nni=10";
  std::string_view rest = text;
  for (bool more = !rest.empty(); more;) {
    const std::string_view item = rest.substr(0, rest.find(','));
    more = item.size() < rest.size();
    if (more) rest.remove_prefix(item.size() + 1);
    const std::size_t equals = item.find('=');
    const std::optional<double> weight = equals == item.npos ? std::nullopt : number(item.substr(equals + 1));
    if (!weight || *weight < 0 || *weight > 1e6)
      throw input_error(fmt::format("--weights: {}; {}", shown(item), expected));
    bool found = false;
    for (std::size_t m = 0; m < moves; ++m) {
      const auto move = static_cast<Move>(m);
      if (item.substr(0, equals) != word_of(move)) continue;
      found = true;
      if (usual[m] == 0)
        throw input_error(
            fmt::format("--weights: {}: this model samples nothing that this move changes; leave it out", shown(item)));
      if (!adapts[m]) throw input_error(fmt::format("--weights: {} is given twice; give it once", word_of(move)));
      weights[m] = *weight;
      adapts[m] = false;
    }
    if (found) continue;
    std::string words;
    for (std::size_t m = 0; m < moves; ++m) words += (m > 0 ? ", " : "") + std::string(word_of(static_cast<Move>(m)));
    throw input_error(fmt::format("--weights: {} is no move; the moves are {}", shown(item.substr(0, equals)), words));
  }
  const auto weight_of = [&](Move move) { return weights[static_cast<std::size_t>(move)]; };
  if (weight_of(Move::nni) + weight_of(Move::extending_spr) == 0)
    throw input_error(
        "--weights: neither nni nor spr is left, so that the topology would never change; give one of them a weight");
  if (weight_of(Move::branch_multiplier) + weight_of(Move::node_slider) == 0)
    throw input_error(
        "--weights: neither branch nor node is left, so that branch lengths would hardly change; give one of them a "
        "weight");
  for (const Move move : {Move::rates, Move::frequencies, Move::kappa, Move::shape, Move::invariant})
    if (weight_of(move) == 0 && text.find(std::string(word_of(move)) + "=") != text.npos)
      throw input_error(fmt::format(
          "--weights: without {} that parameter would never change; give it a weight, or fix its value in --model",
          word_of(move)));
  return weights;
}

/// `usual` is what the prior is if nothing is said, with as many parts as it has.
Distribution read_prior(PriorOf what, const std::string& text, const char* option, bool sampled,
                        const Distribution& usual) {
  if (text.empty()) return usual;
  if (!sampled)
    throw input_error(fmt::format(
        "{}: the model does not sample this parameter; leave the option out, or choose another --model", option));
  return parse_prior(what, text, option, usual.parameters.size());
}

double read_stop(const std::string& text) {
  constexpr std::string_view name = "asdsf=";
  const std::optional<double> value =
      text.starts_with(name) ? number(std::string_view(text).substr(name.size())) : std::nullopt;
  if (!value || !(*value > 0 && *value < 1))
    throw input_error(
        fmt::format("--stop-at: {}; expected asdsf= and a number between 0 and 1, as in asdsf=0.01: the average "
                    "standard deviation of split frequencies at which the runs end",
                    shown(text)));
  return *value;
}

}  // namespace

ChainOptions read_options(const McmcCommand& c, const Model& model) {
  ChainOptions out;
  out.generations = c.generations;
  constexpr double rounding = 1e-6;  // 0.29 of 100 is 29
  const double burnin = c.burnin < 1 ? std::floor(c.burnin * c.generations + rounding) : c.burnin;
  if (c.burnin >= 1 && c.burnin != std::floor(c.burnin))
    throw input_error(fmt::format(
        "--burnin: {}; expected a share of the generations below 1, or a whole number of generations", c.burnin));
  out.burnin = static_cast<std::int64_t>(burnin);
  constexpr std::int64_t fewest_samples = 2;
  if (const std::int64_t samples = (out.generations / c.sample) - (out.burnin / c.sample); samples < fewest_samples)
    throw input_error(fmt::format(
        "{} generations with a burn-in of {} leave {} of the samples that are taken every {} generations, and at "
        "least {} are needed; give more --generations, a smaller --burnin or a smaller --sample",
        out.generations, out.burnin, std::max<std::int64_t>(samples, 0), c.sample, fewest_samples));
  if (!c.stop_at.empty()) {
    out.stop_at = read_stop(c.stop_at);
    if (c.runs < 2) throw input_error("--stop-at compares runs, and there is one; give --runs 2 or more");
  }
  GridSetup& grid = out.grid;
  grid.runs = c.runs;
  grid.chains = c.chains;
  grid.temperature = c.temperature;
  grid.swap_every = c.swap;
  grid.ranks = c.ranks;
  if (c.ranks)
    out.segments = choose_segments(c.segments, c.ranks->size(), c.runs * c.chains);
  else if (c.segments > 1)
    throw input_error(
        "--segments divides the alignment among ranks, and here are none: loops divide it among workers; leave it out, "
        "or start maslin-mpirun -n RANKS maslin-phylo-mpi mcmc ...");
  ChainSetup& chain = grid.chain;
  chain.model = model;
  chain.seed = c.seed;
  chain.with_data = !c.no_data;
  chain.precision = c.precision == "single" ? Precision::binary32 : Precision::binary64;
  chain.tuned_generations = out.burnin;
  const Sampled sampled(model);
  if (model.family != Family::dna && sampled.rates > 0)
    throw input_error(
        fmt::format("mcmc samples exchange rates of DNA only; of {} give them in --model, or take another one, as {}",
                    model.alphabet->name,
                    model.alphabet->type == DataType::protein    ? "LG+G"
                    : model.alphabet->type == DataType::genotype ? "GTJC+G"
                                                                 : "MULTI4_MK+G"));
  if (model.mixture != nullptr)
    throw input_error(
        fmt::format("mcmc takes no mixtures of matrices, as {}; take one matrix, as LG+G", model.mixture->name));
  if (model.has_free_categories() && model.free_categories_from != Origin::fixed)
    throw input_error(fmt::format(
        "mcmc does not sample free rates; give those of {} in --model, as in +R2{{0.5/3}}{{0.8/0.2}}, or take "
        "+G",
        to_string(model)));
  chain.weights = read_weights(c.weights, default_weights(sampled), chain.adapts);
  chain.priors = Priors(model);
  Priors& p = chain.priors;
  p.branches = read_prior(PriorOf::branches, c.prior_branches, "--prior-branches", true, p.branches);
  p.rates = read_prior(PriorOf::rates, c.prior_rates, "--prior-rates", sampled.rates > 0, p.rates);
  p.frequencies =
      read_prior(PriorOf::frequencies, c.prior_frequencies, "--prior-frequencies", sampled.frequencies, p.frequencies);
  p.kappa = read_prior(PriorOf::kappa, c.prior_kappa, "--prior-kappa", sampled.kappa, p.kappa);
  p.shape = read_prior(PriorOf::shape, c.prior_shape, "--prior-shape", sampled.shape, p.shape);
  p.invariant = read_prior(PriorOf::invariant, c.prior_invariant, "--prior-invariant", sampled.invariant, p.invariant);
  return out;
}

std::map<std::string, std::string> identity_of(const McmcCommand& c, const ChainOptions& options) {
  const Priors& p = options.grid.chain.priors;
  std::string weights;
  for (std::size_t m = 0; m < moves; ++m)
    weights += fmt::format("{}{}={}{}", m > 0 ? "," : "", word_of(static_cast<Move>(m)), options.grid.chain.weights[m],
                           options.grid.chain.adapts[m] ? "" : " (kept)");
  return {{"--model", to_string(options.grid.chain.model)},
          {"--seed", std::to_string(c.seed)},
          {"--runs", std::to_string(c.runs)},
          {"--chains", std::to_string(c.chains)},
          {"--temperature", fmt::format("{}", c.temperature)},
          {"--swap", std::to_string(c.swap)},
          {"--sample", std::to_string(c.sample)},
          {"--diagnostics", std::to_string(c.diagnostics)},
          {"--burnin", std::to_string(options.burnin)},
          {"--no-data", c.no_data ? "set" : "unset"},
          {"--precision", c.precision},
          {"--weights", weights},
          {"--prior-branches", to_string(p.branches)},
          {"--prior-rates", to_string(p.rates)},
          {"--prior-frequencies", to_string(p.frequencies)},
          {"--prior-kappa", to_string(p.kappa)},
          {"--prior-shape", to_string(p.shape)},
          {"--prior-invariant", to_string(p.invariant)}};
}

}  // namespace phylo
