#include "phylo/like/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "phylo/like/depth_first.hpp"
#include "phylo/like/state.hpp"

namespace phylo {
namespace {

/// (e^a - e^b) / (a - b), handed over with both exponentials.
double divided_difference(double a, double b, double exp_a, double exp_b) {
  const double apart = a - b;
  // Where the difference has lost too many digits, its series around the middle.
  constexpr double close = 1e-4;
  if (std::abs(apart) < close) return std::exp((a + b) / 2) * (1 + apart * apart / 24);
  return (exp_a - exp_b) / apart;
}

}  // namespace

BranchProducts::BranchProducts(const Model& model, const Spectrum& spectrum, int rows)
    : model_(model),
      spectrum_(spectrum),
      n_(static_cast<std::size_t>(model.states())),
      rows_(static_cast<std::size_t>(rows)),
      category_rates_(category_rates(model)),
      sum_(n_ * n_, 0.0),
      root_(n_, 0.0) {}

void BranchProducts::add(double length, const double* products, bool turned) {
  std::vector<double> exponents(n_), powers(n_);
  for (std::size_t r = 0; r < category_rates_.size(); ++r) {
    const double time = length * category_rates_[r];
    const double* const of_rate = products + r * rows_ * rows_;
    for (std::size_t k = 0; k < n_; ++k) {
      exponents[k] = spectrum_.values[k] * time;
      powers[k] = std::exp(exponents[k]);
      sum_[(n_ + 1) * k] += time * powers[k] * of_rate[(rows_ + 1) * k];
      for (std::size_t l = 0; l < k; ++l) {
        const double w = time * divided_difference(exponents[k], exponents[l], powers[k], powers[l]);
        const double kl = of_rate[rows_ * k + l], lk = of_rate[rows_ * l + k];
        sum_[n_ * k + l] += w * (turned ? lk : kl);
        sum_[n_ * l + k] += w * (turned ? kl : lk);
      }
    }
  }
}

void BranchProducts::add_root(double length, const double* products, bool turned) {
  add(length, products, turned);
  Matrix arrived(n_ * n_, 0.0);  // [k][l]: the far end as it arrives
  for (std::size_t r = 0; r < category_rates_.size(); ++r)
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t l = 0; l < n_; ++l)
        arrived[n_ * k + l] += std::exp(spectrum_.values[l] * length * category_rates_[r]) *
                               products[rows_ * (rows_ * r + (turned ? l : k)) + (turned ? k : l)];
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t l = 0; l < n_; ++l)
        root_[i] += spectrum_.left[n_ * k + i] * arrived[n_ * k + l] * spectrum_.right[n_ * i + l];
}

ModelSlopes BranchProducts::slopes(const std::vector<double>& invariant) const {
  // by_q[i][j]: the slope by Q's element, left^T * sum * right^T.
  Matrix half(n_ * n_, 0.0), by_q(n_ * n_, 0.0);
  for (std::size_t k = 0; k < n_; ++k)
    for (std::size_t l = 0; l < n_; ++l)
      for (std::size_t j = 0; j < n_; ++j) half[n_ * k + j] += sum_[n_ * k + l] * spectrum_.right[n_ * j + l];
  for (std::size_t k = 0; k < n_; ++k)
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) by_q[n_ * i + j] += spectrum_.left[n_ * k + i] * half[n_ * k + j];

  const std::vector<double>& f = model_.frequencies;
  // Q is divided by the mean speed, which depends on all rates and frequencies.
  const Matrix q = rate_matrix(model_);
  double by_speed = 0;  // minus the slope by the logarithm of the speed
  for (std::size_t x = 0; x < n_ * n_; ++x) by_speed += by_q[x] * q[x];
  double speed = 0;
  std::size_t number = 0;
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = i + 1; j < n_; ++j) speed += 2 * f[i] * model_.rates[number++] * f[j];

  ModelSlopes out;
  out.by_frequency.assign(n_, 0.0);
  out.draws = root_;
  number = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = i + 1; j < n_; ++j, ++number) {
      const double rate = model_.rates[number];
      const double to_j = by_q[n_ * i + j], to_i = by_q[n_ * j + i];
      const double at_i = by_q[(n_ + 1) * i], at_j = by_q[(n_ + 1) * j];
      out.by_rate.push_back((f[j] * (to_j - at_i) + f[i] * (to_i - at_j) - 2 * f[i] * f[j] * by_speed) / speed);
      out.changes.push_back(rate * std::max(f[j] * to_j + f[i] * to_i, f[j] * at_i + f[i] * at_j) / speed);
      out.by_frequency[j] += rate * (to_j - at_i - 2 * f[i] * by_speed) / speed;
      out.by_frequency[i] += rate * (to_i - at_j - 2 * f[j] * by_speed) / speed;
      out.draws[j] += rate * f[j] * to_j / speed;
      out.draws[i] += rate * f[i] * to_i / speed;
    }
  }
  for (std::size_t i = 0; i < n_; ++i) {
    out.by_frequency[i] += root_[i] / f[i] + invariant[i];
    out.draws[i] += invariant[i] * f[i];
  }
  return out;
}

