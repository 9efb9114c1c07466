// Promises about the end of a process, however it comes. Each in a process of its own, whose parent never calls Maslin.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "executors.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "no_leak_check.hpp"  // what only a suspended stack holds, which `exit` in a task leaves as it is
#include "sanitized.hpp"
#include "scratch_folder.hpp"

namespace ms = maslin;

namespace {

constexpr int status = 3;
constexpr unsigned bound_s = sanitized ? 120 : 20;  // then a child has hung
const ms::kernel leaving{"leaving", [](bool now) {
                           if (now) std::exit(status);
                         }};

/// Gives what a few calls compute, 10 where all do what they should.
int call() {
  int x = 0;
  ms::task([](ms::view<int> v) { v[0] += 3; }, ms::inout(x));
  ms::task([](ms::view<int> v) { v[0] += 4; }, ms::inout(x));
  ms::wait();
  std::atomic<int> streams{0};
  ms::phase("calls", 3, [&](std::int64_t) { ++streams; });
  return x + streams;
}

/// Tasks keep all workers but one busy for ever; the last calls `exit`.
void exit_beside_endless_tasks() {
  std::atomic<int> begun{0};
  std::atomic<bool> never{false};
  for (int i = 0; i < ms::workers(); ++i)
    ms::task([&] {
      if (++begun == ms::workers()) std::exit(status);
      while (!never) {
      }
    });
  ms::wait();
}

/// What a task waits for that ends the process: until its creator has done what that end would disturb. Where the
/// creator itself runs the task, there is nothing to wait for.
class creators_step {
 public:
  void is_done() {
    done_ = true;
    done_.notify_one();
  }
  void wait() const {
    if (std::this_thread::get_id() != creator_) done_.wait(false);
  }

