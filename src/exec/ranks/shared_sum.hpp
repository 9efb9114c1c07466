#pragma once
// What ranks of several processes combine together: each makes a share of it. ACROSS.md states the protocol.

#include <cstddef>
#include <memory>
#include <span>

#include "comm/processes.hpp"

namespace maslin {

class world;
struct rank_group;

class shared_sum {
 public:
  /// The share of that rank of the group. Needs memory, unlike what comes behind it.
  shared_sum(world& of, const rank_group& in, int rank, const combined_call& by);

  /// Combines the share, and writes it to where each rank wants it. `all`: what lies where, by rank. Gives false where
  /// the memory of other processes cannot be copied.
  bool make_share(std::span<const combined_call::places> all) noexcept;

 private:
  world& of_;
  const rank_group& in_;
  const std::size_t mine_;
  const combined_call& by_;
  const combined_call::elements each_;
  const std::size_t piece_;  ///< elements that are combined at a time
  const std::unique_ptr<std::byte[]> more_;
  bool is_made_in_place_;             ///< where the rank wants the result
  std::unique_ptr<std::byte[]> sum_;  ///< otherwise it is made here
};

}  // namespace maslin
