#pragma once
// Which of a task's accesses are copied to a local store.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/region.hpp"

namespace maslin::store {

/// What a task does to a region that it declares.
struct use {
  graph::region is;
  bool reads = false;   ///< what was there before it
  bool writes = false;  ///< all of it, where it does not read
};

/// A region of which a task's body gets a copy.
struct copy {
  graph::region home;
  bool reads = false;     ///< the body sees what memory holds
  bool writes = false;    ///< memory gets what the body leaves
  bool is_value = false;  ///< of a reduction: no other task has it in a store
  bool is_lazy = false;   ///< memory gets it when somebody looks: whoever may is known
};

struct plan {
  static constexpr int on_memory = -1;
  std::vector<use> uses;  ///< all accesses, but those of no bytes
  std::vector<copy> copies;
  std::vector<int> of_access;  ///< the place in `copies` of each access's copy; or `on_memory`
  std::uint64_t task = 0;      ///< its number in traces

  /// Gives the room that all copies take at a time.
  std::size_t bytes() const;
};

/// Accesses to the same region share one copy. Those whose elements are more than bytes, and those that overlap others
/// in part, stay on memory: of two copies neither would be right.
plan make_plan(const std::vector<detail::declared>& accesses);

}  // namespace maslin::store
