// Without data every parameter has the distribution that its prior says, for each kind of prior that the options offer.

#include "phylo/mcmc/without_data.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>

#include "phylo/model/gamma.hpp"

namespace phylo {
namespace {

/// Gives the cumulative Beta(a, b) of whole numbers: that of n = a + b - 1 uniform numbers at least a lie below x.
double beta_whole(double x, double a, double b) {
  const int n = static_cast<int>(a + b) - 1;
  double sum = 0, ways = 1;  // n over k
  for (int k = 0; k <= n; ++k) {
    if (k >= static_cast<int>(a)) sum += ways * std::pow(x, k) * std::pow(1 - x, n - k);
    ways *= static_cast<double>(n - k) / (k + 1);
  }
  return sum;
}

/// A number that can be seen of a chain, and the cumulative distribution that the priors give it.
struct Marginal {
  std::string name;
  std::function<double(const ChainState&)> value;
  std::function<double(double)> cumulative;
};

double cumulative_of_one(const Distribution& d, double x) {
  const auto& p = d.parameters;
  if (d.kind == Distribution::Kind::exponential) return exponential_1(p[0] * x);
  if (d.kind == Distribution::Kind::uniform) return std::clamp((x - p[0]) / (p[1] - p[0]), 0.0, 1.0);
  return beta_whole(x, p[0], p[1]);
}

double length_of_inner(const Tree& tree) {
  double sum = 0;
  tree.for_each_branch([&](HalfEdge h) { sum += tree.is_tip(h) ? 0 : tree.length(h); });
  return sum;
}

/// Gives every length and every parameter that is sampled. Shapes of Beta and Dirichlet distributions are whole here.
std::vector<Marginal> marginals(const Prior& prior) {
  std::vector<Marginal> out;
  const auto one_inner = [](const Tree& tree) {
    for (const HalfEdge h : tree.branches())
      if (!tree.is_tip(h)) return tree.length(h);
    return 0.0;
  };
  const Priors& priors = *prior.priors;
  const Distribution& branches = priors.branches;
  if (branches.kind == Distribution::Kind::gamma_dirichlet) {
    const double shape = branches.parameters[0], rate = branches.parameters[1], tip = branches.parameters[2];
    const double inner = tip * branches.parameters[3], all = taxa * tip + (taxa - 3) * inner;
    const auto beta = [](double a, double b) { return [a, b](double x) { return beta_whole(x, a, b); }; };
    out.push_back({"tree length", [](const ChainState& s) { return tree_length(s.tree); },
                   [=](double x) { return gamma_probability(shape, rate * x); }});
    for (HalfEdge h = 0; h < taxa; ++h)
      out.push_back({"part of tip " + std::to_string(h),
                     [h](const ChainState& s) { return s.tree.length(h) / tree_length(s.tree); },
                     beta(tip, all - tip)});
    out.push_back({"part of an inner branch",
                   [=](const ChainState& s) { return one_inner(s.tree) / tree_length(s.tree); },
                   beta(inner, all - inner)});
    out.push_back({"part of all inner branches",
                   [](const ChainState& s) { return length_of_inner(s.tree) / tree_length(s.tree); },
                   beta((taxa - 3) * inner, taxa * tip)});
  } else {
    const auto cumulative = [branches](double x) { return cumulative_of_one(branches, x); };
    for (HalfEdge h = 0; h < taxa; ++h)
      out.push_back(
          {"length of tip " + std::to_string(h), [h](const ChainState& s) { return s.tree.length(h); }, cumulative});
    out.push_back({"length of an inner branch", [=](const ChainState& s) { return one_inner(s.tree); }, cumulative});
  }
  const Sampled sampled(parse_model(prior.model));
  const auto add_parts = [&](const char* name, const Distribution& d, auto&& parts_of) {
    const double all = std::accumulate(d.parameters.begin(), d.parameters.end(), 0.0);
    for (std::size_t i = 0; i < d.parameters.size(); ++i)
      out.push_back({name + std::to_string(i), [=](const ChainState& s) { return parts_of(s)[i]; },
                     [a = d.parameters[i], all](double x) { return beta_whole(x, a, all - a); }});
  };
  if (sampled.rates > 0)
    add_parts("rate ", priors.rates, [](const ChainState& s) { return DistinctRates(s.model).values; });
  if (sampled.frequencies)
    add_parts(
        "frequency ", priors.frequencies, [](const ChainState& s) -> auto& { return s.model.frequencies; });
  const auto add_one = [&](const char* name, const Distribution& d, auto&& value) {
    out.push_back({name, value, [d](double x) { return cumulative_of_one(d, x); }});
  };
  if (sampled.kappa)
    add_one("kappa", priors.kappa, [](const ChainState& s) { return kappa_of(s.model) / (1 + kappa_of(s.model)); });
  if (sampled.shape) add_one("shape", priors.shape, [](const ChainState& s) { return s.model.alpha; });
  if (sampled.invariant)
    add_one("invariant sites", priors.invariant, [](const ChainState& s) { return s.model.invariant; });
  return out;
}

/// Priors as the options take them; what is not given is as by default.
struct PriorTexts {
  const char* model;
  const char *branches = "", *rates = "", *frequencies = "", *kappa = "", *shape = "", *invariant = "";

