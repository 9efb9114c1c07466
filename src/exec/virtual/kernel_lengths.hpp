#pragma once
// What kernels take on accelerators, as learned from those that have run.

#include <cstdint>
#include <vector>

#include "exec/virtual/events.hpp"
#include "sched/grain/site_time.hpp"

namespace maslin {

class kernel_lengths {
 public:
  /// It took a team of that width so long, or would have taken one worker so long what it took a host.
  void ran(std::uint32_t kernel, int width, picoseconds length) {
    constexpr std::uint32_t memory = 32;  // executions: a kernel whose length has changed is known anew soon
    const auto place = static_cast<std::size_t>(width);
    if (kernel >= means_.size()) means_.resize(kernel + 1);
    auto& of = means_[kernel];
    if (place >= of.size()) of.resize(place + 1);
    of[place] = of[place].learned(1, static_cast<std::uint64_t>(length), memory);
  }

  /// Gives the kernel's mean time on a team of that width, in picoseconds; 0: not known yet.
  double at_width(std::uint32_t kernel, int width) const {
    const auto place = static_cast<std::size_t>(width);
    return kernel < means_.size() && place < means_[kernel].size() ? means_[kernel][place].mean : 0;
  }

  /// Gives its mean time on one worker; where it ran on none alone, what a team of that width takes, all workers
  /// together: the cost of sharing makes that too large rather than too small. 0: not known yet.
  double of_one_worker(std::uint32_t kernel, int width) const {
    const double alone = at_width(kernel, 1);
    return alone > 0 ? alone : at_width(kernel, width) * width;
  }

 private:
  std::vector<std::vector<grain::site_time>> means_;  ///< by kernel, by width
};

}  // namespace maslin
