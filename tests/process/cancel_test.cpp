// Promises about threads that are cancelled (pthread_cancel) in Maslin's calls. Each in a process of its own.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>

#include "executors.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

std::atomic<bool> is_inside{false};
std::atomic<bool> may_return{false};

/// Cancellation points.
void sleep_until_told() {
  is_inside = true;
  while (!may_return) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

struct cancelled_call {
  const char* name;
  void (*call)();
};

const cancelled_call calls[] = {
    {"wait",
     [] {
       ms::task(sleep_until_told);
       ms::wait();
     }},
    {"group",
     [] {
       ms::group g;
       g.task(sleep_until_told);
       g.wait();
     }},
    {"data",
     [] {
       int x = 0;
       ms::task([](ms::view<int>) { sleep_until_told(); }, ms::out(x));
       ms::wait_on(x);
     }},
    {"replay",
     [] {
       int x = 0;
       ms::record([&] { ms::task([](ms::view<int>) { sleep_until_told(); }, ms::out(x)); });
     }},
    {"phase", [] { ms::phase("cancelled", 2, [](std::int64_t) { sleep_until_told(); }); }},
    {"loop",
     [] {
       ms::parallel_for(
           0, 4, [](ms::range) { sleep_until_told(); }, ms::block{1});
     }},
    {"ranks", [] { ms::ranks(2, [](ms::communicator&) { sleep_until_told(); }); }},
    {"mutex",
     [] {
       ms::mutex lock;
       ms::task([&] {
         const std::lock_guard held(lock);
         sleep_until_told();
       });
       // On a described machine the task begins when its creator waits.
       if (ms::workers() == 2) {
         while (!is_inside) std::this_thread::yield();
         const std::lock_guard held(lock);
       }
       ms::wait();
     }},
};

/// Cancels a thread that is inside a call, which may return a little later; then it ends.
void cancel_inside(std::thread& t) {
  while (!is_inside) std::this_thread::yield();
  pthread_cancel(t.native_handle());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  may_return = true;
  t.join();
}

bool runs_a_loop() {
  std::atomic<int> ran{0};
  ms::parallel_for(0, 100, [&](ms::range r) { ran += static_cast<int>(r.size()); });
  return ran == 100;
}

class Cancel : public testing::TestWithParam<std::tuple<executor_kind, cancelled_call, bool>> {};

// The bodies run on the thread itself, or elsewhere: in both cases the call returns, and then the thread ends.
TEST_P(Cancel, WaitsForTheCallToReturn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not follow cancelled threads; the other builds run this";
#endif
  EXPECT_CHILD(([] {
                 const auto& [kind, what, starts] = GetParam();
                 kind.choose();
                 std::atomic<bool> returned{false};
                 std::atomic<bool> went_on{false};
                 std::optional<ms::Runtime> outside;
                 if (!starts) outside.emplace();
                 std::thread t([&, call = what.call] {
                   const ms::Runtime r;
                   call();
                   returned = true;
                   pthread_testcancel();
                   went_on = true;
                 });
                 cancel_inside(t);
                 return returned && !went_on && runs_a_loop() ? 0 : 1;
               }),
               0, "");
}

// A branch has a context of its own.
TEST(CancelInABranch, WaitsForWhatAForeignThreadWaitsFor) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not follow cancelled threads; the other builds run this";
#endif
  EXPECT_CHILD(([] {
                 const ms::Runtime two({.workers = 2, .serial = false});
                 std::atomic<bool> returned{false};
                 std::thread t([&] {
                   ms::fork(
                       [&] {
                         ms::task(sleep_until_told);
                         ms::wait();
                         returned = true;
                       },
                       [] {});
                   pthread_testcancel();
                   returned = false;
                 });
                 cancel_inside(t);
                 return returned && runs_a_loop() ? 0 : 1;
               }),
               0, "");
}

// Where ranks take turns each has a thread, for which the caller waits.
TEST(CancelInTurn, WaitsForRanks) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not follow cancelled threads; the other builds run this";
#endif
  EXPECT_CHILD(([] {
                 setenv("MASLIN_SERIAL", "1", 1);
                 std::atomic<int> ended{0};
                 std::thread t([&] {
                   ms::ranks(2, [&](ms::communicator&) {
                     sleep_until_told();
                     ++ended;
                   });
                   pthread_testcancel();
                   ended = 0;
                 });
                 cancel_inside(t);
                 return ended == 2 ? 0 : 1;
               }),
               0, "");
}

// The request comes before the runtime starts, and is heard when it has ended.
TEST_P(Cancel, WaitsForTheRuntimeToEnd) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not follow cancelled threads; the other builds run this";
#endif
  EXPECT_CHILD(([] {
                 const auto& [kind, what, starts] = GetParam();
                 kind.choose();
                 may_return = true;
                 std::atomic<bool> ended{false};
                 std::atomic<bool> went_on{false};
                 std::optional<ms::Runtime> outside;
                 if (!starts) outside.emplace();
                 std::thread t([&, call = what.call] {
                   pthread_cancel(pthread_self());
                   {
                     const ms::Runtime r;
                     call();
                   }
                   ended = true;
                   pthread_testcancel();
                   went_on = true;
                 });
                 t.join();
                 return ended && !went_on && runs_a_loop() ? 0 : 1;
               }),
               0, "");
}

/// A body is no cancellation point where its thread runs it alone (docs/tasks.md): the serial elision has no other.
std::vector<executor_kind> parallel_ones() {
  std::vector<executor_kind> all;
  for (const executor_kind& e : executors)
    if (e.environment.front().first != std::string("MASLIN_SERIAL") && e.name != std::string("OneWorker"))
      all.push_back(e);
  return all;
}

std::string name_of(const testing::TestParamInfo<Cancel::ParamType>& of) {
  const auto& [kind, what, starts] = of.param;
  return std::string(what.name) + (starts ? "_starter_" : "_foreign_") + kind.name;
}

INSTANTIATE_TEST_SUITE_P(
    , Cancel, testing::Combine(testing::ValuesIn(parallel_ones()), testing::ValuesIn(calls), testing::Bool()), name_of);

}  // namespace
