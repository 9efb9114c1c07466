// Round trips through towns. The first half of a stream anneals: off-loads without loops, random exchanges one after
// the other. The second half looks for the best exchange of all again and again: off-loads of one loop each.

#include <numeric>

#include "program.hpp"

namespace unseen {

namespace {

constexpr double exchange_seconds = 42e-9;
constexpr double pair_seconds = 8.5e-9;

const kernel anneal_kernel{"anneal"};
const kernel best_kernel{"best exchange"};

struct trip {
  std::vector<double> x, y;
  std::vector<std::int32_t> order;
  double begin = 0;
};

class annealing final : public program {
 public:
  explicit annealing(const size& what)
      : program(what, 20), towns_(small_or<std::int64_t>(60, 320)), trips_(at(streams())) {
    for (std::int64_t i = 0; i < streams(); ++i) {
      trip& t = trips_[at(i)];
      t.x = t.y = room<double>(towns_);
      t.order = room<std::int32_t>(towns_);
      std::iota(t.order.begin(), t.order.end(), 0);
      for (std::size_t k = 0; k < t.x.size(); ++k) {
        t.x[k] = uniform(static_cast<std::uint64_t>(i), 2 * k);
        t.y[k] = uniform(static_cast<std::uint64_t>(i), 2 * k + 1);
      }
      if (!declared) t.begin = length(t);
    }
  }

  void stream(std::int64_t i) override {
    trip& t = trips_[at(i)];
    const std::int64_t exchanges = small_or<std::int64_t>(500, 4'000), cooling = rounds(6, 140);
    for (std::int64_t round = 0; round < cooling; ++round)
      off_load(anneal_kernel, [&] {
        alone(static_cast<double>(exchanges) * exchange_seconds, [&] { anneal(t, i, round, exchanges); });
      });
    for (std::int64_t round = 0; round < rounds(6, 55); ++round) improve(t);
    digest(i, t.order);
  }

  void check() const override {
    for (trip t : trips_) {
      require(length(t) < 0.9 * t.begin, "a trip is not shorter");
      std::sort(t.order.begin(), t.order.end());
      for (std::int64_t k = 0; k < towns_; ++k) require(t.order[at(k)] == k, "a town is missing");
    }
  }

 private:
  double road(const trip& t, std::int64_t from, std::int64_t to) const {
    const auto a = at(t.order[at(from % towns_)]), b = at(t.order[at(to % towns_)]);
    return std::sqrt((t.x[a] - t.x[b]) * (t.x[a] - t.x[b]) + (t.y[a] - t.y[b]) * (t.y[a] - t.y[b]));
  }
  double length(const trip& t) const {
    double sum = 0;
    for (std::int64_t k = 0; k < towns_; ++k) sum += road(t, k, k + 1);
    return sum;
  }
  /// Gives what it gains to go the way between a and b in the other direction.
  double gain(const trip& t, std::int64_t a, std::int64_t b) const {
    return road(t, a, a + 1) + road(t, b, b + 1) - road(t, a, b) - road(t, a + 1, b + 1);
  }
  static void exchange(trip& t, std::int64_t a, std::int64_t b) {
    std::reverse(t.order.begin() + a + 1, t.order.begin() + b + 1);
  }

  void anneal(trip& t, std::int64_t i, std::int64_t round, std::int64_t exchanges) const {
    const double temperature = 0.1 * std::pow(0.93, static_cast<double>(round));
    const auto seed = static_cast<std::uint64_t>(i * 10'000 + round);
    for (std::int64_t k = 0; k < exchanges; ++k) {
      const std::uint64_t draw = mixed(seed, static_cast<std::uint64_t>(k));
      const auto n = static_cast<std::uint64_t>(towns_);
      auto a = static_cast<std::int64_t>(draw % n), b = static_cast<std::int64_t>((draw >> 32) % n);
      if (a > b) std::swap(a, b);
      if (b - a < 2) continue;
      const double gained = gain(t, a, b);
      if (gained > 0 || uniform(seed + 5, draw) < std::exp(gained / temperature)) exchange(t, a, b);
    }
  }

  void improve(trip& t) const {
    std::vector<std::pair<double, std::int64_t>> best(at(towns_));
    off_load(best_kernel, [&] {
      const auto cost = [&](range r) {
        return static_cast<double>(r.size() * (2 * towns_ - r.first - r.last)) / 2 * pair_seconds;
      };
      loop(towns_, 8, cost, [&](range r) {
        for (std::int64_t a = r.first; a < r.last; ++a)
          for (std::int64_t b = a + 2; b < towns_; ++b) best[at(a)] = std::max(best[at(a)], {gain(t, a, b), b});
      });
    });
    alone(static_cast<double>(towns_) * 1e-9, [&] {
      const auto most = std::max_element(best.begin(), best.end());
      if (most->first > 1e-12) exchange(t, most - best.begin(), most->second);
    });
  }

  const std::int64_t towns_;
  std::vector<trip> trips_;
};

const listed<annealing> here{"mixes", "annealing"};

}  // namespace

}  // namespace unseen
