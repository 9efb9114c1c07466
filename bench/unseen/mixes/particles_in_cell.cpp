// A plasma in one dimension: particles leave their charge on a grid (serial, since they meet there), the field is found
// (serial and short), and particles are pushed in an off-loaded loop, in the second half of a stream by eight
// sub-steps.

#include <numbers>

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t cells = 256;
constexpr double dt = 0.1;
constexpr double deposit_seconds = 1.2e-9;
constexpr double cell_seconds = 2e-9;
constexpr double push_seconds = 4.8e-9;

const kernel push_kernel{"push"};

struct plasma {
  std::vector<double> x, v, charge, field;
  double begin = 0, end = 0;  // momenta
};

class particles_in_cell final : public program {
 public:
  explicit particles_in_cell(const size& what)
      : program(what, 6), particles_(small_or<std::int64_t>(2'048, 24'576)), plasmas_(at(streams())) {
    for (std::int64_t i = 0; i < streams(); ++i) {
      plasma& p = plasmas_[at(i)];
      p.x = p.v = room<double>(particles_);
      p.charge = p.field = room<double>(cells);
      for (std::size_t k = 0; k < p.x.size(); ++k) {
        p.x[k] = cells * uniform(static_cast<std::uint64_t>(i), k);
        p.v[k] = (k % 2 == 0 ? 1 : -1) + 0.1 * std::sin(2 * std::numbers::pi * p.x[k] / cells);
      }
    }
  }

  void stream(std::int64_t i) override {
    plasma& p = plasmas_[at(i)];
    const auto n = static_cast<double>(particles_);
    p.begin = momentum(p);
    const std::int64_t steps = rounds(8, 300);
    for (std::int64_t step = 0; step < steps; ++step) {
      alone(n * deposit_seconds + cells * cell_seconds, [&] { find_field(p); });
      // The second half of a stream follows the particles in eight parts of each step.
      const int parts = step < steps / 2 ? 1 : 8;
      off_load(push_kernel, [&] { loop(particles_, 512, parts * push_seconds, [&](range r) { push(p, r, parts); }); });
    }
    p.end = momentum(p);
    digest(i, p.x);
  }

  /// Charge is conserved; momentum is but for what sub-steps lose.
  void check() const override {
    for (const plasma& p : plasmas_) {
      double charge = 0;
      for (const double one : p.charge) charge += one;
      require(std::abs(charge) < 1e-6, "charge is not conserved");
      require(std::abs(p.end - p.begin) < 0.02 * static_cast<double>(particles_), "momentum is not conserved");
      for (const double x : p.x) require(x >= 0 && x < cells, "a particle has left");
    }
  }

 private:
  static double momentum(const plasma& p) {
    double sum = 0;
    for (const double v : p.v) sum += v;
    return sum;
  }

  void find_field(plasma& p) const {
    std::fill(p.charge.begin(), p.charge.end(), 1.0);  // the ions, at rest
    const double each = static_cast<double>(cells) / static_cast<double>(particles_);
    for (const double x : p.x) {
      const auto cell = static_cast<std::size_t>(x);
      const double right = x - static_cast<double>(cell);
      p.charge[cell] -= each * (1 - right);
      p.charge[(cell + 1) % cells] -= each * right;
    }
    double sum = 0, mean = 0;
    for (std::size_t k = 0; k < cells; ++k) {
      const double before = sum;
      sum += 0.01 * p.charge[k];
      p.field[k] = 0.5 * (before + sum);
      mean += p.field[k] / cells;
    }
    for (double& e : p.field) e -= mean;
  }

  static void push(plasma& p, range r, int parts) {
    const double h = dt / parts;
    for (std::int64_t k = r.first; k < r.last; ++k) {
      double x = p.x[at(k)], v = p.v[at(k)];
      for (int part = 0; part < parts; ++part) {
        const auto cell = static_cast<std::size_t>(x);
        const double right = x - static_cast<double>(cell);
        v -= h * ((1 - right) * p.field[cell] + right * p.field[(cell + 1) % cells]);
        x += h * v;
        if (x < 0) x += cells;
        if (x >= cells) x -= cells;
      }
      p.x[at(k)] = x;
      p.v[at(k)] = v;
    }
  }

  const std::int64_t particles_;
  std::vector<plasma> plasmas_;
};

const listed<particles_in_cell> here{"mixes", "particles-in-cell"};

}  // namespace

}  // namespace unseen
