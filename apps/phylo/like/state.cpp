#include "phylo/like/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "maslin/machine.hpp"
#include "phylo/io/error.hpp"
#include "phylo/like/scaling.hpp"

namespace phylo {
namespace {

std::atomic<int> engines = 0;

/// Where there is one slot a node: as many CLVs of every pattern as take so many bytes, or are such a share of all,
/// have rooms of their own (docs/decisions/phylo.md).
constexpr std::size_t free_bytes = std::size_t{2} << 20;
constexpr double kept_share = 0.3;

std::size_t sumtable_doubles(int rates, int states, std::size_t padded) {
  return static_cast<std::size_t>(1 + (states - 1) * rates) * padded;
}

/// The patterns of which a part has CLVs.
struct Range {
  int first, end;
  int constant_groups;  ///< behind them

  Range(const Patterns& data, const Model& model, const Segment* segment)
      : first(segment ? first_pattern(data, segment->number, segment->of) : 0),
        end(segment ? first_pattern(data, segment->number + 1, segment->of) : data.count),
        constant_groups(model.ascertained() && (!segment || segment->is_last()) ? groups_of(model.states()) : 0) {}

  /// Gives how many columns a CLV of every pattern has, in whole groups.
  std::size_t columns() const { return static_cast<std::size_t>((groups_of(end - first) + constant_groups) * lanes); }
};

/// Gives how many columns a CLV of classes has at most: of all patterns, also in a segment.
std::size_t class_columns_of(const Patterns& data, const Model& model) {
  return std::min(Range(data, model, nullptr).columns(), std::size_t{most_classes});
}

/// Gives how many numbers a column has.
std::size_t numbers_of(const Model& model) {
  return static_cast<std::size_t>(model.categories * kernel_states(model.states()));
}

/// Gives the bytes of a part's CLVs of doubles, with so many of each inner node.
std::size_t bytes_of(const PartView& part, std::size_t of_node, const Segment* segment = nullptr) {
  const std::size_t slots = of_node * static_cast<std::size_t>(std::max(part.patterns->taxa, 4) - 2);
  const std::size_t all = Range(*part.patterns, *part.model, segment).columns(),
                    of_classes = class_columns_of(*part.patterns, *part.model);
  return ((slots + PartState::scratch_slots) * all + slots * of_classes) * numbers_of(*part.model) * sizeof(double);
}

/// Gives of which parts the CLVs of all directions are kept. Each part has one CLV a node in any case; what is left of
/// the memory goes to the largest parts first, which take longest to compute again.
std::vector<bool> with_all_directions(const std::vector<PartView>& parts, const Engine::Options& options) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bytes_of(parts[a], 1) > bytes_of(parts[b], 1); });
  std::vector<bool> with_all(parts.size());
  std::size_t taken = 0;
  for (const PartView& part : parts) taken += bytes_of(part, 1, options.segment);
  for (const std::size_t p : order) {
    const std::size_t more = bytes_of(parts[p], 3, options.segment) - bytes_of(parts[p], 1, options.segment);
    if (taken + more > options.memory) continue;
    taken += more;
    with_all[p] = true;
  }
  return with_all;
}

}  // namespace

Factors::Factors(int rates, int states, int decompositions, bool unequal)
    : transition(static_cast<std::size_t>(decompositions * expansion_doubles(states))),
      joint(static_cast<std::size_t>(decompositions * expansion_doubles(states))),
      exponents(static_cast<std::size_t>(exponent_doubles(rates, states))),
      of_category(static_cast<std::size_t>(decompositions == 1 ? 0 : rates * exponent_doubles(1, states))),
      near_eigen(static_cast<std::size_t>((unequal ? rates : decompositions) * states * states)),
      far_eigen(static_cast<std::size_t>(decompositions * states * states)),
      near_stride(unequal || decompositions > 1 ? states * states : 0),
      far_stride(decompositions > 1 ? states * states : 0) {}

