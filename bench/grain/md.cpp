// Uneven molecular-dynamics trajectories: Lennard-Jones particles in a periodic box, velocity Verlet, reduced units.
// The forces are an off-load, a loop over particles; the stream itself moves them.

#include <fmt/format.h>

#include <cmath>

#include "random.hpp"
#include "shape.hpp"

namespace shapes {

namespace {

constexpr double density = 0.5;
constexpr double temperature = 0.7;
constexpr double cutoff = 2.5;
constexpr double dt = 0.002;
constexpr std::int64_t block = 4;  // particles
constexpr double pair_seconds = 2.5e-9;
constexpr double move_seconds = 10e-9;  // of a particle, in a step

struct vector3 {
  double x = 0, y = 0, z = 0;
};

struct trajectory {
  const size& what;
  std::int64_t n;
  double side;
  std::vector<vector3> at, speed, force;
  std::vector<double> potential;

  trajectory(const size& of, std::int64_t particles, std::uint64_t seed)
      : what(of), n(particles), side(std::cbrt(static_cast<double>(particles) / density)) {
    if (what.declared) return;
    const auto count = static_cast<std::size_t>(n);
    at.resize(count), speed.resize(count), force.resize(count), potential.resize(count);
    const auto edge = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(n)) - 1e-9));
    const double a = side / static_cast<double>(edge);
    vector3 mean;
    for (std::size_t i = 0; i < count; ++i) {
      at[i] = {a * static_cast<double>(i % edge), a * static_cast<double>(i / edge % edge),
               a * static_cast<double>(i / edge / edge)};
      const double width = std::sqrt(12 * temperature);  // a uniform distribution of that variance
      speed[i] = {width * (uniform(seed, 3 * i) - 0.5), width * (uniform(seed, 3 * i + 1) - 0.5),
                  width * (uniform(seed, 3 * i + 2) - 0.5)};
      mean = {mean.x + speed[i].x, mean.y + speed[i].y, mean.z + speed[i].z};
    }
    for (vector3& v : speed)
      v = {v.x - mean.x / static_cast<double>(n), v.y - mean.y / static_cast<double>(n),
           v.z - mean.z / static_cast<double>(n)};
  }

  /// Without a branch, which nobody could predict.
  double nearest(double d) const { return d - side * ((d > 0.5 * side) - (d < -0.5 * side)); }
  double wrapped(double x) const { return x < 0 ? x + side : x >= side ? x - side : x; }

  void forces() {
    constexpr double square_cutoff = cutoff * cutoff;
    constexpr double sixth_at_cutoff = 1 / (square_cutoff * square_cutoff * square_cutoff);
    constexpr double at_cutoff = 4 * sixth_at_cutoff * (sixth_at_cutoff - 1);
    ms::parallel_for(
        0, n,
        [&](ms::range r) {
          if (what.pays(static_cast<double>(r.size() * n) * pair_seconds)) return;
          for (const auto number : r) {
            const auto i = static_cast<std::size_t>(number);
            vector3 f;
            double energy = 0;
            for (std::size_t j = 0; j < at.size(); ++j) {
              const vector3 d{nearest(at[i].x - at[j].x), nearest(at[i].y - at[j].y), nearest(at[i].z - at[j].z)};
              const double square = d.x * d.x + d.y * d.y + d.z * d.z;
              if (square >= square_cutoff || j == i) continue;
              const double inverse = 1 / square;
              const double sixth = inverse * inverse * inverse;
              const double push = 48 * inverse * sixth * (sixth - 0.5);
              f = {f.x + push * d.x, f.y + push * d.y, f.z + push * d.z};
              energy += 4 * sixth * (sixth - 1) - at_cutoff;
            }
            force[i] = f;
            potential[i] = 0.5 * energy;
          }
        },
        ms::block{block});
  }

  void kick() {
    for (std::size_t i = 0; i < at.size(); ++i)
      speed[i] = {speed[i].x + 0.5 * dt * force[i].x, speed[i].y + 0.5 * dt * force[i].y,
                  speed[i].z + 0.5 * dt * force[i].z};
  }
  void drift() {
    for (std::size_t i = 0; i < at.size(); ++i)
      at[i] = {wrapped(at[i].x + dt * speed[i].x), wrapped(at[i].y + dt * speed[i].y),
               wrapped(at[i].z + dt * speed[i].z)};
  }
  double kinetic() const {
    double sum = 0;
    for (const vector3& v : speed) sum += 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z);
    return sum;
  }
  double energy() const {
    double sum = kinetic();
    for (const double one : potential) sum += one;
    return sum;
  }
};

const ms::kernel forces_kernel{"forces", [](trajectory* t) { t->forces(); }};

class trajectories final : public shape {
 public:
  explicit trajectories(const size& what)
      : shape(what), defects_(static_cast<std::size_t>(what.streams)), sums_(defects_.size()) {}

  /// The last trajectory is three times as long as the first; with the sizes that makes a factor of eight at most.
  std::int64_t expected(std::int64_t i) const override {
    const double place = what_.streams > 1 ? static_cast<double>(i) / static_cast<double>(what_.streams - 1) : 0.5;
    return std::max<std::int64_t>(2, std::llround(static_cast<double>(what_.kernels) * (0.5 + place)));
  }
  std::int64_t particles(std::int64_t i) const { return what_.small ? 32 : 192 + 32 * (i % 5); }

  void stream(std::int64_t i) override {
    trajectory mine(what_, particles(i), mixed(static_cast<std::uint64_t>(i)));
    off_load(i, forces_kernel, &mine);
    const double begin = mine.energy();
    const double scale = mine.kinetic();
    for (std::int64_t step = 1; step < expected(i); ++step) {
      if (!what_.pays(static_cast<double>(mine.n) * move_seconds)) {
        mine.kick();
        mine.drift();
      }
      off_load(i, forces_kernel, &mine);
      if (!what_.pays(0)) mine.kick();
    }
    if (what_.declared) return;
    const auto at = static_cast<std::size_t>(i);
    defects_[at] = std::abs(mine.energy() - begin) / scale;
    for (const vector3& v : mine.at) sums_[at] = mixed(mixed(mixed(sums_[at], v.x), v.y), v.z);
  }

  void check() const override {
    for (const double defect : defects_)
      if (!(defect <= 2e-2)) throw wrong_answer(fmt::format("energy is not conserved: {:.2g} of the heat", defect));
  }
  std::uint64_t answer() const override { return folded(sums_); }

 private:
  std::vector<double> defects_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::unique_ptr<shape> make_md(const size& what) { return std::make_unique<trajectories>(what); }

}  // namespace shapes
