// What a borrower begins after the owner has taken its CPUs back: nothing on them, and nothing more at a time than it
// has CPUs left. All workers of the borrower are inside a piece of work when the owner asks, and each ends its piece
// only then; so whatever begins later begins at a boundary at which the borrower could know.

#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "maslin/maslin.hpp"
#include "maslin/node.hpp"
#include "processes.hpp"

namespace ms = maslin;
using testing_node::child;
using testing_node::eventually;
using testing_node::shared;

namespace {

constexpr int rounds = 25;
constexpr int pieces = 48;

std::vector<int> cpus_here() {
  cpu_set_t mask;
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return all;
  for (int c = 0; c < CPU_SETSIZE; ++c)
    if (CPU_ISSET(c, &mask)) all.push_back(c);
  return all;
}

void run_on(const std::vector<int>& cpus) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int c : cpus) CPU_SET(c, &mask);
  if (sched_setaffinity(0, sizeof mask, &mask) != 0) throw std::runtime_error("no affinity to be set");
}

struct state {
  std::atomic<int> joined{0}, ready{0};
  std::atomic<int> own{0}, target{0};  ///< CPUs of the borrower: its own, and with all that it may borrow
  std::atomic<int> lent{0}, asked{0};  ///< rounds
  std::atomic<int> waiting{0};         ///< pieces that were begun before the owner asked
  std::atomic<int> late{0};            ///< pieces that run and were begun after
  std::atomic<int> begun_late{0}, most_late{0}, on_taken{0};
  std::atomic<int> stuck{0};
  std::atomic<bool> is_taken[CPU_SETSIZE]{};  ///< by CPU: it is the owner's
};

void raise_to(std::atomic<int>& most, int n) {
  for (int seen = most; seen < n && !most.compare_exchange_weak(seen, n);) {
  }
}

double some_work(int seed) {
  double x = seed + 1;
  for (int i = 0; i < 3'000; ++i) x = x + 1 / std::sqrt(x);
  return x;
}

/// One task or block of the borrower in a round.
int piece(state& s, int round) {
  if (s.asked.load() == round) {
    // A worker that looked just before the owner asked, and then lost its core, may begin one.
    thread_local int began_one_in = 0;
    if (std::exchange(began_one_in, round) != round) return some_work(round) > 0 ? 1 : 0;
    raise_to(s.most_late, s.late.fetch_add(1) + 1);
    ++s.begun_late;
    if (s.is_taken[sched_getcpu()]) ++s.on_taken;
    const double x = some_work(round);
    s.late.fetch_sub(1);
    return x > 0 ? 1 : 0;
  }
  s.waiting.fetch_add(1);
  // It keeps its CPU: who sleeps would be seen idle.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (s.asked.load() != round && s.stuck == 0)
    if (std::chrono::steady_clock::now() > end) ++s.stuck;
  s.waiting.fetch_sub(1);
  return 1;
}

struct shape {
  const char* name;
  void (*run)(state& s, int round);
};

/// A worker that is not granted any more begins nothing of these, anywhere.
const shape shapes[] = {
    {"Tasks",
     [](state& s, int round) {
       for (int i = 0; i < pieces; ++i) ms::task([&s, round] { piece(s, round); });
       ms::wait();
     }},
    {"TasksThatFollowOneAnother",
     [](state& s, int round) {
       std::vector<int> chains(static_cast<std::size_t>(s.target));
       for (int i = 0; i < pieces / s.target; ++i)
         for (int& chain : chains) ms::task([&s, round](auto) { piece(s, round); }, ms::inout(chain));
       ms::wait();
     }},
    {"LoopsInTasks",
     [](state& s, int round) {
       for (int i = 0; i < s.target; ++i)
         ms::task([&s, round] {
           ms::parallel_for(
               0, pieces, [&](ms::range) { piece(s, round); }, ms::schedule::dbs, ms::block{1});
         });
       ms::wait();
     }},
};

/// Runs the shape in one process, which borrows all that another lends and takes back, over and over.
void take_back_from(state& s, const shape& what, bool bound) {
  const std::string job = "test-taking-" + std::to_string(getpid());
  const std::vector<int> all = cpus_here();
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  const auto join = [&](std::vector<int> home) {
    if (bound) run_on(home);
    setenv("MASLIN_NODE", job.c_str(), 1);
    setenv("MASLIN_GRAIN", "edtlp", 1);
    unsetenv("MASLIN_WORKERS");
    auto runtime = std::make_unique<ms::Runtime>();
    ++s.joined;
    return eventually([&] { return s.joined == 2; }) ? std::move(runtime) : nullptr;
  };
  child owner([&] {
    const auto runtime = join({all.begin(), middle});
    if (!runtime || !eventually([&] { return s.target > 0; })) return 1;
    if (bound)
      for (auto c = all.begin(); c != middle; ++c) s.is_taken[*c] = true;
    for (int round = 1; round <= rounds; ++round) {
      {
        const ms::lending meanwhile;
        s.lent = round;
        if (!eventually([&] { return s.waiting == s.target; })) return 2;
      }
      s.asked = round;
      if (!eventually([&] { return s.ready == round; })) return 3;
    }
    return 0;
  });
  child borrower([&] {
    const auto runtime = join({middle, all.end()});
    if (!runtime) return 1;
    int own = 0;
    if (!eventually([&] {
          const auto node = ms::look_at_node(job);
          if (node)
            for (const ms::sharing_process& p : node->processes)
              if (p.process == getpid()) own = p.own;
          return node && node->processes.size() == 2 && own > 0 && own < ms::workers();
        }))
      return 2;
    s.own = own;
    s.target = ms::workers();
    for (int round = 1; round <= rounds; ++round) {
      if (!eventually([&] { return s.lent == round; })) return 3;
      what.run(s, round);
      s.ready = round;
    }
    return 0;
  });
  EXPECT_EQ(borrower.end(), 0);
  EXPECT_EQ(owner.end(), 0);
}

struct TakingBack : testing::TestWithParam<shape> {
  void SetUp() override {
    if (cpus_here().size() < 2) GTEST_SKIP() << "one CPU cannot be shared; it runs where the process may use two";
  }
};

TEST_P(TakingBack, NothingBeginsOnACpuThatItsOwnerHasTaken) {
  shared<state> s;
  take_back_from(*s, GetParam(), true);
  EXPECT_EQ(s->stuck, 0);
  EXPECT_GT(s->begun_late, 0);
  EXPECT_EQ(s->on_taken, 0) << "of " << s->begun_late << " that were begun after the owner asked";
}

using TakingBackAWorker = TakingBack;

TEST_P(TakingBackAWorker, NoMoreRunAtATimeThanThereAreCpusLeft) {
  shared<state> s;
  take_back_from(*s, GetParam(), false);
  EXPECT_EQ(s->stuck, 0);
  EXPECT_GT(s->begun_late, 0);
  EXPECT_LE(s->most_late, s->own);
}

const auto name_of = [](const auto& of) { return std::string(of.param.name); };
INSTANTIATE_TEST_SUITE_P(Of, TakingBack, testing::ValuesIn(shapes), name_of);
INSTANTIATE_TEST_SUITE_P(Of, TakingBackAWorker, testing::ValuesIn(shapes), name_of);

}  // namespace
