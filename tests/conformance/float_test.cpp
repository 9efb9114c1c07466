// What runs computes as its creator would have: under the same rounding mode, and flushing to zero what that does.

#include <cfenv>
#include <cstdint>
#include <vector>

#include "executors.hpp"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace {

enum class mode { nearest, upward, downward, towards_zero, flush_to_zero };

/// What some operations give where they stand.
struct results {
  double third;
  double tenth;
  long double wide;
  double tiny;
  bool operator==(const results&) const = default;
};

void PrintTo(const results& r, std::ostream* out) {
  *out << r.third << ", " << r.tenth << ", " << r.wide << ", " << r.tiny;
}

/// Volatile at both ends: a compiler moves none of it. The nearest double to -1/3 is nearer to zero and that to -1/10
/// is farther, so each way to round changes one of them, however wide a long double is.
[[gnu::noinline]] results compute() {
  volatile double one = 1, minus_three = -3, minus_ten = -10, small = 1e-300, smaller = 1e-10;
  volatile long double wide_one = 1, wide_three = 3;
  volatile double third = one / minus_three, tenth = one / minus_ten, tiny = small * smaller;
  volatile long double wide = wide_one / wide_three;
  return {third, tenth, wide, tiny};
}

void set(mode to) {
  std::fesetround(to == mode::upward         ? FE_UPWARD
                  : to == mode::downward     ? FE_DOWNWARD
                  : to == mode::towards_zero ? FE_TOWARDZERO
                                             : FE_TONEAREST);
#ifdef __x86_64__
  _MM_SET_FLUSH_ZERO_MODE(to == mode::flush_to_zero ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
#endif
}

/// A mode while it lives.
struct under {
  explicit under(mode to) { set(to); }
  ~under() { set(mode::nearest); }
  under(const under&) = delete;
  under& operator=(const under&) = delete;
};

results expected(mode at) {
  const under it(at);
  return compute();
}

const std::vector<mode> unusual = {mode::upward, mode::downward, mode::towards_zero,
#ifdef __x86_64__
                                   mode::flush_to_zero
#endif
};
mode in_turn(int i) {
  static const std::vector<mode> all = [] {
    std::vector<mode> both = unusual;
    both.push_back(mode::nearest);
    return both;
  }();
  return all[static_cast<std::size_t>(i) % all.size()];
}

mode rounding(std::size_t i) { return unusual[i % 3]; }

/// All of them are what the mode gives.
void expect_all(const std::vector<results>& found, mode at) {
  for (const results& one : found) EXPECT_EQ(one, expected(at));
}

class FloatMode : public Promise {
 protected:
  ~FloatMode() override { set(mode::nearest); }
};

TEST(FloatModes, GiveDifferentResults) {
  for (const mode m : unusual) EXPECT_NE(expected(m), expected(mode::nearest));
}

TEST_P(FloatMode, ATaskRunsUnderThatOfItsCreation) {
  constexpr int count = 300;
  std::vector<results> found(count);
  for (int i = 0; i < count; ++i) {
    const under now(in_turn(i));
    ms::task([&at = found[static_cast<std::size_t>(i)]] {
      dawdle();
      at = compute();
    });
  }
  ms::wait();
  for (int i = 0; i < count; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], expected(in_turn(i))) << i;
}

TEST_P(FloatMode, ASmallTaskDoesToo) {
  constexpr int count = 5000;
  std::vector<results> found(count);
  ms::group all;
  for (int i = 0; i < count; ++i) {
    const under now(in_turn(i / 7));
    all.task([&at = found[static_cast<std::size_t>(i)]] { at = compute(); });
  }
  all.wait();
  for (int i = 0; i < count; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], expected(in_turn(i / 7))) << i;
}

TEST_P(FloatMode, ATaskInAChainDoesToo) {
  constexpr int count = 100;
  std::vector<results> found(count);
  int at = 0;
  ms::task(
      [](ms::view<int>) {
        dawdle();
        dawdle();
      },
      ms::inout(at));
  for (int i = 0; i < count; ++i) {
    const under now(in_turn(i));
    ms::task([&found](ms::view<int> next) { found[static_cast<std::size_t>(next[0]++)] = compute(); }, ms::inout(at));
  }
  ms::wait();
  for (int i = 0; i < count; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], expected(in_turn(i))) << i;
}

