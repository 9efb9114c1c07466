#include "phylo/mcmc/priors.hpp"

#include <fmt/format.h>

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
  const char* word;
  std::size_t numbers;
  const char* example;
};

/// What a prior can be, the default first.
std::vector<Form> forms_of(PriorOf what) {
  switch (what) {
    case PriorOf::branches:
      return {{Kind::gamma_dirichlet, "gammadir", 4, "gammadir:1,0.1,1,1"},
              {Kind::exponential, "exponential", 1, "exponential:10"},
              {Kind::uniform, "uniform", 2, "uniform:0,10"}};
    case PriorOf::rates:
      return {{Kind::dirichlet, "dirichlet", 6, "dirichlet:1,1,1,1,1,1"}};
    case PriorOf::frequencies:
      return {{Kind::dirichlet, "dirichlet", 4, "dirichlet:1,1,1,1"}};
    case PriorOf::shape:
      return {{Kind::exponential, "exponential", 1, "exponential:1"}, {Kind::uniform, "uniform", 2, "uniform:0,200"}};
    case PriorOf::kappa:
    case PriorOf::invariant:
      break;
  }
  return {{Kind::beta, "beta", 2, "beta:1,1"}};
}

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

Distribution parse_prior(PriorOf what, std::string_view text, const std::string& option) {
  const std::vector<Form> forms = forms_of(what);
  const auto refuse = [&](const std::string& problem) {
    std::string expected;
    for (const Form& form : forms) expected += (expected.empty() ? "" : ", ") + std::string(form.example);
    throw input_error(
        fmt::format("{}: {}; expected a distribution and its numbers, as in {}", option, problem, expected));
  };
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const Form* form = nullptr;
  for (const Form& f : forms)
    if (word == f.word) form = &f;
  if (!form) {
    refuse(fmt::format("{} is none of the distributions that this prior can have", shown(word)));
    return {};
  }
  Distribution out{form->kind, {}};
  std::size_t count = 0;
  std::string_view rest = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  for (bool more = !rest.empty(); more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view number = rest.substr(0, comma);
    double value = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (problem != std::errc() || end != number.data() + number.size() || !std::isfinite(value))
      refuse(fmt::format("{} is no number", shown(number)));
    if (count < out.parameters.size()) out.parameters[count] = value;
    ++count;
    more = comma != rest.npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  if (count != form->numbers) refuse(fmt::format("{} takes {} numbers, not {}", form->word, form->numbers, count));
  if (form->kind == Kind::uniform) {
    if (!(out.parameters[0] >= 0 && out.parameters[0] < out.parameters[1]))
      refuse("a uniform distribution goes from a number that is not negative to a larger one");
    const double low = what == PriorOf::shape ? SampledBounds::shape_low : SampledBounds::length_low;
    const double high = what == PriorOf::shape ? SampledBounds::shape_high : SampledBounds::length_high;
    if (const double middle = (out.parameters[0] + out.parameters[1]) / 2; !(middle > low && middle < high))
      refuse(fmt::format("its middle does not lie between {} and {}, where chains stay", low, high));
  } else {
    constexpr double most = 1e100;  // the gamma function's logarithm of more may be none
    for (std::size_t i = 0; i < count; ++i)
      if (!(out.parameters[i] > 0 && out.parameters[i] <= most))
        refuse(fmt::format("{} takes positive numbers up to {}, not {}", form->word, most, out.parameters[i]));
  }
  return out;
}

std::string to_string(PriorOf what, const Distribution& prior) {
  for (const Form& form : forms_of(what)) {
    if (form.kind != prior.kind) continue;
    std::string text = form.word;
    for (std::size_t i = 0; i < form.numbers; ++i) text += fmt::format("{}{}", i == 0 ? ':' : ',', prior.parameters[i]);
    return text;
  }
  return {};
}

Sampled::Sampled(const Model& model) {
  const int groups = free_rates(model);
  rates = groups > 1 && model.rates_from != Origin::fixed;
  kappa = groups == 1 && model.rates_from != Origin::fixed;
  frequencies = !model.equal_frequencies && model.frequencies_from != Origin::fixed;
  shape = model.categories > 1 && model.alpha_from != Origin::fixed;
  invariant = model.with_invariant && model.invariant_from != Origin::fixed;
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
  if (sampled.rates) {
    if (!parts_fit(model.rates.data(), 6)) return impossible;
    log_density += log_dirichlet(model.rates.data(), priors.rates.parameters.data(), 6);
  }
  if (sampled.kappa) {
    const std::array<double, 2> parts = {kappa_of(model) / (1 + kappa_of(model)), 1 / (1 + kappa_of(model))};
    if (!parts_fit(parts.data(), 2)) return impossible;
    log_density += log_of_one(priors.kappa, parts[0]);
  }
  if (sampled.frequencies) {
    if (!parts_fit(model.frequencies.data(), 4)) return impossible;
    log_density += log_dirichlet(model.frequencies.data(), priors.frequencies.parameters.data(), 4);
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
