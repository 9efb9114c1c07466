// The three kernels as streams off-load them: loops over blocks of patterns, each of which goes through the whole
// traversal before the next one starts, so that children are still in the cache when their parent is computed.

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <stdexcept>
#include <utility>

#include "maslin/cost.hpp"
#include "maslin/loop.hpp"
#include "maslin/offload.hpp"
#include "phylo/like/ascertainment.hpp"
#include "phylo/like/newton.hpp"
#include "phylo/like/state.hpp"

namespace ms = maslin;

namespace phylo {
namespace {

/// Counts what the next loop moves of a part, as it is told what that loop reads and writes, in this order.
class Uses {
 public:
  Uses(Cache& cache, PartState& part) : cache_(cache), part_(part) {}

  void traversal() {
    for (int i = 0; i < part_.traversal.count(); ++i) {
      const Newview& step = part_.traversal.steps()[i];
      reads(step.left);
      reads(step.right);
      writes(step.clv);
    }
  }
  void reads(const Operand& end) {
    if (end.clv) use_clv(end.clv, false);
  }
  void writes(const void* clv) { use_clv(clv, true); }
  void table(bool writes) { use(part_.arrays() - 1, part_.table.size() * sizeof(double), writes); }

 private:
  void use_clv(const void* clv, bool writes) {
    use(part_.array_of(clv), part_.clv_bytes + part_.padded * sizeof(std::int32_t), writes);
  }
  void use(std::size_t array, std::size_t bytes, bool writes) {
    part_.moved += cache_.use(part_.first_array + array, static_cast<std::int64_t>(bytes), writes);
  }

  Cache& cache_;
  PartState& part_;
};

/// What every kernel is handed: blocks of groups, of one part or of several, each with the traversal that comes first.
struct Work {
  Engine::State& state;
  std::size_t first, last;  ///< chunks

  explicit Work(Engine::State& s) : Work(s, 0, s.chunks.size()) {}
  Work(Engine::State& s, std::size_t from, std::size_t to) : state(s), first(from), last(to) {}

  /// Finds out what the next loop moves, if anything depends on that; `tell(part, its final step, uses)` tells what it
  /// uses of each part.
  template <class Tell>
  void count_traffic(Tell&& tell) const {
    state.counts_traffic = ms::memory_traffic_counts();
    if (!state.counts_traffic) return;
    state.cache.begin_loop(cache_of_an_engine());
    for (std::size_t i = 0; i < state.parts.size(); ++i) {
      PartState& part = *state.parts[i];
      part.moved = 0;
      Uses uses(state.cache, part);
      if (state.begins[i] < last && first < state.begins[i + 1]) tell(part, state.steps[i], uses);
    }
  }

  /// Says what the loop moves for these groups.
  void say_traffic(const PartState& part, int from, int to) const {
    if (state.counts_traffic) ms::memory_traffic(part.moved_for(to - from));
  }

