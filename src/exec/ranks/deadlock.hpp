#pragma once
// Who waits for whom, where all ranks wait for each other.

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "exec/ranks/waits.hpp"

namespace maslin {

struct rank_group;

/// What the ranks of one process say, for the process that tells it.
class told_waits {
 public:
  void add_ended(int rank) { add(rank, nullptr); }
  void add_sleeping(int rank, const rank_wait& waits) { add(rank, &waits); }
  /// How far a rank has come in one of its communicators: it comes next to this call, and has come to so many by slots.
  void add_calls(int rank, const rank_group& in, std::uint64_t next, std::uint64_t in_slots);
  std::vector<std::byte> as_bytes() const;

 private:
  void add(int rank, const rank_wait* waits);
  void add_group(const rank_group& one);

  std::vector<std::byte> ranks_, calls_, groups_;
  std::set<const rank_group*> has_groups_;
};

/// Gives what is to be said of ranks that all wait for each other, by what the processes have said of theirs.
std::string who_waits_for_whom(int ranks, std::span<const std::vector<std::byte>> told);

}  // namespace maslin
