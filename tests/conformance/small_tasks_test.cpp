// Tasks of a call site that is known to be small may be run by their creator at once: what they promise stays.

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "executors.hpp"
#include "sanitized.hpp"

namespace {

class SmallTasks : public Promise {};
MASLIN_ON_EVERY_EXECUTOR(SmallTasks);

constexpr int many = 5000;  // more than a site needs to be known

TEST_P(SmallTasks, EachRunOnce) {
  std::atomic<int> ran{0};
  for (int i = 0; i < many; ++i) ms::task([&] { ran.fetch_add(1, std::memory_order_relaxed); });
  ms::wait();
  EXPECT_EQ(ran, many);
}

TEST_P(SmallTasks, OneThatThrowsIsRethrownByTheWaitInProgramOrder) {
  std::atomic<int> ran{0};
  for (int i = 0; i < many; ++i)
    ms::task([&ran, i] {
      ran.fetch_add(1, std::memory_order_relaxed);
      if (i == many - 10 || i == many - 5) throw std::runtime_error(std::to_string(i));
    });
  try {
    ms::wait();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(e.what(), std::to_string(many - 10));
    EXPECT_EQ(ms::other_exceptions().size(), 1u);
  }
  EXPECT_EQ(ran, many);
  ms::wait();
}

TEST_P(SmallTasks, MayCreateEachOtherWithoutEnd) {
  if (serial()) GTEST_SKIP() << "the serial elision runs them inside each other, as deep as its stack is";
  std::atomic<int> left{20 * many};
  struct next {
    static void run(std::atomic<int>& left) {
      if (left.fetch_sub(1) > 1) ms::task([&left] { run(left); });
    }
  };
  next::run(left);
  ms::wait();
  EXPECT_EQ(left, 0);
}

void go_on_in(ms::group& g, std::atomic<int>& left) {
  if (left.fetch_sub(1) > 1) g.task([&] { go_on_in(g, left); });
}

TEST_P(SmallTasks, MayCreateEachOtherWithoutEndWhereTheWindowIsFull) {
  if (serial()) GTEST_SKIP() << "the serial elision runs them inside each other, as deep as its stack is";
  std::atomic<int> left{20 * many};
  std::atomic<bool> begun{false};
  std::atomic<bool> go_on{false};
  int x = 0;
  ms::group g;
  g.task(
      [&](ms::view<int>) {
        begun = true;
        while (meets() && !go_on) std::this_thread::yield();
      },
      ms::inout(x));
  while (meets() && !begun) std::this_thread::yield();
  for (int i = 0; i < 5000; ++i) g.task([](ms::view<int>) {}, ms::inout(x));
  ms::task([&] { go_on_in(g, left); });
  ms::wait();
  go_on = true;
  g.wait();
  EXPECT_EQ(left, 0);
}

TEST_P(SmallTasks, OneThatGrowsStillOnlyWaitsForItsOwn) {
  std::atomic<int> ran{0};
  for (int i = 0; i < many; ++i)
    ms::task([&ran, i] {
      if (i % 1000 == 999) {
        ms::group two;
        for (int k = 0; k < 2; ++k) two.task([&ran] { ran.fetch_add(1); });
        two.wait();
      }
      ran.fetch_add(1);
    });
  ms::wait();
  EXPECT_EQ(ran, many + 2 * (many / 1000));
}

TEST_P(SmallTasks, KeepTheOrderOfTheirDataBesideLongOnes) {
  std::vector<long> x(4);
  const auto step = [](ms::view<long> v, long i) { v[0] = (v[0] * 3 + i) % 1000003; };
  std::vector<long> expected(4);
  for (int i = 0; i < many; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) % 4;
    ms::task(step, ms::inout(x[at]), long{i});
    expected[at] = (expected[at] * 3 + i) % 1000003;
    if (i % 500 == 499) {
      ms::task(
          [](ms::view<const long> from, ms::view<long> to) {
            dawdle();
            to[0] += from[0];
          },
          ms::in(x[0]), ms::inout(x[1]));
      expected[1] += expected[0];
    }
  }
  ms::wait();
  EXPECT_EQ(x, expected);
}

/// A task that is to be created; whether its body runs before that is over.
struct creation {
  std::atomic<int> of{-1};  // a substitute may run what was handed over meanwhile
  int at_once = 0;
  void begin(int i) { of = i; }
  void run(int i) { at_once += i == of; }
};

/// Takes about 0.2 µs.
long worked(long x) {
  auto bits = static_cast<unsigned long>(x);
  for (unsigned long i = 0; i < 100; ++i) bits = (bits * 3 + i) ^ bits >> 7;
  return static_cast<long>(bits);
}

