#include "phylo/mcmc/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

namespace phylo {
namespace {

/// The share of accepted moves that boldness is tuned for.
constexpr double wished_share = 0.3;

/// Bounds of boldness. Of NNI and SPR it only is how far they stretch a branch by the way, so they keep theirs.
struct Range {
  double low, high;
};
Range boldness_range(Move move) {
  switch (move) {
    case Move::nni:
    case Move::extending_spr:
      return {0, 0};
    case Move::branch_multiplier:
    case Move::tree_multiplier:
    case Move::node_slider:
    case Move::shape:
      return {0.001, 6};
    default:
      return {1e-6, 1};
  }
}

constexpr std::size_t first_rate = 1, first_frequency = 7, kappa_at = 11, shape_at = 12, invariant_at = 13;
constexpr std::size_t later_frequencies_at = coordinates_of_dna, bases = kappa_at - first_frequency;

/// Fewer tries than these say too little.
constexpr std::int64_t enough_tries = 30;
/// No move gets less than this part of an equal share of its group.
constexpr double least_part = 0.25;

/// Gives the group's weights when these are what is wished for. They go half of the way there (in logarithms), because
/// what was noted is noisy, and the sum stays.
template <std::size_t Count>
void approach(const std::array<Move, Count>& group, const std::array<double, Count>& wished, std::size_t count,
              PerMove<MoveRecord>& moves) {
  double before = 0, after = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double& weight = moves[static_cast<std::size_t>(group[i])].weight;
    before += weight;
    weight = std::sqrt(weight * wished[i]);
    after += weight;
  }
  for (std::size_t i = 0; i < count; ++i) moves[static_cast<std::size_t>(group[i])].weight *= before / after;
}

void weigh_tree_moves(const PerMove<bool>& adapts, Tuning& tuning) {
  constexpr std::array<Move, 2> group = {Move::nni, Move::extending_spr};
  std::array<double, 2> wished{};
  double weight = 0, sum = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto m = static_cast<std::size_t>(group[i]);
    const MoveRecord& record = tuning.moves[m];
    if (!adapts[m] || record.weight <= 0 || record.tried_lately < enough_tries) return;
    weight += record.weight;
    sum += wished[i] = (record.passed_lately + 1) / (record.read_lately + 1);
  }
  for (double& one : wished) one = weight * std::clamp(one / sum, least_part / 2, 1 - least_part / 2);
  approach(group, wished, group.size(), tuning.moves);
}

/// How fast a parameter changes: the square of a jump by twice the variance, which is 1 - the correlation of one
/// value with the next.
struct Pace {
  double of_try = 0;         ///< of the parameter's own move
  double of_generation = 0;  ///< by others
};

/// Gives the pace of a move's slowest coordinate; nothing where it has not moved.
std::optional<Pace> pace_of(Move move, const Tuning& tuning) {
  const auto tried = static_cast<double>(tuning.moves[static_cast<std::size_t>(move)].tried_lately);
  const auto generations = static_cast<double>(tuning.generations);
  std::optional<Pace> slowest;
  for (std::size_t c = 0; c < coordinates; ++c) {
    const Spread& spread = tuning.spreads[c];
    if (move_of(c) != move || spread.squares <= 0) continue;
    const double twice_variance = 2 * spread.squares / generations;
    const Pace pace{spread.own / tried / twice_variance, spread.others / generations / twice_variance};
    if (!(pace.of_try > 0)) return std::nullopt;
    if (!slowest || pace.of_try < slowest->of_try) slowest = pace;
  }
  return slowest;
}