TEST_P(FloatMode, ValuesOfAReductionAreCombinedUnderThatOfItsLastTask) {
  const auto sum_under = [](mode at) {
    const under it(at);
    volatile double sum = 0, tenth = 0.1;
    for (int i = 0; i < 50; ++i) sum = sum + tenth;
    return double{sum};
  };
  ASSERT_NE(sum_under(mode::upward), sum_under(mode::nearest));
  for (const mode m : {mode::upward, mode::downward}) {
    double sum = 0;
    {
      const under it(m);
      for (int i = 0; i < 50; ++i)
        ms::task(
            [](ms::view<double> to) {
              dawdle();
              to[0] += 0.1;
            },
            ms::reduction(sum));
    }
    ms::wait();
    EXPECT_EQ(sum, sum_under(m));
  }
}

TEST_P(FloatMode, BlocksOfALoopRunUnderItsCallers) {
  using ms::schedule;
  for (const schedule policy : {schedule::of_the_run, schedule::dbs, schedule::static_, schedule::gss, schedule::afs})
    for (const mode m : unusual) {
      std::vector<results> found(24);
      const under it(m);
      ms::parallel_for(
          0, 24,
          [&](ms::range r) {
            dawdle();
            for (const auto i : r) found[static_cast<std::size_t>(i)] = compute();
          },
          policy);
      const results after = compute();
      expect_all(found, m);
      EXPECT_EQ(after, expected(m));
      set(m);
    }
}

TEST_P(FloatMode, StreamsRunUnderTheirPhasesCallers) {
  for (const mode m : unusual) {
    std::vector<results> found(12);
    results after;
    {
      const under it(m);
      ms::phase("under a mode", 12, [&](std::int64_t i) {
        dawdle();
        found[static_cast<std::size_t>(i)] = compute();
      });
      after = compute();
    }
    expect_all(found, m);
    EXPECT_EQ(after, expected(m));
  }
}

const ms::kernel computes{"computes", [](results* out) { *out = compute(); }};
const ms::kernel computes_in_loop{"computes_in_loop", [](std::vector<results>* out) {
                                    ms::parallel_for(0, static_cast<std::int64_t>(out->size()), [&](ms::range r) {
                                      dawdle();
                                      for (const auto i : r) (*out)[static_cast<std::size_t>(i)] = compute();
                                    });
                                  }};

TEST_P(FloatMode, AnOffLoadRunsUnderItsStreams) {
  constexpr int streams = 15;
  std::vector<results> found(streams), after(streams);
  std::vector<std::vector<results>> in_loop(streams, std::vector<results>(16));
  ms::phase("off-loads under a mode", streams, [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    const under it(in_turn(static_cast<int>(i)));
    for (int repeats = 0; repeats < 2; ++repeats) {
      ms::offload(computes, &found[i]);
      ms::offload(computes_in_loop, &in_loop[i]);
    }
    after[i] = compute();
  });
  for (int i = 0; i < streams; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(found[at], expected(in_turn(i))) << i;
    EXPECT_EQ(after[at], expected(in_turn(i))) << i;
    expect_all(in_loop[at], in_turn(i));
  }
}

TEST_P(FloatMode, ARecordingRunsUnderThatOfItsReplay) {
  for (const bool small : {false, true}) {
    std::vector<results> found(40);
    const auto create = [&] {
      for (results& at : found)
        ms::task(
            [small](ms::view<results> to) {
              if (!small) dawdle();
              to[0] = compute();
            },
            ms::inout(at));
    };
    set(mode::upward);
    ms::recording all = ms::record(create);
    set(mode::nearest);
    expect_all(found, mode::upward);
    for (int i = 0; i < 10; ++i) {
      const mode m = in_turn(i);
      results after;
      {
        const under it(m);
        ms::replay(all);
        after = compute();
      }
      expect_all(found, m);
      EXPECT_EQ(after, expected(m));
    }
  }
}

/// Leaves of a tree of forks, each of which is long enough to be given away.
void fork_tree(std::vector<results>& found, std::size_t first, std::size_t last) {
  if (last - first == 1) {
    dawdle();
    found[first] = compute();
    return;
  }
  const std::size_t middle = (first + last) / 2;
  ms::fork([&] { fork_tree(found, first, middle); }, [&] { fork_tree(found, middle, last); });
}

TEST_P(FloatMode, ABranchRunsUnderThatOfItsFork) {
  for (const mode m : unusual) {
    std::vector<results> found(64);
    {
      const under it(m);
      fork_tree(found, 0, found.size());
    }
    expect_all(found, m);
  }
}

// What a body changes and does not put back.