  /// Calls `body(part, its final step, first group, last group)` for a block, after the traversal.
  template <class Body>
  auto block(ms::range r, Body&& body) const {
    const Chunk& c = state.chunks[static_cast<std::size_t>(r.first)];
    PartState& part = *state.parts[c.part];
    say_traffic(part, c.first, c.last);
    part.kernels->newview(part.traversal.steps(), part.traversal.count(), part.rates, c.first, c.last);
    return body(part, state.steps[c.part], c.first, c.last);
  }
};

/// Each chunk is a block of the loop.
constexpr ms::block one_chunk{1};

template <class Body>
double sum_over(const Work& work, Body&& body) {
  return ms::parallel_reduce(
      work.first, work.last, 0.0, std::plus<>{}, [&](ms::range r) { return work.block(r, body); }, one_chunk);
}

void newview_body(const Work& work) {
  work.count_traffic([](PartState&, const FinalStep&, Uses& uses) { uses.traversal(); });
  ms::parallel_for(
      work.first, work.last, [&](ms::range r) { work.block(r, [](const PartState&, const FinalStep&, int, int) {}); },
      one_chunk);
}

void count_evaluation(const Work& work) {
  work.count_traffic([](PartState&, const FinalStep& step, Uses& uses) {
    uses.traversal();
    uses.reads(step.evaluation.near);
    uses.reads(step.evaluation.far);
  });
}

double evaluate_block(PartState& part, const FinalStep& step, int from, int to) {
  const auto evaluate = [&] { return part.kernels->evaluate(step.evaluation, part.rates, from, to); };
  return part.is_constant(from) ? ascertainment(part, evaluate) : evaluate();
}

double evaluate_body(const Work& work) {
  count_evaluation(work);
  return sum_over(work, evaluate_block);
}

void evaluate_segment_body(const Work& work, double* of_blocks) {
  count_evaluation(work);
  ms::parallel_for(
      work.first, work.last, [&](ms::range r) { of_blocks[r.first] = work.block(r, evaluate_block); }, one_chunk);
}

void logarithms_body(const Work& work) {
  count_evaluation(work);
  ms::parallel_for(
      work.first, work.last,
      [&](ms::range r) {
        work.block(r, [](PartState& part, const FinalStep& step, int from, int to) {
          part.kernels->logarithms(step.evaluation, part.rates, from, to, part.logarithms.data());
        });
      },
      one_chunk);
}

double junction_body(const Work& work) {
  work.count_traffic([](PartState&, const FinalStep& step, Uses& uses) {
    uses.traversal();
    if (step.preparation.from) {
      uses.reads(*step.preparation.from);
      uses.writes(step.preparation.clv);
    }
    for (const Operand* end : {&step.junction.near, &step.junction.far, &step.junction.hung}) uses.reads(*end);
  });
  return sum_over(work, [](PartState& part, const FinalStep& step, int from, int to) {
    if (const Preparation& p = step.preparation; p.from)
      part.kernels->prepare(*p.from, p.clv, p.scale, part.rates, from, to);
    const auto evaluate = [&] { return part.kernels->junction(step.junction, part.rates, from, to); };
    return part.is_constant(from) ? ascertainment(part, evaluate) : evaluate();
  });
}

Slopes add(Slopes a, Slopes b) { return {a.first + b.first, a.second + b.second}; }

Derivation derivation_of(const PartState& part) {
  const auto& f = part.table_factors;
  return {part.table.data(), {f[0].data(), f[1].data(), f[2].data()}, part.weights.data()};
}

/// Less than this much log-likelihood is not worth another step of a branch's length.
constexpr double length_tolerance = 1e-5;

void set_factors(PartState& part, double length) {
  auto& f = part.table_factors;
  part.kernels->factors(part.factors.exponents.data(), part.rates, length, f[0].data(), f[1].data(), f[2].data());
}

/// The first loop of a fit makes the tables, the others read them.
void tell_fit(bool first, const FinalStep& step, Uses& uses) {
  if (first) {
    uses.traversal();
    uses.reads(step.sumtable.near);
    uses.reads(step.sumtable.far);
  }
  uses.table(first);
}

/// Gives the derivatives of a chunk's log-likelihood; makes its tables first if nobody has.
Slopes slopes_of_chunk(const Work& work, std::size_t chunk, bool first) {
  const auto slopes = [](const PartState& part, const FinalStep& step, int from, int to) {
    if (part.is_constant(from)) return ascertainment_slopes(part, step.sumtable);
    return part.kernels->slopes(derivation_of(part), part.rates, from, to);
  };
  if (!first) {
    const Chunk& c = work.state.chunks[chunk];
    const PartState& part = *work.state.parts[c.part];
    work.say_traffic(part, c.first, c.last);
    return slopes(part, work.state.steps[c.part], c.first, c.last);
  }
  const auto at = static_cast<std::int64_t>(chunk);
  return work.block({at, at + 1}, [&](const PartState& part, const FinalStep& step, int from, int to) {
    part.kernels->sumtable(step.sumtable, part.rates, from, to);
    return slopes(part, step, from, to);
  });
}

double makenewz_body(const Work& work, double length, int iterations) {
  bool tables_made = false;
  return maximize_length(length, shortest_branch, longest_branch, iterations, length_tolerance, [&](double t) {
    for (const auto& part : work.state.parts) set_factors(*part, t);
    const bool first = !std::exchange(tables_made, true);
    work.count_traffic([&](PartState&, const FinalStep& step, Uses& uses) { tell_fit(first, step, uses); });
    return ms::parallel_reduce(
        work.first, work.last, Slopes{}, add,
        [&](ms::range r) { return slopes_of_chunk(work, static_cast<std::size_t>(r.first), first); }, one_chunk);
  });
}

/// Fits the length of each part: a step of all that are not done is one loop over their chunks, so that parts of
/// unequal size share the workers.
void makenewz_each_body(const Work& work, LengthFits* fits) {
  const Engine::State& s = work.state;
  for (bool first = true;; first = false) {
    fits->pending.clear();
    for (std::size_t part = 0; part < s.parts.size(); ++part) {
      if (fits->searches[part].done()) continue;
      set_factors(*s.parts[part], fits->searches[part].at());
      for (std::size_t chunk = s.begins[part]; chunk < s.begins[part + 1]; ++chunk) fits->pending.push_back(chunk);
    }
    if (fits->pending.empty()) return;
    work.count_traffic([&](PartState& part, const FinalStep& step, Uses& uses) {
      if (!fits->searches[part.number].done()) tell_fit(first, step, uses);
    });
    ms::parallel_for(
        0, fits->pending.size(),
        [&](ms::range r) {
          const std::size_t chunk = fits->pending[static_cast<std::size_t>(r.first)];
          fits->slopes[chunk] = slopes_of_chunk(work, chunk, first);
        },
        one_chunk);
    for (std::size_t part = 0; part < s.parts.size(); ++part) {
      if (fits->searches[part].done()) continue;
      Slopes sum;
      for (std::size_t chunk = s.begins[part]; chunk < s.begins[part + 1]; ++chunk) sum = add(sum, fits->slopes[chunk]);
      fits->searches[part].take(sum);
    }
  }
}

void products_body(const Work& work, std::size_t number, int block, double* out) {
  work.count_traffic([](PartState&, const FinalStep& step, Uses& uses) {
    uses.traversal();
    uses.reads(step.products.near);
    uses.reads(step.products.far);
    uses.writes(step.products.near_values);
    uses.writes(step.products.far_values);
  });
  const PartState& part = *work.state.parts[number];
  const int groups = part.groups, blocks = (groups + block - 1) / block;
  ms::parallel_for(
      0, blocks,
      [&](ms::range r) {
        const int first = static_cast<int>(r.first) * block, last = std::min(first + block, groups);
        work.say_traffic(part, first, last);
        for (int group = first; group < last; ++group)
          part.kernels->newview(part.traversal.steps(), part.traversal.count(), part.rates, group, group + 1);
        part.kernels->products(work.state.steps[number].products, part.rates, first, last,
                               out + r.first * matrix_doubles(part.rates, part.states));
      },
      one_chunk);
}

const ms::kernel newview_kernel{"newview", newview_body};
const ms::kernel evaluate_kernel{"evaluate", evaluate_body};
const ms::kernel evaluate_segment_kernel{"evaluate_segment", evaluate_segment_body};
const ms::kernel logarithms_kernel{"logarithms", logarithms_body};
const ms::kernel insertion_kernel{"insertion", junction_body};
const ms::kernel makenewz_kernel{"makenewz", makenewz_body};
const ms::kernel products_kernel{"products", products_body};
const ms::kernel makenewz_each_kernel{"makenewz_each", makenewz_each_body};

/// Gives the log-likelihood. Comparisons would take one that is no number for a low one here and for a high one there.
double checked(double lnl) {
  if (std::isnan(lnl)) throw std::logic_error("likelihood: a log-likelihood is no number");
  return lnl;
}

/// Empties the traversals when a kernel is done. What was planned counts as computed, so after an exception nothing
/// does.
class Cleaner {
 public:
  explicit Cleaner(Engine::State& state) : state_(state), exceptions_(std::uncaught_exceptions()) {}
  ~Cleaner() {
    for (const auto& part : state_.parts) part->finish();
    if (std::uncaught_exceptions() > exceptions_) state_.forget();
  }
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;

