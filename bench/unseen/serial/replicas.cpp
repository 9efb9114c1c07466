// Replicas of an Ising model. The first half of a stream lets the lattice settle by Metropolis moves in random order,
// which are serial and no off-load; in the second half it measures, and checkerboard sweeps are off-loaded loops.

#include <numbers>

#include "program.hpp"

namespace unseen {

namespace {

constexpr double coupling = 0.2;  // J / kT, above the critical temperature
constexpr double move_seconds = 24e-9;
constexpr double site_seconds = 16e-9;

const kernel sweep_kernel{"checkerboard"};

class replicas final : public program {
 public:
  explicit replicas(const size& what)
      : program(what, 24), side_(small_or<std::int64_t>(32, 96)), energies_(at(streams())) {}

  void stream(std::int64_t i) override {
    const std::int64_t sites = side_ * side_;
    const auto seed = static_cast<std::uint64_t>(i) + 3;
    std::vector<std::int8_t> spins = room<std::int8_t>(sites, 1);
    const std::int64_t settling = rounds(8, 103);
    for (std::int64_t sweep = 0; sweep < settling; ++sweep)
      alone(static_cast<double>(sites) * move_seconds, [&] {
        for (std::int64_t k = 0; k < sites; ++k) {
          const std::uint64_t draw = mixed(seed, static_cast<std::uint64_t>(sweep * sites + k));
          flip(spins, static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(sites)), draw);
        }
      });
    double energy = 0;
    const std::int64_t measured = rounds(8, 118);
    for (std::int64_t sweep = 0; sweep < measured; ++sweep) {
      off_load(sweep_kernel, [&] {
        for (const std::int64_t colour : {0, 1})
          loop(side_, 4, static_cast<double>(side_ / 2) * site_seconds, [&](range r) {
            for (std::int64_t y = r.first; y < r.last; ++y)
              for (std::int64_t x = (y + colour) % 2; x < side_; x += 2)
                flip(spins, y * side_ + x,
                     mixed(seed + 1'000'000, static_cast<std::uint64_t>(sweep * sites + y * side_ + x)));
          });
      });
      alone(static_cast<double>(sites) * 1e-9, [&] {
        for (std::int64_t k = 0; k < sites; ++k)
          energy -= spins[at(k)] * (spins[at(right(k))] + spins[at((k + side_) % sites)]);
      });
    }
    energies_[at(i)] = energy / static_cast<double>(measured * sites);
    digest(i, spins);
  }

  /// Onsager's energy of a site.
  void check() const override {
    const double t = std::tanh(2 * coupling);
    const double k = 2 * std::sinh(2 * coupling) / std::pow(std::cosh(2 * coupling), 2);
    const double exact = -(1 + 2 / std::numbers::pi * (2 * t * t - 1) * std::comp_ellint_1(k)) / t;
    double mean = 0;
    for (const double energy : energies_) mean += energy / static_cast<double>(streams());
    const double bound = 8 / std::sqrt(static_cast<double>(side_ * side_ * streams()));
    require(std::abs(mean - exact) < bound, "the energy is not Onsager's");
  }

 private:
  std::int64_t right(std::int64_t k) const { return k % side_ == side_ - 1 ? k - side_ + 1 : k + 1; }

  void flip(std::vector<std::int8_t>& spins, std::int64_t k, std::uint64_t draw) const {
    const std::int64_t sites = side_ * side_;
    const std::int64_t left = k % side_ == 0 ? k + side_ - 1 : k - 1;
    const int around =
        spins[at(right(k))] + spins[at(left)] + spins[at((k + side_) % sites)] + spins[at((k + sites - side_) % sites)];
    const int cost = 2 * spins[at(k)] * around;
    static const double accept_4 = std::exp(-4 * coupling), accept_8 = std::exp(-8 * coupling);
    const double accept = cost <= 0 ? 1 : cost == 4 ? accept_4 : accept_8;
    if (static_cast<double>(draw >> 11) * 0x1p-53 < accept) spins[at(k)] = static_cast<std::int8_t>(-spins[at(k)]);
  }

  const std::int64_t side_;
  std::vector<double> energies_;
};

const listed<replicas> here{"serial", "replicas"};

}  // namespace

}  // namespace unseen