TEST_P(SmallTasks, AreRunByTheirCreatorOnceItHasCaughtUpWithWhatIsInFlight) {
  const int workers = GetParam().workers;
  if (workers < 1 || workers > 2 || GetParam().described) GTEST_SKIP() << "others could catch up for it";
  if (stores()) GTEST_SKIP() << "tasks with data are handed over";
  for (const bool grouped : {false, true}) {
    ms::group g;
    long x = 0;
    long expected = 0;
    creation now;
    const auto next = [](long v, int i) { return worked(v * 3 + i) % 1000003; };
    const auto step = [&now, next](ms::view<long> v, int i) {
      v[0] = next(v[0], i);
      now.run(i);
    };
    const auto chain = [&](int tasks) {
      ms::task([](ms::view<long> v) { v[0] += 1; }, ms::inout(x));  // nothing else is known of its call site
      ++expected;
      for (int i = 0; i < tasks; ++i) {
        now.begin(i);
        if (grouped)
          g.task(step, ms::inout(x), int{i});
        else
          ms::task(step, ms::inout(x), int{i});
        expected = next(expected, i);
      }
      now.begin(-1);
      g.wait();
      ms::wait();
      EXPECT_EQ(x, expected);
      return std::exchange(now.at_once, 0);
    };
    chain(1000);  // so that the call site is known
    // What is in flight begins only where the creator waits, or where another worker has found it. That one may lose
    // its CPU then, for a hundred tries, and the creator does not catch up. A task that lost its CPU seems to be long.
    int most = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(sanitized ? 0 : 5);
    do most = std::max(most, chain(3000));
    while (most <= 2000 && std::chrono::steady_clock::now() < end);
    if (!sanitized) {
      EXPECT_GT(most, 2000) << (grouped ? "in a group" : "");
    }
  }
}

TEST_P(SmallTasks, WithDataMayNowAndThenCallWhateverMaslinHas) {
  long x = 0;
  std::atomic<long> extra{0};
  static const ms::kernel kernel{"of_a_small_task", [] {}};
  const auto call = [&extra](int which) {
    const auto one_more = [&extra] { ++extra; };
    switch (which % 7) {
      case 0:
        return ms::fork(one_more, [&] { ms::fork(one_more, one_more); });
      case 1:
        for (int i = 0; i < 3; ++i) ms::task(one_more);
        return ms::wait();
      case 2:
        return ms::parallel_for(
            0, 3, [&](ms::range block) { extra += static_cast<long>(block.size()); }, ms::block{1});
      case 3: {
        ms::group g;
        for (int i = 0; i < 3; ++i) g.task(one_more);
        g.wait();
        return;
      }
      case 4:
        ms::offload(kernel);
        extra += 3;
        return;
      case 5:
        for (int i = 0; i < 3; ++i) ms::task(one_more);  // its end waits for them
        return;
      default: {
        long y = 0;
        ms::task([](ms::view<long> v) { v[0] = 3; }, ms::out(y));
        ms::task([&extra](ms::view<const long> v) { extra += v[0]; }, ms::in(y));
        return ms::wait();
      }
    }
  };
  constexpr int tasks = 4000;
  constexpr int every = 40;
  for (int i = 0; i < tasks; ++i)
    ms::task(
        [call](ms::view<long> v, int at) {
          v[0] = v[0] * 3 % 1000003 + at;
          if (at % every == 0) call(at / every);
        },
        ms::inout(x), int{i});
  ms::wait();
  long expected = 0;
  for (int i = 0; i < tasks; ++i) expected = expected * 3 % 1000003 + i;
  EXPECT_EQ(x, expected);
  EXPECT_EQ(extra, 3 * tasks / every);
  EXPECT_EQ(ms::width(), GetParam().workers == 0 ? 1 : GetParam().workers);
}

TEST_P(SmallTasks, WithDataThatThrowLeaveItVoid) {
  long x = 0;
  long read = 0;
  constexpr int tasks = 2000;
  for (int i = 0; i < tasks; ++i)
    ms::task(
        [](ms::view<long> v, int at) {
          ++v[0];
          if (at == tasks - 1) throw std::runtime_error("the last");
        },
        ms::inout(x), int{i});
  ms::task([&read](ms::view<const long> v) { read = v[0]; }, ms::in(x));
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_EQ(read, 0) << "a task that reads what the last did not write ran";
  ms::task([&read](ms::view<const long> v) { read = v[0]; }, ms::in(x));
  ms::wait();
  EXPECT_EQ(read, tasks);
}

