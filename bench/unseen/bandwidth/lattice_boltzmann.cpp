// Lattice Boltzmann (D2Q9): a step reads nine densities of each cell's neighbours and writes nine. A step is an
// off-load of one loop over rows.

#include <array>
#include <numbers>

#include "program.hpp"

namespace unseen {

namespace {

constexpr int speeds = 9;
constexpr std::array<int, speeds> ex{0, 1, 0, -1, 0, 1, -1, -1, 1};
constexpr std::array<int, speeds> ey{0, 0, 1, 0, -1, 1, 1, -1, -1};
constexpr std::array<double, speeds> weight{4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                            1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
constexpr double relaxation = 1.2;
constexpr double amplitude = 0.02;
constexpr double cell_bytes = 24 * speeds;

const kernel step_kernel{"collide and stream"};

class lattice_boltzmann final : public program {
 public:
  explicit lattice_boltzmann(const size& what)
      : program(what, 4),
        width_(small_or<std::int64_t>(32, 640)),
        height_(small_or<std::int64_t>(32, 480)),
        steps_(rounds(10, 44)) {
    for (std::int64_t i = 0; i < streams(); ++i) {
      std::vector<double> f = room<double>(width_ * height_ * speeds);
      for (std::size_t k = 0; k < f.size(); ++k) {
        const double u = velocity(static_cast<std::int64_t>(k) / speeds / width_) * (1 + static_cast<double>(i));
        const int s = static_cast<int>(k % speeds);
        f[k] = equilibrium(s, 1, u, 0);
      }
      flows_.emplace_back(f, f);
    }
  }

  void stream(std::int64_t i) override {
    auto& [now, next] = flows_[at(i)];
    for (std::int64_t step = 0; step < steps_; ++step) {
      off_load(step_kernel, [&] {
        loop(height_, 4, static_cast<double>(width_) * moved(cell_bytes), [&](range r) {
          for (std::int64_t y = r.first; y < r.last; ++y) row(y, now, next);
        });
      });
      std::swap(now, next);
    }
    for (std::size_t k = 0; k < now.size(); k += 101) digest(i, now[k]);
  }

  /// Nothing is lost, and a shear wave decays by the fluid's viscosity.
  void check() const override {
    const double k = 2 * std::numbers::pi / static_cast<double>(height_);
    const double viscosity = (1 / relaxation - 0.5) / 3;
    const double decay = std::exp(-viscosity * k * k * static_cast<double>(steps_));
    for (std::int64_t i = 0; i < streams(); ++i) {
      double mass = 0, wave = 0, whole = 0;
      for (std::int64_t cell = 0; cell < width_ * height_; ++cell)
        for (std::size_t s = 0; s < speeds; ++s) {
          const double f = flows_[at(i)].first[at(cell) * speeds + s];
          const double u = velocity(cell / width_) * (1 + static_cast<double>(i));
          mass += f;
          wave += f * ex[s] * u;
          whole += weight[s] * u * u;
        }
      require(std::abs(mass / static_cast<double>(width_ * height_) - 1) < 1e-9, "mass is not conserved");
      require(std::abs(wave / whole / decay - 1) < 4e-3, "the wave does not decay as it should");
    }
  }

 private:
  double velocity(std::int64_t y) const {
    return amplitude * std::sin(2 * std::numbers::pi * static_cast<double>(y) / static_cast<double>(height_));
  }
  static double equilibrium(int s, double density, double u, double v) {
    const double along = ex[at(s)] * u + ey[at(s)] * v;
    return weight[at(s)] * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (u * u + v * v));
  }

  void row(std::int64_t y, const std::vector<double>& now, std::vector<double>& next) const {
    for (std::int64_t x = 0; x < width_; ++x) {
      std::array<double, speeds> f;
      double density = 0, u = 0, v = 0;
      for (int s = 0; s < speeds; ++s) {
        const std::int64_t from_x = x - ex[at(s)] < 0 ? width_ - 1 : x - ex[at(s)] == width_ ? 0 : x - ex[at(s)];
        const std::int64_t from_y = y - ey[at(s)] < 0 ? height_ - 1 : y - ey[at(s)] == height_ ? 0 : y - ey[at(s)];
        f[at(s)] = now[at((from_y * width_ + from_x) * speeds + s)];
        density += f[at(s)];
        u += ex[at(s)] * f[at(s)];
        v += ey[at(s)] * f[at(s)];
      }
      u /= density;
      v /= density;
      for (int s = 0; s < speeds; ++s)
        next[at((y * width_ + x) * speeds + s)] = f[at(s)] + relaxation * (equilibrium(s, density, u, v) - f[at(s)]);
    }
  }

  const std::int64_t width_, height_, steps_;
  std::vector<std::pair<std::vector<double>, std::vector<double>>> flows_;
};

const listed<lattice_boltzmann> here{"bandwidth", "lattice-boltzmann"};

}  // namespace

}  // namespace unseen
