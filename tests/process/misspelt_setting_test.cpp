// A variable that nearly has the name of a setting is told once. The test's own process never starts a runtime, so that
// each child is the first.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "checkout.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "sanitized.hpp"

namespace ms = maslin;

namespace {

struct executor {
  const char* name;
  const char* variable;
  std::string value;
};

class MisspeltSetting : public testing::TestWithParam<executor> {};

TEST_P(MisspeltSetting, IsToldOnceInOneLineWithTheNearestName) {
  EXPECT_CHILD(
      [&] {
        setenv("MASLIN_QUIET", "1", 1);
        setenv(GetParam().variable, GetParam().value.c_str(), 1);
        setenv("MASLIN_WROKERS", "2", 1);
        setenv("MASLIN_DATA", "of the program's own", 1);
        for (int i = 0; i < 2; ++i) {
          const ms::Runtime runtime;
          std::atomic<int> ran{0};
          ms::parallel_for(0, 100, [&](ms::range r) { ran += static_cast<int>(r.size()); });
          if (ran != 100) return 1;
        }
        return 0;
      },
      0, "^maslin: MASLIN_WROKERS is not a setting; did you mean MASLIN_WORKERS\\?\n$");
}

INSTANTIATE_TEST_SUITE_P(, MisspeltSetting,
                         testing::Values(executor{"threads", "MASLIN_WORKERS", "2"},
                                         executor{"serial", "MASLIN_SERIAL", "1"},
                                         executor{"described", "MASLIN_MACHINE", checkout() / "specs/epyc-128.toml"}),
                         [](const testing::TestParamInfo<executor>& which) { return which.param.name; });

TEST(MisspeltSettings, IsToldBeforeABadOneEndsTheProcess) {
  EXPECT_CHILD(([&]() noexcept {
                 setenv("MASLIN_WROKERS", "2", 1);
                 setenv("MASLIN_WAIT", "yeild", 1);
                 ms::wait();
                 return 0;
               }),
               2, "^maslin: MASLIN_WROKERS is not[^\n]*\nmaslin: MASLIN_WAIT=yeild: expected spin, [^\n]*\n$");
}

TEST(MisspeltSettings, IsNotToldAgainInAForkedChild) {
  if (thread_sanitized)
    GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts threads; the other builds run this";
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_SERIAL", "1", 1);
        setenv("MASLIN_WROKERS", "2", 1);
        ms::wait();
        const pid_t child = fork();
        if (child == 0) {
          ms::wait();
          _exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
      },
      0, "^maslin: MASLIN_WROKERS is not[^\n]*\n$");
}

}  // namespace