PartState::PartState(const Patterns& data, const Model& m, bool all_directions, const Engine::Options& options,
                     std::size_t part_number)
    : number(part_number),
      kernels(&choose_kernels(data.alphabet->states, options.precision)),
      model(m),
      taxa(data.taxa),
      rates(m.categories),
      states(kernels->states) {
  const Range own(data, m, options.segment);
  first = static_cast<std::size_t>(own.first);
  patterns = own.end - own.first;
  groups = groups_of(patterns);
  constant_groups = own.constant_groups;
  if (taxa < 4) throw input_error("an unrooted tree needs at least 4 taxa; the alignment has " + std::to_string(taxa));
  if (m.alphabet != data.alphabet)
    throw input_error(
        fmt::format("the model is one of {}, the alignment holds {}", m.alphabet->name, data.alphabet->name));
  padded = own.columns();
  clv_bytes = padded * numbers_of(m) * kernels->number_bytes;
  class_clv_bytes = class_columns_of(data, m) * numbers_of(m) * kernels->number_bytes;
  // Classes are those of all patterns, also in a segment. Which end of a branch comes first in a sum depends on them.
  const std::size_t constants = static_cast<std::size_t>(groups_of(data.count)) * lanes;
  const std::size_t all_padded =
      constants + static_cast<std::size_t>(m.ascertained() ? groups_of(m.states()) * lanes : 0);
  codes = Buffer<std::uint8_t>(static_cast<std::size_t>(taxa) * all_padded);
  common = Buffer<std::uint8_t>(padded);
  weights = Buffer<double>(padded);
  invariant = Buffer<double>(padded);
  const auto count = static_cast<std::size_t>(data.count);
  const Alphabet& alphabet = *data.alphabet;
  const std::vector<std::uint32_t> shared = common_states(data);
  for (std::size_t p = 0; p < static_cast<std::size_t>(patterns); ++p) weights[p] = data.weights[first + p];
  for (int taxon = 0; taxon < taxa; ++taxon) {
    const std::uint8_t* from = data.row(taxon);
    std::uint8_t* to = codes.data() + static_cast<std::size_t>(taxon) * all_padded;
    std::fill(std::copy(from, from + count, to), to + all_padded, alphabet.unknown);
    for (int state = 0; m.ascertained() && state < m.states(); ++state)
      to[constants + static_cast<std::size_t>(state)] = alphabet.find_set(1U << state);
  }
  common_sets.assign(1, 0);  // the padding's
  for (std::size_t p = 0; p < static_cast<std::size_t>(patterns); ++p) {
    const auto at = std::find(common_sets.begin(), common_sets.end(), shared[first + p]);
    common[p] = static_cast<std::uint8_t>(at - common_sets.begin());
    if (at == common_sets.end()) common_sets.push_back(shared[first + p]);
  }
  const int tip_groups = groups_of(alphabet.codes);
  tip_clv = Buffer<std::byte>(static_cast<std::size_t>(tip_groups * rates * states * lanes) * kernels->number_bytes);
  const auto fill = [&](auto* numbers) {
    for (int code = 0; code < alphabet.codes; ++code)
      for (int row = 0; row < rates * states; ++row)
        numbers[static_cast<std::size_t>((code / lanes * rates * states + row) * lanes + code % lanes)] =
            alphabet.sets[static_cast<std::size_t>(code)] >> (row % states) & 1 ? 1.0F : 0.0F;
  };
  void* const tips_begin = tip_clv.data();
  if (options.precision == Precision::binary32)
    fill(static_cast<float*>(tips_begin));
  else
    fill(static_cast<double*>(tips_begin));
  const bool proposals = options.proposals;
  const std::int32_t spare = proposals ? taxa - 2 : 0;
  const int columns = m.ascertained() ? static_cast<int>(constants) + m.states() : data.count;
  classes = Classes(taxa, columns, all_padded, codes.data(), spare, tip_groups);
  directions = Directions(taxa, all_directions, proposals);
  // Rooms are taken from the first one on, so memory of which nobody takes a part costs address space only.
  const auto slots = static_cast<std::size_t>(directions.slots()), all = slots + scratch_slots;
  clvs = Buffer<std::byte>(all * clv_bytes, Buffer<std::byte>::undefined);
  scales = Buffer<std::int32_t>(all * padded, Buffer<std::int32_t>::undefined);
  class_clvs = Buffer<std::byte>(slots * class_clv_bytes, Buffer<std::byte>::undefined);
  class_scales = Buffer<std::int32_t>(slots * most_classes, Buffer<std::int32_t>::undefined);
  rooms.assign(all, none);
  free_rooms.resize(all);
  std::iota(free_rooms.rbegin(), free_rooms.rend(), 0);
  most_rooms = all;
  if (!all_directions && !proposals)
    most_rooms = scratch_slots +
                 std::max(free_bytes / clv_bytes, static_cast<std::size_t>(kept_share * static_cast<double>(slots)));
  take_room(scratch_slot());
  take_room(hung_slot());
  // A full traversal crosses each of the 2n - 3 branches once at most; a tentative insertion adds its own.
  const auto tips = static_cast<std::size_t>(taxa), branches = 2 * tips;
  constexpr std::size_t tentative = 8;
  // What a proposal leaves as it is may be computed in one direction before it, and in another one for it.
  const std::size_t times = proposals ? 2 : 1;
  traversal = Traversal(times * tips,
                        (times * branches + tentative) * (static_cast<std::size_t>(matrix_doubles(rates, states)) +
                                                          static_cast<std::size_t>(table_doubles(rates, states))));
  table = Buffer<double>(sumtable_doubles(rates, states, padded));
  logarithms = Buffer<double>(padded);
  const int decompositions = m.mixture == nullptr ? 1 : rates;
  factors = Factors(rates, states, decompositions, m.has_free_categories());
  for (auto& f : table_factors) f = Buffer<double>(static_cast<std::size_t>(exponent_doubles(rates, states)));
  proposal.allowed = proposals;
  if (proposals) {
    proposal.factors = Factors(rates, states, decompositions, m.has_free_categories());
    proposal.invariant = Buffer<double>(padded);
  }

  Model counted = m;
  if (m.frequencies_from != Origin::fixed) counted.frequencies = empirical_frequencies(data);
  double constant = 0;
  sites_counted = 0;
  for (std::size_t p = 0; p < count; ++p) {
    sites_counted += data.weights[p];
    if (shared[p] != 0) constant += data.weights[p];
  }
  // Bounded away from 0 and 1, where nothing would tell an optimization which way to go.
  constant_share = std::clamp(constant / sites_counted, 0.02, 0.9);
  if (m.with_invariant && m.invariant_from == Origin::optimized && m.invariant == 0)
    counted.invariant = 0.5 * constant_share;
  take_model(counted);
}

