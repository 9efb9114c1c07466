#pragma once
// One worker's local store: stage in, run, stage out. README.md holds states, protocol and proof.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "exec/store/arena.hpp"
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
  std::uint64_t most_bytes = 0;  ///< that one store held at a time
};

/// The copies of one task, in the arena from `take` to `give`.
using places = std::vector<std::byte*>;

template <platform P>
class local_store {
 public:
  template <class... Arguments>
  explicit local_store(std::size_t bytes, Arguments&&... engine)
      : arena_(bytes), engine_(std::forward<Arguments>(engine)...) {}

  /// Makes room for the copies of a task; gives whether there is enough. Throws std::bad_alloc.
  bool take(const plan& of, places& at) {
    at.reserve(of.copies.size());
    const base::locked held(lock_);
    for (const copy& c : of.copies) {
      std::byte* const piece = arena_.take(c.home.size());
      if (!piece) {
        give_all(at);
        return false;
      }
      at.push_back(piece);
    }
    return true;
  }
  /// Begins to copy what the body reads. What it does not read holds a pattern if `poisons`.
  void begin_stage_in(const plan& of, const places& at, bool poisons) {
    const base::locked held(lock_);
    for (std::size_t i = 0; i < of.copies.size(); ++i) {
      const copy& c = of.copies[i];
      if (c.reads)
        columns(c, at[i], [&](std::byte* here, std::byte* home) { engine_.get(here, home, c.home.bytes, in_tag); });
      else if (poisons)
        graph::poison(packed(c, at[i]));
      if (c.reads) counts_.bytes_in += c.home.size();
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
      columns(c, at[i], [&](std::byte* here, std::byte* home) { engine_.put(home, here, c.home.bytes, out_tag); });
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
  /// A task that declares data works on memory.
  void note_on_memory() {
    const base::locked held(lock_);
    ++counts_.on_memory;
  }

  std::size_t bytes() const { return arena_.bytes(); }
  counts told() const {
    const base::locked held(lock_);
    counts all = counts_;
    all.most_bytes = arena_.most_taken();
    return all;
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
  static void columns(const copy& c, std::byte* at, Column&& column) {
    for (std::size_t i = 0; i < c.home.columns; ++i)
      column(at + i * c.home.bytes, static_cast<std::byte*>(c.home.data()) + i * c.home.stride);
  }
  void give_all(places& at) noexcept MASLIN_REQUIRES(lock_) {
    for (const std::byte* piece : at) arena_.give(piece);
    at.clear();
  }

  mutable base::short_lock lock_;
  arena arena_;
  P engine_ MASLIN_GUARDED_BY(lock_);
  counts counts_ MASLIN_GUARDED_BY(lock_);
};

/// Runs `body()` on the copies of a plan, for which there is room, then `after()`, which waits for what the body left
/// behind. What they throw passes when memory has what the body left.
template <platform P, class Body, class After>
void run_on_copies(local_store<P>& in, const plan& of, places& at, bool poisons, Body&& body, After&& after) {
  struct given_back {
    local_store<P>& in;
    places& at;
    ~given_back() { in.give(at); }
  } const at_end{in, at};
  in.begin_stage_in(of, at, poisons);
  in.end_stage_in();
  std::exception_ptr thrown;
  try {
    body();
  } catch (...) {
    thrown = std::current_exception();
  }
  const bool failed = thrown != nullptr;
  try {
    after();
  } catch (...) {
    if (!thrown) thrown = std::current_exception();
  }
  in.begin_stage_out(of, at, failed);
  in.end_stage_out();
  if (thrown) std::rethrow_exception(std::move(thrown));
}

}  // namespace maslin::store
