// Promises about MASLIN_CHECK=pages. Each in a process of its own.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "executors.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "sanitized.hpp"

namespace ms = maslin;

namespace {

constexpr std::size_t many = 20000;  // doubles: 39 pages at least are whole
using data = std::vector<double>;

void set_pages() { setenv("MASLIN_CHECK", "pages", 1); }

class Pages : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "the handler of faults is the sanitizer's";
    if (sysconf(_SC_PAGESIZE) > 4096) GTEST_SKIP() << "data are too small for pages of more than 4 KiB";
  }
  /// The program ends by a fault, and says so before.
  template <class Program>
  static void expect_fault(Program&& program, const char* message) {
    const int workers = GetParam();
    EXPECT_EXIT((end_with(test_process), set_pages(), run(workers, program), std::exit(0)),
                testing::KilledBySignal(SIGSEGV), message);
  }
  /// The program is right, and runs to its end.
  template <class Program>
  static void expect_clean(Program&& program) {
    const int workers = GetParam();
    EXPECT_EXIT((end_with(test_process), set_pages(), std::exit(run(workers, program) ? 0 : 1)),
                testing::ExitedWithCode(0), "^$");
  }
  template <class Program>
  static bool run(int workers, Program& program) {
    ms::Runtime r({.workers = workers, .serial = false});
    return program();
  }
};
INSTANTIATE_TEST_SUITE_P(, Pages, testing::Values(1, 2, 8), testing::PrintToStringParamName());

void add_one(ms::view<double> v) {
  for (double& one : v) one += 1;
}

/// A task that is to run while others are in flight waits until they are created.
std::atomic<bool> are_created{false};
void until_created() {
  while (!are_created) std::this_thread::yield();
}
void all_are_created() {
  are_created = true;
  ms::wait();
}
void add_one_later(ms::view<double> v) {
  until_created();
  add_one(v);
}

// What is found
// -----------------------------------------------------------------------------------------------------------------------

TEST_P(Pages, AWriteThroughInIsFound) {
  expect_fault(
      [] {
        data x(many, 1.0);
        ms::task([](ms::view<const double> v) { const_cast<double&>(v[many / 2]) = 2; }, ms::in(x));
        ms::wait();
        return true;
      },
      "maslin: a task writes at 0x[0-9a-f]+ what was declared with in.*It is the task .*pages_test.cpp:[0-9]+: in "
      "160000 bytes");
}

TEST_P(Pages, AWriteOfWhatATaskDoesNotDeclareIsFound) {
  expect_fault(
      [] {
        data x(many, 1.0), y(many, 1.0);
        ms::task(
            [&](ms::view<double>) {
              until_created();
              x[many / 2] = 3;
            },
            ms::inout(y));
        ms::task([](ms::view<const double>, ms::view<double>) {}, ms::in(y), ms::inout(x));
        all_are_created();
        return true;
      },
      "a task writes at 0x.* data that a task uses which is not done: declare what it reads and writes. It is the task "
      ".*The data are of the task .*in 160000 bytes at 0x[0-9a-f]+, inout 160000 bytes");
}

TEST_P(Pages, AReadOfWhatATaskDoesNotDeclareIsFound) {
  expect_fault(
      [] {
        data x(many, 1.0);
        double sum = 0;
        ms::task(
            [&](ms::view<double> to) {
              until_created();
              to[0] = x[many / 2];
            },
            ms::out(sum));
        ms::task([](ms::view<const double>, ms::view<double>) {}, ms::in(sum), ms::inout(x));
        all_are_created();
        return true;
      },
      "a task reads at 0x.*declare what it reads and writes.*out 8 bytes.*The data are of the task .*inout 160000");
}

TEST_P(Pages, ATaskWithoutDataIsFoundToo) {
  expect_fault(
      [] {
        data x(many, 1.0), y(many, 1.0);
        ms::task(
            [&](ms::view<double>) {
              until_created();
              ms::group g;
              g.task([&] { x[many / 2] = 3; });
              g.wait();
            },
            ms::inout(y));
        ms::task([](ms::view<const double>, ms::view<double>) {}, ms::in(y), ms::inout(x));
        all_are_created();
        return true;
      },
      "a task writes at 0x.* data that a task uses which is not done.*The data are of the task .*inout 160000");
}

TEST_P(Pages, APointerToRenamedDataIsFoundWhereATaskWrites) {
  expect_fault(
      [] {
        data x(many, 1.0);
        ms::task([&](ms::view<double>) { x[many / 2] = 2; }, ms::out(x));
        ms::wait();
        return true;
      },
      "a task writes at 0x.*, by a pointer of its own, data that it works on elsewhere.*use the view.*out 160000 "
      "bytes");
}

