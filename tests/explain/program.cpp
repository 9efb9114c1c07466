// Does what its words say, one after the other:
//   phase NAME     four streams
//   held NAME      the same, but the first says "inside" and waits for a line
//   many N NAME    N phases of that name
//   loop           no phase
//   tasks N        N times 200 tasks with data, and a wait for them
//   child WORD...  a forked child does the rest, and the parent waits for it
// Status 0 where all of it ran.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

std::atomic<long> ran{0};
long expected = 0;

void run_phase(const char* name, bool held) {
  expected += 4;
  ms::phase(name, 4, [&](std::int64_t i) {
    if (held && i == 0) {
      std::puts("inside");
      std::fflush(stdout);
      std::getchar();
    }
    ++ran;
  });
}

void run_tasks(long times) {
  constexpr int at_a_time = 200;
  static std::vector<long> data(at_a_time);
  for (long k = 0; k < times; ++k) {
    expected += at_a_time;
    for (long& one : data)
      ms::task(
          [](ms::view<long> v) {
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
            while (std::chrono::steady_clock::now() < end) ++v[0];
            ++ran;
          },
          ms::inout(one));
    ms::wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<ms::Runtime> of_child;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "phase" || word == "held") {
      run_phase(argv[++i], word == "held");
    } else if (word == "many") {
      const long times = std::atol(argv[++i]);
      ++i;
      for (long k = 0; k < times; ++k) run_phase(argv[i], false);
    } else if (word == "loop") {
      expected += 100;
      ms::parallel_for(0, 100, [](ms::range r) { ran += r.size(); });
    } else if (word == "tasks") {
      run_tasks(std::atol(argv[++i]));
    } else if (word == "child") {
      const pid_t child = fork();
      int status = 1;
      if (child > 0) return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 1;
      of_child.emplace();
    } else {
      return 2;
    }
  }
  const int status = ran == expected ? 0 : 1;
  if (!of_child) return status;
  of_child.reset();
  _exit(status);  // what the parent's threads held would look like leaks
}
