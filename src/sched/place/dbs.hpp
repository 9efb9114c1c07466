#pragma once
// Dynamic Bisectioning, the place policy (dynamic-bisectioning, section 3): where a worker looks for work. It owns no
// queue: exec/threads hands it concurrent ones, exec/virtual plain ones.

#include <concepts>
#include <optional>

namespace maslin::place {

/// The queues as one worker sees them.
template <class Q>
concept queues = requires(Q q, int victim) {
  typename Q::work;
  /// The head of the own queue: a task, or ⌈remaining/P⌉ of a loop whose rest stays. Clears the own bit when empty.
  { q.take_own() } -> std::same_as<std::optional<typename Q::work>>;
  /// The head of the centre: a task, or ⌈remaining/P⌉ of a loop, of which all but what is returned became the worker's
  /// local work.
  { q.take_centre() } -> std::same_as<std::optional<typename Q::work>>;
  /// The next worker after `victim` in the circle (after the worker itself first) whose bit is set; negative at the
  /// end.
  { q.next_victim(victim) } -> std::same_as<int>;
  /// Moves half of the victim's tasks (half of the iterations where it holds a single loop) to the worker's own head;
  /// false when there was nothing.
  { q.bisect(victim) } -> std::same_as<bool>;
};

/// Gives the next piece of work: own queue, then the centre, then half of a neighbour's; nothing when all are empty.
template <queues Q>
std::optional<typename Q::work> dbs(Q& q) {
  if (auto own = q.take_own()) return own;
  if (auto central = q.take_centre()) return central;
  for (int victim = q.next_victim(-1); victim >= 0; victim = q.next_victim(victim)) {
    if (!q.bisect(victim)) continue;
    if (auto stolen = q.take_own()) return stolen;
  }
  return std::nullopt;
}

}  // namespace maslin::place
