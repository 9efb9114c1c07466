#pragma once

#include <span>

#include "explorer.hpp"
#include "maslin/error.hpp"
#include "maslin/ranks.hpp"

namespace maslin {

/// Each rank's part sums up what all brought. Rank 0's part may throw; so may `meet`, or it does all parts.
struct summing : joint_call {
  enum class throws { nothing, in_meet, in_part };
  explicit summing(int number, throws how = throws::nothing) : brings(number), how_(how) {}
  bool meet(std::span<joint_call* const> all) override {
    if (how_ == throws::in_meet) throw error("no meeting");
    for (int rank = 0; !has_parts && rank < static_cast<int>(all.size()); ++rank) do_part(all, rank);
    return has_parts;
  }
  void do_part(std::span<joint_call* const> all, int rank) override {
    if (rank == 0 && how_ == throws::in_part) throw error("no part");
    auto& its = static_cast<summing&>(*all[static_cast<std::size_t>(rank)]);
    if (its.sum != 0) explorer::fail("a part is done twice");
    for (joint_call* one : all) its.sum += static_cast<summing&>(*one).brings;
  }
  void expect(int of_all) const {
    if (sum != of_all) explorer::fail("a part is not done, or is wrong");
  }
  int brings, sum = 0;
  bool has_parts = true;

 private:
  throws how_;
};

}  // namespace maslin