void PartState::take_model(const Model& m) {
  if (m.categories != rates)
    throw input_error("the engine was made for " + std::to_string(rates) + " rate categories, the model has " +
                      std::to_string(m.categories));
  if (m.ascertained() != model.ascertained())
    throw input_error("the engine was made for data with constant sites, or for data without; the model is not");
  if (m.has_free_categories() != model.has_free_categories())
    throw input_error("the engine was made for another kind of rate categories");
  if (m.mixture != model.mixture) throw input_error("the engine was made for another mixture of matrices");
  if (m.alphabet != model.alphabet)
    throw input_error(
        fmt::format("the engine was made for {}, the model is one of {}", model.alphabet->name, m.alphabet->name));
  adopt(m);
  forget();
}

void PartState::adopt(const Model& m) {
  model = m;
  if (decomposed.rates != m.rates || decomposed.frequencies != m.frequencies)
    decomposed = {m.rates, m.frequencies, spectra(m)};
  const std::vector<double> category = category_rates(m);
  factors.shares = m.free_category_shares;
  const bool equal = factors.shares.empty();
  const double weight = (m.with_invariant ? 1 - m.invariant : 1.0) / (equal ? rates : 1);
  // States of the kernels beyond the alphabet's stay zero.
  const auto n = static_cast<std::size_t>(m.states()), row = static_cast<std::size_t>(states), size = row * row;
  const std::vector<Spectrum>& all = decomposed.spectra;
  for (std::size_t s = 0; s < all.size(); ++s) {
    double* const transition = factors.transition.data() + s * row * size;
    double* const joint = factors.joint.data() + s * row * size;
    for (std::size_t i = 0; i < n; ++i) {
      const double share = weight * all[s].left[i];  // the first row of `left` is the frequencies
      for (std::size_t j = 0; j < n; ++j) {
        transition[row * i + j] = i == j ? 1 : 0;
        joint[row * i + j] = i == j ? share : 0;
        for (std::size_t k = 1; k < n; ++k) {
          const double term = all[s].right[n * i + k] * all[s].left[n * k + j];
          transition[k * size + row * i + j] = term;
          joint[k * size + row * i + j] = share * term;
        }
        factors.far_eigen[size * s + row * i + j] = all[s].left[n * i + j];
      }
    }
  }
  const auto spectrum_of = [&](std::size_t r) -> const Spectrum& { return all[all.size() == 1 ? 0 : r]; };
  for (std::size_t r = 0; r < factors.near_eigen.size() / size; ++r)
    for (std::size_t i = 0; i < n; ++i) {
      const double share = weight * spectrum_of(r).left[i];
      for (std::size_t k = 0; k < n; ++k)
        factors.near_eigen[size * r + row * k + i] =
            (equal ? share : share * factors.shares[r]) * spectrum_of(r).right[n * i + k];
    }
  for (std::size_t r = 0; r < category.size(); ++r)
    for (std::size_t k = 1; k < n; ++k) {
      const double exponent = spectrum_of(r).values[k] * category[r];
      factors.exponents[(row - 1) * r + k - 1] = exponent;
      if (all.size() > 1)
        factors.of_category[static_cast<std::size_t>(exponent_doubles(1, states)) * r + k - 1] = exponent;
    }
  if (m.with_invariant) {
    double likelihood[most_codes + 1] = {};
    for (std::size_t set = 0; set < common_sets.size(); ++set)
      for (std::size_t i = 0; i < n; ++i)
        if (common_sets[set] >> i & 1) likelihood[set] += m.invariant * m.frequencies[i];
    for (std::size_t p = 0; p < padded; ++p) invariant[p] = likelihood[common[p]];
  }
}

