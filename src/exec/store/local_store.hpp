#pragma once
// One worker's local store: stage in, run, stage out. README.md holds states, protocol and proof.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "exec/store/arena.hpp"
#include "exec/store/kept_copies.hpp"
#include "exec/store/plan.hpp"
#include "exec/store/platform.hpp"
#include "graph/poison.hpp"

namespace maslin::store {

/// What stores did.
struct counts {
  std::uint64_t tasks = 0;      ///< worked on copies
  std::uint64_t on_memory = 0;  ///< others with data: none could be copied, or tasks that wait had the room
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t most_bytes = 0;  ///< that the tasks of one store had at a time
  std::uint64_t hits = 0;        ///< copies that an earlier task had left
  std::uint64_t bytes_kept = 0;  ///< that were not fetched for that reason
  std::uint64_t evictions = 0;   ///< kept copies that gave way to others
};

/// Which copies stay in a store when their task has ended: MASLIN_STORE_KEEP, in that order.
enum class keeping : std::uint8_t { none, in, out, all };

/// Where a copy of a task lies, from `take` to its end.
struct place {
  std::byte* at = nullptr;
  bool is_hit = false;  ///< an earlier task has left it: nothing is fetched
};
using places = std::vector<place>;

template <platform P>
class local_store {
 public:
  template <class... Arguments>
  explicit local_store(std::size_t bytes, keeping what, Arguments&&... engine)
      : keeps_(what), arena_(bytes), kept_(arena_), engine_(std::forward<Arguments>(engine)...) {}

  /// Makes room for the copies of a task; gives whether there is enough. `born`: what is kept may serve it as a task
  /// that was created then; otherwise nothing does. Throws std::bad_alloc.
  bool take(const plan& of, places& at, std::optional<std::uint64_t> born) {
    at.assign(of.copies.size(), {});
    const base::locked held(lock_);
    const std::size_t lent = arena_.taken() - kept_.bytes();  // to tasks that have not ended
    const std::size_t needed = of.bytes();
    if (needed > arena_.bytes() - lent) {
      at.clear();
      return false;
    }
    // Before there is room for others: what is found here does not give way to them.
    for (std::size_t i = 0; born && i < at.size(); ++i) {
      const copy& c = of.copies[i];
      if (!c.reads || c.is_value) continue;
      at[i].at = kept_.take(c.home, *born);
      at[i].is_hit = at[i].at != nullptr;
    }
    try {
      if (!fill(of, at)) {
        // Nothing is kept any more, but what was found, or came into the first gaps, may leave no place for the rest.
        begin_again(at);
        if (!fill(of, at)) {
          give_all(at);
          return false;
        }
      }
    } catch (...) {
      give_all(at);
      throw;
    }
    counts_.most_bytes = std::max<std::uint64_t>(counts_.most_bytes, lent + needed);
    return true;
  }
  /// Begins to copy what the body reads. What it does not read holds a pattern if `poisons`.
  void begin_stage_in(const plan& of, const places& at, bool poisons) {
    const base::locked held(lock_);
    for (std::size_t i = 0; i < of.copies.size(); ++i) {
      const copy& c = of.copies[i];
      if (at[i].is_hit) {
        ++counts_.hits;
        counts_.bytes_kept += c.home.size();
      } else if (c.reads) {
        columns(c, at[i].at, engine_,
                [&](P& engine, std::byte* here, std::byte* home) { engine.get(here, home, c.home.bytes, in_tag); });
        counts_.bytes_in += c.home.size();
      } else if (poisons) {
        graph::poison(packed(c, at[i].at));
      }
    }
  }
  void end_stage_in() {
    const base::locked held(lock_);
    engine_.wait(in_tag);
  }
  /// Begins to copy to memory what the body has written. `failed`: it has thrown, and may not have written what it was
  /// only to write.
  void begin_stage_out(const plan& of, const places& at, bool failed) {
    const base::locked held(lock_);
    ++counts_.tasks;
    for (std::size_t i = 0; i < of.copies.size(); ++i) {
      const copy& c = of.copies[i];
      if (!c.writes || (failed && !c.reads)) continue;
      columns(c, at[i].at, engine_,
              [&](P& engine, std::byte* here, std::byte* home) { engine.put(home, here, c.home.bytes, out_tag); });
      counts_.bytes_out += c.home.size();
    }
  }
  void end_stage_out() {
    const base::locked held(lock_);
    engine_.wait(out_tag);
  }
  void give(places& at) noexcept {
    const base::locked held(lock_);
    give_all(at);
  }
  /// Instead: the task has ended at that tick, and its copies are as memory is.
  void leave(const plan& of, places& at, std::uint64_t now) noexcept {
    const base::locked held(lock_);
    for (std::size_t i = 0; i < of.copies.size(); ++i) {
      const copy& c = of.copies[i];
      if (!keeps(c)) continue;
      counts_.evictions += kept_.keep(c.home, at[i].at, now);
      at[i].at = nullptr;
    }
    give_all(at);
  }
  /// A task that ends has written there, wherever it ran.
  void end_copies(std::span<const graph::region> written) noexcept {
    const base::locked held(lock_);
    kept_.end(written);
  }
  /// A task that declares data works on memory.
  void note_on_memory() {
    const base::locked held(lock_);
    ++counts_.on_memory;
  }

