#include "phylo/mcmc/priors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"
#include "phylo/mcmc/variates.hpp"
#include "phylo/model/gamma.hpp"

namespace phylo {
namespace {

using Kind = Distribution::Kind;

constexpr double impossible = -std::numeric_limits<double>::infinity();

struct Form {
  Kind kind;
  std::size_t numbers;
  std::string example;
};

/// What a prior can be, the default first.
std::vector<Form> forms_of(PriorOf what, std::size_t parts) {
  switch (what) {
    case PriorOf::branches:
      return {{Kind::gamma_dirichlet, 4, "gammadir:1,0.1,1,1"},
              {Kind::exponential, 1, "exponential:10"},
              {Kind::uniform, 2, "uniform:0,10"}};
    case PriorOf::rates:
    case PriorOf::frequencies:
      return {{Kind::dirichlet, parts, to_string(flat_dirichlet(parts))}};
    case PriorOf::shape:
      return {{Kind::exponential, 1, "exponential:1"}, {Kind::uniform, 2, "uniform:0,200"}};
    case PriorOf::kappa:
    case PriorOf::invariant:
      break;
  }
  return {{Kind::beta, 2, "beta:1,1"}};
}

const char* word_of(Kind kind) {
  switch (kind) {
    case Kind::gamma_dirichlet:
      return "gammadir";
    case Kind::exponential:
      return "exponential";
    case Kind::uniform:
      return "uniform";
    case Kind::dirichlet:
      return "dirichlet";
    case Kind::beta:
      break;
  }
  return "beta";
}

/// Gives the number of the distinct rate that this pair of bases has.
std::size_t tie_of(const Model& model, std::size_t pair) { return static_cast<std::size_t>(model.ties[pair] - '0'); }

double log_of_one(const Distribution& d, double x) {
  const auto& p = d.parameters;
  if (d.kind == Kind::exponential) return std::log(p[0]) - p[0] * x;
  if (d.kind == Kind::uniform) return x >= p[0] && x <= p[1] ? -std::log(p[1] - p[0]) : impossible;
  const std::array<double, 2> parts = {x, 1 - x};  // beta
  return log_dirichlet(parts.data(), p.data(), 2);
}

/// There are (2n - 5)!! = (2n - 4)! / (2^(n - 2) (n - 2)!) topologies.
double log_prior_of_topology(std::int32_t tips) {
  return log_gamma(tips - 1) + (tips - 2) * std::log(2.0) - log_gamma(2 * tips - 3);
}

bool parts_fit(const double* parts, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(parts[i] >= SampledBounds::part_low)) return false;
  return true;
}

}  // namespace

