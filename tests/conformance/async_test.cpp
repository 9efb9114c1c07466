// Tasks that give a value.

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "executors.hpp"

namespace {

class Async : public Promise {};

MASLIN_ON_EVERY_EXECUTOR(Async);

int fib(int n) {
  if (n < 2) return n;
  auto first = ms::async([n] { return fib(n - 1); });
  const int second = fib(n - 2);
  return first.get() + second;
}

TEST_P(Async, AFutureGivesWhatTheTaskReturned) {
  auto number = ms::async([] { return 42; });
  auto text =
      ms::async([](int n, const std::string& what) { return what + std::to_string(n); }, 3, std::string("n = "));
  auto moved = ms::async([] { return std::make_unique<int>(7); });
  EXPECT_EQ(text.get(), "n = 3");
  EXPECT_EQ(*moved.get(), 7);
  EXPECT_EQ(number.get(), 42);
  EXPECT_EQ(fib(15), 610);
}

TEST_P(Async, ABodyMayBeAMember) {
  struct model {
    int score(int of) const { return of + bias; }
    int bias;
  };
  model m{40};
  EXPECT_EQ(ms::async(&model::score, std::cref(m), 2).get(), 42);
}

TEST_P(Async, AFutureOfNothingWaits) {
  bool ran = false;
  auto done = ms::async([&ran] {
    dawdle();
    ran = true;
  });
  done.get();
  EXPECT_TRUE(ran);
}

TEST_P(Async, WhatTheTaskCreatesIsDoneToo) {
  std::atomic<int> ran{0};
  auto number = ms::async([&ran] {
    for (int i = 0; i < 10; ++i)
      ms::task([&ran] {
        dawdle();
        ++ran;
      });
    return 1;
  });
  EXPECT_EQ(number.get(), 1);
  EXPECT_EQ(ran, 10);
}

TEST_P(Async, AnExceptionComesOutOfGet) {
  auto thrown = ms::async([]() -> int { throw std::runtime_error("thrown"); });
  auto within = ms::async([] {
    ms::task([] { throw std::runtime_error("within"); });
    return 1;
  });
  EXPECT_THROW(thrown.get(), std::runtime_error);
  EXPECT_THROW(within.get(), std::runtime_error);
  ms::wait();
}

TEST_P(Async, AnExceptionThatNobodyGotComesOutOfTheNextWait) {
  {
    const auto dropped = ms::async([]() -> int { throw std::runtime_error("dropped"); });
  }
  EXPECT_THROW(ms::wait(), std::runtime_error);
  ms::wait();
}

TEST_P(Async, AccessesOrderItAmongTheCallersTasks) {
  int x = 0;
  write_one_later(x);
  auto seen = ms::async([](ms::view<const int> v) { return v[0]; }, ms::in(x));
  ms::task([](ms::view<int> v) { v[0] = 2; }, ms::inout(x));
  EXPECT_EQ(seen.get(), 1);
  ms::wait();
  EXPECT_EQ(x, 2);
}

TEST_P(Async, WhatCannotBeReadIsAnErrorOfGet) {
  int x = 0;
  ms::task([](ms::view<int>) { throw std::runtime_error("void"); }, ms::inout(x));
  auto seen = ms::async([](ms::view<const int> v) { return v[0]; }, ms::in(x));
  EXPECT_THROW(seen.get(), ms::error);
  EXPECT_THROW(ms::wait(), std::runtime_error);
}

TEST_P(Async, WhatItUsesIsThereThoughItsCreatorHasEnded) {
  constexpr int rounds = 20;
  std::vector<double> x(4096, -1);
  for (int i = 0; i < rounds; ++i) {
    ms::future<void> later;
    double read = 0;
    ms::task(
        [&later](ms::view<double> whole) {
          whole[0] = 0;
          later = ms::async(
              [](ms::view<double> part) {
                dawdle();
                for (double& v : part) v = 1;
              },
              ms::inout(whole));
        },
        ms::out(x));
    ms::task([&read](ms::view<const double> whole) { read = whole[4095]; }, ms::in(x));
    // So that the next round's data are renamed.
    ms::task([](ms::view<const double>) { dawdle(); }, ms::in(x));
    ms::wait();
    EXPECT_EQ(read, 1) << "round " << i;
    EXPECT_EQ(x[0], 1) << "round " << i;
    later.get();
  }
}

TEST_P(Async, ACreatorThatThrowsWaitsForIt) {
  int x = 0;
  ms::future<void> later;
  ms::task(
      [&later](ms::view<int> whole) {
        later = ms::async(write_one, ms::inout(whole));
        throw std::runtime_error("the creator");
      },
      ms::inout(x));
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_EQ(x, 1);
  later.get();
}

TEST_P(Async, ALoopWaitsForWhatItsBlocksGaveData) {
  std::vector<int> x(8);
  std::vector<ms::future<void>> later(x.size());
  ms::parallel_for(0, static_cast<std::int64_t>(x.size()), [&](ms::range block) {
    for (const auto at : block) {
      const auto i = static_cast<std::size_t>(at);
      later[i] = ms::async(write_one, ms::inout(x[i]));
    }
  });
  for (const int v : x) EXPECT_EQ(v, 1);
}

TEST_P(Async, FuturesMoveAndAreEmptyAfterwards) {
  std::vector<ms::future<int>> all;
  for (int i = 0; i < 50; ++i) all.push_back(ms::async([i] { return i; }));
  int sum = 0;
  for (auto& one : all) {
    EXPECT_TRUE(one.valid());
    sum += one.get();
    EXPECT_FALSE(one.valid());
    EXPECT_THROW(one.get(), ms::error);
  }
  EXPECT_EQ(sum, 49 * 50 / 2);
  ms::future<int> none;
  EXPECT_FALSE(none.valid());
  none = ms::async([] { return 3; });
  EXPECT_EQ(none.get(), 3);
}

}  // namespace
