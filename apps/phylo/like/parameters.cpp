#include "phylo/like/parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace phylo {
namespace {

/// Calls `visit` for each free parameter of the model in turn, with the kind of it and its number within the kind.
enum class Kind { rate, frequency, shape, category_rate, category_share, invariant, speed };

template <class Visit>
void for_each_parameter(const Model& model, Visit&& visit) {
  const auto groups = rate_groups(model);
  if (model.rates_from == Origin::optimized)
    for (int g = 0; g < groups.back(); ++g) visit(Kind::rate, static_cast<std::size_t>(g));
  if (model.frequencies_from == Origin::optimized)
    for (std::size_t i = 0; i + 1 < model.frequencies.size(); ++i) visit(Kind::frequency, i);
  if (model.categories > 1 && model.alpha_from == Origin::optimized) visit(Kind::shape, std::size_t{0});
  if (model.has_free_categories() && model.free_categories_from == Origin::optimized)
    for (const Kind kind : {Kind::category_rate, Kind::category_share})
      for (std::size_t i = 0; i + 1 < model.free_category_rates.size(); ++i) visit(kind, i);
  if (model.with_invariant && model.invariant_from == Origin::optimized) visit(Kind::invariant, std::size_t{0});
  if (model.speed_from == Origin::optimized) visit(Kind::speed, std::size_t{0});
}

/// The least proportion of invariant sites while it is optimized: its log-odds must be finite.
constexpr double invariant_low = 1e-6;

double log_odds(double p) { return std::log(p / (1 - p)); }

double value_of(const Model& model, Kind kind, std::size_t number) {
  switch (kind) {
    case Kind::rate: {
      const auto groups = rate_groups(model);
      const auto at = std::find(groups.begin(), groups.end(), static_cast<int>(number)) - groups.begin();
      return std::log(model.rates[static_cast<std::size_t>(at)]);
    }
    case Kind::frequency:
      return std::log(model.frequencies[number] / model.frequencies.back());
    case Kind::shape:
      return std::log(model.alpha);
    case Kind::category_rate:
      return std::log(model.free_category_rates[number] / model.free_category_rates.back());
    case Kind::category_share:
      return std::log(model.free_category_shares[number] / model.free_category_shares.back());
    case Kind::speed:
      return std::log(model.speed);
    case Kind::invariant:
      break;
  }
  return log_odds(std::max(model.invariant, invariant_low));
}

std::array<double, 2> bounds_of(Kind kind) {
  switch (kind) {
    case Kind::rate:
      return {std::log(Bounds::rate_low), std::log(Bounds::rate_high)};
    case Kind::frequency:
      return {std::log(Bounds::frequency_low), -std::log(Bounds::frequency_low)};
    case Kind::shape:
      return {std::log(Bounds::alpha_low), std::log(Bounds::alpha_high)};
    case Kind::category_rate:
    case Kind::category_share:
      return {std::log(Bounds::category_low), std::log(Bounds::category_high)};
    case Kind::speed:
      return {std::log(Bounds::speed_low), std::log(Bounds::speed_high)};
    case Kind::invariant:
      break;
  }
  return {log_odds(invariant_low), log_odds(Bounds::invariant_high)};
}

}  // namespace

std::vector<double> free_parameters(const Model& model) {
  std::vector<double> values;
  for_each_parameter(model, [&](Kind kind, std::size_t number) {
    const auto [low, high] = bounds_of(kind);
    values.push_back(std::clamp(value_of(model, kind, number), low, high));
  });
  return values;
}

Box parameter_bounds(const Model& model) {
  Box box;
  for_each_parameter(model, [&](Kind kind, std::size_t) {
    const auto [low, high] = bounds_of(kind);
    box.low.push_back(low);
    box.high.push_back(high);
  });
  return box;
}

bool has_many_rates(const Model& model) {
  // Slopes of all take about as long as seven likelihoods.
  constexpr int many = 12;
  int free = 0;
  for_each_parameter(model, [&](Kind kind, std::size_t) { free += kind == Kind::rate || kind == Kind::frequency; });
  return free >= many && !model.ascertained();
}

Known known_slopes(const Model& model, const ModelSlopes& slopes) {
  Known known;
  const auto groups = rate_groups(model);
  const double left = 1 - model.states() * Bounds::frequency_low;
  double mean = 0;  // of the slopes by frequencies, where they may move
  for (std::size_t i = 0; i < model.frequencies.size(); ++i)
    mean += (model.frequencies[i] - Bounds::frequency_low) / left * slopes.by_frequency[i];
  for_each_parameter(model, [&](Kind kind, std::size_t number) {
    double slope = unknown, bend = unknown;
    if (kind == Kind::rate) {
      slope = bend = 0;
      for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i] == static_cast<int>(number)) {
          slope += model.rates[i] * slopes.by_rate[i];
          bend += slopes.changes[i];
        }
    } else if (kind == Kind::frequency) {
      const double movable = model.frequencies[number] - Bounds::frequency_low;
      slope = movable * (slopes.by_frequency[number] - mean);
      bend = slopes.draws[number] * (1 - model.frequencies[number]);
    }
    known.slopes.push_back(slope);
    known.bends.push_back(bend);
  });
  return known;
}

Model with_parameters(const Model& model, const std::vector<double>& values) {
  Model m = model;
  const auto groups = rate_groups(model);
  auto at = values.begin();
  std::vector<double> ratios(m.frequencies.size(), 1.0);
  std::vector<double> category_rates(m.free_category_rates.size(), 1.0), category_shares = category_rates;
  for_each_parameter(model, [&](Kind kind, std::size_t number) {
    const double value = *at++;
    switch (kind) {
      case Kind::rate:
        for (std::size_t i = 0; i < groups.size(); ++i)
          if (groups[i] == static_cast<int>(number)) m.rates[i] = std::exp(value);
        break;
      case Kind::frequency:
        ratios[number] = std::exp(value);
        break;
      case Kind::shape:
        m.alpha = std::exp(value);
        break;
      case Kind::category_rate:
        category_rates[number] = std::exp(value);
        break;
      case Kind::category_share:
        category_shares[number] = std::exp(value);
        break;
      case Kind::speed:
        m.speed = std::exp(value);
        break;
      case Kind::invariant:
        m.invariant = 1 / (1 + std::exp(-value));
        break;
    }
  });
  if (m.has_free_categories() && m.free_categories_from == Origin::optimized)
    set_free_categories(m, std::move(category_rates), std::move(category_shares));
  if (m.frequencies_from == Origin::optimized) {
    const double sum = std::accumulate(ratios.begin(), ratios.end(), 0.0);
    const double left = 1 - m.states() * Bounds::frequency_low;
    // A share of the least frequency for each, so that all stay above it.
    for (std::size_t i = 0; i < ratios.size(); ++i) m.frequencies[i] = Bounds::frequency_low + left * ratios[i] / sum;
  }
  return m;
}

}  // namespace phylo
