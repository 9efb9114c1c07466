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

/// Gives the worker after `victim` (negative: the first of all) in the circle that begins behind worker `own` of the
/// team [first, last), among those that `first_set(from, to)` finds (the first one, or negative); negative at the end,
/// and where `own` is not of the team.
template <class FirstSet>
constexpr int next_in_circle(int own, int first, int last, int victim, FirstSet&& first_set) {
  // A worker that has just been moved may look at a team that is no longer its own.
  if (own < first || own >= last) return -1;
  if (victim < 0 || victim > own) {
    const int after = first_set((victim < 0 ? own : victim) + 1, last);
    return after >= 0 ? after : first_set(first, own);
  }
  return first_set(victim + 1, own);
}

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
