#pragma once
// What the applications of the multigrain paper do on a Cell, in declared costs: README.md says where each number
// comes from.

#include <algorithm>
#include <cstdint>

namespace cell {

/// One control flow: a host part and a kernel in turn; part of the kernel is a loop.
struct application {
  double host_us;    ///< between two off-loads
  double serial_us;  ///< of a kernel, on one worker
  double loop_us;    ///< all iterations, one after the other
  std::int64_t iterations;
  std::int64_t chunk;  ///< least iterations per worker
  double spread;       ///< standard deviation of lengths / their mean
};

/// A loop as the paper's library divides it (4.2): every worker gets the same multiple of `chunk` iterations, as near
/// to an equal part as that allows, and the last one what is left.
struct division {
  division(std::int64_t iterations, std::int64_t workers, std::int64_t chunk)
      : part(std::max<std::int64_t>(
                 1, std::llround(static_cast<double>(iterations) / static_cast<double>(workers * chunk))) *
             chunk),
        count(std::min(workers, (iterations + part - 1) / part)),
        last(iterations - (count - 1) * part) {}

  std::int64_t size(std::int64_t i) const { return i + 1 < count ? part : last; }

  std::int64_t part;
  std::int64_t count;
  std::int64_t last;
};

}  // namespace cell
