// Promises about programs in which nothing moves: MASLIN_WATCHDOG says who waits for whom. Each in a process of its
// own.

#include <gtest/gtest.h>
#include <poll.h>
#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "executors.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

struct setting {
  const char* name;
  std::string value;
};

/// Ends the process with status 7 once what it has written to stderr matches `message`, with 1 if it has not in a
/// minute. A report may come early, when a busy machine keeps all threads from running; the next one is the right one.
void end_when_said(const char* message) {
  static regex_t expected;
  ASSERT_EQ(regcomp(&expected, message, REG_EXTENDED | REG_NOSUB), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int own_stderr = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  std::thread([from = ends[0], own_stderr] {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    std::string said;
    int status = 1;
    while (status == 1 && std::chrono::steady_clock::now() < deadline) {
      pollfd news{from, POLLIN, 0};
      char text[4096];
      if (poll(&news, 1, 100) != 1) continue;
      const auto length = std::max<ssize_t>(read(from, text, sizeof text), 0);
      said.append(text, length);
      dprintf(own_stderr, "%.*s", static_cast<int>(length), text);
      if (regexec(&expected, said.c_str(), 0, nullptr, 0) == 0) status = 7;
    }
    _exit(status);
  }).detach();
}

/// Expects of a body that never ends that the watchdog says `message`, under these settings.
template <class Body>
void expect_stall(int workers, const std::vector<setting>& settings, const char* message, Body&& body) {
  const auto child = [&] {
    for (const setting& s : settings) setenv(s.name, s.value.c_str(), 1);
    end_when_said(message);
    ms::Runtime r({.workers = workers, .serial = false});
    body();
    return 0;
  };
  EXPECT_CHILD(child, 7, message);
}

// Each says who waits for whom: the tasks, their lines and data, the cycle. Where data are checked (as under
// sanitizers), `next` is written elsewhere, and a second task waits, which brings it home.
TEST(Stall, TwoLocksInBothOrders) {
  expect_stall(2, {{"MASLIN_WATCHDOG", "0.3"}},
               "no progress for.*task .*created at .*stall_test.cpp:.*inout 8 bytes at .*waits for an ms::mutex: "
               ".*. tasks wait behind it:.*in 8 bytes at .*, out 8 bytes.*a cycle: \\[.\\] waits for \\[.\\] waits for",
               [] {
                 ms::mutex locks[2];
                 std::atomic<int> holding{0};
                 double mine[2] = {};
                 double next = 0;
                 for (int i : {0, 1})
                   ms::task(
                       [&, i](ms::view<double>) {
                         std::lock_guard first(locks[i]);
                         ++holding;
                         while (holding < 2) std::this_thread::yield();
                         std::lock_guard second(locks[1 - i]);
                       },
                       ms::inout(mine[i]));
                 ms::task([](ms::view<const double>, ms::view<double>) {}, ms::in(mine[0]), ms::out(next));
                 ms::wait();
               });
}

TEST(Stall, AMemberThatWaitsForItsGroup) {
  expect_stall(3, {{"MASLIN_WATCHDOG", "0.3"}},
               "no progress for.*inout 4 bytes.*waits for 1 members of a group or phase: \\[1\\].*"
               "a cycle: \\[1\\] waits for \\[1\\]",
               [] {
                 ms::group g;
                 int x = 0;
                 g.task([&](ms::view<int>) { g.wait(); }, ms::inout(x));
                 g.wait();
               });
}

TEST(Stall, AMutexThatATaskForgotToUnlock) {
  expect_stall(2, {{"MASLIN_WATCHDOG", "0.3"}},
               "waits for an ms::mutex, held by code that does not wait, or that ended without unlocking it", [] {
                 ms::mutex lock;
                 ms::task([&] { lock.lock(); });
                 ms::wait();
                 ms::task([&] { lock.lock(); });
                 ms::wait();
               });
}

// Nothing is left to happen there; that it stays so is waited for in real time.
TEST(Stall, OfADescribedMachine) {
  for (const char* machine : {"origin2000-16.toml", "cell-qs20.toml"})
    expect_stall(4, {{"MASLIN_WATCHDOG", "0.3"}, {"MASLIN_MACHINE", spec(machine)}},
                 "no progress for.*task .*created at .*stall_test.cpp:.*inout 8 bytes at .*, on worker .*waits for an "
                 "ms::mutex: .*a cycle: \\[.\\] waits for \\[.\\] waits for",
                 [] {
                   ms::mutex locks[2];
                   int holding = 0;  // one body runs at a time
                   double mine[2] = {};
                   for (int i : {0, 1})
                     ms::task(
                         [&, i](ms::view<double>) {
                           std::lock_guard first(locks[i]);
                           ++holding;
                           ms::group g;
                           while (holding < 2) {
                             g.task([] {});
                             g.wait();
                           }
                           g.task([&] { std::lock_guard second(locks[1 - i]); });
                           g.wait();
                         },
                         ms::inout(mine[i]));
                   ms::wait();
                 });
}

// A phase beside it takes its worker, and neither phase ends.
TEST(Stall, AStreamThatIsSuspendedAtAnOffLoad) {
  expect_stall(2, {{"MASLIN_WATCHDOG", "0.3,0.3"}, {"MASLIN_GRAIN", "edtlp"}},
               "no progress for.*is busy.*waits at an off-load until another stream of its phase", [] {
                 static const ms::kernel kernel{"kernel", [] { std::this_thread::yield(); }};
                 std::atomic<int> streams{0};
                 std::atomic<bool> other_runs{false};
                 const auto stop = [] {
                   for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
                 };
                 std::thread beside([&] {
                   while (streams < 2) std::this_thread::yield();
                   ms::phase("beside", 1, [&](std::int64_t) {
                     other_runs = true;
                     stop();
                   });
                 });
                 ms::phase("suspended", 2, [&](std::int64_t) {
                   ++streams;
                   while (!other_runs) ms::offload(kernel);
                   stop();
                 });
                 beside.join();
               });
}

TEST(Stall, ABodyThatDoesNotComeBack) {
  expect_stall(2, {{"MASLIN_WATCHDOG", "0.1,0.5"}}, "is busy: what it runs has not come back", [] {
    std::atomic<bool> never{false};
    int x = 0;
    ms::task([&](ms::view<int>) { never.wait(false); }, ms::inout(x));
    ms::wait_on(x);
  });
}

}  // namespace
