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
  /// Needs memory, unlike what comes behind it.
  shared_sum(world& of, const rank_group& in, const combined_call& by);

  /// Combines the share of that rank of the group, and writes it to where each rank wants it. `all`: what lies where,
  /// by rank. Gives false where the memory of other processes cannot be copied.
  bool make_share(int rank, std::span<const combined_call::places> all) noexcept;

 private:
  world& of_;
  const rank_group& in_;
  const combined_call& by_;
  const combined_call::elements each_;
  const std::size_t piece_;  ///< elements that are combined at a time
  const std::unique_ptr<std::byte[]> sum_, more_;
};

}  // namespace maslin
