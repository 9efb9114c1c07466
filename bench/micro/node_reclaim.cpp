// How soon a process that lent its CPUs has them again: one process lends and reclaims while another, which shares the
// node with it, has tasks without end. Prints for tasks of three lengths the median and the 99th percentile of
//
//   call   how long `reclaim` takes; the CPUs are its own again when it returns
//   told   from the call until the borrower begins no more tasks on them
//   left   from the call until the borrower has come to the end of its tasks there
//   late   until the calling thread has run for a millisecond since the call: how long it did not run

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exec/node/segment.hpp"
#include "maslin/maslin.hpp"
#include "maslin/node.hpp"

namespace ms = maslin;

namespace {

using clock_type = std::chrono::steady_clock;

double microseconds(clock_type::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

clock_type::duration run_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

struct progress {
  std::atomic<int> running{0};  ///< tasks
  std::atomic<bool> over{false};
};

int run_without_end(progress& p, int task_us) {
  ms::Runtime runtime;
  const auto body = [&p, task_us] {
    p.running.fetch_add(1);
    const auto end = clock_type::now() + std::chrono::microseconds(task_us);
    while (clock_type::now() < end) {
    }
    p.running.fetch_sub(1);
  };
  while (!p.over) {
    for (int i = 0; i < 64; ++i) ms::task(body);
    ms::wait();
  }
  return 0;
}

double at(std::vector<double>& all, double part) {
  std::sort(all.begin(), all.end());
  return all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))];
}

bool measure(int task_us, int rounds) {
  void* const memory = mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& p = *new (memory) progress;
  const std::string job = fmt::format("bench-{}-{}", getpid(), task_us);
  setenv("MASLIN_NODE", job.c_str(), 1);
  const pid_t borrower = fork();
  if (borrower == 0) std::exit(run_without_end(p, task_us));
  std::vector<double> call;
  std::vector<double> left;
  std::vector<double> told;
  std::vector<double> late;
  {
    ms::Runtime runtime;
    const auto seen = maslin::node::segment::find(job);
    const auto workers = [&]() -> int {
      for (int s = 0; s < seen->what().slot_count; ++s)
        if (seen->what().at(s).process == static_cast<std::uint32_t>(borrower))
          return static_cast<int>(seen->what().at(s).working);
      return 0;
    };
    clock_type::time_point begin;
    clock_type::duration run_before{};
    bool runs_late = false;
    const auto has_run = [&] {
      const auto run = run_time() - run_before;
      if (run < std::chrono::milliseconds(1)) return false;
      if (std::exchange(runs_late, false)) late.push_back(microseconds(clock_type::now() - begin - run));
      return true;
    };
    const auto wait_for = [&](auto&& holds) {
      const auto end = clock_type::now() + std::chrono::seconds(5);
      while (!holds()) {
        has_run();
        if (clock_type::now() > end) return false;
      }
      return true;
    };
    while (workers() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const int alone = workers();
    for (int i = 0; i < rounds; ++i) {
      ms::lend();
      const auto end = clock_type::now() + std::chrono::seconds(5);
      while (workers() <= alone || p.running <= alone) {
        if (clock_type::now() > end) break;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      run_before = run_time();
      runs_late = true;
      begin = clock_type::now();
      ms::reclaim();
      call.push_back(microseconds(clock_type::now() - begin));
      if (!wait_for([&] { return workers() == alone; })) break;
      told.push_back(microseconds(clock_type::now() - begin));
      if (!wait_for([&] { return p.running <= alone; })) break;
      left.push_back(microseconds(clock_type::now() - begin));
      if (!wait_for(has_run)) break;
    }
    p.over = true;
  }
  int status = 0;
  waitpid(borrower, &status, 0);
  const bool good = status == 0 && static_cast<int>(left.size()) == rounds;
  if (good)
    fmt::print(
        "tasks of {:>4} us: call {:.1f} us (99 %: {:.1f}), told {:.1f} us ({:.1f}), left {:.1f} us ({:.1f}), late "
        "{:.1f} us "
        "({:.1f})\n",
        task_us, at(call, 0.5), at(call, 0.99), at(told, 0.5), at(told, 0.99), at(left, 0.5), at(left, 0.99),
        at(late, 0.5), at(late, 0.99));
  else
    fmt::print("tasks of {:>4} us: the borrower did not come or go\n", task_us);
  std::fflush(stdout);
  munmap(memory, sizeof(progress));
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 300;
  bool good = true;
  for (const int task_us : {20, 200, 2000}) good = measure(task_us, rounds) && good;
  return good ? 0 : 1;
}
