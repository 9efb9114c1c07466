// What a program says wrong, and only shows when it runs, is an error in words on every executor.

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#include "executors.hpp"

namespace {

class Misuse : public Promise {};

MASLIN_ON_EVERY_EXECUTOR(Misuse);

/// `call` throws an error whose message contains that.
template <class Call>
testing::AssertionResult fails(Call&& call, const std::string& part) {
  try {
    call();
  } catch (const ms::error& e) {
    if (std::string(e.what()).find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "the error says \"" << e.what() << "\", not \"" << part << '"';
  }
  return testing::AssertionFailure() << "no error";
}

/// A place as messages name it.
std::string here(unsigned line) { return "misuse_test.cpp:" + std::to_string(line) + ": "; }

TEST_P(Misuse, APhaseWithoutANameIsAnError) {
  const auto body = [](std::int64_t) { ADD_FAILURE() << "a stream ran"; };
  EXPECT_TRUE(fails([&] { ms::phase(nullptr, 3, body); }, here(__LINE__) + "the name is a null pointer"));
}

TEST_P(Misuse, LessThanNoStreamsAreAnError) {
  const auto body = [](std::int64_t) { ADD_FAILURE() << "a stream ran"; };
  EXPECT_TRUE(fails([&] { ms::phase("negative", -1, body); }, here(__LINE__) + "-1 streams"));
  ms::phase("none", 0, body);
}

TEST_P(Misuse, MoreStreamsThanCanBeCountedAreAnError) {
  const auto body = [](std::int64_t) { ADD_FAILURE() << "a stream ran"; };
  const std::int64_t many = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(fails([&] { ms::phase("many", many, body); }, here(__LINE__) + std::to_string(many) + " streams"));
}

TEST_P(Misuse, ATileWhoseColumnsLieInEachOtherIsAnError) {
  std::vector<double> x(100);
  const auto body = [](ms::tile<double>) { ADD_FAILURE() << "it ran"; };
  const ms::tile<double> t{x.data(), 4, 3};
  EXPECT_TRUE(fails([&] { ms::task(body, ms::out(t)); }, here(__LINE__) + "a tile of 4 rows whose columns begin 0 "));
}

TEST_P(Misuse, ALoopThatBeginsAtNoIntegerIsAnError) {
  for (const double bound : {1e19, -1e19, std::nan("")})
    EXPECT_TRUE(fails([&] { ms::parallel_for(0, bound, [](ms::range) {}); },
                      "a loop begins or ends at " + std::to_string(bound)));
  int ran = 0;
  ms::parallel_for(
      0, 2.9, [&](ms::range r) { ran += static_cast<int>(r.size()); }, ms::block{10});
  EXPECT_EQ(ran, 2);
}

std::atomic<int> calls_of_named{0};
void named_loop(ms::range r) { calls_of_named += static_cast<int>(r.size()); }
void named_stream(std::int64_t) { ++calls_of_named; }
void named_rank(ms::communicator&) { ++calls_of_named; }
void named_create() {
  ms::task([] { ++calls_of_named; });
}

TEST_P(Misuse, ABodyMayBeAFunctionByItsName) {
  calls_of_named = 0;
  ms::parallel_for(0, 10, named_loop);
  ms::phase("named", 3, named_stream);
  ms::ranks(2, named_rank);
  ms::record(named_create);
  EXPECT_EQ(calls_of_named, 16);
}

TEST_P(Misuse, AnEmptyBodyIsAnErrorOfTheCall) {
  const std::function<void(std::int64_t)> stream;
  const std::function<void(ms::range)> loop;
  const std::function<double(ms::range)> sum;
  const std::function<void()> task;
  void (*const pointer)() = nullptr;
  void (*const of_a_view)(ms::view<int>) = nullptr;
  int x = 1;
  ms::group group;
  EXPECT_TRUE(fails([&] { ms::phase("empty", 3, stream); }, here(__LINE__) + "the body is a null pointer"));
  EXPECT_TRUE(fails([&] { ms::phase("empty", 0, stream); }, "phase at "));
  EXPECT_TRUE(fails([&] { ms::parallel_for(0, 9, loop); }, "parallel_for at "));
  EXPECT_TRUE(fails([&] { ms::parallel_reduce(0, 9, 0.0, std::plus(), sum); }, "parallel_reduce at "));
  EXPECT_TRUE(fails([&] { ms::task(task); }, "task at "));
  EXPECT_TRUE(fails([&] { ms::task(pointer); }, "task at "));
  EXPECT_TRUE(fails([&] { ms::task(of_a_view, ms::inout(x)); }, here(__LINE__)));
  EXPECT_TRUE(fails([&] { group.task(task); }, "task at "));
  EXPECT_TRUE(fails([&] { ms::fork([] { ADD_FAILURE() << "a branch ran"; }, task); }, "fork at "));
  EXPECT_TRUE(fails([&] { const ms::kernel k("empty", task); }, "kernel at "));
  EXPECT_TRUE(fails([&] { const ms::kernel k(nullptr, [] {}); }, "the name of a kernel"));
  ms::wait();
}

TEST_P(Misuse, UnlockingWhatNobodyHasLockedIsAnError) {
  ms::mutex lock;
  EXPECT_TRUE(fails([&] { lock.unlock(); }, "is not locked"));
  lock.lock();
  lock.unlock();
  EXPECT_TRUE(fails([&] { lock.unlock(); }, "is not locked"));
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

TEST_P(Misuse, UnlockingWhatAnotherTaskHasLockedIsAnError) {
  ms::mutex lock;
  lock.lock();
  const auto unlocked = [&] { return fails([&] { lock.unlock(); }, "another task, stream or thread has locked"); };
  constexpr int ways = 6;
  std::vector<testing::AssertionResult> said(ways, testing::AssertionFailure() << "did not run");
  ms::task([&] { said[0] = unlocked(); });
  ms::wait();
  ms::phase("unlocks", 1, [&](std::int64_t) { said[1] = unlocked(); });
  ms::fork([&] { said[2] = unlocked(); }, [&] { said[3] = unlocked(); });
  std::thread([&] { said[4] = unlocked(); }).join();
  ms::parallel_for(0, 1, [&](ms::range) { said[5] = unlocked(); });
  for (const auto& one : said) EXPECT_TRUE(one);
  EXPECT_FALSE(lock.try_lock());
  lock.unlock();
}

TEST_P(Misuse, WhoGotTheMutexFromAnotherMayUnlockIt) {
  ms::mutex lock;
  int inside = 0;
  ms::phase("hands over", 6, [&](std::int64_t) {
    for (int k = 0; k < 50; ++k) {
      lock.lock();
      ++inside;
      ms::task([&] { ++inside; });
      ms::wait();
      lock.unlock();
    }
  });
  for (int i = 0; i < 100; ++i)
    ms::task([&] {
      lock.lock();
      ++inside;
      lock.unlock();
    });
  ms::wait();
  EXPECT_EQ(inside, 6 * 50 * 2 + 100);
}

}  // namespace
