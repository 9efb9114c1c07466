// k-means: points are assigned to centres in a loop of the stream; between loops the stream moves the centres itself.

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t dimensions = 4;
constexpr std::int64_t centres = 12;
constexpr double assign_seconds = 10.5e-9;
constexpr double add_seconds = 1.5e-9;

class k_means final : public program {
 public:
  explicit k_means(const size& what) : program(what, 6), points_(small_or<std::int64_t>(960, 24'000)) {
    clouds_.resize(at(streams()));
    for (std::int64_t i = 0; i < streams(); ++i) {
      cloud& c = clouds_[at(i)];
      c.points = room<double>(points_ * dimensions);
      c.centres = room<double>(centres * dimensions);
      c.nearest = room<std::int64_t>(points_);
      for (std::size_t k = 0; k < c.points.size(); ++k)
        c.points[k] = middle(i, k / dimensions % centres, k % dimensions) +
                      0.5 * (uniform(static_cast<std::uint64_t>(i) + 99, k) - 0.5);
      std::copy_n(c.points.begin(), c.centres.size(), c.centres.begin());
    }
  }

  void stream(std::int64_t i) override {
    cloud& c = clouds_[at(i)];
    for (std::int64_t round = 0; round < rounds(4, 580); ++round) {
      loop(points_, 250, assign_seconds, [&](range r) {
        for (std::int64_t p = r.first; p < r.last; ++p) c.nearest[at(p)] = nearest(c, p);
      });
      alone(static_cast<double>(points_) * add_seconds, [&] { move(c); });
    }
    digest(i, c.centres);
  }

  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i)
      for (std::size_t k = 0; k < clouds_[at(i)].centres.size(); ++k)
        require(std::abs(clouds_[at(i)].centres[k] - middle(i, k / dimensions, k % dimensions)) < 0.1,
                "a centre is not in the middle of its points");
  }

 private:
  struct cloud {
    std::vector<double> points, centres;
    std::vector<std::int64_t> nearest;
  };

  /// Middles differ by one at least in the first two coordinates together.
  static double middle(std::int64_t i, std::size_t of, std::size_t d) {
    if (d == 0) return static_cast<double>(of % 4) * 2;
    if (d == 1) return static_cast<double>(of / 4) * 2;
    return uniform(static_cast<std::uint64_t>(i), of * dimensions + d);
  }

  static std::int64_t nearest(const cloud& c, std::int64_t p) {
    double least = 1e300;
    std::int64_t chosen = 0;
    for (std::int64_t k = 0; k < centres; ++k) {
      double square = 0;
      for (std::int64_t d = 0; d < dimensions; ++d) {
        const double apart = c.points[at(p * dimensions + d)] - c.centres[at(k * dimensions + d)];
        square += apart * apart;
      }
      if (square < least) least = square, chosen = k;
    }
    return chosen;
  }

  void move(cloud& c) const {
    std::vector<double> sum(centres * dimensions);
    std::vector<double> count(centres);
    for (std::int64_t p = 0; p < points_; ++p) {
      const std::int64_t k = c.nearest[at(p)];
      count[at(k)] += 1;
      for (std::int64_t d = 0; d < dimensions; ++d) sum[at(k * dimensions + d)] += c.points[at(p * dimensions + d)];
    }
    for (std::size_t k = 0; k < sum.size(); ++k)
      if (count[k / dimensions] > 0) c.centres[k] = sum[k] / count[k / dimensions];
  }

  const std::int64_t points_;
  std::vector<cloud> clouds_;
};

const listed<k_means> here{"serial", "k-means"};

}  // namespace

}  // namespace unseen
