#pragma once
// How many blocks of a loop a worker takes at a time: the amounts that the policies are made of (dynamic-bisectioning,
// sections 3 and 4.1).

#include <algorithm>
#include <cstdint>

namespace maslin::loop_policy {

/// Gives ⌈remaining/workers⌉ blocks, for remaining ≥ 0 and workers ≥ 1; at least one while any are left. What dbs, gss
/// and afs dispatch, and what a thief takes under afs.
constexpr std::int64_t share(std::int64_t remaining, int workers) {
  return remaining / workers + (remaining % workers != 0 ? 1 : 0);
}
/// The same, but not less than `grain` of them: so many pay for being handed over.
constexpr std::int64_t share(std::int64_t remaining, int workers, std::int64_t grain) {
  return std::min(remaining, std::max(share(remaining, workers), grain));
}

/// Gives ⌈remaining/2⌉: what a thief takes of a queue that holds a single loop under dbs.
constexpr std::int64_t half(std::int64_t remaining) { return share(remaining, 2); }

/// Blocks [first, last) of a loop.
struct part {
  std::int64_t first = 0;
  std::int64_t last = 0;

  constexpr std::int64_t size() const { return last - first; }
  friend bool operator==(const part&, const part&) = default;
};

/// Gives the `queue`-th of `queues` equal parts of `blocks` blocks, in order: they differ by one block at most, the
/// larger ones come first.
constexpr part equal_part(std::int64_t blocks, int queues, int queue) {
  const std::int64_t size = blocks / queues;
  const std::int64_t larger = blocks % queues;
  const std::int64_t first = queue * size + std::min<std::int64_t>(queue, larger);
  return {first, first + size + (queue < larger ? 1 : 0)};
}

}  // namespace maslin::loop_policy