TEST_P(SmallTasks, DoNotHoldTheirCreatorUpForALongOne) {
  if (!meets()) GTEST_SKIP() << "the long one runs beside its creator";
  std::atomic<bool> begun{false};
  std::atomic<bool> all_created{false};
  long x = 0;
  long y = 0;
  ms::task(
      [&](ms::view<long> v) {
        begun = true;
        while (!all_created) std::this_thread::yield();
        ++v[0];
      },
      ms::inout(y));
  while (!begun) std::this_thread::yield();
  for (long i = 0; i < 3000; ++i) ms::task([](ms::view<long> v) { ++v[0]; }, ms::inout(x));
  all_created = true;
  ms::wait();
  EXPECT_EQ(x, 3000);
  EXPECT_EQ(y, 1);
}

TEST_P(SmallTasks, DoNotHoldTheirCreatorUpForAGroupsRenamedData) {
  if (!meets()) GTEST_SKIP() << "the long ones run beside their creator";
  std::atomic<bool> begun{false};
  std::atomic<bool> all_created{false};
  long x = 0;
  long y = 0;
  ms::group g;
  const auto dawdle_here = [&] {
    begun = true;
    while (!all_created) std::this_thread::yield();
  };
  g.task([&](ms::view<const long>) { dawdle_here(); }, ms::in(x));
  g.task(
      [&](ms::view<long> v) {
        dawdle_here();
        v[0] = 1;
      },
      ms::out(x));
  while (!begun) std::this_thread::yield();
  for (long i = 0; i < 3000; ++i) ms::task([](ms::view<long> v) { ++v[0]; }, ms::inout(y));
  all_created = true;
  ms::wait();
  EXPECT_EQ(y, 3000);
  g.wait();
  EXPECT_EQ(x, 1);
}

TEST_P(SmallTasks, ReachTheirTiles) {
  constexpr std::size_t n = 32;
  std::vector<int> matrix(n * n, 1);
  for (int i = 0; i < many; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) % 8 * 4;
    ms::task(
        [](ms::tile<int> t) {
          for (std::size_t c = 0; c < t.cols; ++c)
            for (std::size_t r = 0; r < t.rows; ++r) ++t(r, c);
        },
        ms::inout(ms::tile<int>{matrix.data() + at * n + at, 4, 4, n}));
  }
  ms::wait();
  int sum = 0;
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = 0; r < n; ++r) {
      EXPECT_EQ(matrix[c * n + r], r / 4 == c / 4 ? 1 + many / 8 : 1);
      sum += matrix[c * n + r];
    }
  EXPECT_EQ(sum, static_cast<int>(n * n) + 16 * many);
}

TEST_P(SmallTasks, OneThatThrowsCancelsWhatReadsItsData) {
  int x = 0;
  int y = 0;
  int read = 0;
  const auto add = [](ms::view<int> v, int i) {
    if (i == many - 1) throw std::runtime_error("the last one");
    v[0] += 1;
  };
  for (int i = 0; i < many; ++i) ms::task(add, ms::inout(x), int{i});
  ms::task([&](ms::view<const int>) { ++read; }, ms::in(x));
  for (int i = 0; i < many; ++i) ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(y));
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_EQ(read, 0);
  EXPECT_EQ(y, many);
  ms::task([&](ms::view<int> v) { read += 1 + 0 * v[0]; }, ms::inout(x));
  ms::wait();
  EXPECT_EQ(read, 1);
}

TEST_P(SmallTasks, OfEveryKindGiveWhatTheySay) {
  long sum = 0;
  long updated = 0;
  long last = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < many; ++i) {
      ms::task([i](ms::view<long> v) { v[0] += i; }, ms::reduction(sum));
      ms::task([](ms::view<long> v) { ++v[0]; }, ms::concurrent(updated));
      ms::task([i](ms::view<long> v) { v[0] = i; }, ms::out(last));
    }
    ms::wait();
    EXPECT_EQ(last, many - 1);
  }
  EXPECT_EQ(sum, 3L * many * (many - 1) / 2);
  EXPECT_EQ(updated, 3L * many);
}

TEST_P(SmallTasks, OfAGroupThrowInProgramOrder) {
  ms::group all;
  std::atomic<int> ran{0};
  for (int i = 0; i < many; ++i)
    all.task([&ran, i] {
      ran.fetch_add(1, std::memory_order_relaxed);
      if (i == many - 10 || i == many - 5) throw std::runtime_error(std::to_string(i));
    });
  try {
    all.wait();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(e.what(), std::to_string(many - 10));
    EXPECT_EQ(ms::other_exceptions().size(), 1u);
  }
  EXPECT_EQ(ran, many);
  all.wait();
}

