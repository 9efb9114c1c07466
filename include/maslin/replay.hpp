#pragma once
// Iterative programs: the tasks of one iteration are recorded, and replayed without finding their dependences again.

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "maslin/access.hpp"
#include "maslin/api.hpp"
#include "maslin/body.hpp"
#include "maslin/location.hpp"

namespace maslin {

/// Other data for one replay: what the recorded accesses to `from`, or to parts of it, named is there `to`.
struct rebinding {
  const void* from;
  std::size_t bytes;
  void* to;
  std::size_t to_bytes;
};

/// Says that a replay uses `to` in place of `from`: a contiguous range or one object, of the same type and size.
template <class From, class To>
rebinding rebind(const From& from, To& to) {
  static_assert(!std::is_const_v<To>, "data that replace others must be writable");
  static_assert(
      !std::is_pointer_v<From> && !detail::is_tile<From>::value && !detail::is_ndarray<From>::value,
      "only a contiguous range or one object can be replaced: of a tile or an ndarray, replace the array that it "
      "is a part of, and of a pointer a span");
  if constexpr (detail::contiguous<const From>) {
    const std::span f(from);
    const std::span t(to);
    using element = typename decltype(f)::value_type;
    static_assert(std::is_same_v<element, typename decltype(t)::value_type>, "the elements have different types");
    static_assert(!std::is_const_v<typename decltype(t)::element_type>, "data that replace others must be writable");
    return {f.data(), f.size_bytes(), t.data(), t.size_bytes()};
  } else {
    static_assert(std::is_same_v<From, To>, "the two have different types");
    return {std::addressof(from), sizeof(From), std::addressof(to), sizeof(To)};
  }
}

/// Tasks that can run again and again. Not to be destroyed while it is replayed.
class recording {
 public:
  struct state;  // the graph's part

  explicit recording(std::unique_ptr<state> tasks) noexcept;
  MASLIN_API recording(recording&&) noexcept;
  MASLIN_API recording& operator=(recording&&) noexcept;
  MASLIN_API ~recording();

  /// The number of tasks, with those of the graph's own, which copy or combine data.
  MASLIN_API std::size_t tasks() const noexcept;

  state& get() const { return *state_; }

 private:
  std::unique_ptr<state> state_;
};

namespace detail {
MASLIN_API recording record(void (*create)(void* env), void* env, location where);
MASLIN_API void replay(recording& tasks, std::span<const rebinding> instead, location where);
}  // namespace detail

/// Calls `create()` and records the tasks that it creates; its other statements are not part of the recording. Then
/// runs the tasks as `replay` does, and gives the recording. What the tasks themselves create, they create anew in each
/// replay. Throws what `create` throws, and `error` where it waits, shares a loop, begins a phase, off-loads, or
/// creates a task in a group: a replay would leave these out.
template <class F>
recording record(F&& create, location where = location::current()) {
  using plain = std::remove_reference_t<F>;
  return detail::record([](void* env) { detail::body_at<plain>(env)(); }, detail::address_of(create), where);
}

/// Waits for the caller's tasks, runs the recorded ones in the order that their data demand, and returns when they are
/// done and their data is where the program declared it. Throws as `wait` does. To let a replay overlap with other
/// work, call it in a task. Replays of one recording take turns.
inline void replay(recording& tasks, location where = location::current()) { detail::replay(tasks, {}, where); }
/// The same on other data. What a body captured by itself, and not by an access, stays what it was. Throws `error` when
/// the two sides of a rebinding differ in size, when a recorded access is only partly inside, or when what replaces one
/// datum overlaps another that the replay uses.
template <class... More>
void replay(recording& tasks, const rebinding& first, const More&... more) {
  const rebinding instead[] = {first, more...};
  detail::replay(tasks, instead, {});
}

}  // namespace maslin