 private:
  Engine::State& state_;
  int exceptions_;
};

/// Off-loads a kernel, if nobody says before that it is not wanted any more.
template <class Kernel, class... Arguments>
auto offload(const Engine::State& state, const Kernel& kernel, const Arguments&... arguments) {
  if (state.between) state.between();
  return ms::offload(kernel, arguments...);
}

}  // namespace

void Engine::State::run_newview() {
  const Cleaner cleaner(*this);
  for (const auto& part : parts)
    if (part->traversal.count() > 0) return offload(*this, newview_kernel, Work(*this));
}

double Engine::State::run_evaluate(std::size_t first, std::size_t last) {
  const Cleaner cleaner(*this);
  ++computed.likelihoods;
  for (const auto& part : parts) computed.vectors += part->traversal.count();
  if (!segment) return checked(offload(*this, evaluate_kernel, Work(*this, first, last)));
  offload(*this, evaluate_segment_kernel, Work(*this), of_segment.data());
  return checked(segment->sum(of_segment));
}

void Engine::State::expect_whole() const {
  if (segment) throw std::logic_error("likelihood: an engine of a segment evaluates trees only");
}

void Engine::State::run_logarithms(std::size_t first, std::size_t last) {
  const Cleaner cleaner(*this);
  expect_whole();
  offload(*this, logarithms_kernel, Work(*this, first, last));
}

void Engine::State::run_products(std::size_t part, int block, double* out) {
  const Cleaner cleaner(*this);
  expect_whole();
  offload(*this, products_kernel, Work(*this, begins[part], begins[part + 1]), part, block, out);
}

double Engine::State::run_junction() {
  const Cleaner cleaner(*this);
  expect_whole();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PartState& part = *parts[i];
    const Operand* from = part.hanging.pending ? &part.hanging.from : nullptr;
    steps[i].preparation = {from, part.clv(part.hung_slot()), part.scale(part.hung_slot())};
  }
  const double lnl = checked(offload(*this, insertion_kernel, Work(*this)));
  for (const auto& part : parts) part->hanging.pending = false;
  return lnl;
}

BranchLength Engine::State::run_makenewz(const BranchLength& length, int iterations) {
  const Cleaner cleaner(*this);
  expect_whole();
  if (length.is_shared()) return offload(*this, makenewz_kernel, Work(*this), length.of(0), iterations);
  fits.searches.clear();
  for (const double start : length.of_parts())
    fits.searches.emplace_back(start, shortest_branch, longest_branch, iterations, length_tolerance);
  offload(*this, makenewz_each_kernel, Work(*this), &fits);
  std::vector<double> fitted;
  for (const LengthSearch& search : fits.searches) fitted.push_back(search.at());
  return BranchLength(std::move(fitted));
}

}  // namespace phylo