/// A tree of groups, deep enough that most of its tasks are small; `at_leaf(leaf)` is called in each.
template <class AtLeaf>
long count_leaves(long first, int depth, const AtLeaf& at_leaf) {
  if (depth == 0) return at_leaf(first), 1;
  long left = 0;
  ms::group half;
  half.task([&left, first, depth, &at_leaf] { left = count_leaves(first, depth - 1, at_leaf); });
  const long right = count_leaves(first + (1L << (depth - 1)), depth - 1, at_leaf);
  half.wait();
  return left + right;
}
constexpr int depth = 12;
constexpr long leaves = 1L << depth;

TEST_P(SmallTasks, InGroupsInEachOtherAreTasksInAllTheyCall) {
  std::atomic<int> created{0};
  std::atomic<int> odd{0};
  for (int round = 0; round < 3; ++round)
    EXPECT_EQ(count_leaves(0, depth,
                           [&](long leaf) {
                             if (leaf % 64 == 0) {
                               ms::task([&] { ++created; });  // the end of the task around it covers it
                             } else if (leaf % 64 == 1) {
                               ms::fork([&] { ++created; }, [&] { ms::task([&] { ++created; }); });
                             } else if (leaf % 64 == 2) {
                               ms::parallel_for(0, 3, [&](ms::range r) { created += static_cast<int>(r.size()); });
                             } else if (leaf % 64 == 3) {
                               int x = 0;
                               ms::task([&](ms::view<int> v) { v[0] = 1; }, ms::inout(x));
                               ms::wait();
                               created += x;
                             } else if (leaf % 64 == 4) {
                               odd += ms::width() != 1;
                             }
                           }),
              leaves);
  ms::wait();
  EXPECT_EQ(created, 3 * leaves / 64 * (1 + 2 + 3 + 1));
  // The last leaves are the caller's own.
  if (!serial()) {
    EXPECT_LE(odd, 3);
  }
}

TEST_P(SmallTasks, InGroupsInEachOtherPassOnWhatTheyAndTheirTasksThrow) {
  for (int round = 0; round < 3; ++round) {
    const auto fails = [&](bool in_a_task) {
      count_leaves(0, depth, [&](long leaf) {
        if (leaf != 7 * leaves / 16 && leaf != leaves / 16) return;
        const auto fail = [leaf] { throw std::runtime_error(std::to_string(leaf)); };
        if (in_a_task)
          ms::task(fail);
        else
          fail();
      });
    };
    for (const bool in_a_task : {false, true}) try {
        fails(in_a_task);
        ms::wait();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& e) {
        EXPECT_EQ(e.what(), std::to_string(leaves / 16));
      }
  }
}

/// The same tree; each of its inner nodes calls `at_node(group, levels)` between its task and its own half.
template <class AtNode>
void walk(int levels, const AtNode& at_node) {
  if (levels == 0) return;
  ms::group half;
  half.task([levels, &at_node] { walk(levels - 1, at_node); });
  at_node(half, levels);
  walk(levels - 1, at_node);
  half.wait();
}

TEST_P(SmallTasks, InGroupsInEachOtherLeaveTheirCreatorsItsRounding) {
  std::atomic<int> wrong{0};
  std::atomic<int> nodes{0};
  for (int round = 0; round < 3; ++round)
    walk(depth, [&](ms::group& half, int) {
      const bool changes = nodes.fetch_add(1) % 16 == 0;
      half.task([&, changes] {
        if (std::fegetround() != FE_TONEAREST) ++wrong;
        if (changes) std::fesetround(FE_UPWARD);
      });
      if (std::fegetround() != FE_TONEAREST) ++wrong;
    });
  EXPECT_EQ(nodes, 3 * (leaves - 1));
  EXPECT_EQ(wrong, 0);
}

TEST_P(SmallTasks, InGroupsInEachOtherAreCancelledWithTheirGroup) {
  std::atomic<int> ran{0};
  std::atomic<int> wrong{0};
  std::atomic<int> cancelled{0};
  for (int round = 0; round < 3; ++round)
    walk(depth, [&](ms::group&, int at) {
      if (at % 4 != 0) return;
      ms::group own;
      own.task([&] { ran.fetch_add(1, std::memory_order_relaxed); });
      if (!own.wait()) ++wrong;
      own.cancel();
      own.task([&] { ++wrong; });
      ++cancelled;
      if (!own.cancelled() || own.wait()) ++wrong;
      own.task([&] { ran.fetch_add(1, std::memory_order_relaxed); });
      if (!own.wait()) ++wrong;
    });
  EXPECT_EQ(cancelled, 3 * (leaves / 16 + leaves / 256 + 1));
  EXPECT_EQ(ran, 2 * cancelled);
  EXPECT_EQ(wrong, 0);
}

