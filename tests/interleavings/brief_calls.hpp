#pragma once
// Calls of all in turn, some of which are brief: for ranks of one process, and of several.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "maslin/ranks.hpp"
#include "maslin/request.hpp"
#include "weighing.hpp"

namespace maslin {

/// What a rank does in turn: brief calls of a kind; others, which it waits for at once or at the end.
enum class calls { brief, of_another_kind, not_brief, started };

inline std::uint64_t kind_of(calls is) { return is == calls::not_brief ? 0 : is == calls::of_another_kind ? 8 : 7; }

/// Rank i makes the i-th of these lists of calls; a call is brief for each rank, or for none. `in_processes`: those
/// that are not in slots come in packets, and are brief if they are of one kind.
inline auto make_calls(std::array<std::vector<calls>, 3> of_ranks, bool in_processes = false) {
  return [=](communicator& mine, auto&&) {
    const int n = mine.size();
    std::deque<weighing> made;
    std::vector<request> started;
    const auto& own = of_ranks.at(static_cast<std::size_t>(mine.rank()));
    for (std::size_t turn = 0; turn < own.size(); ++turn) {
      const calls is = own[turn];
      weighing& call = made.emplace_back(kind_of(is), static_cast<int>(turn) + mine.rank() + 1);
      if (is == calls::started)
        started.push_back(mine.start_together(call));
      else
        mine.together(call);
    }
    for (request& one : started) one.wait();
    bool is_ahead = false;
    for (std::size_t turn = 0; turn < own.size(); ++turn) {
      bool is_brief = true, is_ahead_now = false, are_of_one_kind = kind_of(own[turn]) != 0;
      for (int rank = 0; rank < n; ++rank) {
        const calls its = of_ranks.at(static_cast<std::size_t>(rank))[turn];
        is_brief &= its == own[turn] && (its == calls::brief || its == calls::of_another_kind);
        is_ahead_now |= its == calls::started;
        are_of_one_kind &= kind_of(its) == kind_of(own[turn]);
      }
      const int first = static_cast<int>(turn) + 1;
      const bool is_in_slots = is_brief && !is_ahead;
      made[turn].expect(n == 2 ? 11 * first + 1 : 111 * first + 12, in_processes ? are_of_one_kind : is_in_slots);
      if (is_in_slots) made[turn].expect_alone();
      is_ahead = is_ahead_now;
    }
  };
}

}  // namespace maslin
