// Independent tasks from one thread, and tasks that create tasks.

#include <algorithm>

#include "figures.hpp"
#include "peer.hpp"

namespace bench {

namespace {

/// Creates tasks [first, last) and waits for them. The creator notes on its thread which creation it is in, so that a
/// task can tell that it runs inside its own; that is what "in place" means here, whatever a runtime calls or counts
/// it. A task which begins after its creation has returned, or on the other worker, was really handed over.
template <class Body>
void create(std::uint64_t first, std::uint64_t last, const Body& body) {
  peer::tasks all;
  for (std::uint64_t i = first; i < last; ++i) {
    mine.creating = i;
    all.run([i, body] { body(i); });
  }
  mine.creating = ~std::uint64_t{0};
  all.wait();
}

constexpr auto empty = [](std::uint64_t i) { mine.note(i); };

void create_in_batches(std::uint64_t n, std::uint64_t batch) {
  for (std::uint64_t i = 0; i < n; i += batch) create(i, std::min(i + batch, n), empty);
}

result measure_empty(const char* figure, std::uint64_t n, std::uint64_t batch) {
  bool right = true;
  double in_place = 0;  // at most, in one call
  const timing seconds = time_of([&] {
    clear_tallies();
    const double taken = seconds_of([&] { peer::run([&] { create_in_batches(n, batch); }); });
    right = right && each_ran_once(n);
    in_place = std::max(in_place, static_cast<double>(all_tallies().in_place));
    return taken;
  });
  const auto share = in_place / static_cast<double>(n);
  return {figure, seconds, static_cast<double>(n), right, {{"in_place", share}, {"batch", static_cast<double>(batch)}}};
}

constexpr std::uint64_t number_of_tasks = 1'000'000;

void fib_task(int n, long* value) {
  if (n < 2) {
    *value = n;
    return;
  }
  long a = 0, b = 0;
  peer::tasks half;
  half.run([n, &a] { fib_task(n - 1, &a); });
  fib_task(n - 2, &b);
  half.wait();
  *value = a + b;
}

}  // namespace

results empty_tasks() { return {measure_empty("tasks-empty", number_of_tasks, number_of_tasks)}; }

results deferred_tasks() {
  // Runtimes that run tasks in place do so when many are in flight: the largest batch of which none is. A runtime that
  // finds another reason ends with the smallest batch and the share that it ran in place.
  std::uint64_t batch = 1024;
  for (; batch > 16; batch /= 2) {
    clear_tallies();
    peer::run([&] { create_in_batches(100 * batch, batch); });
    if (all_tallies().in_place == 0) break;
  }
  return {measure_empty("tasks-deferred", 200'000, batch)};
}

results working_tasks() {
  constexpr auto n = number_of_tasks;
  const long steps = steps_for(0.7e-6);
  const double expected = work(steps);
  const auto body = [steps, expected](std::uint64_t i) {
    if (work(steps) == expected) mine.note(i);
  };
  bool right = true;
  std::vector<double> over_serial;  // side by side, since the CPUs' speed drifts
  const timing seconds = time_of([&] {
    const double serial = seconds_of([&] {
      for (std::uint64_t i = 0; i < n; ++i) body(i);
    });
    clear_tallies();
    const double taken = seconds_of([&] { peer::run([&] { create(0, n, body); }); });
    right = right && each_ran_once(n);
    over_serial.push_back(taken / serial);
    return taken;
  });
  return {{"tasks-work", seconds, static_cast<double>(n), right, {{"over_serial", median(over_serial)}}}};
}

results fib() {
  if (!peer::nests) return {};
  constexpr int n = 30;
  constexpr long expected = 832'040;
  bool right = true;
  const timing seconds = time_of([&] {
    long value = 0;
    const double taken = seconds_of([&] { peer::run([&] { fib_task(n, &value); }); });
    right = right && value == expected;
    return taken;
  });
  return {{"tasks-fib", seconds, 0, right}};
}

}  // namespace bench
