// Multigrid for Poisson's equation: V-cycles whose fine grids are swept in off-loaded loops, and whose coarse grids the
// stream computes alone, because they are small.

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t coarse_side = 33;    // and below: by the stream alone
constexpr double smooth_seconds = 0.6e-9;   // of a cell
constexpr double restrict_seconds = 18e-9;  // of a cell of the coarser grid
constexpr double prolong_seconds = 0.7e-9;
constexpr std::int64_t rows = 4;  // of a block

const kernel smooth_kernel{"smooth"};
const kernel restrict_kernel{"restrict"};
const kernel prolong_kernel{"prolong"};

struct grid {
  std::int64_t n;
  std::vector<double> u, f, next;
};

class multigrid final : public program {
 public:
  explicit multigrid(const size& what) : program(what, 9), cycles_(rounds(6, 90)) {
    for (std::int64_t i = 0; i < streams(); ++i) {
      std::vector<grid> levels;
      for (std::int64_t n = small_or<std::int64_t>(65, 385); n >= 5; n = n / 2 + 1)
        levels.push_back({n, room<double>(n * n), room<double>(n * n), room<double>(n * n)});
      std::vector<double>& f = levels[0].f;
      for (std::size_t k = 0; k < f.size(); ++k) f[k] = uniform(static_cast<std::uint64_t>(i), k) - 0.5;
      hierarchies_.push_back(std::move(levels));
    }
  }

  void stream(std::int64_t i) override {
    for (std::int64_t cycle = 0; cycle < cycles_; ++cycle) v_cycle(hierarchies_[at(i)], 0);
    digest(i, hierarchies_[at(i)][0].u);
  }

  void check() const override {
    for (const auto& levels : hierarchies_) {
      const grid& g = levels[0];
      double left = 0, right = 0;
      for (std::int64_t y = 1; y + 1 < g.n; ++y)
        for (std::int64_t x = 1; x + 1 < g.n; ++x) {
          left = std::max(left, std::abs(residual(g, y * g.n + x)));
          right = std::max(right, std::abs(g.f[at(y * g.n + x)]));
        }
      require(left < right * std::max(1e-9, std::pow(0.5, static_cast<double>(cycles_))),
              "the residual does not shrink");
    }
  }

 private:
  /// Runs `row(y)` for the inner rows: in an off-loaded loop where the grid is fine.
  template <class Row>
  static void sweep(const kernel& k, std::int64_t n, double cell_seconds, const Row& row,
                    place where = place::current()) {
    const double row_seconds = static_cast<double>(n) * cell_seconds;
    const auto some = [&](range r) {
      for (std::int64_t y = r.first + 1; y <= r.last; ++y) row(y);
    };
    if (n > coarse_side)
      off_load(k, [&] { loop(n - 2, rows, row_seconds, some, where); });
    else
      alone(static_cast<double>(n) * row_seconds, [&] { some({0, n - 2}); });
  }

  static double residual(const grid& g, std::int64_t k) {
    return g.f[at(k)] - (4 * g.u[at(k)] - g.u[at(k - 1)] - g.u[at(k + 1)] - g.u[at(k - g.n)] - g.u[at(k + g.n)]);
  }

  static void smooth(grid& g, int times) {
    for (int k = 0; k < times; ++k) {
      sweep(smooth_kernel, g.n, smooth_seconds, [&](std::int64_t y) {
        for (std::int64_t j = y * g.n + 1; j + 1 < (y + 1) * g.n; ++j)
          g.next[at(j)] = g.u[at(j)] + 0.2 * residual(g, j);
      });
      std::swap(g.u, g.next);
    }
  }

  static void v_cycle(std::vector<grid>& levels, std::size_t level) {
    grid& fine = levels[level];
    const bool last = level + 1 == levels.size();
    smooth(fine, last ? 20 : 2);
    if (last) return;
    grid& coarse = levels[level + 1];
    sweep(restrict_kernel, coarse.n, restrict_seconds, [&](std::int64_t y) {
      for (std::int64_t x = 1; x + 1 < coarse.n; ++x) {
        const std::int64_t k = 2 * y * fine.n + 2 * x;
        double sum = 0;
        for (const std::int64_t dy : {-1, 0, 1})
          for (const std::int64_t dx : {-1, 0, 1}) {
            const std::int64_t near = k + dy * fine.n + dx;
            const std::int64_t nx = 2 * x + dx, ny = 2 * y + dy;
            if (nx == 0 || ny == 0 || nx == fine.n - 1 || ny == fine.n - 1) continue;
            sum += residual(fine, near) * (dx == 0 ? 1 : 0.5) * (dy == 0 ? 1 : 0.5);
          }
        coarse.f[at(y * coarse.n + x)] = sum;
        coarse.u[at(y * coarse.n + x)] = 0;
      }
    });
    v_cycle(levels, level + 1);
    sweep(prolong_kernel, fine.n, prolong_seconds, [&](std::int64_t y) {
      for (std::int64_t x = 1; x + 1 < fine.n; ++x) {
        const std::int64_t k = y / 2 * coarse.n + x / 2;
        const std::int64_t right = x % 2, down = y % 2 * coarse.n;
        fine.u[at(y * fine.n + x)] += 0.25 * (coarse.u[at(k)] + coarse.u[at(k + right)] + coarse.u[at(k + down)] +
                                              coarse.u[at(k + right + down)]);
      }
    });
    smooth(fine, 2);
  }

  const std::int64_t cycles_;
  std::vector<std::vector<grid>> hierarchies_;
};

const listed<multigrid> here{"serial", "multigrid"};

}  // namespace

}  // namespace unseen