void weigh_parameter_moves(const PerMove<bool>& adapts, Tuning& tuning) {
  std::array<Move, moves> group{};
  std::array<Pace, moves> paces{};
  std::array<double, moves> wished{};
  std::size_t count = 0;
  double weight = 0, all = 0;
  for (const MoveRecord& record : tuning.moves) all += record.weight;
  for (const Move move :
       {Move::tree_multiplier, Move::rates, Move::frequencies, Move::kappa, Move::shape, Move::invariant}) {
    const auto m = static_cast<std::size_t>(move);
    const MoveRecord& record = tuning.moves[m];
    if (!adapts[m] || record.weight <= 0) continue;
    const std::optional<Pace> pace = record.tried_lately < enough_tries ? std::nullopt : pace_of(move, tuning);
    if (!pace) return;
    group[count] = move;
    paces[count++] = *pace;
    weight += record.weight;
  }
  if (count < 2) return;
  // The largest pace that all can have with that weight: what others do for one need not be done by its own move.
  const double least = least_part * weight / static_cast<double>(count);
  const auto wishes_at = [&](double pace) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += wished[i] = std::max(least, (pace - paces[i].of_generation) / paces[i].of_try * all);
    return sum;
  };
  double low = 0, high = 0;
  for (std::size_t i = 0; i < count; ++i)
    high = std::max(high, paces[i].of_generation + paces[i].of_try * weight / all);
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (wishes_at(middle) < weight ? low : high) = middle;
  }
  wishes_at(high);
  approach(group, wished, count, tuning.moves);
}

}  // namespace

Coordinates coordinates_of(const Tree& tree, const Model& model, const Sampled& sampled) {
  Coordinates at{};
  double length = 0;
  tree.for_each_branch([&](HalfEdge h) { length += tree.length(h); });
  at[0] = std::log(length);
  if (sampled.rates > 0) std::copy(model.rates.begin(), model.rates.end(), at.begin() + first_rate);
  if (sampled.frequencies)
    for (std::size_t i = 0; i < model.frequencies.size(); ++i)
      at[i < bases ? first_frequency + i : later_frequencies_at + i - bases] = model.frequencies[i];
  if (sampled.kappa) at[kappa_at] = kappa_of(model) / (1 + kappa_of(model));
  if (sampled.shape) at[shape_at] = std::log(model.alpha);
  if (sampled.invariant) at[invariant_at] = model.invariant;
  return at;
}

Move move_of(std::size_t coordinate) {
  if (coordinate < first_rate) return Move::tree_multiplier;
  if (coordinate < first_frequency) return Move::rates;
  if (coordinate < kappa_at || coordinate >= later_frequencies_at) return Move::frequencies;
  return coordinate == kappa_at ? Move::kappa : coordinate == shape_at ? Move::shape : Move::invariant;
}

Tuning first_tuning(const PerMove<double>& weights) {
  Tuning tuning;
  const PerMove<double> boldness = default_boldness();
  for (std::size_t m = 0; m < moves; ++m) {
    tuning.moves[m].boldness = boldness[m];
    tuning.moves[m].weight = weights[m];
  }
  return tuning;
}

void tune(Move move, bool accepted, MoveRecord& record) {
  const Range range = boldness_range(move);
  if (range.high == 0) return;
  // Robbins and Monro's: by less each time, but the sum of all steps has no bound.
  ++record.tuned;
  const double step = 0.6 / std::sqrt(static_cast<double>(record.tuned));
  const double off = (accepted ? 1 : 0) - wished_share;
  record.boldness = std::clamp(record.boldness * std::exp(step * off), range.low, range.high);
}

void note(Move move, const Step& step, bool accepted, const Coordinates& at, const Coordinates& now, Tuning& tuning) {
  MoveRecord& record = tuning.moves[static_cast<std::size_t>(move)];
  ++record.tried_lately;
  record.read_lately += static_cast<double>(step.around.size());
  if (accepted) record.passed_lately += step.passed;
  ++tuning.generations;
  for (std::size_t c = 0; c < coordinates; ++c) {
    Spread& spread = tuning.spreads[c];
    const double jump = now[c] - at[c], off = now[c] - spread.mean;
    (move_of(c) == move ? spread.own : spread.others) += jump * jump;
    spread.mean += off / static_cast<double>(tuning.generations);
    spread.squares += off * (now[c] - spread.mean);
  }
}

bool weighs_after(std::int64_t generation, std::int64_t burn_in) {
  return generation > 0 &&
         (generation == burn_in || generation == burn_in / 2 || generation == burn_in / 4 || generation == burn_in / 8);
}

void weigh(const PerMove<bool>& adapts, Tuning& tuning) {
  weigh_tree_moves(adapts, tuning);
  weigh_parameter_moves(adapts, tuning);
  tuning.spreads = {};
  tuning.generations = 0;
  for (MoveRecord& record : tuning.moves) {
    record.tried_lately = 0;
    record.passed_lately = record.read_lately = 0;
  }
}

}  // namespace phylo