TEST_P(Pages, APointerToRenamedDataIsFoundWhereATaskReads) {
  expect_fault(
      [] {
        data x(many, 1.0);
        double sum = 0;
        ms::task([](ms::view<double> v) { std::fill(v.begin(), v.end(), 2.0); }, ms::out(x));
        ms::task([&](ms::view<const double>, ms::view<double> to) { to[0] = x[many / 2]; }, ms::in(x), ms::out(sum));
        ms::wait();
        return true;
      },
      "a task reads at 0x.*, by a pointer of its own, data that it works on elsewhere.*in 160000 bytes");
}

TEST_P(Pages, APointerToWhatAReductionAddsToIsFound) {
  expect_fault(
      [] {
        data sums(many, 0.0);
        ms::task([&](ms::view<double>) { sums[many / 2] += 1; }, ms::reduction(sums));
        ms::wait();
        return true;
      },
      "by a pointer of its own, data that it works on elsewhere.*reduction 160000 bytes");
}

TEST_P(Pages, AMissingWaitIsFound) {
  expect_fault(
      [] {
        data x(many, 1.0);
        ms::task(add_one_later, ms::inout(x));
        const volatile double* seen = x.data();
        return seen[many / 2] > 0;
      },
      "maslin: the program, outside of all tasks, reads at 0x.*wait\\(\\) for that first.*The data are of the task "
      ".*inout 160000");
}

TEST_P(Pages, AMissingWaitInATaskIsFound) {
  expect_fault(
      [] {
        data x(many, 1.0);
        ms::task(
            [](ms::view<double> v) {
              ms::task(add_one, ms::inout(v.subspan(many / 2)));
              v[many - many / 4] = 3;
            },
            ms::inout(x));
        ms::wait();
        return true;
      },
      "a task writes at 0x.* data that a task uses which is not done: wait\\(\\) for that first");
}

TEST_P(Pages, OnlyTheColumnsOfATileAreItsTasks) {
  expect_fault(
      [] {
        constexpr std::size_t rows = 4096, ld = 8192, cols = 4;
        data matrix(ld * cols, 1.0), y(1);
        double* const other = matrix.data() + 3 * ld - 2048;  // between two columns of the first, in the second
        ms::task(
            [=](ms::tile<double> t, ms::view<double>) {
              until_created();
              t(0, 0) = *other;
            },
            ms::inout(ms::tile<double>{matrix.data(), rows, cols, ld}), ms::inout(y));
        ms::task([](ms::tile<double> t, ms::view<const double>) { t(0, 0) = 1; },
                 ms::inout(ms::tile<double>{matrix.data() + rows, rows, cols, ld}), ms::in(y));
        all_are_created();
        return true;
      },
      "a task reads at 0x.* data that a task uses which is not done: declare.*4 columns of 32768 bytes");
}

TEST_P(Pages, ATaskOfARecordingIsFound) {
  expect_fault(
      [] {
        data x(many, 1.0), y(many, 1.0);
        ms::record([&] {
          ms::task([&](ms::view<double>) { y[many / 2] = 2; }, ms::inout(x));
          ms::task([](ms::view<const double>, ms::view<double>) {}, ms::in(x), ms::inout(y));
        });
        return true;
      },
      "a task writes at 0x.* data that a task uses which is not done: declare");
}

// What is right
// ------------------------------------------------------------------------------------------------------------------------

TEST_P(Pages, ARightProgramRunsToItsEnd) {
  expect_clean([] {
    data buffer(many), sums(20 * many), total(many, 0.0);
    for (std::size_t i = 0; i < 20; ++i) {
      const std::span<double> sum(sums.data() + i * many, many);
      ms::task([i](ms::view<double> to) { std::fill(to.begin(), to.end(), static_cast<double>(i)); }, ms::out(buffer));
      ms::task(
          [](ms::view<const double> from, ms::view<double> to) { std::copy(from.begin(), from.end(), to.begin()); },
          ms::in(buffer), ms::out(sum));
      ms::task(
          [](ms::view<const double> from, ms::view<double> to) {
            for (std::size_t k = 0; k < many; ++k) to[k] += from[k];
          },
          ms::in(sum), ms::reduction(total));
      ms::task([](ms::view<double> all) { add_one(all); }, ms::concurrent(sum));
    }
    ms::wait_on(total);
    bool is_right = total[7] == 190;
    ms::wait();
    is_right = is_right && buffer[8] == 19 && sums[3 * many] == 4;
    buffer[1] = sums[1] = total[1] = 0;
    return is_right;
  });
}

