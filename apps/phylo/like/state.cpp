#include "phylo/like/state.hpp"

#include <algorithm>
#include <utility>

#include "phylo/io/error.hpp"
#include "phylo/like/scaling.hpp"
#include "phylo/model/spectrum.hpp"

namespace phylo {
namespace {

/// CLVs that belong to no half-edge: scratch_slot and hung_slot.
constexpr std::int32_t scratch_slots = 2;

std::size_t table_doubles(int rates, std::size_t padded) { return static_cast<std::size_t>(1 + 3 * rates) * padded; }

bool fits(std::int32_t taxa, std::size_t clv_doubles, std::size_t memory) {
  return static_cast<std::size_t>(3 * (taxa - 2)) * clv_doubles * sizeof(double) <= memory;
}

}  // namespace

Engine::State::State(const Patterns& patterns, const Model& m, const Options& options)
    : kernels(&choose_kernels()),
      taxa(patterns.taxa),
      rates(m.categories),
      groups((patterns.count + lanes - 1) / lanes) {
  if (taxa < 4) throw input_error("an unrooted tree needs at least 4 taxa; the alignment has " + std::to_string(taxa));
  padded = static_cast<std::size_t>(groups) * lanes;
  clv_doubles = static_cast<std::size_t>(rates) * 4 * padded;
  codes = Buffer<std::uint8_t>(static_cast<std::size_t>(taxa) * padded);
  common = Buffer<std::uint8_t>(padded);
  weights = Buffer<double>(padded);
  invariant = Buffer<double>(padded);
  const auto count = static_cast<std::size_t>(patterns.count);
  constexpr std::uint8_t unknown = 15;
  for (std::size_t p = 0; p < count; ++p) {
    weights[p] = patterns.weights[p];
    common[p] = unknown;
  }
  for (int taxon = 0; taxon < taxa; ++taxon) {
    const std::uint8_t* from = patterns.row(taxon);
    std::uint8_t* to = codes.data() + static_cast<std::size_t>(taxon) * padded;
    std::fill(std::copy(from, from + count, to), to + padded, unknown);
    for (std::size_t p = 0; p < count; ++p) common[p] &= from[p];
  }
  directions = Directions(taxa, fits(taxa, clv_doubles, options.memory));
  const auto slots = static_cast<std::size_t>(directions.slots() + scratch_slots);
  clvs = Buffer<double>(slots * clv_doubles);
  scales = Buffer<std::int32_t>(slots * padded);
  // A full traversal crosses each of the 2n - 3 branches once at most; a tentative insertion adds its own.
  const auto branches = static_cast<std::size_t>(2 * taxa), tips = static_cast<std::size_t>(taxa);
  constexpr std::size_t tentative = 8;
  traversal = Traversal(tips, (branches + tentative) * static_cast<std::size_t>(inner_doubles(rates)) +
                                  (tips + tentative) * static_cast<std::size_t>(tip_doubles(rates)));
  table = Buffer<double>(table_doubles(rates, padded));
  const auto exponents = static_cast<std::size_t>(exponent_doubles(rates));
  factors.exponents = Buffer<double>(exponents);
  for (auto& f : table_factors) f = Buffer<double>(exponents);

  Model counted = m;
  if (m.frequencies_from != Origin::fixed) counted.frequencies = empirical_frequencies(patterns);
  // Optimization must not start from a proportion of nothing, where nothing tells it which way to go: half of the sites
  // that may be invariant, as a first guess.
  if (m.with_invariant && m.invariant_from == Origin::optimized && m.invariant == 0) {
    double sites = 0, constant = 0;
    for (std::size_t p = 0; p < count; ++p) {
      sites += weights[p];
      if (common[p] != 0) constant += weights[p];
    }
    constexpr double least = 0.01;
    counted.invariant = std::max(least, 0.5 * constant / sites);
  }
  take_model(counted);
}

void Engine::State::take_model(const Model& m) {
  if (m.categories != rates)
    throw input_error("the engine was made for " + std::to_string(rates) + " rate categories, the model has " +
                      std::to_string(m.categories));
  model = m;
  const Spectrum spectrum = decompose(m);
  const std::vector<double> category = category_rates(m);
  const double weight = (m.with_invariant ? 1 - m.invariant : 1.0) / rates;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      factors.transition.base[4 * i + j] = i == j ? 1 : 0;
      factors.joint.base[4 * i + j] = i == j ? weight * m.frequencies[i] : 0;
      for (std::size_t k = 1; k < 4; ++k) {
        const double term = spectrum.right[4 * i + k] * spectrum.left[4 * k + j];
        factors.transition.term[k - 1][4 * i + j] = term;
        factors.joint.term[k - 1][4 * i + j] = weight * m.frequencies[i] * term;
      }
      factors.near_eigen[4 * j + i] = weight * m.frequencies[i] * spectrum.right[4 * i + j];
      factors.far_eigen[4 * i + j] = spectrum.left[4 * i + j];
    }
  }
  kernels->tip_table(factors.far_eigen, 1, factors.far_eigen_tip);
  for (std::size_t r = 0; r < category.size(); ++r)
    for (std::size_t k = 1; k < 4; ++k) factors.exponents[3 * r + k - 1] = spectrum.values[k] * category[r];
  if (m.with_invariant) {
    double likelihood[16] = {};
    for (unsigned code = 1; code < 16; ++code)
      for (unsigned i = 0; i < 4; ++i)
        if (code >> i & 1) likelihood[code] += m.invariant * m.frequencies[i];
    for (std::size_t p = 0; p < padded; ++p) invariant[p] = likelihood[common[p]];
  }
  forget();
}

