#include "graph/poison.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "graph/describe.hpp"

namespace maslin::graph {

using detail::declared;

void poison(const region& where) noexcept {
  constexpr std::uint32_t pattern = 0x7ffadead;  // two of them are a double, and that is a quiet NaN, too
  for (std::size_t c = 0; c < where.columns; ++c) {
    char* const column = static_cast<char*>(where.data()) + c * where.stride;
    for (std::size_t at = 0; at < where.bytes; at += sizeof pattern)
      std::memcpy(column + at, &pattern, std::min(sizeof pattern, where.bytes - at));
  }
}

void poison_outs(const detail::task_node& task) {
  const std::vector<declared> all = accesses_of(task);
  for (const declared& a : all) {
    if (!a.renames || region(a).empty()) continue;
    const bool kept = std::any_of(all.begin(), all.end(), [&](const declared& other) {
      return other.mode != access_mode::out && overlap(region(a), region(other));
    });
    if (!kept) poison(region(a));
  }
}

}  // namespace maslin::graph
