#pragma once
// What kernels take on accelerators, as learned from those that have run.

#include <cstdint>
#include <optional>
#include <vector>

#include "exec/virtual/events.hpp"
#include "sched/grain/site_time.hpp"

namespace maslin {

class kernel_lengths {
 public:
  /// It took a team of that width so long, or would have taken one worker so long what it took a host.
  void ran(std::uint32_t kernel, int width, picoseconds length) { learn(means_, kernel, width, length); }
  /// It shared loops with its team, and ran so long by itself.
  void shared_loops(std::uint32_t kernel, int width, picoseconds by_itself) {
    learn(by_itself_, kernel, width, by_itself);
  }

  /// Gives the kernel's mean time on a team of that width, in picoseconds; 0: not known yet.
  double at_width(std::uint32_t kernel, int width) const {
    const grain::site_time* const mean = find(means_, kernel, width);
    return mean ? mean->mean : 0;
  }
  /// Gives the mean of what it runs by itself, in picoseconds; nothing where it is not known to share loops.
  std::optional<double> by_itself(std::uint32_t kernel, int width) const {
    const grain::site_time* const mean = find(by_itself_, kernel, width);
    return mean && mean->seen > 0 ? std::optional<double>(mean->mean) : std::nullopt;
  }

  /// Gives its mean time on one worker; where it ran on none alone, what a team of that width takes, all workers
  /// together: the cost of sharing makes that too large rather than too small. 0: not known yet.
  double of_one_worker(std::uint32_t kernel, int width) const {
    const double alone = at_width(kernel, 1);
    return alone > 0 ? alone : at_width(kernel, width) * width;
  }

 private:
  using table = std::vector<std::vector<grain::site_time>>;  // by kernel, by width

  static void learn(table& of, std::uint32_t kernel, int width, picoseconds length) {
    constexpr std::uint32_t memory = 32;  // executions: a kernel whose length has changed is known anew soon
    const auto place = static_cast<std::size_t>(width);
    if (kernel >= of.size()) of.resize(kernel + 1);
    if (place >= of[kernel].size()) of[kernel].resize(place + 1);
    of[kernel][place] = of[kernel][place].learned(1, static_cast<std::uint64_t>(length), memory);
  }
  static const grain::site_time* find(const table& of, std::uint32_t kernel, int width) {
    const auto place = static_cast<std::size_t>(width);
    return kernel < of.size() && place < of[kernel].size() ? &of[kernel][place] : nullptr;
  }

  table means_;
  table by_itself_;
};

}  // namespace maslin
