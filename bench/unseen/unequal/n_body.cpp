// Five star clusters, each half as large again as the one before: accelerations are an off-loaded loop over stars, and
// the stream moves the stars itself.

#include <array>

#include "program.hpp"

namespace unseen {

namespace {

using vector3 = std::array<double, 3>;

constexpr double softening = 0.05;
constexpr double dt = 1e-3;
constexpr double pair_seconds = 3.7e-9;
constexpr double move_seconds = 3e-9;

const kernel accelerations_kernel{"accelerations"};

struct cluster {
  std::vector<vector3> at, speed, pull;
  std::vector<double> potential;
  double begin = 0, end = 0;  // energies
};

class n_body final : public program {
 public:
  explicit n_body(const size& what) : program(what, 5), clusters_(at(streams())) {
    for (std::int64_t i = 0; i < streams(); ++i) {
      cluster& c = clusters_[at(i)];
      c.at = c.speed = c.pull = room<vector3>(stars(i));
      c.potential = room<double>(stars(i));
      for (std::size_t k = 0; k < c.at.size(); ++k)
        for (std::size_t d = 0; d < 3; ++d) c.at[k][d] = uniform(static_cast<std::uint64_t>(i), 3 * k + d) - 0.5;
    }
  }

  void stream(std::int64_t i) override {
    cluster& c = clusters_[at(i)];
    const std::int64_t steps = rounds(10, 720);
    const double moving = static_cast<double>(stars(i)) * move_seconds;
    off_load(accelerations_kernel, [&] { accelerate(c, stars(i)); });
    c.begin = energy(c);
    for (std::int64_t step = 0; step < steps; ++step) {
      alone(moving, [&] {
        kick(c);
        for (std::size_t k = 0; k < c.at.size(); ++k)
          for (std::size_t d = 0; d < 3; ++d) c.at[k][d] += dt * c.speed[k][d];
      });
      off_load(accelerations_kernel, [&] { accelerate(c, stars(i)); });
      alone(moving, [&] { kick(c); });
    }
    c.end = energy(c);
    for (const vector3& x : c.at) digest(i, x[0] + x[1] + x[2]);
  }

  void check() const override {
    for (const cluster& c : clusters_)
      require(std::abs(c.end - c.begin) < 1e-3 * std::abs(c.begin), "energy is not conserved");
  }

 private:
  std::int64_t stars(std::int64_t i) const {
    return small_or<std::int64_t>(32 + 8 * i, std::llround(90 * std::pow(1.5, static_cast<double>(i))));
  }

  static void accelerate(cluster& c, std::int64_t n) {
    const double mass = 1 / static_cast<double>(n);
    loop(n, 4, static_cast<double>(n) * pair_seconds, [&](range r) {
      for (std::int64_t k = r.first; k < r.last; ++k) {
        vector3 sum{};
        double potential = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          vector3 apart{};
          double square = softening * softening;
          for (std::size_t d = 0; d < 3; ++d) {
            apart[d] = c.at[at(j)][d] - c.at[at(k)][d];
            square += apart[d] * apart[d];
          }
          const double inverse = 1 / std::sqrt(square);
          for (std::size_t d = 0; d < 3; ++d) sum[d] += mass * apart[d] * inverse * inverse * inverse;
          if (j != k) potential -= 0.5 * mass * mass * inverse;
        }
        c.pull[at(k)] = sum;
        c.potential[at(k)] = potential;
      }
    });
  }

  static void kick(cluster& c) {
    for (std::size_t k = 0; k < c.at.size(); ++k)
      for (std::size_t d = 0; d < 3; ++d) c.speed[k][d] += 0.5 * dt * c.pull[k][d];
  }
  static double energy(const cluster& c) {
    double sum = 0;
    for (std::size_t k = 0; k < c.at.size(); ++k) {
      const vector3& v = c.speed[k];
      sum += c.potential[k] + 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / static_cast<double>(c.at.size());
    }
    return sum;
  }

  std::vector<cluster> clusters_;
};

const listed<n_body> here{"unequal", "n-body"};

}  // namespace

}  // namespace unseen
