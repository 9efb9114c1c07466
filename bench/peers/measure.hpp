#pragma once
// What every figure needs, the same for every runtime: time, work of a known length, the two CPUs, and the proof that
// each task ran once.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline constexpr int workers = 2;

/// Seconds since some fixed moment.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Computes for a time that is proportional to `steps`: each step waits for the one before. The value depends on
/// `steps` alone, so whoever calls it can check that it was done; compilers do not see that here, and call it each
/// time.
double work(long steps);

/// Gives the steps that take that long on this CPU, alone.
long steps_for(double seconds);

double median(std::vector<double> values);

/// What a call took: the median says what it costs, the mean what was lost to others on the CPUs, too.
struct timing {
  double median = 0, mean = 0;  ///< seconds
};

/// Gives the timing of what `call` returns (seconds, so that it can leave out its preparations), after it was called
/// for 100 ms to warm up: short runs are bimodal until the threads have settled. Calls go on for 200 ms, and at least
/// once.
timing time_of(const std::function<double()>& call);

/// The seconds that `call` takes.
template <class Call>
double seconds_of(Call&& call) {
  const double begin = now();
  call();
  return now() - begin;
}

/// What one thread has run. Plain counters of its own, since a shared one would be what is measured; count, sum and sum
/// of squares together tell a task that ran twice or not at all.
struct alignas(64) tally {
  std::uint64_t count = 0, sum = 0, squares = 0, in_place = 0;
  std::uint64_t creating = ~std::uint64_t{0};  ///< the task whose creation has not returned on this thread
  bool enlisted = false;

  void note(std::uint64_t task) {
    ++count;
    sum += task;
    squares += task * task;
    in_place += task == creating;
  }
};

inline constinit thread_local tally mine;

/// Keeps the process to its first two CPUs; call it before a runtime counts them. Throws if there is one only.
void restrict_to_two_cpus();
/// Counts the calling thread as a worker: pins it to the next of the two CPUs and has its tally counted. Once a thread.
void enlist();
/// Gives the number of threads that have enlisted.
int enlisted();

void clear_tallies();
/// Gives the enlisted threads' tallies added up.
tally all_tallies();
/// Whether tasks 0 to n-1 ran once each since the tallies were cleared, and on enlisted threads.
bool each_ran_once(std::uint64_t n);

/// Returns when both workers have arrived, or after `patience` seconds; gives whether they have.
bool meet(std::atomic<int>& arrived, double patience);

/// One line of results, printed as JSON.
struct result {
  std::string figure;
  timing seconds;
  double tasks = 0;  ///< 0: the figure is not one per task
  bool checked = false;
  std::vector<std::pair<std::string, double>> more = {};
  std::string schedule = {};  ///< its name, where there are several
  std::string runtime = {};   ///< where it is not the one that the program was built for
  std::string version = {};
};

using results = std::vector<result>;

}  // namespace bench
