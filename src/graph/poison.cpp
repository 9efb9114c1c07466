#include "graph/poison.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace maslin::graph {

namespace {
std::atomic<bool> checks{false};
}  // namespace

void set_data_checks(bool on) noexcept { checks.store(on, std::memory_order_relaxed); }
bool data_checks() noexcept { return checks.load(std::memory_order_relaxed); }

void poison(const region& where) noexcept {
  constexpr std::uint32_t pattern = 0x7ffadead;  // two of them are a double, and that is a quiet NaN, too
  for (std::size_t c = 0; c < where.columns; ++c) {
    char* const column = static_cast<char*>(where.data()) + c * where.stride;
    for (std::size_t at = 0; at < where.bytes; at += sizeof pattern)
      std::memcpy(column + at, &pattern, std::min(sizeof pattern, where.bytes - at));
  }
}

}  // namespace maslin::graph