 private:
  std::thread::id creator_ = std::this_thread::get_id();
  std::atomic<bool> done_{false};
};

struct place {
  const char* name;
  void (*leave)();
  bool in_turn = true;  ///< also where everything runs in turn
};

const place places[] = {
    {"ATask",
     [] {
       ms::task([] { std::exit(status); });
       ms::wait();
     }},
    {"ATaskThatNobodyWaitsFor", [] { ms::task([] { std::exit(status); }); }},
    {"ATaskThatHasWaited",
     [] {
       ms::task([] {
         ms::task([] { std::this_thread::yield(); });
         ms::wait();
         ms::parallel_for(0, 10, [](ms::range) {});
         std::exit(status);
       });
       ms::wait();
     }},
    {"AMemberOfAGroup",
     [] {
       ms::group g;
       for (int i = 0; i < 10; ++i) g.task([i] { i == 5 ? std::exit(status) : std::this_thread::yield(); });
       g.wait();
     }},
    {"AMemberOfAStaticGroup",
     [] {
       static ms::group all;
       for (int i = 0; i < 10; ++i)
         all.task([i] {
           ms::group inner;
           inner.task([i] { i == 5 ? std::exit(status) : std::this_thread::yield(); });
           inner.wait();
         });
       all.wait();
     }},
    {"WhatMembersOfAStaticGroupWaitFor",
     [] {
       static ms::group all;
       int x = 0;
       creators_step member_created;
       ms::task(
           [&](ms::view<int> v) {
             v[0] = 1;
             member_created.wait();
             std::exit(status);
           },
           ms::out(x));
       all.task([](ms::view<int> v) { v[0] = 2; }, ms::inout(x));
       member_created.is_done();
       ms::wait();
     }},
    {"AStaticFuture",
     [] {
       static ms::future<int> one;
       int x = 0;
       creators_step kept;
       one = ms::async(
           [&](ms::view<int>) {
             kept.wait();
             std::exit(status);
             return 1;
           },
           ms::inout(x));
       kept.is_done();
       ms::wait_on(x);
     }},
    {"AReplay",
     [] {
       int x = 0;
       ms::record([&] {
         ms::task([](ms::view<int> v) { v[0] = 1; }, ms::out(x));
         ms::task([](ms::view<const int> v) { std::exit(v[0] * status); }, ms::in(x));
       });
     }},
    {"ALoop", [] { ms::parallel_for(0, 1000, [](ms::range r) { r.size() > 0 ? std::exit(status) : void(); }); }},
    {"AStream",
     [] {
       ms::phase("streams", 4, [](std::int64_t i) {
         ms::task([] {});
         ms::wait();
         if (i == 2) std::exit(status);
       });
     }},
    {"AKernel",
     [] {
       ms::phase("streams", 4, [](std::int64_t i) {
         for (int step = 0; step < 5; ++step) ms::offload(leaving, i == 2 && step == 3);
       });
     }},
    {"ABranch", [] { ms::fork([] { ms::fork([] {}, [] { std::exit(status); }); }, [] {}); }},
    {"ABranchThatAnotherRuns",
     [] {
       std::atomic<bool> never{false};
       ms::fork(
           [&] {
             while (!never) ms::fork([] {}, [] {});
           },
           [] { std::exit(status); });
     },
     false},
    {"AForeignThread",
     [] {
       if (call() != 10) std::exit(1);
       std::atomic<bool> never{false}, called{false}, begun{false};
       std::thread foreign([&] {
         called = call() == 10;
         called.notify_one();
         begun.wait(false);
         std::exit(status);
       });
       called.wait(false);
       ms::task([&] {
         begun = true;
         begun.notify_one();
         never.wait(false);
       });
       foreign.join();
     },
     false},
    {"ATaskBesideEndlessOnes", exit_beside_endless_tasks, false},
    {"ATaskOfAStaticRuntime",
     [] {
       static const ms::Runtime runtime;
       ms::task([] { std::exit(status); });
       ms::wait();
     }},
    {"AForkedChild",
     [] {
       if (call() != 10) std::exit(1);
       const pid_t child = fork();
       if (child == 0) {
         alarm(bound_s);
         ms::task([] { std::exit(status); });
         ms::wait();
       }
       int ended = 0;
       waitpid(child, &ended, 0);
       std::exit(WIFEXITED(ended) ? WEXITSTATUS(ended) : 1);
     }},
};

/// A file that a child writes.
class made_file {
 public:
  explicit made_file(const char* ending) : path_(folder_.file(std::string("made") + ending)) {}
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  scratch_folder folder_;  // forked children write beside it
  std::string path_;
};

class Exit : public testing::TestWithParam<std::tuple<executor_kind, place>> {};

TEST_P(Exit, EndsTheProcessWithItsStatusAfterTheTraceIsWritten) {
  const auto& [kind, from] = GetParam();
  if (kind.in_turn && !from.in_turn) GTEST_SKIP() << "a task that does not end has the only worker";
  if (sanitized && from.name == std::string("AForkedChild"))
    GTEST_SKIP() << "ThreadSanitizer ends children that start threads; the plain builds run this";
  const made_file trace(".mtrace");
  EXPECT_CHILD(([&, kind = kind, from = from] {
                 alarm(bound_s);
                 kind.choose();
                 setenv("MASLIN_TRACE", trace.path().c_str(), 1);
                 from.leave();
                 return from.name == std::string("ATaskThatNobodyWaitsFor") ? 0 : 1;
               }),
               status, "");
  EXPECT_TRUE(std::filesystem::exists(trace.path()));
}

TEST(Traces, OfTwoThreadsOfADescribedMachineDoNotLockThemOut) {
  const made_file trace(".mtrace");
  EXPECT_CHILD(([&] {
                 alarm(bound_s);
                 setenv("MASLIN_MACHINE", spec("epyc-128.toml").c_str(), 1);
                 setenv("MASLIN_QUIET", "1", 1);
                 setenv("MASLIN_TRACE", trace.path().c_str(), 1);
                 std::atomic<int> right{0};
                 const auto calls = [&] {
                   for (int i = 0; i < 300; ++i) right += call() == 10;
                 };
                 std::thread foreign(calls);
                 calls();
                 foreign.join();
                 return right == 600 ? status : 1;
               }),
               status, "");
}

TEST(Exits, TheFirstOfManyEndsTheProcess) {
  const made_file trace(".mtrace");
  EXPECT_CHILD(([&] {
                 alarm(bound_s);
                 setenv("MASLIN_TRACE", trace.path().c_str(), 1);
                 const ms::Runtime runtime({.workers = 16, .serial = false});
                 std::atomic<int> exits{0};
                 for (int i = 0; i < 64; ++i)
                   ms::task([&] {
                     const bool first = exits++ == 0;
                     if (!first) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                     std::exit(first ? status : 1);
                   });
                 ms::wait();
                 return 1;
               }),
               status, "");
  EXPECT_TRUE(std::filesystem::exists(trace.path()));
}

INSTANTIATE_TEST_SUITE_P(InsideOf, Exit, testing::Combine(testing::ValuesIn(executors), testing::ValuesIn(places)),
                         [](const auto& chosen) {
                           return std::string(std::get<1>(chosen.param).name) + std::get<0>(chosen.param).name;
                         });

std::string name_of(const testing::TestParamInfo<executor_kind>& which) { return which.param.name; }

class Leaving : public testing::TestWithParam<executor_kind> {};

TEST_P(Leaving, ReportsSayWhatPhasesDidUntilExit) {
  const made_file report(".json");
  for (const bool quickly : {false, true}) {
    EXPECT_CHILD(([&] {
                   GetParam().choose();
                   setenv("MASLIN_REPORT", report.path().c_str(), 1);
                   ms::phase("leaves", 4, [&](std::int64_t i) {
                     if (i == 2) quickly ? std::quick_exit(status) : std::exit(status);
                   });
                   return 1;
                 }),
                 status, "");
    EXPECT_NE(report.text().find("\"name\": \"leaves\""), std::string::npos);
    EXPECT_NE(report.text().find("\"ended\": true"), std::string::npos);
  }
}

TEST_P(Leaving, ReturningFromMainWaitsForEverything) {
  EXPECT_CHILD(
      [] {
        GetParam().choose();
        ms::task([] {
          ms::task([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            std::cerr << "done\n";
          });
        });
        return status;
      },
      status, "done");
}

INSTANTIATE_TEST_SUITE_P(, Leaving, testing::ValuesIn(executors), name_of);

struct calls_at_its_end {
  ~calls_at_its_end() { std::cerr << "late: " << call() << " " << call() << "\n" << std::flush; }
};

/// What is older than the first call runs after the runtime's end.
class Late : public testing::TestWithParam<executor_kind> {
 protected:
  template <class Leave>
  void calls_after(Leave&& leave) {
    EXPECT_CHILD(([&] {
                   alarm(bound_s);
                   GetParam().choose();
                   std::atexit([] {
                     const ms::Runtime again;
                     std::cerr << "late: " << call() << " " << call() << "\n" << std::flush;
                   });
                   leave();
                   return status;
                 }),
                 status, "late: 10 10");
  }
};

TEST_P(Late, CallsInOlderExitHandlersWorkAfterMain) {
  calls_after([] { call(); });
}
TEST_P(Late, CallsInOlderExitHandlersWorkAfterExitInATask) {
  calls_after([] {
    ms::task([] { std::exit(status); });
    ms::wait();
  });
}
TEST_P(Late, CallsInOlderExitHandlersWorkAfterARuntimeOfMains) {
  calls_after([] {
    const ms::Runtime own;
    call();
  });
}

TEST_P(Late, CallsInStaticDestructorsWork) {
  for (const bool is_older : {true, false})
    EXPECT_CHILD(([&] {
                   alarm(bound_s);
                   GetParam().choose();
                   if (!is_older) call();
                   static const calls_at_its_end object;
                   call();
                   return status;
                 }),
                 status, "late: 10 10");
}

INSTANTIATE_TEST_SUITE_P(, Late, testing::ValuesIn(executors), name_of);

/// Runs `body` in a child and gives how it ended; `then` gets its number once it has written a byte to its argument.
template <class Body, class Then>
int end_of_child(Body&& body, Then&& then) {
  int ready[2];
  if (pipe(ready) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    alarm(bound_s);
    body(ready[1]);
    _exit(1);
  }
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  then(child);
  int ended = 0;
  waitpid(child, &ended, 0);
  close(ready[0]);
  close(ready[1]);
  return ended;
}

void say_ready(int fd) { EXPECT_EQ(write(fd, "r", 1), 1); }

class Signal : public testing::TestWithParam<executor_kind> {};

TEST_P(Signal, EndsTheProcessByItselfAfterReportAndTraceAreWritten) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const made_file report(".json"), trace(".mtrace");
    const int ended = end_of_child(
        [&](int ready) {
          GetParam().choose();
          setenv("MASLIN_REPORT", report.path().c_str(), 1);
          setenv("MASLIN_TRACE", trace.path().c_str(), 1);
          std::atomic<int> begun{0};
          ms::phase("endless", 2, [&](std::int64_t) {
            if (begun++ == 0) {
              say_ready(ready);
              if (thread_sanitized) raise(signal);
            }
            for (;;) ms::offload(leaving, false);
          });
        },
        [&](pid_t child) {
          if (!thread_sanitized) kill(child, signal);
        });
    EXPECT_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == signal) << ended;
    EXPECT_TRUE(std::filesystem::exists(trace.path()));
    EXPECT_NE(report.text().find("\"ended\": true, \"signal\": " + std::to_string(signal)), std::string::npos);
  }
}

