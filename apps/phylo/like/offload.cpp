// The three kernels as streams off-load them: loops over blocks of patterns, each of which goes through the whole
// traversal before the next one starts, so that children are still in the cache when their parent is computed.

#include <exception>
#include <functional>
#include <utility>

#include "maslin/loop.hpp"
#include "maslin/offload.hpp"
#include "phylo/like/newton.hpp"
#include "phylo/like/state.hpp"

namespace ms = maslin;

namespace phylo {
namespace {

/// What every kernel is handed: the arithmetic, the patterns and the traversal that comes first.
struct Work {
  const Kernels& arithmetic;
  const Traversal& traversal;
  int rates;
  int groups;

  ms::block block() const { return {arithmetic.block}; }
  void before(ms::range r) const {
    arithmetic.newview(traversal.steps(), traversal.count(), rates, static_cast<int>(r.first),
                       static_cast<int>(r.last));
  }
};

void newview_body(const Work& work) {
  ms::parallel_for(
      0, work.groups, [&](ms::range r) { work.before(r); }, work.block());
}

double evaluate_body(const Work& work, const Evaluation& e) {
  return ms::parallel_reduce(
      0, work.groups, 0.0, std::plus<>{},
      [&](ms::range r) {
        work.before(r);
        return work.arithmetic.evaluate(e, work.rates, static_cast<int>(r.first), static_cast<int>(r.last));
      },
      work.block());
}

/// A CLV that a junction has to make from the subtree's first; null if it stands.
struct Preparation {
  const Operand* from;
  double* clv;
  std::int32_t* scale;
};

double junction_body(const Work& work, const Junction& e, const Preparation& hung) {
  return ms::parallel_reduce(
      0, work.groups, 0.0, std::plus<>{},
      [&](ms::range r) {
        const int from = static_cast<int>(r.first), to = static_cast<int>(r.last);
        work.before(r);
        if (hung.from) work.arithmetic.prepare(*hung.from, hung.clv, hung.scale, work.rates, from, to);
        return work.arithmetic.junction(e, work.rates, from, to);
      },
      work.block());
}

/// Everything makenewz needs beside the table: how factors of a length are made, and where they go.
struct Search {
  const double* exponents;
  double* factors[3];
  const double* weights;
  double length;
  int iterations;
};

Slopes add(Slopes a, Slopes b) { return {a.first + b.first, a.second + b.second}; }

double makenewz_body(const Work& work, const Sumtable& table, const Search& search) {
  const Derivation derivation{table.table, {search.factors[0], search.factors[1], search.factors[2]}, search.weights};
  bool table_made = false;
  // Less than this much log-likelihood is not worth another step.
  constexpr double tolerance = 1e-5;
  return maximize_length(search.length, shortest_branch, longest_branch, search.iterations, tolerance, [&](double t) {
    work.arithmetic.factors(search.exponents, work.rates, t, search.factors[0], search.factors[1], search.factors[2]);
    const bool first = !std::exchange(table_made, true);
    return ms::parallel_reduce(
        0, work.groups, Slopes{}, add,
        [&](ms::range r) {
          const int from = static_cast<int>(r.first), to = static_cast<int>(r.last);
          if (first) {
            work.before(r);
            work.arithmetic.sumtable(table, work.rates, from, to);
          }
          return work.arithmetic.slopes(derivation, work.rates, from, to);
        },
        work.block());
  });
}

const ms::kernel newview_kernel{"newview", newview_body};
const ms::kernel evaluate_kernel{"evaluate", evaluate_body};
const ms::kernel insertion_kernel{"insertion", junction_body};
const ms::kernel makenewz_kernel{"makenewz", makenewz_body};

/// Empties the traversal when a kernel is done. What was planned counts as computed, so after an exception nothing
/// does.
class Cleaner {
 public:
  explicit Cleaner(Engine::State& state) : state_(state), exceptions_(std::uncaught_exceptions()) {}
  ~Cleaner() {
    state_.traversal.clear();
    if (std::uncaught_exceptions() > exceptions_) state_.forget();
  }
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;

 private:
  Engine::State& state_;
  int exceptions_;
};

}  // namespace

void Engine::State::run_newview() {
  const Cleaner cleaner(*this);
  if (traversal.count() > 0) ms::offload(newview_kernel, Work{*kernels, traversal, rates, groups});
}

double Engine::State::run_evaluate(const Operand& near, const Operand& far) {
  const Cleaner cleaner(*this);
  return ms::offload(evaluate_kernel, Work{*kernels, traversal, rates, groups}, Evaluation{near, far, sites()});
}

double Engine::State::run_junction(const Operand& near, const Operand& far, const Operand& hung) {
  const Cleaner cleaner(*this);
  const Preparation preparation{hanging.pending ? &hanging.from : nullptr, clv(hung_slot()), scale(hung_slot())};
  const double lnl = ms::offload(insertion_kernel, Work{*kernels, traversal, rates, groups},
                                 Junction{near, far, hung, sites()}, preparation);
  hanging.pending = false;
  return lnl;
}

double Engine::State::run_makenewz(const Operand& near, const Operand& far, double length, int iterations) {
  const Cleaner cleaner(*this);
  return ms::offload(makenewz_kernel, Work{*kernels, traversal, rates, groups},
                     Sumtable{table.data(), near, far, sites().invariant},
                     Search{factors.exponents.data(),
                            {table_factors[0].data(), table_factors[1].data(), table_factors[2].data()},
                            weights.data(),
                            length,
                            iterations});
}

}  // namespace phylo
