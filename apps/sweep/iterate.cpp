// Source iteration, by ranks.

#include <algorithm>
#include <functional>

#include "maslin/runtime.hpp"
#include "sweep/forms.hpp"

namespace sweep {

namespace {

double larger(double a, double b) { return std::max(a, b); }

void copy_to(solution& found, const domain& d) {
  const auto [ni, nj, nk] = d.of.with.cells;
  for (int n = 0; n < d.of.with.moments(); ++n) {
    const double* from = d.flux[static_cast<std::size_t>(n)].data();
    for (int k = 0; k < nk; ++k)
      for (int j = 0; j < d.nj; ++j, from += d.ni)
        std::copy_n(from, d.ni,
                    found.flux[static_cast<std::size_t>(n)].begin() +
                        (static_cast<std::ptrdiff_t>(k) * nj + d.first_j + j) * ni + d.first_i);
  }
}

}  // namespace

solution solve_by_ranks(const problem& of, const make_rank& make) {
  solution found(of);
  maslin::ranks(of.with.ranks(), [&](maslin::communicator& world) {
    domain d(of, world.rank());
    const rank_form mine = make(world, d);
    for (int number = 1;; ++number) {
      world.barrier();  // a rank that is ahead would begin the next iteration's time
      const auto began = maslin::time();
      d.make_source();
      const std::int64_t fixed = sweep_all(d, found.leaving, *mine.between, *mine.blocks, of.with.fixes_in(number));
      const double error = world.all_reduce(d.change(), larger);
      const std::int64_t fixups = world.all_reduce(fixed, std::plus{});
      if (world.rank() == 0) found.iterations.push_back({error, fixups, (maslin::time() - began).count()});
      if (of.with.ends_after(number, error)) break;
      mine.blocks->staged_bytes();  // counted anew: one iteration's are told
    }
    const double staged = world.all_reduce(mine.blocks->staged_bytes(), std::plus{});
    const auto [most, largest] = d.imbalance();
    const double imbalance = world.all_reduce(most, larger), source = world.all_reduce(largest, larger);
    if (world.rank() == 0) {
      found.staged_bytes = staged;
      if (source > 0) found.imbalance = imbalance / source;
    }
    copy_to(found, d);
  });
  return found;
}

}  // namespace sweep
