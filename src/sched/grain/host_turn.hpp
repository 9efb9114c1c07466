#pragma once
// Which thread goes on when several share a host context and off-load kernels (multigrain-cell, 4.1;
// ps3-cluster, 5). Times in one unit.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "sched/grain/wait.hpp"

namespace maslin::grain {

/// In the order of the words of MASLIN_HOST.
enum class host_policy : std::uint8_t {
  edtlp,               ///< switch at every off-load; strictly in turn, so that each has off-loaded before one goes on
  yield_if_not_ready,  ///< poll in turn, round and round: whose kernel is not done yields to the next
  adaptive,            ///< as before, but who is expected to off-load next keeps the context and spins
  native               ///< the operating system's: a time slice each, and who waits for its kernel spins meanwhile
};

/// Do threads that wait for their kernels take turns to look whether they are done?
constexpr bool polls(host_policy policy) {
  return policy == host_policy::yield_if_not_ready || policy == host_policy::adaptive;
}

/// What is known of one thread that shares a context.
struct host_thread {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t at_once = std::numeric_limits<std::int64_t>::min();

  bool away = false;                ///< waits for something that is no kernel
  std::int64_t ready_at = 0;        ///< when its kernel is done: now or earlier, it can go on; never: not known yet
  std::int64_t expected = at_once;  ///< when its kernel was expected to be done, as it was sent; at_once: it has none
  std::int64_t last_length = 0;     ///< of its last kernel that is done; as long as the others', before there is one

  /// It sends a kernel. What the kernel before took is all that is known of this one, until it is seen to be done.
  constexpr void off_loads(std::int64_t now) {
    ready_at = never;
    expected = now + last_length;
  }
};

/// Who has the context next, and when: the place in the order of turns.
struct host_turn {
  std::size_t thread;
  std::int64_t when;
};

/// Chooses at the time `now`, where nobody polls; `threads` are in the order of turns, the one that had the context
/// last at the end. Gives nothing if nobody can go on before something else happens.
constexpr std::optional<host_turn> next_turn(host_policy policy, std::span<const host_thread* const> threads,
                                             std::int64_t now) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const host_thread& t = *threads[i];
    if (t.away) continue;
    if (t.ready_at <= now || policy == host_policy::native) return host_turn{i, now};
    if (t.ready_at == host_thread::never) return std::nullopt;
    return host_turn{i, t.ready_at};
  }
  return std::nullopt;
}

/// Does a thread whose kernel is not done keep the context and spin? `others` share it.
constexpr bool spins(host_policy policy, const host_thread& self, std::span<const host_thread* const> others) {
  if (policy == host_policy::native) return true;
  if (policy != host_policy::adaptive) return false;
  return is_expected_first(self.expected, others,
                           [](const host_thread* t) { return t->away ? host_thread::never : t->expected; });
}

/// Nobody computes on a context: the threads that are not away poll, one after the other. One alone has nobody to
/// switch to, and polls without a break.
struct polling {
  std::int64_t first;  ///< when the first thread in the order of turns polls
  std::int64_t apart;  ///< from one poll to the next: a switch
};

/// Which poll is the first that ends the polling, because the thread can go on or spins? It is computed, not searched
/// for: the polls in between see nothing. Gives nothing as long as no kernel is known to be done at any time.
constexpr std::optional<host_turn> next_poll(host_policy policy, std::span<const host_thread* const> threads,
                                             const polling& p) {
  std::int64_t present = 0;
  for (const host_thread* t : threads) present += t->away ? 0 : 1;
  const std::int64_t round = present > 1 ? present * p.apart : 0;
  std::optional<host_turn> earliest;
  std::int64_t at = p.first;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const host_thread& t = *threads[i];
    if (t.away) continue;
    std::int64_t when = at;
    if (t.ready_at > at && !spins(policy, t, threads)) {
      if (t.ready_at == host_thread::never)
        when = host_thread::never;
      else
        when = round == 0 ? t.ready_at : at + (t.ready_at - at + round - 1) / round * round;
    }
    if (when != host_thread::never && (!earliest || when < earliest->when)) earliest = host_turn{i, when};
    at += p.apart;
  }
  return earliest;
}

/// Gives how many polls of the `present` threads lie before `now`, none of which has ended the polling; the first poll
/// is the next one then. Polls without a break in between count as one.
constexpr std::int64_t skip_polls(polling& p, std::int64_t present, std::int64_t now) {
  if (now <= p.first) return 0;
  if (present == 1 || p.apart == 0) {
    p.first = now + p.apart;
    return 1;
  }
  const std::int64_t seen = (now - p.first + p.apart - 1) / p.apart;
  p.first += seen * p.apart;
  return seen;
}

}  // namespace maslin::grain