namespace {

/// What each state's frequency gains from sites that never change.
std::vector<double> slopes_by_invariant(const PartState& part) {
  std::vector<double> by_state(static_cast<std::size_t>(part.model.states()), 0.0);
  for (std::size_t p = 0; p < static_cast<std::size_t>(part.patterns); ++p) {
    const std::uint32_t set = part.common_sets[part.common[p]];
    if (set == 0) continue;
    const double gain = part.weights[p] * part.model.invariant * std::exp(-part.logarithms[p]);
    for (std::size_t i = 0; i < by_state.size(); ++i)
      if (set >> i & 1) by_state[i] += gain;
  }
  return by_state;
}

}  // namespace

ModelSlopes Engine::slopes_of_model(const Tree& tree, int number) {
  State& s = *state_;
  const auto i = static_cast<std::size_t>(number);
  PartState& part = *s.parts[i];
  if (part.model.mixture != nullptr) throw std::logic_error("likelihood: slopes by the rates of a mixture's matrices");
  part.hanging = {};  // its room is used here
  // Blocks large enough that their sums cost little beside their patterns, and not too many.
  constexpr int fewest_groups = 8, most_blocks = 64;
  const int block = std::max(fewest_groups, (part.groups + most_blocks - 1) / most_blocks);
  const auto blocks = static_cast<std::size_t>((part.groups + block - 1) / block);
  const std::size_t size = static_cast<std::size_t>(matrix_doubles(part.rates, part.states));
  std::vector<double> of_blocks(blocks * size);

  BranchProducts sums(part.model, part.decomposed.spectra.front(), part.states);
  for (const HalfEdge h : depth_first(tree, 0, tree.nodes())) {
    const double length = std::max(tree.length(h, i), shortest_branch);
    const auto [near, far] = part.require_both(tree, h);
    const Operand near_end = part.through(near, part.factors.near_eigen, part.factors.near_stride);
    const Operand far_end = part.through(far, part.factors.far_eigen);
    auto& f = part.table_factors;
    part.kernels->factors(part.factors.exponents.data(), part.rates, length, f[0].data(), f[1].data(), f[2].data());
    s.steps[i].products = {near_end,
                           far_end,
                           part.sites(),
                           f[0].data(),
                           part.clv(part.scratch_slot()),
                           part.clv(part.hung_slot()),
                           part.factors.near_stride};
    s.run_products(i, block, of_blocks.data());
    for (std::size_t b = 1; b < blocks; ++b)
      for (std::size_t x = 0; x < size; ++x) of_blocks[x] += of_blocks[b * size + x];
    // Tip 0 is the root: `h` itself is the upper end of its branch, and the lower one of the others.
    if (h == 0)
      sums.add_root(length, of_blocks.data(), far == h);
    else
      sums.add(length, of_blocks.data(), near == h);
  }
  std::vector<double> invariant(static_cast<std::size_t>(part.model.states()), 0.0);
  if (part.model.with_invariant) {
    s.steps[i].evaluation = part.evaluation_at(tree, 0);
    s.run_logarithms_of(i);
    invariant = slopes_by_invariant(part);
  }
  return sums.slopes(invariant);
}

}  // namespace phylo
