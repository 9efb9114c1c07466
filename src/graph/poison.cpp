#include "graph/poison.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "task/node.hpp"

namespace maslin::graph {

namespace {
// One word, so that a body which is plain costs one look.
constexpr unsigned checked = 1;
constexpr unsigned stored = 2;
std::atomic<unsigned> special{0};

void set(unsigned what, bool on) noexcept {
  if (on)
    special.fetch_or(what, std::memory_order_relaxed);
  else
    special.fetch_and(~what, std::memory_order_relaxed);
}
}  // namespace

void set_data_checks(bool on) noexcept { set(checked, on); }
bool data_checks() noexcept { return special.load(std::memory_order_relaxed) & checked; }
void set_local_stores(bool on) noexcept {
  detail::set_room_for_birth(on);
  set(stored, on);
}
bool local_stores() noexcept { return special.load(std::memory_order_relaxed) & stored; }
bool bodies_are_plain() noexcept { return special.load(std::memory_order_relaxed) == 0; }

void poison(const region& where) noexcept {
  constexpr std::uint32_t pattern = 0x7ffadead;  // two of them are a double, and that is a quiet NaN, too
  for (std::size_t c = 0; c < where.columns; ++c) {
    char* const column = static_cast<char*>(where.data()) + c * where.stride;
    for (std::size_t at = 0; at < where.bytes; at += sizeof pattern)
      std::memcpy(column + at, &pattern, std::min(sizeof pattern, where.bytes - at));
  }
}

}  // namespace maslin::graph