  std::size_t bytes() const { return arena_.bytes(); }
  counts told() const {
    const base::locked held(lock_);
    return counts_;
  }

 private:
  static constexpr tag in_tag = 0;
  static constexpr tag out_tag = 1;

  static graph::region packed(const copy& c, std::byte* at) {
    graph::region r;
    r.start = reinterpret_cast<std::uintptr_t>(at);
    r.bytes = c.home.size();
    return r;
  }
  /// A strided tile lies in the store column behind column.
  template <class Column>
  static void columns(const copy& c, std::byte* at, P& engine, Column&& column) {
    for (std::size_t i = 0; i < c.home.columns; ++i)
      column(engine, at + i * c.home.bytes, static_cast<std::byte*>(c.home.data()) + i * c.home.stride);
  }
  bool keeps(const copy& c) const {
    return keeps_ != keeping::none && !c.is_value && (keeps_ == keeping::all || (keeps_ == keeping::out) == c.writes);
  }
  /// Gives each copy that has none a place, for which kept copies give way; false where that is not enough.
  bool fill(const plan& of, places& at) MASLIN_REQUIRES(lock_) {
    for (std::size_t i = 0; i < at.size(); ++i)
      while (!at[i].at && !(at[i].at = arena_.take(of.copies[i].home.size()))) {
        if (!kept_.evict()) return false;
        ++counts_.evictions;
      }
    return true;
  }
  /// Takes back all places, also of what was found there.
  void begin_again(places& at) noexcept MASLIN_REQUIRES(lock_) {
    for (place& one : at) {
      counts_.evictions += one.is_hit;
      if (one.at) arena_.give(one.at);
      one = {};
    }
  }
  void give_all(places& at) noexcept MASLIN_REQUIRES(lock_) {
    for (const place& one : at)
      if (one.at) arena_.give(one.at);
    at.clear();
  }

  const keeping keeps_;
  mutable base::short_lock lock_;
  arena arena_;
  kept_copies kept_ MASLIN_GUARDED_BY(lock_);
  P engine_ MASLIN_GUARDED_BY(lock_);
  counts counts_ MASLIN_GUARDED_BY(lock_);
};

/// Runs `body()`, then `after()`, which waits for what the body left behind; gives what they throw first.
template <class Body, class After>
std::exception_ptr run_with_children(Body&& body, After&& after) noexcept {
  std::exception_ptr thrown;
  try {
    body();
  } catch (...) {
    thrown = std::current_exception();
  }
  try {
    after();
  } catch (...) {
    if (!thrown) thrown = std::current_exception();
  }
  return thrown;
}

/// Runs `body()` and `after()` on the copies of a plan, for which there is room. What they throw passes when memory has
/// what the body left. At the end of the task, whatever happens, `end()` ends others' copies of what it has written and
/// gives the tick.
template <platform P, class Body, class After, class End>
void run_on_copies(local_store<P>& in, const plan& of, places& at, bool poisons, Body&& body, After&& after,
                   End&& end) {
  struct at_end {
    local_store<P>& in;
    const plan& of;
    places& at;
    End& end;
    bool leaves = false;
    ~at_end() {
      const std::uint64_t now = end();
      if (leaves)
        in.leave(of, at, now);
      else
        in.give(at);
    }
  } task{in, of, at, end};
  in.begin_stage_in(of, at, poisons);
  in.end_stage_in();
  std::exception_ptr thrown = run_with_children(body, after);
  in.begin_stage_out(of, at, thrown != nullptr);
  in.end_stage_out();
  if (thrown) std::rethrow_exception(std::move(thrown));
  task.leaves = true;
}

}  // namespace maslin::store
