#include "model/reuse/caches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <random>
#include <vector>

namespace maslin::reuse {
namespace {

constexpr std::uint64_t line = sizes{}.line_bytes;

/// Says the same without caches: a list of all uses, of which each is asked how many other lines came after it.
class by_stack_distance {
 public:
  by_stack_distance(int workers, std::size_t own, std::size_t shared) : own_(own), shared_(shared), workers_(workers) {}

  found_in use(int worker, std::uint64_t number, bool writes) {
    found_in where = found_in::memory_first;
    if (const std::int64_t d = distance(number); d >= 0)
      where = d < static_cast<std::int64_t>(shared_) ? found_in::shared_cache : found_in::memory_again;
    for (int w = 0; w < workers_; ++w)
      if (w != worker && holds(w, number)) where = found_in::peer;
    if (holds(worker, number)) where = found_in::own_cache;
    uses_.push_back({worker, number, writes});
    return where;
  }

 private:
  struct one {
    int worker;
    std::uint64_t number;
    bool writes;
  };

  /// Gives how many other lines were used since the line was; below 0: it never was.
  std::int64_t distance(std::uint64_t number) const {
    std::vector<std::uint64_t> others;
    for (auto u = uses_.rbegin(); u != uses_.rend(); ++u) {
      if (u->number == number) return static_cast<std::int64_t>(others.size());
      if (std::ranges::find(others, u->number) == others.end()) others.push_back(u->number);
    }
    return -1;
  }
  /// What others write leaves room, so stack distances do not say it: all that the worker's cache has held is gone
  /// through.
  bool holds(int worker, std::uint64_t number) const {
    std::list<std::uint64_t> held;  // the latest used first
    for (const one& u : uses_) {
      if (u.worker != worker) {
        if (u.writes) held.remove(u.number);
        continue;
      }
      held.remove(u.number);
      held.push_front(u.number);
      if (held.size() > own_) held.pop_back();
    }
    return std::ranges::find(held, number) != held.end();
  }

  std::size_t own_, shared_;
  int workers_;
  std::vector<one> uses_;
};

TEST(Caches, SayWhatStackDistancesSay) {
  std::mt19937_64 random(3);
  for (const int workers : {1, 2, 5})
    for (const std::size_t shared : {0, 12, 40}) {
      const std::size_t own = 8;
      caches model({workers, own * line, shared * line});
      by_stack_distance other(workers, own, shared);
      for (int i = 0; i < 400; ++i) {
        const int worker = static_cast<int>(random() % static_cast<std::uint64_t>(workers));
        const std::uint64_t number = random() % (random() % 2 == 0 ? 10 : 60);
        const bool writes = random() % 3 == 0;
        bytes_found found{};
        model.use(worker, number * line, line, writes, found);
        const found_in expected = other.use(worker, number, writes);
        EXPECT_EQ(found[static_cast<std::size_t>(expected)], line) << workers << ' ' << shared << ' ' << i;
      }
    }
}

bytes_found use(caches& model, int worker, std::uint64_t address, std::uint64_t bytes, bool writes = false) {
  bytes_found found{};
  model.use(worker, address, bytes, writes, found);
  return found;
}

TEST(Caches, CountTheBytesOfAPieceAndNotOfItsLines) {
  caches model({1, 1 << 12, 0});
  EXPECT_EQ(use(model, 0, 100, 200), (bytes_found{0, 0, 0, 0, 200}));
  EXPECT_EQ(use(model, 0, 64, 64), (bytes_found{64, 0, 0, 0, 0}));
  EXPECT_EQ(use(model, 0, 290, 100), (bytes_found{30, 0, 0, 0, 70}));
}

TEST(Caches, FindWhatAnotherWorkerHasAndLoseWhatItWrites) {
  caches model({2, 1 << 12, 1 << 16});
  use(model, 0, 0, 64);
  EXPECT_EQ(use(model, 1, 0, 64), (bytes_found{0, 64, 0, 0, 0}));
  EXPECT_EQ(use(model, 0, 0, 64), (bytes_found{64, 0, 0, 0, 0}));
  EXPECT_EQ(use(model, 1, 0, 64, true), (bytes_found{64, 0, 0, 0, 0}));
  EXPECT_EQ(use(model, 0, 0, 64), (bytes_found{0, 64, 0, 0, 0}));
}

TEST(Caches, GoOnFromMemoryWhereMoreIsUsedThanTheyHold) {
  constexpr std::uint64_t bytes = 1 << 16;
  for (const bool fits : {false, true}) {
    caches model({1, 1 << 10, fits ? bytes : bytes - line});
    EXPECT_EQ(use(model, 0, 0, bytes), (bytes_found{0, 0, 0, 0, bytes}));
    // Least recently used: what is needed next was always pushed out last.
    EXPECT_EQ(use(model, 0, 0, bytes), fits ? (bytes_found{0, 0, bytes, 0, 0}) : (bytes_found{0, 0, 0, bytes, 0}));
  }
}

}  // namespace
}  // namespace maslin::reuse