void PartState::begin() {
  if (!proposal.allowed || proposal.open)
    throw std::logic_error("likelihood: a proposal inside a proposal, or in an engine that was made without");
  directions.begin();
  proposal.open = true;
}

void PartState::decide(bool accepted) {
  if (!proposal.open) throw std::logic_error("likelihood: no proposal to decide");
  proposal.open = false;
  if (accepted) {
    directions.accept();
  } else {
    directions.reject([&](HalfEdge h) { classes.place(h, directions.slot(h), false); });
    if (proposal.other_model) {
      std::swap(model, proposal.model);
      std::swap(factors, proposal.factors);
      std::swap(invariant, proposal.invariant);
    }
  }
  proposal.other_model = false;
}

void PartState::propose_model(const Model& m) {
  proposal.other_model = true;
  std::swap(factors, proposal.factors);
  std::swap(invariant, proposal.invariant);
  proposal.model = model;
  adopt(m);
}

const double* PartState::table_of(HalfEdge h, const double* matrices, int stride) {
  double* const out = traversal.take(static_cast<std::size_t>(table_doubles(rates, states)));
  const void* const from = h < taxa ? static_cast<const void*>(tip_clv.data()) : class_clv(directions.slot(h));
  kernels->class_table(matrices, stride, from, classes.groups(h), rates, out);
  return out;
}

Operand PartState::plain(HalfEdge h) {
  if (classes.few(h)) return {nullptr, nullptr, codes_of(h), table_of(h, nullptr, 0), classes.groups(h) > 1};
  const std::int32_t slot = directions.slot(h);
  return {clv(slot), scale(slot), nullptr, nullptr, false};
}

Operand PartState::through(HalfEdge h, const Buffer<double>& matrix, int stride) {
  if (classes.few(h)) return {nullptr, nullptr, codes_of(h), table_of(h, matrix.data(), stride), classes.groups(h) > 1};
  const std::int32_t slot = directions.slot(h);
  return {clv(slot), scale(slot), nullptr, matrix.data(), false};
}

