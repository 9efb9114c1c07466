// Promises about processes that share a node's CPUs.

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "maslin/maslin.hpp"
#include "maslin/node.hpp"
#include "processes.hpp"
#include "sanitized.hpp"

namespace ms = maslin;
using testing_node::child;
using testing_node::eventually;
using testing_node::shared;

namespace {

std::string fresh_job(const char* what) { return std::string("test-") + what + "-" + std::to_string(getpid()); }

int cpus_here() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
}

/// Gives what the job's table says of a process; an empty entry when it is no member.
ms::sharing_process state_of(const std::string& job, int process) {
  if (const auto node = ms::look_at_node(job))
    for (const ms::sharing_process& p : node->processes)
      if (p.process == process) return p;
  return {};
}

bool job_exists(const std::string& job) {
  const auto all = ms::jobs_on_node();
  return std::find(all.begin(), all.end(), job) != all.end();
}

/// Some microseconds of work whose result is known.
double work(int seed) {
  double x = seed + 1;
  for (int i = 0; i < 2'000; ++i) x = x + 1 / std::sqrt(x);
  return x;
}

const ms::kernel kernel{"kernel", work};

/// Loops and tasks until `over()`; false when a result is wrong.
template <class Over>
bool compute_until(Over&& over) {
  std::vector<double> right(256);
  for (int i = 0; i < 256; ++i) right[static_cast<std::size_t>(i)] = work(i);
  double sum_right = 0;
  for (const double x : right) sum_right += x;
  while (!over()) {
    std::vector<double> found(256);
    ms::parallel_for(0, 256, [&](ms::range r) {
      for (const auto i : r) found[static_cast<std::size_t>(i)] = work(static_cast<int>(i));
    });
    if (found != right) return false;
    std::vector<double> by_tasks(64);
    for (int i = 0; i < 64; ++i)
      ms::task([&by_tasks, i] {
        double inner = 0;
        ms::group all;
        for (int k = 0; k < 2; ++k) all.task([] { work(3); });
        all.wait();
        inner = work(i);
        by_tasks[static_cast<std::size_t>(i)] = inner;
      });
    ms::wait();
    if (!std::equal(by_tasks.begin(), by_tasks.end(), right.begin())) return false;
  }
  return true;
}

TEST(Node, WhoBlocksLendsAndGetsItsCpusBackWhenItAsks) {
  const int cpus = cpus_here();
  if (cpus < 2) GTEST_SKIP() << "one CPU cannot be shared; it runs where the process may use two";
  struct state {
    std::atomic<int> joined{0};
    std::atomic<bool> lend{false}, lent{false}, reclaim{false}, over{false};
    std::atomic<int> used_after_reclaim{-1}, own{-1};
  };
  const std::string job = fresh_job("lends");
  shared<state> s;
  const auto join = [&] {
    setenv("MASLIN_NODE", job.c_str(), 1);
    unsetenv("MASLIN_WORKERS");
    auto runtime = std::make_unique<ms::Runtime>();
    ++s->joined;
    return eventually([&] { return s->joined == 2; }) ? std::move(runtime) : nullptr;
  };
  child blocks([&] {
    const auto runtime = join();
    if (!runtime || !eventually([&] { return s->lend.load(); })) return 1;
    // It has work for more CPUs than it has, until it blocks: then nobody wants them for it any more.
    for (int i = 0; i < 20; ++i)
      ms::task([] {
        for (int k = 0; k < 10; ++k) work(k);
      });
    ms::wait();
    {
      const ms::lending during;
      s->lent = true;
      if (!eventually([&] { return s->reclaim.load(); })) return 2;
    }
    const ms::sharing_process me = state_of(job, getpid());
    s->own = me.own;
    s->used_after_reclaim = me.used;
    return eventually([&] { return s->over.load(); }) ? 0 : 3;
  });
  child works([&] {
    const auto runtime = join();
    if (!runtime) return 1;
    return compute_until([&] { return s->over.load(); }) ? 0 : 2;
  });
  EXPECT_TRUE(eventually([&] { return s->joined == 2; }));
  const int fair = cpus / 2;
  EXPECT_TRUE(eventually([&] { return state_of(job, works.number()).own >= fair; }));
  s->lend = true;
  EXPECT_TRUE(eventually([&] { return state_of(job, works.number()).working == cpus; }))
      << "it works on all CPUs, also on those of who blocks";
  s->reclaim = true;
  EXPECT_TRUE(eventually([&] { return s->used_after_reclaim >= 0; }));
  EXPECT_EQ(s->used_after_reclaim, s->own) << "who asks has its CPUs when it goes on";
  EXPECT_TRUE(eventually([&] { return state_of(job, works.number()).working == cpus - s->own; }))
      << "who borrowed leaves at its next task or block";
  EXPECT_GE(state_of(job, works.number()).borrowed, 1);
  s->over = true;
  EXPECT_EQ(blocks.end(), 0);
  EXPECT_EQ(works.end(), 0);
  EXPECT_FALSE(job_exists(job));
}

TEST(Node, WhoseWorkersHaveNothingToDoLendsWithoutBeingTold) {
  const int cpus = cpus_here();
  if (cpus < 2) GTEST_SKIP() << "one CPU cannot be shared; it runs where the process may use two";
  struct state {
    std::atomic<bool> waits{false}, over{false};
  };
  const std::string job = fresh_job("idles");
  shared<state> s;
  child waits([&] {
    setenv("MASLIN_NODE", job.c_str(), 1);
    ms::Runtime runtime;
    // All its workers wait for a thread that is none of them.
    ms::group all;
    std::thread outside([&] {
      eventually([&] { return s->over.load(); });
      all.task([] {});
    });
    ms::mutex held;
    std::thread holds([&] {
      const std::lock_guard until_it_ends(held);
      s->waits = true;
      outside.join();
    });
    eventually([&] { return s->waits.load(); });
    const std::unique_lock waited(held);
    holds.join();
    all.wait();
    return 0;
  });
  EXPECT_TRUE(eventually([&] { return s->waits.load(); }));
  child works([&] {
    setenv("MASLIN_NODE", job.c_str(), 1);
    return compute_until([&] { return s->over.load(); }) ? 0 : 2;
  });
  EXPECT_TRUE(eventually([&] { return state_of(job, works.number()).working == cpus; }));
  s->over = true;
  EXPECT_EQ(waits.end(), 0);
  EXPECT_EQ(works.end(), 0);
}

TEST(Node, APhaseFollowsTheCpusThatComeAndGo) {
  if (cpus_here() < 2) GTEST_SKIP() << "one CPU cannot be shared; it runs where the process may use two";
  struct state {
    std::atomic<bool> over{false};
    std::atomic<int> rounds{0};
  };
  const std::string job = fresh_job("phase");
  shared<state> s;
  const auto phases = [&] {
    setenv("MASLIN_NODE", job.c_str(), 1);
    while (!s->over) {
      std::vector<double> found(24);
      ms::phase("streams", 24, [&](std::int64_t i) {
        for (int k = 0; k < 8; ++k) found[static_cast<std::size_t>(i)] = ms::offload(kernel, static_cast<int>(i));
        if (i % 6 == 0) ms::phase("inside", 3, [&](std::int64_t j) { work(static_cast<int>(j)); });
      });
      for (int i = 0; i < 24; ++i)
        if (found[static_cast<std::size_t>(i)] != work(i)) return 1;
      ++s->rounds;
    }
    return 0;
  };
  child one(phases);
  child blinks([&] {
    setenv("MASLIN_NODE", job.c_str(), 1);
    ms::Runtime runtime;
    while (!s->over) {
      {
        const ms::lending during;
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
      }
      int rounds = 0;
      if (!compute_until([&] { return rounds++ == 1; })) return 1;
    }
    return 0;
  });
  EXPECT_TRUE(eventually([&] { return s->rounds >= 40; }));
  s->over = true;
  EXPECT_EQ(one.end(), 0);
  EXPECT_EQ(blinks.end(), 0);
  EXPECT_FALSE(job_exists(job));
}

TEST(Node, AForkedChildIsNoMemberUntilItCallsMaslin) {
  if (thread_sanitized)
    GTEST_SKIP() << "ThreadSanitizer starts no threads after such a fork; the other builds run this";
  const std::string job = fresh_job("fork");
  child parent([&] {
    setenv("MASLIN_NODE", job.c_str(), 1);
    ms::Runtime runtime;
    if (!compute_until([n = 0]() mutable { return n++ == 2; })) return 1;
    child forked([&] {
      // The parent's runtime is not the child's to end.
      const auto leave = [](int status) -> int { _exit(status); };
      const auto node = ms::look_at_node(job);
      if (!node || node->processes.size() != 1) leave(2);
      if (!compute_until([n = 0]() mutable { return n++ == 2; })) leave(3);
      return leave(ms::look_at_node(job)->processes.size() == 2 ? 0 : 4);
    });
    return forked.end();
  });
  EXPECT_EQ(parent.end(), 0);
  EXPECT_FALSE(job_exists(job));
}

TEST(Node, ABadNameIsOneClearError) {
  child bad([] {
    setenv("MASLIN_NODE", "two words", 1);
    try {
      ms::Runtime runtime;
    } catch (const ms::error& e) {
      return std::string(e.what()).find("MASLIN_NODE=two words: expected") != std::string::npos ? 0 : 1;
    }
    return 2;
  });
  EXPECT_EQ(bad.end(), 0);
}

/// Ranks that compute, block now and then, and are killed at random, one, some or all of them.
TEST(Node, KillingProcessesLeavesNoMemoryNoLostCpuAndNoStuckNeighbour) {
  const char* const asked = std::getenv("MASLIN_TEST_KILLS");
  const int rounds = asked ? std::atoi(asked) : 10;
  constexpr int ranks = 3;
  std::minstd_rand random(static_cast<unsigned>(rounds));
  for (int round = 0; round < rounds; ++round) {
    struct state {
      std::atomic<int> joined{0};
      std::atomic<bool> over{false};
    };
    shared<state> s;
    const std::string job = fresh_job("kill") + "-" + std::to_string(round);
    const auto rank = [&](unsigned seed) {
      setenv("MASLIN_NODE", job.c_str(), 1);
      std::minstd_rand mine(seed);
      ++s->joined;
      ms::Runtime runtime;
      const bool right = compute_until([&] {
        if (mine() % 3 == 0) {
          const ms::lending during;
          std::this_thread::sleep_for(std::chrono::microseconds(mine() % 3000));
        }
        return s->over.load();
      });
      if (!right) return 1;
      // Who looks for CPUs finds the dead and takes over what they used.
      const bool clean = eventually([&] {
        int once = 0;
        if (!compute_until([&] { return once++ == 1; })) return false;
        const auto node = ms::look_at_node(job);
        return std::all_of(node->processes.begin(), node->processes.end(),
                           [](const auto& p) { return p.alive || (p.own == 0 && p.used == 0); });
      });
      return clean ? 0 : 2;
    };
    std::vector<std::unique_ptr<child>> all;
    for (unsigned i = 0; i < ranks; ++i) {
      const auto seed = static_cast<unsigned>(random());
      all.push_back(std::make_unique<child>([&, seed] { return rank(seed); }));
    }
    // Some rounds kill while they join, some while they compute.
    if (round % 3 != 0) {
      EXPECT_TRUE(eventually([&] { return s->joined == ranks; }));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    const unsigned killed = 1 + static_cast<unsigned>(random() % ((1U << ranks) - 1));
    for (unsigned i = 0; i < ranks; ++i)
      if (killed >> i & 1) all[i]->kill();
    for (unsigned i = 0; i < ranks; ++i)
      if (killed >> i & 1) all[i]->end();
    s->over = true;
    for (unsigned i = 0; i < ranks; ++i)
      if (!(killed >> i & 1)) {
        ASSERT_EQ(all[i]->end(), 0) << "round " << round << ", rank " << i << ", killed " << killed;
      }
    ASSERT_FALSE(job_exists(job)) << "round " << round;
  }
}

}  // namespace
