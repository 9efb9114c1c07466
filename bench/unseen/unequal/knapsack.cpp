// Knapsacks by branch and bound, of the kind on which bounds are of no use (Chvatal 1980): values are weights, weights
// are even, and the capacity is odd. A stream is a search; each further item doubles it. It has neither a loop nor an
// off-load.

#include "program.hpp"

namespace unseen {

namespace {

constexpr double seconds_of_26 = 68e-3;  // items, and twice as long with each further one

struct item {
  std::int64_t weight, value;
};

class knapsack final : public program {
 public:
  explicit knapsack(const size& what) : program(what, 64), best_(at(streams())) {}

  void stream(std::int64_t i) override {
    alone(seconds_of_26 * std::pow(2.0, static_cast<double>(count(i) - 26)), [&] {
      const std::vector<item> items = instance(i);
      search(items, 0, capacity(items), 0, best_[at(i)]);
    });
    digest(i, best_[at(i)]);
  }

  /// The table of all capacities.
  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const std::vector<item> items = instance(i);
      const std::int64_t room_left = capacity(items);
      std::vector<std::int64_t> value(at(room_left + 1));
      for (const item& one : items)
        for (std::int64_t c = room_left; c >= one.weight; --c)
          value[at(c)] = std::max(value[at(c)], value[at(c - one.weight)] + one.value);
      require(value.back() == best_[at(i)], "a knapsack is worth another sum");
    }
  }

 private:
  std::int64_t count(std::int64_t i) const { return small_or<std::int64_t>(12, 15 + 7 * i % 12); }

  std::vector<item> instance(std::int64_t i) const {
    std::vector<item> items;
    for (std::int64_t k = 0; k < count(i); ++k) {
      const std::uint64_t draw = mixed(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
      const auto weight = 2 * static_cast<std::int64_t>(draw % 500 + 50);
      items.push_back({weight, weight});
    }
    return items;
  }
  static std::int64_t capacity(const std::vector<item>& items) {
    std::int64_t sum = 0;
    for (const item& one : items) sum += one.weight;
    return sum / 2 | 1;
  }

  /// The bound: what is left filled with the next items, the last one in part.
  static double bound(const std::vector<item>& items, std::size_t k, std::int64_t left) {
    double sum = 0;
    for (; k < items.size() && items[k].weight <= left; ++k) {
      sum += static_cast<double>(items[k].value);
      left -= items[k].weight;
    }
    return k == items.size() ? sum
                             : sum + static_cast<double>(items[k].value * left) / static_cast<double>(items[k].weight);
  }

  static void search(const std::vector<item>& items, std::size_t k, std::int64_t left, std::int64_t value,
                     std::int64_t& best) {
    best = std::max(best, value);
    if (k == items.size() || static_cast<double>(value) + bound(items, k, left) < static_cast<double>(best) + 1) return;
    if (items[k].weight <= left) search(items, k + 1, left - items[k].weight, value + items[k].value, best);
    search(items, k + 1, left, value, best);
  }

  std::vector<std::int64_t> best_;
};

const listed<knapsack> here{"unequal", "knapsack"};

}  // namespace

}  // namespace unseen
