// Copies of Maslin in one process notice each other. The program has one, which runs only where a test says so.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <string>

#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "sanitized.hpp"

namespace ms = maslin;

namespace {

/// A shared object's copy.
class copy {
 public:
  explicit copy(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_) return;
    std::cerr << dlerror() << "\n";
    std::exit(9);
  }
  int begin(int workers) const { return reinterpret_cast<int (*)(int)>(dlsym(handle_, "begin"))(workers); }
  void end() const { reinterpret_cast<void (*)()>(dlsym(handle_, "end"))(); }

 private:
  void* handle_;
};

int begin_and_end(const copy& one) {
  const int failed = one.begin(2);
  one.end();
  return failed;
}

int run_a_loop() {
  std::atomic<int> ran{0};
  ms::parallel_for(0, 100, [&](ms::range some) { ran += static_cast<int>(some.size()); });
  return ran == 100 ? 0 : 1;
}

/// Gives the status of a forked child that runs `body`.
template <class Body>
int forked(Body&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

const std::string nothing = "^$";
const std::string one_line = "^maslin: two copies of Maslin run in this process: [^\n]*\n$";

TEST(Copies, TheSecondThatStartsInASharedObjectSaysSoOnce) {
  EXPECT_CHILD(
      [] {
        const copy one(ONE);
        const copy another(ANOTHER);
        int failed = one.begin(2) + another.begin(3);
        another.end();
        failed += another.begin(2);
        one.end();
        failed += one.begin(2);
        another.end();
        one.end();
        return failed;
      },
      0,
      "^maslin: two copies [^\n]* one in [^\n]*one_copy.so with 2 workers, one in [^\n]*another_copy.so with 3 "
      "more[^\n]*\n$");
}

TEST(Copies, TheProgramsAndASharedObjectsMeetInBothOrders) {
  EXPECT_CHILD(
      [] {
        const ms::Runtime here({.workers = 2, .serial = false});
        return run_a_loop() + begin_and_end(copy(ONE));
      },
      0, "^maslin: [^\n]* one in the program with 2 workers, one in [^\n]*one_copy.so with 2 more[^\n]*\n$");
  EXPECT_CHILD(
      [] {
        const copy one(ONE);
        int failed = one.begin(2);
        {
          const ms::Runtime here({.workers = 2, .serial = false});
          failed += run_a_loop();
        }
        one.end();
        return failed;
      },
      0, "^maslin: [^\n]* one in [^\n]*one_copy.so with 2 workers, one in the program with 2 more[^\n]*\n$");
}

TEST(Copies, OneThatRunsAloneSaysNothing) {
  EXPECT_CHILD([] { return run_a_loop(); }, 0, nothing);
  EXPECT_CHILD(
      [] {
        const copy one(ONE);  // loaded, and not started
        const copy another(ANOTHER);
        return begin_and_end(one) + begin_and_end(one);
      },
      0, nothing);
}

TEST(Copies, ThatRunOneAfterTheOtherSayNothing) {
  EXPECT_CHILD(
      [] {
        const copy one(ONE);
        const copy another(ANOTHER);
        return begin_and_end(one) + begin_and_end(another) + begin_and_end(one);
      },
      0, nothing);
}

TEST(Copies, OneWithoutWorkersSaysNothing) {
  EXPECT_CHILD(
      [] {
        const ms::Runtime here({.workers = 1, .serial = true});
        return run_a_loop() + begin_and_end(copy(ONE));
      },
      0, nothing);
}

TEST(Copies, AForkedChildThatUsesOneSaysNothing) {
  if (thread_sanitized)
    GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts threads; the other builds run this";
  EXPECT_CHILD(
      [] {
        const copy one(ONE);
        int failed = one.begin(2);
        failed += forked([] { return begin_and_end(copy(ANOTHER)); });
        failed += forked([] { return run_a_loop(); });
        one.end();
        return failed;
      },
      0, nothing);
}

TEST(Copies, AForkedChildDoesNotSayAgainWhatItsParentSaid) {
  if (thread_sanitized)
    GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts threads; the other builds run this";
  EXPECT_CHILD(
      [] {
        const copy one(ONE);
        const copy another(ANOTHER);
        int failed = one.begin(2) + another.begin(2);
        failed += forked([&] { return one.begin(2) + another.begin(2); });
        another.end();
        one.end();
        return failed;
      },
      0, one_line);
}

TEST(Copies, AProgramThatIsExecutedSaysNothing) {
  if (std::getenv("COPIES_TEST_IS_EXECUTED")) std::exit(run_a_loop());
  EXPECT_CHILD(
      [] {
        const copy one(ONE);
        int failed = one.begin(2);
        setenv("COPIES_TEST_IS_EXECUTED", "1", 1);
        failed += forked([] {
          execl("/proc/self/exe", "copies_test", "--gtest_filter=Copies.AProgramThatIsExecutedSaysNothing", nullptr);
          return 9;
        });
        one.end();
        return failed;
      },
      0, nothing);
}

}  // namespace
