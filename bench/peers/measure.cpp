#include "measure.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>

namespace bench {

namespace {

std::vector<int> cpus;
std::mutex enlisting;
std::vector<tally*> tallies;

void pin(pthread_t thread, const std::vector<int>& to) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : to) CPU_SET(cpu, &set);
  if (pthread_setaffinity_np(thread, sizeof set, &set) != 0) throw std::runtime_error("a thread could not be pinned");
}

}  // namespace

void restrict_to_two_cpus() {
  cpu_set_t given;
  CPU_ZERO(&given);
  sched_getaffinity(0, sizeof given, &given);
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < workers; ++cpu)
    if (CPU_ISSET(cpu, &given)) cpus.push_back(cpu);
  if (cpus.size() < workers)
    throw std::runtime_error("this process may use one CPU only; the figures are for two: widen its affinity mask");
  pin(pthread_self(), cpus);
}

void enlist() {
  if (mine.enlisted) return;
  const std::lock_guard lock(enlisting);
  if (tallies.size() == workers) throw std::runtime_error("a third thread ran tasks; there should be two workers");
  pin(pthread_self(), {cpus[tallies.size()]});
  mine.enlisted = true;
  tallies.push_back(&mine);
}

int enlisted() {
  const std::lock_guard lock(enlisting);
  return static_cast<int>(tallies.size());
}

void clear_tallies() {
  for (tally* t : tallies) t->count = t->sum = t->squares = t->in_place = 0;
}

tally all_tallies() {
  tally all;
  for (const tally* t : tallies) {
    all.count += t->count;
    all.sum += t->sum;
    all.squares += t->squares;
    all.in_place += t->in_place;
  }
  return all;
}

bool each_ran_once(std::uint64_t n) {
  const tally all = all_tallies();
  std::uint64_t sum = 0, squares = 0;
  for (std::uint64_t i = 0; i < n; ++i) sum += i, squares += i * i;
  return all.count == n && all.sum == sum && all.squares == squares;
}

bool meet(std::atomic<int>& arrived, double patience) {
  arrived.fetch_add(1);
  double give_up = 0;
  for (int spins = 1; arrived.load() < workers; ++spins) {
    if (spins % 1024 != 0) continue;
    if (give_up == 0) give_up = now() + patience;
    if (now() > give_up) return false;
  }
  return true;
}

double work(long steps) {
  double x = 1;
  for (long i = 0; i < steps; ++i) x = x * 0.999'999 + 1e-6 * static_cast<double>(i & 3);
  return x;
}

long steps_for(double seconds) {
  constexpr long sample = 100'000;
  volatile double sink = 0;
  const double taken = time_of([&] { return seconds_of([&] { sink = work(sample); }); }).median;
  return std::max(1L, static_cast<long>(seconds / taken * sample));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

timing time_of(const std::function<double()>& call) {
  const double warm = now() + 0.1;
  do call();
  while (now() < warm);
  std::vector<double> taken;
  const double end = now() + 0.2;
  do taken.push_back(call());
  while (now() < end);
  const double mean = std::accumulate(taken.begin(), taken.end(), 0.0) / static_cast<double>(taken.size());
  return {median(std::move(taken)), mean};
}

}  // namespace bench
