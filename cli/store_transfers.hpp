#pragma once
// The copies that workers' local stores made, as a trace holds them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maslin/trace.hpp"

struct store_transfer {
  int store;  ///< the worker whose it is; -1: that of all other threads
  maslin::trace::transfer_of what;
  std::optional<std::uint64_t> task;  ///< the number of the one that it was for
  std::int64_t begin_ns, end_ns;
};

/// Gives whether events of that kind tell of such copies, and of nothing else.
bool is_of_transfer(maslin::trace::event_kind kind);

/// The sorts of copies, and what they are called.
struct transfer_sort {
  maslin::trace::transfer_of::way goes;
  bool is_early;
  const char* text;
};
inline constexpr std::array transfer_sorts = {
    transfer_sort{maslin::trace::transfer_of::way::from_memory, false, "stage in"},
    transfer_sort{maslin::trace::transfer_of::way::from_memory, true, "stage in, early"},
    transfer_sort{maslin::trace::transfer_of::way::from_peer, false, "stage in from another store"},
    transfer_sort{maslin::trace::transfer_of::way::from_peer, true, "stage in from another store, early"},
    transfer_sort{maslin::trace::transfer_of::way::to_memory, false, "stage out"},
};
/// Gives the place of the copy's sort.
std::size_t sort_of(const maslin::trace::transfer_of& what);

/// Puts them together from a trace's events.
class store_transfers {
 public:
  explicit store_transfers(int workers) : tracks_(static_cast<std::size_t>(workers) + 1) {}

  /// Gives the copy that the event completes. What was not recorded as a whole is left out.
  std::optional<store_transfer> add(const maslin::trace::event& e);

 private:
  struct said {
    std::optional<std::uint64_t> task;
    std::array<std::int64_t, 2> times{};
    std::size_t count = 0;  ///< of times
  };
  std::vector<said> tracks_;  ///< by worker; the last one is that of threads that are no workers
};