Operand PartState::across(HalfEdge h, double length, const Buffer<double>& expansion) {
  double* const matrices = traversal.take(static_cast<std::size_t>(matrix_doubles(rates, states)));
  const double t = std::max(length, shortest_branch);
  if (factors.of_category.size() == 0) {
    kernels->matrices(expansion.data(), factors.exponents.data(), rates, t, matrices);
  } else {
    for (int r = 0; r < rates; ++r)
      kernels->matrices(expansion.data() + r * expansion_doubles(states),
                        factors.of_category.data() + r * exponent_doubles(1, states), 1, t,
                        matrices + matrix_doubles(r, states));
  }
  if (&expansion == &factors.joint)
    for (std::size_t r = 0; r < factors.shares.size(); ++r) {
      const std::size_t size = static_cast<std::size_t>(states * states);
      for (std::size_t x = size * r; x < size * (r + 1); ++x) matrices[x] *= factors.shares[r];
    }
  if (classes.few(h))
    return {nullptr, nullptr, codes_of(h), table_of(h, matrices, states * states), classes.groups(h) > 1};
  const std::int32_t slot = directions.slot(h);
  return {clv(slot), scale(slot), nullptr, matrices, false};
}

Operand PartState::scratch() { return {clv(scratch_slot()), scale(scratch_slot()), nullptr, nullptr, false}; }

Operand PartState::hang(HalfEdge subtree, double pendant) {
  if (classes.few(subtree)) return across(subtree, pendant, factors.joint);
  if (hanging.subtree != subtree || hanging.pendant != pendant)
    hanging = {subtree, pendant, across(subtree, pendant, factors.joint), true};
  return {clv(hung_slot()), scale(hung_slot()), nullptr, nullptr, false};
}

void PartState::require(const Tree& tree, HalfEdge h) {
  if (tree.tips() != taxa || h == none) throw std::logic_error("likelihood: a tree of other taxa, or an open branch");
  if (tree.lengths() > 1 && number >= tree.lengths()) throw std::logic_error("likelihood: a tree of other parts");
  try {
    directions.require(tree, h, [&](HalfEdge node) { plan(tree, node); });
  } catch (...) {
    // What is planned counts as computed.
    finish();
    forget();
    throw;
  }
}

void PartState::plan(const Tree& tree, HalfEdge node) {
  const HalfEdge left = tree.back(tree.next(node)), right = tree.back(tree.next(tree.next(node)));
  if (left == none || right == none) throw std::logic_error("likelihood: an open branch");
  Operand a = across(left, tree.length(left, number), factors.transition);
  Operand b = across(right, tree.length(right, number), factors.transition);
  const std::int32_t slot = directions.slot(node);
  if (proposal.open) classes.place(node, slot, true);
  if (classes.find(node, left, right)) {
    // So little that it is done here and now.
    const Operand class_a{nullptr, nullptr, classes.left_of(node), a.matrices, a.wide};
    const Operand class_b{nullptr, nullptr, classes.right_of(node), b.matrices, b.wide};
    const Newview step{class_clv(slot), class_scale(slot), class_a, class_b};
    const int class_groups = classes.groups(node);
    kernels->newview(&step, 1, rates, 0, class_groups);
    std::int32_t counted = 0;
    for (int c = 0; c < class_groups * lanes; ++c) counted |= step.scale[c];
    if (counted == 0) {
      // Steps that are planned read from it before others that are planned from now on write to it.
      leave_room(slot);
      return;
    }
    // Classes have no counts: what must be scaled is kept for every pattern.
    classes.spoil(node);
  }
  take_room(slot);
  if (b.codes) std::swap(a, b);
  traversal.add({clv(slot), scale(slot), a, b});
}

// Who reads a room has been planned before who writes to it next, and a loop's block takes the steps one after the
// other. So a room may change hands while both are planned; only what is still to be read by steps that are not planned
// must stay. If that is more than `most_rooms`, rooms that nobody has had are taken.
void PartState::take_room(std::int32_t slot) {
  std::int32_t& room = rooms[static_cast<std::size_t>(slot)];
  if (room != none) return;
  if (rooms.size() - free_rooms.size() >= most_rooms) {
    const std::int32_t other = directions.evictable(
        [&](std::int32_t candidate) { return rooms[static_cast<std::size_t>(candidate)] != none; });
    if (other != none) {
      directions.evict(other);
      leave_room(other);
    }
  }
  room = free_rooms.back();
  free_rooms.pop_back();
}

