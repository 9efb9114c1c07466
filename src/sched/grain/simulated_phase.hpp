#pragma once
// For tests: a phase on a machine that is a formula, sized by a controller.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "sched/grain/controller.hpp"

namespace maslin::grain {

/// Throughput W of a configuration, `done` of all work being done: one-worker seconds a second.
using throughput_of = std::function<double(configuration c, double done)>;

struct simulated_phase {
  throughput_of throughput;
  std::vector<double> streams;  ///< one-worker seconds of each
  double kernel_seconds = 50e-6;
  /// By what factor a slice is measured wrongly.
  std::function<double(int slice)> noise = [](int) { return 1.0; };
};

struct simulated_run {
  double seconds = 0;
  double sampled = 0;  ///< seconds in slices of something else than what was chosen in the end
  double lost = 0;     ///< seconds that those took longer than the best configuration of as many streams would have
  int slices = 0;
};

/// Makes a slice of that throughput.
inline sample simulated_slice(configuration under, double throughput, double seconds, double kernel_seconds = 50e-6) {
  sample s;
  s.under = under;
  s.seconds = seconds;
  kernel_record k;
  k.executions = k.completed = static_cast<std::uint64_t>(std::llround(throughput * seconds / kernel_seconds));
  if (under.width == 1) {
    k.one_worker = k.completed;
    k.one_worker_seconds = static_cast<double>(k.completed) * kernel_seconds;
  }
  k.worker_seconds = static_cast<double>(k.completed) * kernel_seconds * under.width;
  k.stream_seconds = under.streams * seconds;
  if (k.completed > 0) k.squares = k.worker_seconds * k.worker_seconds / static_cast<double>(k.completed);
  s.kernels = {k};
  return s;
}

/// Runs the phase under the controller. Streams that run progress equally fast. Throws std::logic_error if the
/// controller asks for more than there is, or comes to no end.
inline simulated_run simulate(controller& grain, const simulated_phase& phase, int workers) {
  std::vector<double> rest = phase.streams;  // of unfinished streams, those that run first
  double all = 0;
  for (const double s : rest) all += s;
  double done = 0;
  simulated_run run;
  struct in_slice {
    configuration under;
    double began, work;
    std::int64_t units;
  };
  std::vector<in_slice> open;
  std::vector<std::pair<configuration, double>> sampled;
  std::vector<kernel_record> so_far;
  for (std::int64_t steps = 0; !rest.empty(); ++steps) {
    if (steps > 4'000'000) throw std::logic_error("no end");
    const configuration c = grain.current();
    if (std::int64_t{c.streams} * c.width + c.wider > workers || c.streams < 1 || c.width < 1)
      throw std::logic_error("more workers than there are");
    const auto running = std::min<std::size_t>(rest.size(), static_cast<std::size_t>(c.streams));
    configuration used = c;
    used.streams = static_cast<int>(running);
    const double w = phase.throughput(used, done / all);
    const double rate = w / static_cast<double>(running);
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < running; ++i) shortest = std::min(shortest, rest[i]);
    double step = std::min(shortest / rate, all / w / 50);  // throughput may change on the way
    if (grain.sampling()) {
      if (open.empty() || open.front().under != c) open = {{c, run.seconds, 0, 0}};
      const sample_rule rule = grain.rule();
      const double kernels = static_cast<double>(rule.kernels) * static_cast<double>(running);
      const double until = std::min(std::max(rule.seconds, kernels * phase.kernel_seconds / w), rule.at_most_seconds);
      step = std::min(step, std::max(open.front().began + until - run.seconds, 1e-9));
    }
    for (std::size_t i = 0; i < running; ++i) rest[i] -= rate * step;
    run.seconds += step;
    done += w * step;
    const std::size_t before = rest.size();
    std::erase_if(rest, [](double r) { return r < 1e-9; });
    const auto ended = static_cast<std::int64_t>(before - rest.size());
    if (!open.empty()) {
      in_slice& s = open.front();
      s.work += w * step;
      s.units += ended;
      const double seconds = run.seconds - s.began;
      const auto kernels = static_cast<std::int64_t>(std::llround(s.work / phase.kernel_seconds));
      if (grain.sampling() &&
          grain.rule().complete({seconds + 1e-12, kernels + 1, s.units, static_cast<int>(running)})) {
        sample slice = simulated_slice(c, s.work / seconds * phase.noise(run.slices++), seconds, phase.kernel_seconds);
        slice.at = run.seconds;
        slice.units = s.units;
        accumulate(so_far, slice.kernels);
        slice.kernels_so_far = so_far;
        sampled.emplace_back(c, seconds);
        open.clear();
        grain.observe(slice);
      }
    }
    if (ended > 0 && !rest.empty()) grain.streams_left(static_cast<std::int64_t>(rest.size()));
  }
  const configuration chosen = grain.chosen().value_or(configuration{});
  for (const auto& [under, seconds] : sampled) {
    if (under == chosen) continue;
    run.sampled += seconds;
    run.lost += seconds * (1 - phase.throughput(under, 0) / phase.throughput(chosen, 0));
  }
  return run;
}

/// A configuration that stays, as a pin does.
class fixed final : public controller {
 public:
  explicit fixed(configuration c) : current_(c) {}
  configuration current() const override { return current_; }
  void streams_left(std::int64_t) override {}
  void resize(int) override {}

 private:
  configuration current_;
};

}  // namespace maslin::grain
