// Promises about forks while other threads are in Maslin's calls.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "executors.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.h"
#include "maslin/maslin.hpp"
#include "sanitized.hpp"
#include "scratch_folder.hpp"

namespace ms = maslin;

namespace {

/// Where bodies take turns, fewer hold a lock when the process is forked, and each call takes longer.
int forks_on(const executor_kind& e) { return e.in_turn ? 20 : 60; }
constexpr int status = 3;

int no_stream(void*, int64_t) { return 0; }

/// Makes names, phases, kernels, reports and blocks of memory, from C and C++; gives whether all was computed.
bool call(int round) {
  const std::string name = "phase " + std::to_string(round % 1000);
  int x = 0;
  std::vector<int> many(100);
  for (int i = 0; i < 200; ++i) ms::task([](ms::view<int> v) { v[0] += 1; }, ms::inout(x));
  for (int& one : many) ms::task([](ms::view<int> v) { v[0] = 1; }, ms::out(one));
  ms::wait();
  const ms::kernel kernel{"kernel", [] {}};
  std::atomic<int> streams{0};
  ms::phase("streams", 3, [&](std::int64_t) {
    ms::offload(kernel);
    ++streams;
  });
  const int sum = ms::parallel_reduce(0, 1000, 0, std::plus{}, [](ms::range r) { return static_cast<int>(r.size()); });
  const bool c = maslin_begin(nullptr) == MASLIN_OK && maslin_phase(name.c_str(), 2, no_stream, nullptr) == MASLIN_OK &&
                 maslin_end() == MASLIN_OK;
  int written = 0;
  for (const int one : many) written += one;
  return c && x == 200 && written == 100 && streams == 3 && sum == 1000 && ms::report("streams");
}

/// Does nothing but look names of kernels up, among many, so that the table's lock is nearly always held.
void look_names_up(const std::atomic<bool>& stop) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int i = 0; i < 3000; ++i) all.push_back("kernel " + std::to_string(i));
    return all;
  }();
  for (std::size_t i = 0; !stop; i = (i + 1) % names.size()) const ms::kernel known{names[i].c_str(), [] {}};
}

void record_everything(const scratch_folder& folder) {
  setenv("MASLIN_TRACE", folder.file("%p.mtrace").c_str(), 1);
  setenv("MASLIN_REPORT", folder.file("%p.json").c_str(), 1);
}

class Fork : public testing::TestWithParam<executor_kind> {};

TEST_P(Fork, ChildrenMakeCallsWhileOtherThreadsOfTheParentMakeThem) {
  if (sanitized)
    GTEST_SKIP() << "the sanitizers end or report children of processes with threads; the plain builds run this";
  const scratch_folder folder;
  EXPECT_CHILD(([&folder] {
                 GetParam().choose();
                 record_everything(folder);
                 ms::workers();
                 std::atomic<bool> stop{false};
                 std::atomic<int> wrong{0};
                 std::vector<std::thread> others;
                 for (int t = 0; t < 3; ++t)
                   others.emplace_back([&, t] {
                     for (int round = t; !stop; round += 3)
                       if (!call(round)) ++wrong;
                   });
                 others.emplace_back([&] { look_names_up(stop); });
                 int failed = 0;
                 for (int i = 0; i < forks_on(GetParam()) && failed == 0; ++i) {
                   const pid_t child = fork();
                   if (child == 0) {
                     alarm(20);
                     const bool works = call(i);
                     if (works && i % 10 != 0) _exit(0);  // without a trace, which waits for the disk
                     std::exit(works ? 0 : 1);
                   }
                   int ended = 0;
                   waitpid(child, &ended, 0);
                   unlink(folder.file(std::to_string(child) + ".mtrace").c_str());
                   if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0) failed = i + 1;
                 }
                 stop = true;
                 for (std::thread& other : others) other.join();
                 return failed == 0 && wrong == 0 ? status : 1;
               }),
               status, "");
}

INSTANTIATE_TEST_SUITE_P(, Fork, testing::ValuesIn(executors),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