TEST_P(Pages, TheProgramReadsWhatTasksRead) {
  expect_clean([] {
    data x(many, 1.0), y(many);
    ms::task([](ms::view<const double> from, ms::view<double> to) { to[0] = from[0]; }, ms::in(x), ms::out(y));
    const bool is_right = x[many / 2] == 1;
    ms::wait_on(y);
    y[many / 2] = 2;
    return is_right && y[0] == 1;
  });
}

TEST_P(Pages, NestedTasksUseWhatTheirCreatorsDeclare) {
  expect_clean([] {
    data x(8 * many, 1.0);
    ms::task(
        [](ms::view<double> v) {
          ms::group g;
          for (std::size_t i = 0; i < 4; ++i) ms::task(add_one, ms::inout(v.subspan(i * many, many)));
          for (std::size_t i = 4; i < 6; ++i) g.task([=] { add_one(v.subspan(i * many, many)); });
          g.task([=] {
            ms::task([](ms::view<double> part) { ms::task(add_one, ms::inout(part)); },
                     ms::inout(v.subspan(6 * many, many)));
          });
          ms::parallel_for(0, 100, [=](ms::range r) {
            for (const std::int64_t i : r) v[7 * many + static_cast<std::size_t>(i)] += 1;
          });
          g.wait();
          ms::wait();
          add_one(v);
        },
        ms::inout(x));
    ms::task(add_one, ms::inout(x));
    ms::wait();
    return x[0] == 4 && x[many / 2] == 4 && x[5 * many] == 4 && x[6 * many + many / 2] == 4 && x[7 * many] == 4 &&
           x[8 * many - 1] == 3;
  });
}

TEST_P(Pages, BodiesThatWaitAreInterleaved) {
  expect_clean([] {
    static const ms::kernel kernel{"kernel", [] {}};
    std::vector<data> all(8, data(many, 1.0));
    ms::phase("streams", 8, [&](std::int64_t i) {
      data& mine = all[static_cast<std::size_t>(i)];
      for (int k = 0; k < 3; ++k) {
        ms::task(
            [](ms::view<double> v) {
              ms::task(add_one, ms::inout(v));
              ms::wait();
              ms::fork([&] { v[0] += 1; }, [&] { v[many / 2] += 1; });
            },
            ms::inout(mine));
        ms::offload(kernel);
      }
      ms::wait();
      mine[1] = 0;
    });
    return all[7][many / 2] == 7;
  });
}

TEST_P(Pages, ATaskThatThrowsGivesItsDataBack) {
  expect_clean([] {
    data x(many, 1.0), y(many, 1.0);
    ms::task([](ms::view<double>) { throw std::runtime_error("thrown"); }, ms::inout(x));
    ms::task([](ms::view<const double>, ms::view<double>) {}, ms::in(x), ms::inout(y));  // is cancelled
    try {
      ms::wait();
      return false;
    } catch (const std::runtime_error&) {
      x[many / 2] = y[many / 2] = 2;
      return true;
    }
  });
}

TEST_P(Pages, ReplaysRunToTheirEnd) {
  expect_clean([] {
    data x(many, 0.0), y(many, 0.0), total(many, 0.0);
    ms::recording tasks = ms::record([&] {
      for (int i = 0; i < 3; ++i) {
        ms::task([](ms::view<double> v) { std::fill(v.begin(), v.end(), 1.0); }, ms::out(x));
        ms::task([](ms::view<const double> from, ms::view<double> to) { to[many / 2] += from[many / 2]; }, ms::in(x),
                 ms::inout(y));
        ms::task([](ms::view<const double> from, ms::view<double> to) { to[many / 2] += from[0]; }, ms::in(x),
                 ms::reduction(total));
      }
    });
    for (int i = 0; i < 3; ++i) ms::replay(tasks);
    return y[many / 2] == 12 && total[many / 2] == 12;
  });
}

TEST_P(Pages, OtherThreadsHaveTasksToo) {
  expect_clean([] {
    std::vector<data> all(3, data(many, 1.0));
    std::vector<std::thread> threads;
    for (data& mine : all)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          ms::task(add_one, ms::inout(mine));
          if (i % 5 == 0) ms::wait();
        }
        ms::wait();
        add_one(mine);
      });
    for (std::thread& one : threads) one.join();
    return all[2][many / 2] == 22;
  });
}

TEST_P(Pages, DataMayBeFreedByTheTaskThatUsesThemLast) {
  expect_clean([] {
    for (int i = 0; i < 20; ++i) {
      auto owned = std::make_shared<data>(many * 10, 1.0);
      ms::task([owned](ms::view<double> v) { add_one(v); }, ms::inout(*owned));
    }
    ms::wait();
    return true;
  });
}

