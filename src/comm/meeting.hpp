#pragma once
// The calls of ms::communicator that all its ranks make: whether they agree, and what is done with what they bring.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/processes.hpp"
#include "maslin/location.hpp"

namespace maslin::comm {

/// What one rank brings, and from where.
struct arrival : brief_call, told_call {
  arrival(const detail::contribution& mine, location place) : brings(mine), where(place) {}
  detail::contribution brings;
  location where;
  std::string problem;  ///< in which way the calls do not go together; empty where they do

  /// All ranks bring such objects.
  bool meet(std::span<joint_call* const> all) override;
  /// Only what `mpi` calls between processes: barrier, broadcast, gather to all, and split.
  void pack(std::span<const int> for_ranks, std::vector<std::byte>& into) override;
  std::unique_ptr<joint_call> unpack(int rank, std::span<const std::byte> packed) override;
  trace::moved_as moved() const noexcept override;
  /// A barrier is brief.
  std::uint64_t kind() const noexcept override { return brings.what == detail::collective::barrier ? 1 : 0; }
  std::span<const std::byte> gives() const noexcept override { return {}; }
  void make(std::span<const std::byte>, std::span<joint_call* const>, std::span<const int>) override {}

 protected:
  /// Does what all have agreed on.
  virtual void carry_out(std::span<joint_call* const> all);
};

/// What rank i brings.
inline arrival& brought(std::span<joint_call* const> ranks, std::size_t i) { return static_cast<arrival&>(*ranks[i]); }

/// Gives the name of that call.
const char* name_of(const detail::contribution& call) noexcept;
/// Gives in which way the ranks' calls do not go together; empty where they do.
std::string disagreement(std::span<joint_call* const> ranks);

/// Does what they have agreed on; long copies and combinations are shared by the caller's team. The bytes that come out
/// do not depend on how.
void carry_out(std::span<joint_call* const> ranks);

}  // namespace maslin::comm
