// A tree search as maslin-phylo runs it, in declared costs only: what it computes for real, maslin-phylo itself does.
// Three kernels in turn, each a loop over the site patterns of an alignment.

#include <cmath>

#include "maslin/error.hpp"
#include "random.hpp"
#include "shape.hpp"

namespace shapes {

namespace {

constexpr double replicate_sigma = 0.15;  // of the logarithm of a search's length
constexpr std::int64_t block = 64;        // patterns
constexpr double serial_seconds = 1.5e-6;
constexpr double host_seconds = 2e-6;  // between two off-loads

struct pass {
  const size& what;
  double pattern_seconds;

  void run() const {
    if (!what.pays(serial_seconds)) return;
    ms::parallel_for(
        0, what.patterns, [&](ms::range r) { (void)what.pays(static_cast<double>(r.size()) * pattern_seconds); },
        ms::block{block});
  }
};

void run_pass(const pass* p) { p->run(); }
const ms::kernel newview{"newview", run_pass};
const ms::kernel evaluate{"evaluate", run_pass};
const ms::kernel makenewz{"makenewz", run_pass};

class tree final : public shape {
 public:
  explicit tree(const size& what) : shape(what) {
    if (!what.declared) throw ms::error("shape tree: only with --declared; maslin-phylo is what computes");
  }

  std::int64_t expected(std::int64_t i) const override {
    const double factor = lognormal(replicate_sigma, 13, static_cast<std::uint64_t>(i));
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(what_.kernels) * factor));
  }

  void stream(std::int64_t i) override {
    for (std::int64_t k = 0; k < expected(i); ++k) {
      (void)what_.pays(host_seconds);
      const std::uint64_t kind = mixed(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)) % 10;
      const pass one{what_, kind < 7 ? 10e-9 : kind < 8 ? 8e-9 : 12e-9};
      off_load(i, kind < 7 ? newview : kind < 8 ? evaluate : makenewz, &one);
    }
  }

  void check() const override {}
  std::uint64_t answer() const override { return 0; }
};

}  // namespace

std::unique_ptr<shape> make_tree(const size& what) { return std::make_unique<tree>(what); }

}  // namespace shapes
