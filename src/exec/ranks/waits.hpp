#pragma once
// What a rank waits for. It is asked only when all ranks wait for each other.

#include <cstdint>
#include <vector>

#include "maslin/location.hpp"
#include "maslin/request.hpp"

namespace maslin {

namespace detail {
struct rank_member;
}  // namespace detail

/// A message or a call of all ranks that is not complete.
struct awaited_one {
  enum class what : std::uint8_t { receive, send, probe, call_of_all, answer };
  what is = what::answer;
  const detail::rank_member* in = nullptr;  ///< whose communicator it is in
  location begun = {};
  int rank = any_source, tag = any_tag;  ///< of a message; the rank is one of the world
  // Of a call of all.
  std::uint64_t number = 0;    ///< in its communicator
  bool is_in_slots = false;    ///< where it has that number
  const char* name = nullptr;  ///< if it is one that ms::communicator has
};

/// What a rank waits for: all of these, or one.
struct rank_wait {
  location where = {};
  bool is_one_enough = false;
  std::vector<awaited_one> all = {};
};

/// How a rank that sleeps is asked: another thread does so, under the rank's lock. So the wait itself prepares nothing.
class awaited {
 public:
  /// For something that no rank does.
  awaited() = default;
  /// `tells(rank_wait&)` stays while the rank sleeps.
  template <class Tells>
  explicit awaited(const Tells& tells) noexcept
      : of_(&tells), tell_([](const void* of, rank_wait& into) { (*static_cast<const Tells*>(of))(into); }) {}

  explicit operator bool() const noexcept { return tell_ != nullptr; }
  void tell(rank_wait& into) const { tell_(of_, into); }

 private:
  const void* of_ = nullptr;
  void (*tell_)(const void* of, rank_wait& into) = nullptr;
};

}  // namespace maslin