TEST_P(SmallTasks, InGroupsInEachOtherAreWaitedForByOthers) {
  if (!meets()) GTEST_SKIP() << "one runs beside the other";
  for (int round = 0; round < 20; ++round) {
    std::atomic<ms::group*> shared{nullptr};
    std::atomic<bool> done{false};
    std::atomic<int> nodes{0};
    std::thread other([&] {
      while (!shared) std::this_thread::yield();
      shared.load()->wait();
      EXPECT_TRUE(done);
      shared = nullptr;
    });
    walk(depth, [&](ms::group&, int) {
      if (nodes.fetch_add(1) != leaves / 2 + round) return;
      ms::group own;
      own.task([&] {
        shared = &own;
        dawdle();
        done = true;
      });
      own.wait();
      while (shared) std::this_thread::yield();  // the other is in a call of the group
    });
    other.join();
  }
}

TEST_P(SmallTasks, InGroupsInEachOtherMayHaveBodiesThatCanOnlyBeMoved) {
  struct moved {
    explicit moved(std::atomic<int>& counter) : of(&counter) {}
    moved(moved&&) = default;
    moved(const moved&) = delete;
    std::atomic<int>* of;
  };
  std::atomic<int> ran{0};
  walk(depth, [&](ms::group& half, int) { half.task([one = moved(ran)] { ++*one.of; }); });
  EXPECT_EQ(ran, leaves - 1);
}

TEST_P(SmallTasks, OfAGroupMayBeCreatedByOthersWhoWaitForIt) {
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    ran = 0;
    ms::group shared;
    ms::group creators;
    constexpr int each = 300;
    for (int c = 0; c < 4; ++c)
      creators.task([&] {
        for (int i = 0; i < each; ++i) shared.task([&] { ran.fetch_add(1, std::memory_order_relaxed); });
        shared.wait();
        EXPECT_GE(ran, each);
      });
    for (int i = 0; i < each; ++i) shared.task([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    creators.wait();
    shared.wait();
    EXPECT_EQ(ran, 5 * each);
  }
}

TEST_P(SmallTasks, OfAGroupAreWaitedForByOthersWhileTheirCreatorRunsThem) {
  if (!meets()) GTEST_SKIP() << "one runs beside the other";
  for (int round = 0; round < 20; ++round) {
    std::atomic<ms::group*> shared{nullptr};
    std::atomic<bool> done{false};
    ms::group other;
    other.task([&] {
      while (!shared) std::this_thread::yield();
      shared.load()->wait();
      EXPECT_TRUE(done);
    });
    ms::group creator;
    creator.task([&] {
      ms::group own;
      for (int i = 0; i <= many; ++i)
        own.task([&, i] {
          if (i < many) return;
          shared = &own;
          dawdle();
          ms::group inside;
          inside.task([&] { dawdle(); });
          inside.wait();
          done = true;
        });
      own.wait();
      other.wait();  // it is in a call of the group, and may have to go on where this runs
    });
    creator.wait();
  }
}

TEST_P(SmallTasks, OfAGroupAreWaitedForByAnotherThreadThatTakesItAway) {
  if (!meets()) GTEST_SKIP() << "one runs beside the other";
  std::atomic<ms::group*> given{nullptr};
  std::atomic<int> done{0};
  std::atomic<int> taken{0};
  constexpr int rounds = 200;
  std::thread other([&] {
    for (int round = 0; round < rounds; ++round) {
      ms::group* mine;
      while (!(mine = given.exchange(nullptr))) std::this_thread::yield();
      delete mine;
      EXPECT_EQ(done, taken + 1);
      ++taken;
    }
  });
  for (int round = 0; round < rounds; ++round) {
    auto* own = new ms::group;
    const int last = round == 0 ? many : 20;
    for (int i = 0; i <= last; ++i)
      own->task([&, i] {
        if (i < last) return;
        given = own;
        if (round % 2 == 0) dawdle();
        done.fetch_add(1);
      });
    while (taken <= round) std::this_thread::yield();
  }
  other.join();
}

}  // namespace
