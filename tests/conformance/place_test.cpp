// Promises about which of the ready tasks runs next (MASLIN_PLACE), where a policy promises an order.

#include <algorithm>
#include <numeric>
#include <string>

#include "executors.hpp"

namespace {

struct Place : testing::TestWithParam<executor_kind> {
  static ms::Runtime::options options(ms::placement place) {
    describe_machine(GetParam());
    return {.workers = GetParam().workers, .serial = GetParam().workers == 0, .place = place};
  }
  /// Does one body run at a time, and the next one begin only then?
  static bool one_at_a_time() { return GetParam().workers <= 1 || GetParam().described; }
};

using ms::placement;

/// Runs `create` in a task, so that all that it creates is there before any of that begins.
template <class Create>
void in_a_task(Create&& create) {
  ms::task([&] { create(); });
  ms::wait();
}

TEST_P(Place, ProgramOrderRunsTasksInTheOrderOfTheirCreation) {
  if (!one_at_a_time()) GTEST_SKIP() << "with several threads the order shows nothing";
  const ms::Runtime runtime(options(placement::program_order));
  std::vector<int> order;
  in_a_task([&] {
    for (int i = 0; i < 100; ++i) ms::task([&order, i] { order.push_back(i); });
  });
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST_P(Place, ProgramOrderOfOneWorkerIsThatOfTheSerialElision) {
  if (GetParam().workers > 1) GTEST_SKIP() << "with several workers the order shows nothing";
  const ms::Runtime runtime(options(placement::program_order));
  std::vector<std::string> order;
  const auto grow = [&](auto& self, const std::string& creator, int depth) -> void {
    for (const char* child : {"a", "b", "c"})
      ms::task([&, own = creator + child, depth] {
        order.push_back(own);
        if (depth > 0) self(self, own, depth - 1);
      });
  };
  in_a_task([&] { grow(grow, "", 2); });
  ASSERT_EQ(order.size(), 3u + 9 + 27);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "descendants come before what is created next";
}

/// Two chains whose tasks are created in turn; the first task's number is that of its chain. With `fork`, the first
/// task of each makes two ready.
std::vector<int> two_chains(bool fork) {
  std::vector<int> order;
  std::vector<int> x(2), y(2);
  in_a_task([&] {
    for (int i = 0; i < 3; ++i)
      for (int chain = 0; chain < 2; ++chain) {
        const auto at = static_cast<std::size_t>(chain);
        const auto body = [&order, number = 10 * chain + i](auto&&...) { order.push_back(number); };
        if (!fork)
          ms::task(body, ms::inout(x[at]));
        else if (i == 0)
          ms::task(body, ms::inout(x[at]), ms::inout(y[at]));
        else
          ms::task(body, ms::inout(i == 1 ? x[at] : y[at]));
      }
  });
  return order;
}

TEST_P(Place, ChainsGoOnWithWhatTheyMadeReadyAndProgramOrderDoesNot) {
  if (GetParam().workers != 1) GTEST_SKIP() << "with several workers the order shows nothing";
  for (const bool fork : {false, true}) {
    {
      const ms::Runtime runtime(options(placement::program_order));
      EXPECT_EQ(two_chains(fork), (std::vector<int>{0, 10, 1, 11, 2, 12}));
    }
    const ms::Runtime runtime(options(placement::chains));
    EXPECT_EQ(two_chains(fork),
              fork ? (std::vector<int>{0, 10, 1, 11, 2, 12}) : (std::vector<int>{0, 1, 2, 10, 11, 12}));
  }
}

TEST_P(Place, AnotherPolicyThanTheRunningOneIsRefused) {
  const ms::Runtime runtime(options(placement::chains));
  const ms::Runtime same({.place = placement::chains}), any;
  if (GetParam().workers == 0) return (void)ms::Runtime({.place = placement::dbs});  // which has no place policy
  try {
    const ms::Runtime other({.place = placement::dbs});
    FAIL() << "there is no error";
  } catch (const ms::error& e) {
    EXPECT_NE(std::string(e.what()).find("under chains is running already"), std::string::npos) << e.what();
  }
}

MASLIN_ON_EVERY_EXECUTOR(Place);

}  // namespace
