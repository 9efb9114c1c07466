// Integrals: every other stream bisects its interval adaptively, which is recursive and serial; those between add up
// many points in loops. Nothing is off-loaded.

#include "program.hpp"

namespace unseen {

namespace {

constexpr double value_seconds = 1.05e-9;
constexpr double peak_seconds = 88e-6;  // where it is bisected
constexpr std::int64_t peaks = 4;

class adaptive_quadrature final : public program {
 public:
  explicit adaptive_quadrature(const size& what) : program(what, 200), found_(at(streams())) {}

  void stream(std::int64_t i) override {
    const std::int64_t repeats = rounds(1, 15);
    for (std::int64_t round = 0; round < repeats; ++round) {
      if (i % 2 == 0)
        alone(peaks * peak_seconds, [&] {
          found_[at(i)] = 0;
          for (std::int64_t peak = 0; peak < peaks; ++peak)
            found_[at(i)] += bisected(centre(i, peak), 0, 1, tolerance());
        });
      else
        found_[at(i)] = summed(i);
    }
    digest(i, found_[at(i)]);
  }

  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      double exact = 0;
      for (std::int64_t peak = 0; peak < (i % 2 == 0 ? peaks : 1); ++peak) {
        const double c = centre(i, peak);
        exact += (std::atan((1 - c) / narrow) + std::atan(c / narrow)) / narrow;
      }
      require(std::abs(found_[at(i)] - exact) < small_or(1e-3, 1e-6) * exact, "an integral is wrong");
    }
  }

 private:
  static constexpr double narrow = 1e-3;

  /// A narrow peak.
  static double centre(std::int64_t i, std::int64_t peak) {
    return 0.2 + 0.6 * uniform(static_cast<std::uint64_t>(peak), static_cast<std::uint64_t>(i));
  }
  static double value(double c, double x) { return 1 / (narrow * narrow + (x - c) * (x - c)); }
  double tolerance() const { return small_or(1e-1, 1e-9); }

  static double simpson(double c, double a, double b) {
    return (b - a) / 6 * (value(c, a) + 4 * value(c, 0.5 * (a + b)) + value(c, b));
  }
  static double bisected(double c, double a, double b, double within) {
    const double middle = 0.5 * (a + b);
    const double whole = simpson(c, a, b), left = simpson(c, a, middle), right = simpson(c, middle, b);
    if (b - a < 1.0 / 64 && std::abs(left + right - whole) < 15 * within) return left + right;
    return bisected(c, a, middle, within / 2) + bisected(c, middle, b, within / 2);
  }

  double summed(std::int64_t i) const {
    const std::int64_t points = small_or<std::int64_t>(1 << 13, 300'000);
    const double c = centre(i, 0), step = 1 / static_cast<double>(points);
    return step * loop_sum(points, 2'000, value_seconds, [&](range r) {
             double sum = 0;
             for (std::int64_t k = r.first; k < r.last; ++k) sum += value(c, (static_cast<double>(k) + 0.5) * step);
             return sum;
           });
  }

  std::vector<double> found_;
};

const listed<adaptive_quadrature> here{"mixes", "adaptive-quadrature"};

}  // namespace

}  // namespace unseen