TEST_P(FloatMode, WhatATaskChangesEndsWithIt) {
  constexpr int count = 300;
  std::vector<results> found(count), creators(count);
  for (std::size_t i = 0; i < count; ++i) {
    ms::task([&found, i] {
      if (i % 3 == 0) dawdle();
      found[i] = compute();
      set(rounding(i));
    });
    creators[i] = compute();
  }
  ms::wait();
  const results after = compute();
  EXPECT_EQ(after, expected(mode::nearest));
  expect_all(found, mode::nearest);
  expect_all(creators, mode::nearest);
}

TEST_P(FloatMode, WhatASmallTaskChangesEndsWithIt) {
  constexpr int count = 5000;
  std::vector<results> found(count), creators(count);
  ms::group all;
  for (std::size_t i = 0; i < count; ++i) {
    all.task([&at = found[i], i] {
      at = compute();
      set(rounding(i));
    });
    creators[i] = compute();
  }
  all.wait();
  expect_all(found, mode::nearest);
  expect_all(creators, mode::nearest);
}

TEST_P(FloatMode, WhatATaskChangesEndsWithItWhereItThrows) {
  results other;
  ms::task([] {
    set(mode::upward);
    throw 1;
  });
  EXPECT_THROW(ms::wait(), int);
  ms::task([&] { other = compute(); });
  ms::wait();
  EXPECT_EQ(compute(), expected(mode::nearest));
  EXPECT_EQ(other, expected(mode::nearest));
}

TEST_P(FloatMode, WhatABlockChangesEndsWithTheLoop) {
  for (const ms::schedule policy : {ms::schedule::dbs, ms::schedule::static_, ms::schedule::gss, ms::schedule::afs}) {
    ms::parallel_for(
        0, 64, [](ms::range) { set(mode::upward); }, policy);
    const results after = compute();
    std::vector<results> found(64);
    for (results& at : found)
      ms::task([&at] {
        dawdle();
        at = compute();
      });
    ms::wait();
    EXPECT_EQ(after, expected(mode::nearest));
    expect_all(found, mode::nearest);
  }
}

TEST_P(FloatMode, WhatStreamsAndKernelsChangeEndsWithThem) {
  static const ms::kernel changes{"changes", [] { set(mode::upward); }};
  std::vector<results> first(40), behind_kernel(40);
  ms::phase("changes its mode", 40, [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    first[i] = compute();
    ms::offload(changes);
    behind_kernel[i] = compute();
    set(mode::downward);
  });
  const results after = compute();
  EXPECT_EQ(after, expected(mode::nearest));
  expect_all(first, mode::nearest);
  expect_all(behind_kernel, mode::nearest);
}

TEST_P(FloatMode, WhatARecordedTaskChangesEndsWithIt) {
  std::vector<results> found(40);
  ms::recording all = ms::record([&] {
    for (results& at : found)
      ms::task(
          [](ms::view<results> to) {
            to[0] = compute();
            set(mode::upward);
          },
          ms::inout(at));
  });
  for (int i = 0; i < 30; ++i) {
    ms::replay(all);
    const results after = compute();
    expect_all(found, mode::nearest);
    EXPECT_EQ(after, expected(mode::nearest));
  }
}

TEST_P(FloatMode, StaysWithWhoWaits) {
  constexpr int count = 60;
  std::vector<results> before(count), after(count), members(count), others(count);
  for (int i = 0; i < count; ++i)
    ms::task([&, i] {
      const auto at = static_cast<std::size_t>(i);
      const under it(in_turn(i));
      ms::group own;
      own.task([&members, at] {
        dawdle();
        members[at] = compute();
      });
      // The newest task is not one of those that are waited for, so the waiter is suspended.
      set(mode::nearest);
      ms::task([&others, at] { others[at] = compute(); });
      set(in_turn(i));
      before[at] = compute();
      own.wait();
      after[at] = compute();
    });
  ms::wait();
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(before[at], expected(in_turn(i))) << i;
    EXPECT_EQ(after[at], expected(in_turn(i))) << i;
    EXPECT_EQ(members[at], expected(in_turn(i))) << i;
  }
  expect_all(others, mode::nearest);
}

// A stream that is suspended at an off-load may go on on another worker.
TEST_P(FloatMode, StaysWithAStreamThatIsSuspended) {
  std::vector<results> found(30);
  ms::phase("suspended under a mode", 30, [&](std::int64_t index) {
    const under it(in_turn(static_cast<int>(index)));
    std::vector<results> of_kernel(4);
    for (int i = 0; i < 4; ++i) ms::offload(computes_in_loop, &of_kernel);
    found[static_cast<std::size_t>(index)] = compute();
  });
  for (int i = 0; i < 30; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], expected(in_turn(i))) << i;
}

MASLIN_ON_EVERY_EXECUTOR(FloatMode);

}  // namespace
