// DMAsim against closed forms, against a bus that is simulated worker by worker and cycle by cycle, and against the
// stack distances of its packets.

#include "model/dma/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "maslin/error.hpp"

namespace maslin::dma {
namespace {

constexpr std::int64_t ns = 1000;

parameters machine(int workers, int clusters, std::uint64_t cache_bytes) {
  parameters p;
  p.workers = workers;
  p.clusters = clusters;
  p.cache_bytes = cache_bytes;
  return p;
}

double gigabytes_a_second(std::uint64_t bytes, std::int64_t ps) {
  return static_cast<double>(bytes) / static_cast<double>(ps) * 1000;
}

TEST(DmaSimulation, OneStreamHas25GigabytesASecondInEachDirection) {
  for (const direction way : {direction::get, direction::put})
    for (const std::uint64_t cache : {0u, 1u << 20}) {
      simulation s(machine(1, 1, cache));
      s.add({0, 0, 0, 1 << 20, way});
      s.run();
      EXPECT_EQ(s.packets_of(0), (1u << 20) / 128);
      EXPECT_DOUBLE_EQ(gigabytes_a_second(1 << 20, s.now_ps()), 25.6);
    }
}

TEST(DmaSimulation, StreamsOfOneBusHaveFairShares) {
  for (int n = 2; n <= 16; ++n) {
    simulation s(machine(n, 1, 0));
    s.note_ends();
    for (int w = 0; w < n; ++w) s.add({w, 0, static_cast<std::uint64_t>(w) << 30, 100 * 128, direction::get});
    s.run();
    for (int w = 0; w < n; ++w) EXPECT_EQ(s.ends()[static_cast<std::size_t>(w)], (99 * n + w + 1) * 5 * ns) << n;
  }
}

TEST(DmaSimulation, WhoIsAloneHasTheWholeBusAndSharesItFromTheStartOfAnother) {
  simulation s(machine(2, 1, 0));
  s.note_ends();
  s.add({0, 0, 0, 100 * 128, direction::get});
  s.add({1, 50 * 5 * ns, 1 << 20, 10 * 128, direction::get});
  s.run();
  EXPECT_EQ(s.ends()[1], (50 + 19) * 5 * ns);
  EXPECT_EQ(s.ends()[0], 110 * 5 * ns);
}

TEST(DmaSimulation, TheOldestOperationOfAWorkerGoesFirst) {
  simulation s(machine(1, 1, 0));
  s.note_ends();
  s.add({0, 10 * ns, 0, 128, direction::get});
  s.add({0, 0, 4096, 4 * 128, direction::get});
  s.add({0, 10 * ns, 8192, 128, direction::get});
  s.run();
  EXPECT_EQ(s.ends()[1], 20 * ns);
  EXPECT_EQ(s.ends()[0], 25 * ns);
  EXPECT_EQ(s.ends()[2], 30 * ns);
}

TEST(DmaSimulation, NothingBeginsBeforeItsStartNorWithinACycle) {
  simulation s(machine(1, 1, 0));
  s.note_ends();
  s.add({0, 1'000'001, 0, 128, direction::get});
  s.run();
  EXPECT_EQ(s.ends()[0], 1'010'000);
  s.add({0, 0, 0, 128, direction::get});  // added later, it begins now
  s.run();
  EXPECT_EQ(s.ends()[1], 1'015'000);
}

TEST(DmaSimulation, OperationsAreCutAtMultiplesOfAPacket) {
  simulation s(machine(1, 1, 1 << 20));
  s.add({0, 0, 100, 200, direction::get});  // bytes 100 to 299: three lines
  s.run();
  EXPECT_EQ(s.total().gets, 3u);
  EXPECT_EQ(s.total().reads, 3u);
}

TEST(DmaSimulation, ClustersThatHitDoNotDisturbEachOther) {
  simulation s(machine(2, 2, 1 << 20));
  s.note_ends();
  for (int w = 0; w < 2; ++w) s.add({w, 0, static_cast<std::uint64_t>(w) << 20, 100 * 128, direction::put});
  s.run();  // whole lines into empty caches: no memory access
  EXPECT_EQ(s.ends()[0], 500 * ns);
  EXPECT_EQ(s.ends()[1], 500 * ns);
  EXPECT_EQ(s.total().memory_accesses(), 0u);
  EXPECT_EQ(s.dirty(), 200u);
}

TEST(DmaSimulation, ClustersThatMissShareTheMemory) {
  simulation s(machine(2, 2, 1 << 20));
  s.note_ends();
  for (int w = 0; w < 2; ++w) s.add({w, 0, static_cast<std::uint64_t>(w) << 20, 100 * 128, direction::get});
  s.run();
  EXPECT_EQ(s.ends()[0], 199 * 5 * ns);
  EXPECT_EQ(s.ends()[1], 200 * 5 * ns);
  EXPECT_EQ(s.cluster(0).stalls + s.cluster(1).stalls, 99u + 100u);
}

TEST(DmaSimulation, WithAFixedPriorityTheFirstClusterNeverWaits) {
  parameters p = machine(2, 2, 1 << 20);
  p.memory_goes_to = priority::fixed;
  simulation s(p);
  s.note_ends();
  for (int w = 0; w < 2; ++w) s.add({w, 0, static_cast<std::uint64_t>(w) << 20, 100 * 128, direction::get});
  s.run();
  EXPECT_EQ(s.ends()[0], 100 * 5 * ns);
  EXPECT_EQ(s.ends()[1], 200 * 5 * ns);
  EXPECT_EQ(s.cluster(0).stalls, 0u);
}

TEST(DmaSimulation, AStreamOpensEachPageOnce) {
  for (const auto by : {interleaving::packets, interleaving::pages, interleaving::permuted})
    for (const int banks : {1, 2, 8}) {
      parameters p = machine(1, 1, 0);
      p.banks_by = by;
      p.banks = banks;
      simulation s(p);
      s.add({0, 0, 0, 64 * p.page_bytes, direction::get});
      s.run();
      EXPECT_EQ(s.page_misses(), 64u);
      EXPECT_EQ(s.page_hits(), 64 * (p.page_bytes / 128) - 64);
    }
}

/// Two streams that alternate, one row of all banks apart: in the same bank they close each other's page each time.
TEST(DmaSimulation, PermutedBanksKeepThePagesOfTwoStreamsOpen) {
  const auto misses = [](interleaving by) {
    parameters p = machine(2, 1, 0);
    p.banks_by = by;
    simulation s(p);
    for (int w = 0; w < 2; ++w)
      s.add({w, 0, static_cast<std::uint64_t>(w) * 8 * p.page_bytes, p.page_bytes, direction::get});
    s.run();
    return s.page_misses();
  };
  EXPECT_EQ(misses(interleaving::pages), 64u);
  EXPECT_EQ(misses(interleaving::permuted), 2u);
}

TEST(DmaSimulation, AnEndThatNoPicosecondsCountIsAnError) {
  parameters p;
  p.cycle_ps = std::int64_t{1} << 60;
  simulation s(p);
  s.note_ends();
  s.add({0, 0, 0, 7 * 128, direction::get});
  s.run();
  EXPECT_EQ(s.now_ps(), 7 * p.cycle_ps);
  s.add({0, 0, 0, 128, direction::get});
  EXPECT_THROW(s.run(), error);
}

TEST(DmaSimulation, WhatCannotBeIsRefusedInWords) {
  const auto refusal = [](auto change) {
    parameters p;
    change(p);
    try {
      simulation s(p);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal([](parameters& p) { p.workers = 0; }).find("0 workers"), std::string::npos);
  EXPECT_NE(refusal([](parameters& p) { p.clusters = 2; }).find("2 clusters of 1 workers"), std::string::npos);
  EXPECT_NE(refusal([](parameters& p) { p.packet_bytes = 100; }).find("100 bytes"), std::string::npos);
  EXPECT_NE(refusal([](parameters& p) { p.cache_bytes = 100; }).find("an SL1 of 100 bytes"), std::string::npos);
  EXPECT_NE(refusal([](parameters& p) { p.page_bytes = 64; }).find("pages of 64 bytes"), std::string::npos);
  EXPECT_NE(refusal([](parameters& p) { p.banks = 0; }).find("0 banks"), std::string::npos);
  EXPECT_NE(refusal([](parameters& p) { p.banks = 1'000'000'000; }).find("1000000000 banks"), std::string::npos);
  EXPECT_NE(refusal([](parameters& p) { p.banks = 3, p.banks_by = interleaving::permuted; }).find("3 permuted banks"),
            std::string::npos);
  EXPECT_NE(refusal([](parameters& p) { p.cycle_ps = 0; }).find("0 ps"), std::string::npos);
  simulation s{parameters{}};
  EXPECT_THROW(s.add({1, 0, 0, 128, direction::get}), error);
  EXPECT_THROW(s.add({0, -1, 0, 128, direction::get}), error);
  EXPECT_THROW(s.add({0, 0, 0, 0, direction::get}), error);
  EXPECT_THROW(s.add({0, 0, ~std::uint64_t{0}, 2, direction::get}), error);
}

struct random_operations {
  parameters p;
  std::vector<operation> all;

  explicit random_operations(unsigned seed, int most_workers = 6) {
    std::mt19937 r(seed);
    const auto up_to = [&](unsigned most) { return static_cast<unsigned>(r() % (most + 1)); };
    p.workers = 1 + static_cast<int>(up_to(static_cast<unsigned>(most_workers - 1)));
    p.clusters = 1 + static_cast<int>(up_to(static_cast<unsigned>(p.workers - 1)));
    p.cache_bytes = 128 * up_to(40);
    p.banks = 1 + static_cast<int>(up_to(7));
    p.banks_by = up_to(1) ? interleaving::pages : interleaving::packets;
    p.memory_goes_to = up_to(1) ? priority::rotating : priority::fixed;
    for (unsigned i = 0; i < 60; ++i)
      all.push_back({static_cast<int>(up_to(static_cast<unsigned>(p.workers - 1))), 1000 * up_to(2000),
                     64 * std::uint64_t{up_to(160)}, 1 + up_to(1200), up_to(2) ? direction::get : direction::put});
  }
};

/// One packet as it reaches SL1.
struct passed {
  int cluster;
  std::uint64_t line;
  bool put;
  bool whole;
};

/// The bus and the caches as the paper words them, without any short way.
struct slow_machine {
  std::vector<std::int64_t> ends;
  std::vector<passed> order;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;

  explicit slow_machine(const random_operations& in) : ends(in.all.size(), -1) {
    const parameters& p = in.p;
    std::vector<std::uint64_t> sent(in.all.size());
    std::vector<int> turn(static_cast<std::size_t>(p.clusters));
    std::vector<std::deque<std::pair<std::uint64_t, bool>>> caches(turn.size());  // the latest used first; dirty
    for (int w = p.workers - 1; w >= 0; --w) turn[static_cast<std::size_t>(simulation::cluster_of(w, p))] = w;
    std::size_t left = in.all.size();
    int memory_turn = 0;
    for (std::int64_t cycle = 0; left > 0; ++cycle) {
      bool memory_is_used = false;
      const int first = p.memory_goes_to == priority::rotating ? memory_turn : 0;
      for (int i = 0; i < p.clusters; ++i) {
        const int c = (first + i) % p.clusters;
        const auto holder = next_holder(in, c, turn[static_cast<std::size_t>(c)], cycle);
        if (!holder) continue;
        const operation& o = in.all[*holder];
        const std::uint64_t begin = o.address + sent[*holder];
        const std::uint64_t end = std::min(o.address + o.bytes, begin / 128 * 128 + 128);
        const passed now{c, begin / 128, o.way == direction::put, end - begin == 128};
        const bool wants = wants_memory(caches[static_cast<std::size_t>(c)], p.cache_bytes / 128, now);
        if (wants && memory_is_used) continue;
        if (wants) {
          memory_is_used = true;
          memory_turn = (c + 1) % p.clusters;
        }
        take(caches[static_cast<std::size_t>(c)], p.cache_bytes / 128, now);
        order.push_back(now);
        turn[static_cast<std::size_t>(c)] = o.worker + 1;
        sent[*holder] += end - begin;
        if (sent[*holder] == o.bytes) {
          ends[*holder] = (cycle + 1) * 5 * ns;
          --left;
        }
      }
    }
  }

 private:
  /// Gives the oldest active operation of the first worker from `turn` on, in a circle, that has one.
  std::optional<std::size_t> next_holder(const random_operations& in, int cluster, int turn, std::int64_t cycle) const {
    for (int i = 0; i < in.p.workers; ++i) {
      const int w = (turn + i) % in.p.workers;
      if (simulation::cluster_of(w, in.p) != cluster) continue;
      std::optional<std::size_t> oldest;
      for (std::size_t k = 0; k < in.all.size(); ++k) {
        const operation& o = in.all[k];
        if (o.worker != w || ends[k] >= 0 || o.start_ps > cycle * 5 * ns) continue;
        if (!oldest || o.start_ps < in.all[*oldest].start_ps) oldest = k;
      }
      if (oldest) return oldest;
    }
    return std::nullopt;
  }

  using cache = std::deque<std::pair<std::uint64_t, bool>>;
  static auto find(cache& c, std::uint64_t line) {
    return std::find_if(c.begin(), c.end(), [&](const auto& held) { return held.first == line; });
  }
  static bool wants_memory(cache& c, std::size_t lines, const passed& p) {
    if (lines == 0) return true;
    if (find(c, p.line) != c.end()) return false;
    return !p.put || !p.whole || (c.size() == lines && c.back().second);
  }
  void take(cache& c, std::size_t lines, const passed& p) {
    if (lines == 0) {
      ++(p.put ? writes : reads);
      return;
    }
    bool dirty = p.put;
    if (const auto held = find(c, p.line); held != c.end()) {
      dirty |= held->second;
      c.erase(held);
    } else {
      reads += !p.put || !p.whole;
      if (c.size() == lines) {
        writes += c.back().second;
        c.pop_back();
      }
    }
    c.push_front({p.line, dirty});
  }
};

TEST(DmaSimulation, EndsAndCountsAreThoseOfASlowMachine) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const random_operations in(seed);
    simulation s(in.p);
    s.note_ends();
    for (const operation& o : in.all) s.add(o);
    s.run();
    const slow_machine slow(in);
    EXPECT_EQ(std::vector<std::int64_t>(s.ends().begin(), s.ends().end()), slow.ends) << "seed " << seed;
    EXPECT_EQ(s.total().packets(), slow.order.size()) << "seed " << seed;
    EXPECT_EQ(s.total().reads, slow.reads) << "seed " << seed;
    EXPECT_EQ(s.total().writes, slow.writes) << "seed " << seed;
    EXPECT_EQ(s.page_hits() + s.page_misses(), slow.reads + slow.writes) << "seed " << seed;
  }
}

/// Mattson's stack: between two uses of a line an LRU cache of n lines has pushed it out if n or more others were used.
struct by_stack_distance {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t dirty = 0;

  by_stack_distance(const std::vector<passed>& order, std::size_t lines) {
    std::map<std::uint64_t, std::size_t> last;
    std::map<std::uint64_t, bool> is_dirty;
    const auto others_since = [&](std::uint64_t line, std::size_t end) {
      std::set<std::uint64_t> seen;
      for (std::size_t i = last[line] + 1; i < end; ++i) seen.insert(order[i].line);
      return seen.size();
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
      const passed& p = order[i];
      const bool was_there = last.count(p.line) != 0;
      const bool hit = was_there && others_since(p.line, i) < lines;
      if (!hit) {
        writes += was_there && is_dirty[p.line];
        is_dirty[p.line] = false;
        reads += !p.put || !p.whole;
      }
      is_dirty[p.line] |= p.put;
      last[p.line] = i;
    }
    for (const auto& [line, at] : last)
      if (is_dirty[line]) ++(others_since(line, order.size()) < lines ? dirty : writes);
  }
};

TEST(DmaSimulation, MemoryAccessesAreThoseOfTheStackDistances) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    random_operations in(seed);
    in.p.clusters = 1;
    const std::vector<passed> order = slow_machine(in).order;
    if (in.p.cache_bytes == 0) continue;
    // Within one cluster nothing ever waits for memory, so packets pass in the same order whatever the cache holds.
    for (const std::uint64_t lines : {1u, 2u, 7u, 20u, 60u, 200u}) {
      in.p.cache_bytes = 128 * lines;
      simulation s(in.p);
      for (const operation& o : in.all) s.add(o);
      s.run();
      const by_stack_distance expected(order, lines);
      EXPECT_EQ(s.total().reads, expected.reads) << "seed " << seed << ", " << lines << " lines";
      EXPECT_EQ(s.total().writes, expected.writes) << "seed " << seed << ", " << lines << " lines";
      EXPECT_EQ(s.dirty(), expected.dirty) << "seed " << seed << ", " << lines << " lines";
    }
  }
}

TEST(DmaSimulation, ALargerCacheNeverNeedsMemoryMore) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    random_operations in(seed);
    in.p.clusters = 1;
    std::uint64_t before = ~std::uint64_t{0};
    for (std::uint64_t lines = 1; lines <= 256; lines *= 2) {
      in.p.cache_bytes = 128 * lines;
      simulation s(in.p);
      for (const operation& o : in.all) s.add(o);
      s.run();
      const std::uint64_t now = s.total().memory_accesses() + s.dirty();
      EXPECT_LE(now, before) << "seed " << seed << ", " << lines << " lines";
      before = now;
    }
  }
}

}  // namespace
}  // namespace maslin::dma
