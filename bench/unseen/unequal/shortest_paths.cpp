// Shortest paths on road networks of unequal size by rounds of Bellman and Ford: a round is an off-load, a loop over
// the crossings; how many rounds there are depends on the network.

#include "program.hpp"

namespace unseen {

namespace {

constexpr double crossing_seconds = 2.6e-9;

const kernel round_kernel{"relax"};

struct network {
  std::int64_t side;
  std::vector<std::int32_t> right, down;  // lengths of the roads
  std::vector<std::int32_t> distance, next;
};

class shortest_paths final : public program {
 public:
  explicit shortest_paths(const size& what) : program(what, 18), networks_(at(streams())) {
    for (std::int64_t i = 0; i < streams(); ++i) {
      network& g = networks_[at(i)];
      g.side = side(i);
      const std::int64_t n = g.side * g.side;
      g.right = g.down = room<std::int32_t>(n);
      for (std::size_t k = 0; k < g.right.size(); ++k) {
        g.right[k] = static_cast<std::int32_t>(mixed(static_cast<std::uint64_t>(i), 2 * k) % 99 + 1);
        g.down[k] = static_cast<std::int32_t>(mixed(static_cast<std::uint64_t>(i), 2 * k + 1) % 99 + 1);
      }
      g.distance = room<std::int32_t>(n, 1 << 29);
      if (!declared) g.distance[0] = 0;
      g.next = g.distance;
    }
  }

  void stream(std::int64_t i) override {
    network& g = networks_[at(i)];
    const std::int64_t declared_rounds = 2 * g.side;
    double changed = 1;
    for (std::int64_t round = 0; declared ? round < declared_rounds * rounds(1, 1) : changed > 0; ++round)
      off_load(round_kernel, [&] {
        changed = loop_sum(g.side, 4, static_cast<double>(g.side) * crossing_seconds, [&](range r) {
          std::int64_t nearer = 0;
          for (std::int64_t k = r.first * g.side; k < r.last * g.side; ++k) {
            g.next[at(k)] = relaxed(g, k);
            nearer += g.next[at(k)] != g.distance[at(k)];
          }
          return static_cast<double>(nearer);
        });
        std::swap(g.distance, g.next);
      });
    digest(i, g.distance);
  }

  /// No road shortens a path, and one road ends each path but the empty one: without its own distance a crossing gets
  /// the same.
  void check() const override {
    for (network g : networks_)
      for (std::int64_t k = 1; k < g.side * g.side; ++k) {
        const std::int32_t found = std::exchange(g.distance[at(k)], 1 << 29);
        require(relaxed(g, k) == found, "a path is not the shortest");
        g.distance[at(k)] = found;
      }
  }

 private:
  std::int64_t side(std::int64_t i) const {
    return small_or<std::int64_t>(12 + 2 * i, std::llround(179 * lognormal(0.5, 23, static_cast<std::uint64_t>(i))));
  }

  static std::int32_t relaxed(const network& g, std::int64_t k) {
    std::int32_t best = g.distance[at(k)];
    const std::int64_t x = k % g.side, y = k / g.side;
    if (x > 0) best = std::min(best, g.distance[at(k - 1)] + g.right[at(k - 1)]);
    if (x + 1 < g.side) best = std::min(best, g.distance[at(k + 1)] + g.right[at(k)]);
    if (y > 0) best = std::min(best, g.distance[at(k - g.side)] + g.down[at(k - g.side)]);
    if (y + 1 < g.side) best = std::min(best, g.distance[at(k + g.side)] + g.down[at(k)]);
    return best;
  }

  std::vector<network> networks_;
};

const listed<shortest_paths> here{"unequal", "shortest-paths"};

}  // namespace

}  // namespace unseen