void PartState::leave_room(std::int32_t slot) {
  std::int32_t& room = rooms[static_cast<std::size_t>(slot)];
  if (room == none) return;
  free_rooms.push_back(room);
  room = none;
}

std::pair<HalfEdge, HalfEdge> PartState::require_both(const Tree& tree, HalfEdge h) {
  const HalfEdge far = tree.back(h);
  require(tree, h);
  require(tree, far);
  return classes.few(h) ? std::pair{far, h} : std::pair{h, far};
}

Evaluation PartState::evaluation_at(const Tree& tree, HalfEdge h) {
  const auto [near, far] = require_both(tree, h);
  const Operand near_end = plain(near);
  return {near_end, across(far, tree.length(h, number), factors.joint), sites()};
}

Evaluation PartState::evaluation_of_state(const Tree& tree, HalfEdge h, int state) {
  const auto [near, far] = require_both(tree, h);
  const Operand near_end = plain(near);
  // `joint` without all other states at that node: a row of each of its matrices is a state of the near end, a column
  // one of the far end.
  Buffer<double> one(factors.joint.size());
  const auto n = static_cast<std::size_t>(states), kept = static_cast<std::size_t>(state);
  for (std::size_t at = 0; at < one.size(); ++at)
    if ((near == h ? at / n % n : at % n) == kept) one[at] = factors.joint[at];
  std::swap(one, factors.joint);
  const Operand far_end = across(far, tree.length(h, number), factors.joint);
  std::swap(one, factors.joint);
  return {near_end, far_end, {weights.data(), nullptr}};
}

void PartState::add_scratch(HalfEdge a, double to_a, HalfEdge b, double to_b) {
  Operand left = across(a, to_a, factors.transition), right = across(b, to_b, factors.transition);
  if (right.codes) std::swap(left, right);
  traversal.add({clv(scratch_slot()), scale(scratch_slot()), left, right});
}

std::size_t Engine::least_memory(const std::vector<PartView>& parts) {
  std::size_t bytes = 0;
  for (const PartView& part : parts) bytes += bytes_of(part, 1);
  return bytes;
}

std::int64_t cache_of_an_engine() {
  static const std::int64_t largest = [] {
    std::int64_t bytes = std::int64_t{1} << 20;  // where the system does not say
    for (const maslin::machine::cache& c : maslin::machine::detect_topology().caches) bytes = std::max(bytes, c.bytes);
    return bytes;
  }();
  return largest / std::max(1, engines.load(std::memory_order_relaxed));  // a count, which orders nothing
}

Engine::State::State(const std::vector<PartView>& views, const Options& options)
    : steps(views.size()), segment(options.segment), between(options.between) {
  if (views.empty()) throw std::logic_error("likelihood: an engine without data");
  if (segment && views.size() > 1) throw std::logic_error("likelihood: a segment of several parts");
  const std::vector<bool> with_all = with_all_directions(views, options);
  for (const PartView& view : views) {
    begins.push_back(chunks.size());
    parts.push_back(
        std::make_unique<PartState>(*view.patterns, *view.model, with_all[parts.size()], options, parts.size()));
    const PartState& part = *parts.back();
    if (part.taxa != parts.front()->taxa) throw std::logic_error("likelihood: parts of different taxa");
    const int block = part.kernels->block;
    for (int first = 0; first < part.groups; first += block)
      chunks.push_back({parts.size() - 1, first, std::min(first + block, part.groups)});
    if (part.constant_groups > 0) chunks.push_back({parts.size() - 1, part.groups, part.groups + part.constant_groups});
  }
  begins.push_back(chunks.size());
  std::size_t arrays = 0;
  for (const auto& part : parts) {
    part->first_array = arrays;
    arrays += part->arrays();
  }
  cache = Cache(arrays);
  if (segment) of_segment.resize(chunks.size());
  fits.slopes.resize(chunks.size());
  fits.searches.reserve(parts.size());
  fits.pending.reserve(chunks.size());
  engines.fetch_add(1, std::memory_order_relaxed);
}

Engine::State::~State() { engines.fetch_sub(1, std::memory_order_relaxed); }

void Engine::State::abandon() {
  for (const auto& part : parts) {
    part->finish();
    part->forget();
  }
}

}  // namespace phylo