TEST_P(Pages, WhatIsNeverWrittenIsLeftAlone) {
  expect_clean([] {
    constexpr std::size_t bytes = std::size_t{1} << 20;
    auto* const constants = static_cast<double*>(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    double sum = 1;
    ms::task([](ms::view<const double> v, ms::view<double> to) { to[0] = v[many]; },
             ms::in(constants, bytes / sizeof(double)), ms::out(sum));
    ms::wait();
    return sum == 0 && madvise(constants, 4096, 23 /* MADV_POPULATE_WRITE */) != 0;
  });
}

TEST_P(Pages, AForkedChildMayTouchEverything) {
  expect_clean([] {
    data x(many, 1.0);
    ms::task(add_one, ms::inout(x));
    const pid_t child = fork();
    if (child == 0) {
      x[many / 2] = 7;
      ms::task(add_one, ms::inout(x));
      ms::wait();
      _exit(x[many / 2] == 8 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    ms::wait();
    return status == 0 && x[many / 2] == 2;
  });
}

TEST_P(Pages, ThereIsOneWorker) {
  expect_clean([] {
    const ms::Runtime same({.workers = GetParam(), .serial = false});
    return ms::workers() == 1;
  });
}

TEST_P(Pages, AfterTheEndOfARuntimeThereMayBeAnother) {
  const int workers = GetParam();
  EXPECT_EXIT((end_with(test_process), set_pages(), std::exit([&] {
                 data x(many, 1.0);
                 const auto program = [&] {
                   ms::task(add_one, ms::inout(x));
                   return true;
                 };
                 for (int i = 0; i < 3; ++i) run(workers, program);
                 return x[many / 2] == 4 ? 0 : 1;
               }())),
              testing::ExitedWithCode(0), "^$");
}

// What is not watched
// ---------------------------------------------------------------------------------------------------------------------

TEST(PagesOfProcess, WithoutMappingsTheProgramGoesOnUnwatched) {
  if (sanitized) GTEST_SKIP() << "the handler of faults is the sanitizer's";
  std::size_t mappings = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
  if (mappings == 0 || mappings > 200000) GTEST_SKIP() << "this system has " << mappings << " mappings for a process";
  EXPECT_CHILD(
      [=] {
        set_pages();
        ms::Runtime r({.workers = 1, .serial = false});
        constexpr std::size_t page = 512;  // doubles
        const std::size_t ld = 2 * page;
        const std::size_t cols = mappings / 2 + 1000;
        const std::size_t bytes = ld * cols * sizeof(double);
        auto* const matrix = static_cast<double*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (matrix == MAP_FAILED) return 2;
        ms::task([](ms::tile<double> t) { t(0, 0) = 1; }, ms::concurrent(ms::tile<double>{matrix, page, cols, ld}));
        matrix[ld * (cols - 1)] = 1;  // nobody says that this is wrong
        matrix[ld * (cols / 2)] = 1;
        ms::wait();
        return matrix[0] == 1 ? 0 : 1;
      },
      0, "maslin: MASLIN_CHECK=pages: the system gives no more mappings .vm.max_map_count., so from here on");
}

/// Gives the status of a program that starts, and says on stderr why it does not.
int start(bool serial = false) {
  set_pages();
  try {
    ms::Runtime r({.workers = 2, .serial = serial});
    return 0;
  } catch (const ms::error& e) {
    std::fputs(e.what(), stderr);
    return 2;
  }
}

TEST(PagesOfProcess, WhereTheyAreNotWatchedTheProgramDoesNotStart) {
  EXPECT_CHILD([] { return start(true); }, 2, "MASLIN_CHECK=pages: .*the serial elision.*set MASLIN_CHECK=1");
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_MACHINE", spec("epyc-128.toml").c_str(), 1);
        return start();
      },
      2, "MASLIN_CHECK=pages: .*a described machine");
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_STORE", "256K", 1);
        return start();
      },
      2, "MASLIN_CHECK=pages: .*local stores");
  if (!sanitized)
    EXPECT_CHILD(
        [] {
          set_pages();
          try {
            ms::ranks(2, [](ms::communicator&) {});
            return 0;
          } catch (const ms::error& e) {
            std::fputs(e.what(), stderr);
            return 2;
          }
        },
        2, "ranks at .*pages_test.cpp:[0-9]+: MASLIN_CHECK=pages");
  else
    EXPECT_CHILD([] { return start(); }, 2, "MASLIN_CHECK=pages: this build has a sanitizer");
}

TEST(PagesOfProcess, AMisspeltWordIsTold) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_CHECK", "page", 1);
        try {
          ms::Runtime r;
          return 0;
        } catch (const ms::error& e) {
          std::fputs(e.what(), stderr);
          return 2;
        }
      },
      2, "MASLIN_CHECK=page: expected .*did you mean 'pages'");
}

}  // namespace
