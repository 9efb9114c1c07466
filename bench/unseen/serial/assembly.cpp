// Heat flow by finite elements, implicit steps: the matrix is assembled element by element, which is serial, and the
// equations are solved by Jacobi sweeps, which are loops of the stream.

#include <numbers>

#include "program.hpp"

namespace unseen {

namespace {

constexpr double element_seconds = 2.4e-9;
constexpr double point_seconds = 2.5e-9;  // in a sweep
constexpr int sweeps = 16;

class assembly final : public program {
 public:
  explicit assembly(const size& what) : program(what, 20), steps_(rounds(2, 64)), temperatures_(at(streams())) {
    for (std::int64_t i = 0; i < streams(); ++i) temperatures_[at(i)] = start(side(i));
  }

  void stream(std::int64_t i) override {
    const std::int64_t n = side(i);
    const double h = 1 / static_cast<double>(n - 1);
    const double dt = h * h / 4;
    std::vector<double>& u = temperatures_[at(i)];
    std::vector<double> a = room<double>(n * n * 9), old = u, next = u;
    for (std::int64_t step = 0; step < steps_; ++step) {
      alone(static_cast<double>(2 * (n - 1) * (n - 1)) * element_seconds, [&] { assemble(n, dt, a); });
      old = u;
      for (int sweep = 0; sweep < sweeps; ++sweep) {
        loop(n - 2, 4, static_cast<double>(n - 2) * point_seconds, [&](range r) {
          for (std::int64_t y = r.first + 1; y <= r.last; ++y) jacobi(n, h, y, a, old, u, next);
        });
        std::swap(u, next);
      }
    }
    digest(i, u);
  }

  /// An eigenvector of the discrete operator keeps its shape.
  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const std::int64_t n = side(i);
      const double s = std::sin(std::numbers::pi / static_cast<double>(n - 1) / 2);
      const double decay = std::pow(1 + 0.25 * 8 * s * s, -static_cast<double>(steps_));
      const std::vector<double> begin = start(n);
      for (std::size_t k = 0; k < begin.size(); ++k)
        require(std::abs(temperatures_[at(i)][k] - decay * begin[k]) < 1e-6, "the temperature is wrong");
    }
  }

 private:
  std::int64_t side(std::int64_t i) const { return small_or<std::int64_t>(16, 96 + 32 * (i % 3)); }

  static std::vector<double> start(std::int64_t n) {
    std::vector<double> u = room<double>(n * n);
    for (std::size_t k = 0; k < u.size(); ++k) {
      const auto wave = [&](std::size_t j) {
        return std::sin(std::numbers::pi * static_cast<double>(j) / static_cast<double>(n - 1));
      };
      u[k] = wave(k % at(n)) * wave(k / at(n));
    }
    return u;
  }

  /// Adds the stiffness of both triangles of each cell, times dt, to rows of nine neighbours.
  static void assemble(std::int64_t n, double dt, std::vector<double>& a) {
    constexpr double of_triangle[3][3] = {{1, -0.5, -0.5}, {-0.5, 0.5, 0}, {-0.5, 0, 0.5}};
    std::fill(a.begin(), a.end(), 0.0);
    for (std::int64_t y = 0; y + 1 < n; ++y)
      for (std::int64_t x = 0; x + 1 < n; ++x)
        for (int upper = 0; upper < 2; ++upper) {
          const std::int64_t xs[3] = {x + upper, x + 1 - upper, x + upper};
          const std::int64_t ys[3] = {y + upper, y + upper, y + 1 - upper};
          for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 3; ++q) {
              const std::int64_t column = (ys[q] - ys[p] + 1) * 3 + xs[q] - xs[p] + 1;
              a[at((ys[p] * n + xs[p]) * 9 + column)] += dt * of_triangle[p][q];
            }
        }
  }

  /// With a lumped mass of h^2.
  static void jacobi(std::int64_t n, double h, std::int64_t y, const std::vector<double>& a,
                     const std::vector<double>& old, const std::vector<double>& u, std::vector<double>& next) {
    for (std::int64_t x = 1; x + 1 < n; ++x) {
      const std::int64_t k = y * n + x;
      double sum = h * h * old[at(k)];
      for (std::int64_t column = 0; column < 9; ++column)
        if (column != 4) sum -= a[at(k * 9 + column)] * u[at(k + (column / 3 - 1) * n + column % 3 - 1)];
      next[at(k)] = sum / (h * h + a[at(k * 9 + 4)]);
    }
  }

  const std::int64_t steps_;
  std::vector<std::vector<double>> temperatures_;
};

const listed<assembly> here{"serial", "assembly"};

}  // namespace

}  // namespace unseen