Operand Engine::State::plain(HalfEdge h) {
  if (h < taxa) return {nullptr, nullptr, codes.data() + static_cast<std::size_t>(h) * padded, nullptr};
  const std::int32_t slot = directions.slot(h);
  return {clv(slot), scale(slot), nullptr, nullptr};
}

Operand Engine::State::scratch() { return {clv(scratch_slot()), scale(scratch_slot()), nullptr, nullptr}; }

Operand Engine::State::across(HalfEdge h, double length, const Expansion& expansion) {
  Operand o = plain(h);
  double* const matrices = traversal.take(static_cast<std::size_t>(inner_doubles(rates)));
  kernels->matrices(expansion, factors.exponents.data(), rates, std::max(length, shortest_branch), matrices);
  o.matrices = matrices;
  if (o.codes) {
    double* const tip = traversal.take(static_cast<std::size_t>(tip_doubles(rates)));
    kernels->tip_table(matrices, rates, tip);
    o.matrices = tip;
  }
  return o;
}

Operand Engine::State::hang(HalfEdge subtree, double pendant) {
  if (subtree < taxa) return across(subtree, pendant, factors.joint);
  if (hanging.subtree != subtree || hanging.pendant != pendant)
    hanging = {subtree, pendant, across(subtree, pendant, factors.joint), true};
  return {clv(hung_slot()), scale(hung_slot()), nullptr, nullptr};
}

void Engine::State::require(const Tree& tree, HalfEdge h) {
  directions.require(tree, h, [&](HalfEdge node) {
    HalfEdge left = tree.back(tree.next(node)), right = tree.back(tree.next(tree.next(node)));
    if (right < taxa) std::swap(left, right);
    const std::int32_t slot = directions.slot(node);
    traversal.add({clv(slot), scale(slot), across(left, tree.length(left), factors.transition),
                   across(right, tree.length(right), factors.transition)});
  });
}

void Engine::State::add_scratch(HalfEdge a, double to_a, HalfEdge b, double to_b) {
  if (b < taxa) {
    std::swap(a, b);
    std::swap(to_a, to_b);
  }
  const Operand target = scratch();
  traversal.add({const_cast<double*>(target.clv), const_cast<std::int32_t*>(target.scale),
                 across(a, to_a, factors.transition), across(b, to_b, factors.transition)});
}

}  // namespace phylo
