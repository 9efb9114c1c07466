#pragma once
// Which thread goes on when several share a host context and off-load kernels (multigrain-cell, 4.1; ps3-cluster, 5).

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace maslin::grain {

enum class host_policy : std::uint8_t {
  edtlp,               ///< switch at every off-load; strictly in turn, so that each has off-loaded before one goes on
  yield_if_not_ready,  ///< switch at every off-load; in turn, but who still waits for its kernel yields
  adaptive,            ///< as before, but who is expected to go on first keeps the context and spins
  native               ///< the operating system's: a time slice each, and who waits for its kernel spins meanwhile
};

/// Gives the policy of that name ("edtlp", "yield", "adaptive", "native"); nothing if there is none.
constexpr std::optional<host_policy> parse_host_policy(std::string_view name) {
  if (name == "edtlp") return host_policy::edtlp;
  if (name == "yield") return host_policy::yield_if_not_ready;
  if (name == "adaptive") return host_policy::adaptive;
  if (name == "native") return host_policy::native;
  return std::nullopt;
}

/// What is known of one thread that shares a context. Times in one unit.
struct host_thread {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  bool away = false;          ///< waits for something that is no kernel
  std::int64_t ready_at = 0;  ///< when its kernel is done: now or earlier, it can go on; never: not known yet
  std::int64_t off_loaded_at = 0;
  std::int64_t last_length = 0;  ///< of its off-load before
  std::int64_t expected() const { return off_loaded_at + last_length; }
};

/// Who has the context next: the place in the order of turns, from when on, and how many switches lie between.
struct host_turn {
  std::size_t thread;
  std::int64_t when;
  int switches;
};

/// Chooses at the time `now`; `threads` are in the order of turns, the one that had the context last at the end. Gives
/// nothing if nobody can go on before something else happens.
constexpr std::optional<host_turn> next_turn(host_policy policy, std::span<const host_thread* const> threads,
                                             std::int64_t now) {
  std::optional<host_turn> earliest;
  int passed = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const host_thread& t = *threads[i];
    if (t.away) continue;
    ++passed;
    if (t.ready_at <= now || policy == host_policy::native) return host_turn{i, now, passed};
    if (policy == host_policy::edtlp)
      return t.ready_at == host_thread::never ? std::nullopt : std::optional<host_turn>({i, t.ready_at, 1});
    if (t.ready_at != host_thread::never && (!earliest || t.ready_at < earliest->when))
      earliest = host_turn{i, t.ready_at, 1};
  }
  return earliest;
}

/// Does a thread that has just off-loaded keep the context and spin? `others` share it.
constexpr bool spins(host_policy policy, const host_thread& self, std::span<const host_thread* const> others) {
  if (policy == host_policy::native) return true;
  if (policy != host_policy::adaptive) return false;
  for (const host_thread* t : others)
    if (t != &self && !t->away && t->expected() < self.expected()) return false;
  return true;
}

}  // namespace maslin::grain