  friend void PrintTo(const PriorTexts& texts, std::ostream* out) { *out << texts.model << ' ' << texts.branches; }
};

class WithoutDataUnder : public testing::TestWithParam<PriorTexts> {};

TEST_P(WithoutDataUnder, EveryParameterHasItsPrior) {
  const PriorTexts& texts = GetParam();
  Prior prior = all_moves();
  prior.model = texts.model;
  Priors& priors = prior.priors.emplace(parse_model(texts.model));
  const auto read = [](PriorOf what, const char* text, Distribution& to) {
    if (*text != '\0') to = parse_prior(what, text, "", to.parameters.size());
  };
  read(PriorOf::branches, texts.branches, priors.branches);
  read(PriorOf::rates, texts.rates, priors.rates);
  read(PriorOf::frequencies, texts.frequencies, priors.frequencies);
  read(PriorOf::kappa, texts.kappa, priors.kappa);
  read(PriorOf::shape, texts.shape, priors.shape);
  read(PriorOf::invariant, texts.invariant, priors.invariant);
  const Sampled sampled(parse_model(prior.model));
  const auto keep = [&](Move move, bool made) { prior.weights[static_cast<std::size_t>(move)] = made ? 2 : 0; };
  keep(Move::rates, sampled.rates > 0);
  keep(Move::frequencies, sampled.frequencies);
  keep(Move::kappa, sampled.kappa);
  keep(Move::shape, sampled.shape);
  keep(Move::invariant, sampled.invariant);
  prior.every = 200;  // so that samples are nearly independent, which the statistic takes them for

  const std::vector<Marginal> all = marginals(prior);
  std::vector<std::vector<double>> values(all.size());
  prior.run([&](const ChainState& s) {
    for (std::size_t i = 0; i < all.size(); ++i) values[i].push_back(all[i].value(s));
  });
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_LT(kolmogorov_smirnov(values[i], all[i].cumulative), rarely_passed) << all[i].name;
}

INSTANTIATE_TEST_SUITE_P(Priors, WithoutDataUnder,
                         testing::Values(PriorTexts{.model = "GTR+G+I"},
                                         PriorTexts{.model = "GTR+G+I",
                                                    .branches = "uniform:0,2",
                                                    .rates = "dirichlet:1,2,3,1,2,3",
                                                    .frequencies = "dirichlet:1,2,3,4",
                                                    .shape = "uniform:0.5,3",
                                                    .invariant = "beta:2,5"},
                                         PriorTexts{.model = "HKY+G",
                                                    .branches = "gammadir:2,0.5,2,0.5",
                                                    .frequencies = "dirichlet:4,3,2,1",
                                                    .kappa = "beta:1,4",
                                                    .shape = "exponential:2"},
                                         PriorTexts{.model = "SYM+I",
                                                    .branches = "exponential:10",
                                                    .rates = "dirichlet:3,1,1,4,1,2",
                                                    .invariant = "beta:4,1"},
                                         PriorTexts{.model = "TN93+G", .rates = "dirichlet:2,1,3"},
                                         PriorTexts{.model = "TVMef", .rates = "dirichlet:1,3,1,2,1"},
                                         PriorTexts{.model = "DNA001000+FE", .rates = "dirichlet:3,1"},
                                         PriorTexts{.model = "BIN+G", .frequencies = "dirichlet:2,1"},
                                         PriorTexts{.model = "WAG+F"}));

}  // namespace
}  // namespace phylo