Distribution parse_prior(PriorOf what, std::string_view text, const std::string& option, std::size_t parts) {
  const std::vector<Form> forms = forms_of(what, parts);
  const auto refuse = [&](const std::string& problem) {
    std::string expected;
    for (const Form& form : forms) expected += (expected.empty() ? "" : ", ") + form.example;
    throw input_error(
        fmt::format("{}: {}; expected a distribution and its numbers, as in {}", option, problem, expected));
  };
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const Form* form = nullptr;
  for (const Form& f : forms)
    if (word == word_of(f.kind)) form = &f;
  if (!form) {
    refuse(fmt::format("{} is none of the distributions that this prior can have", shown(word)));
    return {};
  }
  Distribution out{form->kind, {}};
  std::string_view rest = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  for (bool more = !rest.empty(); more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view number = rest.substr(0, comma);
    double value = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (problem != std::errc() || end != number.data() + number.size() || !std::isfinite(value))
      refuse(fmt::format("{} is no number", shown(number)));
    out.parameters.push_back(value);
    more = comma != rest.npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  if (out.parameters.size() != form->numbers)
    refuse(fmt::format("{} takes {} numbers, not {}", word, form->numbers, out.parameters.size()));
  if (form->kind == Kind::uniform) {
    if (!(out.parameters[0] >= 0 && out.parameters[0] < out.parameters[1]))
      refuse("a uniform distribution goes from a number that is not negative to a larger one");
    const double low = what == PriorOf::shape ? SampledBounds::shape_low : SampledBounds::length_low;
    const double high = what == PriorOf::shape ? SampledBounds::shape_high : SampledBounds::length_high;
    if (const double middle = (out.parameters[0] + out.parameters[1]) / 2; !(middle > low && middle < high))
      refuse(fmt::format("its middle does not lie between {} and {}, where chains stay", low, high));
  } else {
    constexpr double most = 1e100;  // the gamma function's logarithm of more may be none
    for (const double one : out.parameters)
      if (!(one > 0 && one <= most)) refuse(fmt::format("{} takes positive numbers up to {}, not {}", word, most, one));
  }
  return out;
}

std::string to_string(const Distribution& prior) {
  return fmt::format("{}:{}", word_of(prior.kind), fmt::join(prior.parameters, ","));
}

Distribution flat_dirichlet(std::size_t parts) { return {Kind::dirichlet, std::vector<double>(parts, 1)}; }

Sampled::Sampled(const Model& model) {
  const bool free = free_rates(model) > 0 && model.rates_from != Origin::fixed;
  kappa = free && model.family == Family::dna && model.ties == "010010";
  if (free && !kappa) rates = static_cast<std::size_t>(free_rates(model)) + 1;
  frequencies = !model.equal_frequencies && model.frequencies_from != Origin::fixed;
  shape = model.categories > 1 && model.alpha_from != Origin::fixed;
  invariant = model.with_invariant && model.invariant_from != Origin::fixed;
}

Priors::Priors(const Model& model) {
  const Sampled sampled(model);
  if (sampled.rates > 0) rates = flat_dirichlet(sampled.rates);
  if (sampled.frequencies) frequencies = flat_dirichlet(model.frequencies.size());
}

DistinctRates::DistinctRates(const Model& model) {
  for (std::size_t pair = 0; pair < values.size(); ++pair) {
    const std::size_t tie = tie_of(model, pair);
    values[tie] = model.rates[pair];
    count = std::max(count, tie + 1);
  }
}

void DistinctRates::set_in(Model& model) const {
  for (std::size_t pair = 0; pair < values.size(); ++pair) model.rates[pair] = values[tie_of(model, pair)];
}

double log_prior(const Distribution& branches, const Tree& tree) {
  double log_density = log_prior_of_topology(tree.tips()), total = 0, logs_of_tips = 0, logs_of_inner = 0;
  const bool gamma = branches.kind == Kind::gamma_dirichlet;
  const double tip_shape = branches.parameters[2], inner_shape = branches.parameters[2] * branches.parameters[3];
  const std::int32_t tips = tree.tips();
  bool possible = true;
  tree.for_each_branch([&](HalfEdge h) {
    const double length = tree.length(h);
    possible = possible && length >= SampledBounds::length_low && length <= SampledBounds::length_high;
    total += length;
    if (!gamma)
      log_density += log_of_one(branches, length);
    else if (tree.is_tip(h))
      logs_of_tips += tip_shape != 1 ? std::log(length) : 0;
    else
      logs_of_inner += inner_shape != 1 ? std::log(length) : 0;
  });
  if (!possible) return impossible;
  if (!gamma) return log_density;
  // Rannala, Zhu and Yang (2012), equation 6: the density of all lengths.
  const double shape = branches.parameters[0], rate = branches.parameters[1];
  const double inner = tips - 3;
  const double shapes = tips * tip_shape + inner * inner_shape;
  return log_density + shape * std::log(rate) - log_gamma(shape) - rate * total + log_gamma(shapes) -
         tips * log_gamma(tip_shape) - inner * log_gamma(inner_shape) + (shape - shapes) * std::log(total) +
         (tip_shape - 1) * logs_of_tips + (inner_shape - 1) * logs_of_inner;
}

double log_prior(const Priors& priors, const Sampled& sampled, const Model& model) {
  double log_density = 0;
  if (sampled.rates > 0) {
    const DistinctRates rates(model);
    if (!parts_fit(rates.values.data(), rates.count)) return impossible;
    log_density += log_dirichlet(rates.values.data(), priors.rates.parameters.data(), rates.count);
  }
  if (sampled.kappa) {
    const std::array<double, 2> parts = {kappa_of(model) / (1 + kappa_of(model)), 1 / (1 + kappa_of(model))};
    if (!parts_fit(parts.data(), 2)) return impossible;
    log_density += log_of_one(priors.kappa, parts[0]);
  }
  if (sampled.frequencies) {
    if (!parts_fit(model.frequencies.data(), model.frequencies.size())) return impossible;
    log_density +=
        log_dirichlet(model.frequencies.data(), priors.frequencies.parameters.data(), model.frequencies.size());
  }
  if (sampled.shape) {
    if (!(model.alpha >= SampledBounds::shape_low && model.alpha <= SampledBounds::shape_high)) return impossible;
    log_density += log_of_one(priors.shape, model.alpha);
  }
  if (sampled.invariant) {
    const std::array<double, 2> parts = {model.invariant, 1 - model.invariant};
    if (!parts_fit(parts.data(), 2)) return impossible;
    log_density += log_of_one(priors.invariant, model.invariant);
  }
  return log_density;
}

}  // namespace phylo
