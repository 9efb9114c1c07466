#pragma once
// A region: a piece of memory as an access names it, `columns` runs of `bytes` bytes, one every `stride` bytes.

#include <cstddef>
#include <cstdint>

#include "maslin/task.hpp"

namespace maslin::graph {

struct region {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;  ///< of a column
  std::size_t columns = 1;
  std::size_t stride = 0;  ///< from column to column; 0 where there is one

  region() = default;
  explicit region(const detail::declared& a)
      : start(reinterpret_cast<std::uintptr_t>(a.data)), bytes(a.bytes), columns(a.columns), stride(a.stride) {
    if (columns > 1 && stride == bytes) {
      bytes *= columns;
      columns = 1;
    }
    if (columns <= 1) stride = 0;
  }

  bool operator==(const region&) const = default;
  bool empty() const { return bytes == 0 || columns == 0; }
  void* data() const { return reinterpret_cast<void*>(start); }
  std::size_t size() const { return bytes * columns; }
  /// The first byte that is behind all of it.
  std::uintptr_t end() const { return start + (columns - 1) * stride + bytes; }
};

/// Gives whether the two have a byte in common. Exact. Takes one step where one stride is a multiple of the other, as
/// in tiles of one matrix; otherwise as many as the one with the larger stride has columns where both lie.
bool overlap(const region& a, const region& b);

}  // namespace maslin::graph