std::atomic<int> handled{0};

TEST_P(Signal, AHandlerOfTheProgramsOwnIsNeverReplaced) {
  for (const bool before : {true, false}) {
    const int ended = end_of_child(
        [&](int ready) {
          GetParam().choose();
          setenv("MASLIN_TRACE", "/dev/null", 1);
          const auto handle = [] { std::signal(SIGTERM, [](int) { handled = 1; }); };
          std::signal(SIGINT, SIG_IGN);
          if (before) handle();
          call();
          if (!before) handle();
          say_ready(ready);
          while (handled == 0) poll(nullptr, 0, 1);
          _exit(call() == 10 ? status : 1);
        },
        [](pid_t child) {
          kill(child, SIGINT);
          kill(child, SIGTERM);
        });
    EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == status) << ended;
  }
}

TEST_P(Signal, IsTheDefaultAgainAfterTheRuntimeAndInAForkedChild) {
  EXPECT_CHILD(
      [] {
        GetParam().choose();
        setenv("MASLIN_TRACE", "/dev/null", 1);
        const auto is_default = [] {
          struct sigaction there {};
          sigaction(SIGTERM, nullptr, &there);
          return there.sa_handler == SIG_DFL;
        };
        {
          const ms::Runtime runtime;
          if (call() != 10 || is_default()) return 1;
          const pid_t child = fork();
          if (child == 0) {
            if (is_default()) raise(SIGTERM);
            _exit(1);
          }
          int ended = 0;
          waitpid(child, &ended, 0);
          if (!WIFSIGNALED(ended)) return 2;
        }
        return is_default() ? status : 4;
      },
      status, "");
}

INSTANTIATE_TEST_SUITE_P(, Signal, testing::ValuesIn(executors), name_of);

}  // namespace
