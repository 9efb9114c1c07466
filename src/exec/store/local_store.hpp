#pragma once
// One worker's local store: stage in, run, stage out. README.md holds states, protocol and proof.

#include <algorithm>
#include <array>
#include <atomic>
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
#include "exec/tracing.hpp"
#include "graph/poison.hpp"
#include "trace/recorder.hpp"

namespace maslin::store {

/// What stores did.
struct counts {
  std::uint64_t tasks = 0;             ///< worked on copies
  std::uint64_t on_memory = 0;         ///< others with data: none could be copied, or tasks that wait had the room
  std::uint64_t bytes_in = 0;          ///< from memory
  std::uint64_t bytes_from_peers = 0;  ///< from other stores, whose copies were dirty
  std::uint64_t bytes_out = 0;
  std::uint64_t most_bytes = 0;  ///< that the tasks of one store had at a time
  std::uint64_t hits = 0;        ///< copies that an earlier task had left
  std::uint64_t bytes_kept = 0;  ///< that were not fetched for that reason
  std::uint64_t evictions = 0;   ///< kept copies that gave way to others
  std::uint64_t puts_saved = 0;  ///< copies that tasks have written and that need not reach memory any more
  std::uint64_t bytes_saved = 0;
  std::uint64_t early = 0;           ///< tasks whose data were fetched while an earlier one ran
  std::optional<double> waited_s{};  ///< on a described machine: workers waited so long for copies

  void note_saved(std::size_t bytes) {
    ++puts_saved;
    bytes_saved += bytes;
  }
  counts& operator+=(const counts& one) {
    tasks += one.tasks;
    on_memory += one.on_memory;
    bytes_in += one.bytes_in;
    bytes_from_peers += one.bytes_from_peers;
    bytes_out += one.bytes_out;
    most_bytes = std::max(most_bytes, one.most_bytes);
    hits += one.hits;
    bytes_kept += one.bytes_kept;
    evictions += one.evictions;
    puts_saved += one.puts_saved;
    bytes_saved += one.bytes_saved;
    early += one.early;
    return *this;
  }
};

/// Which copies stay in a store when their task has ended: MASLIN_STORE_KEEP, in that order.
enum class keeping : std::uint8_t { none, in, out, all };

/// A store that has lent copies to others, which fetch them.
class lender {
 public:
  /// The copy was fetched, or is not needed. `drops`: it is to be over; gives whether memory has not got it then, which
  /// is the caller's affair from now on.
  virtual bool take_back(const std::byte* at, bool drops) noexcept = 0;

  /// The worker whose store it is, -1 for that of all other threads, if it tells traces of its copies. Set before
  /// others see it.
  std::optional<int> traced_as{};

 protected:
  ~lender() = default;
};

/// Where a copy of a task lies, from `take` to its end.
struct place {
  std::byte* at = nullptr;
  bool is_hit = false;     ///< it was there: nothing is fetched
  bool is_shared = false;  ///< it is among those that are kept
  bool is_dirty = false;   ///< it is the task's own, and memory has not got it
  bool is_ahead = false;   ///< memory may lack it, and get it while the task runs
  std::uint64_t left = 0;  ///< of one that was there
  std::optional<tag> comes_with = {};
  lender* from = nullptr;  ///< has lent it
  const std::byte* lent = nullptr;
};
using places = std::vector<place>;

/// Gives where a copy of that region lies.
inline graph::region packed(const graph::region& home, const std::byte* at) {
  graph::region r;
  r.start = reinterpret_cast<std::uintptr_t>(at);
  r.bytes = home.size();
  return r;
}

/// What becomes of a dirty copy when a task begins.
enum class fate : std::uint8_t { stays, is_put, is_dropped };
inline fate fate_of(const graph::region& home, std::span<const use> uses) {
  fate f = fate::stays;
  for (const use& u : uses) {
    if (!overlap(u.is, home)) continue;
    if (u.reads || !(u.is == home)) return fate::is_put;
    f = fate::is_dropped;
  }
  return f;
}

template <platform P>
class local_store final : public lender {
 public:
  template <class... Arguments>
  explicit local_store(std::size_t bytes, keeping what, Arguments&&... engine)
      : keeps_(what), arena_(bytes), kept_(arena_), engine_(std::forward<Arguments>(engine)...) {}

  /// Makes room for the copies of a task; gives whether there is enough. `born`: what is kept may serve it as a task
  /// that was created then; otherwise nothing does but what is dirty. Of the task's data there are no dirty copies here
  /// afterwards but what the task has, if it has room. What was fetched early gives way. Throws std::bad_alloc.
  bool take(const plan& of, places& at, std::optional<std::uint64_t> born) {
    return take_what_is_free(of, at, born) || (drop_all_early() && take_what_is_free(of, at, born));
  }
  /// The same for a task that is ready, but will begin later: nothing gives way but what is kept.
  bool take_early(const plan& of, places& at, std::optional<std::uint64_t> born) {
    return take_what_is_free(of, at, born);
  }
  /// A task, which has taken room for its copies in another store, begins there. What is dirty here of its data is lent
  /// to it, if it is one of its copies; otherwise it reaches memory, or is dropped where the task will write all of it.
  void serve(const plan& of, places& at) noexcept {
    if (!has_dirty()) return;
    const base::locked held(lock_);
    show_all(of.uses, &of);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const copy& c = of.copies[i];
      const bool has_it = at[i].is_hit && (!c.writes || at[i].is_dirty || !at[i].is_ahead);
      kept* const here = may_hit(c) && !has_it ? kept_.find(c.home) : nullptr;
      if (!here || !here->is_dirty) continue;
      if (at[i].is_hit) {  // it was fetched from here, and will be written there
        at[i].is_dirty = true;
        note_clean();
        kept_.drop(here);
        continue;
      }
      kept_.begin_use(*here);
      at[i].is_ahead = true;
      at[i].from = this;
      at[i].lent = here->at;
    }
  }
  bool take_back(const std::byte* at, bool drops) noexcept override {
    const base::locked held(lock_);
    kept* const one = kept_.find(at);
    const bool was_dirty = drops && one->is_dirty;
    if (was_dirty) {
      note_clean();
      kept_.drop(one);
    }
    kept_.end_use(one);
    return was_dirty;
  }
  /// Begins to copy what the body reads. What it does not read holds a pattern if `poisons`. `now`: what the clock
  /// shows.
  void begin_stage_in(const plan& of, places& at, bool poisons, std::uint64_t now) {
    const base::locked held(lock_);
    begin_gets(of, at, poisons, now, in_tag);
  }
  /// The same for a task that will begin later, for which `take_early` has made room: whoever runs it, or drops it,
  /// first calls `find_early` here, or `drop_early`. What cannot be fetched now is not.
  void begin_early(const void* task, plan&& of, places&& at, bool poisons, std::uint64_t now) noexcept {
    {
      const base::locked held(lock_);
      const auto free = std::ranges::find(early_, nullptr, &early_stage_in::task);
      if (free != early_.end()) {
        *free = {task, std::move(of), std::move(at)};
        begin_gets(free->of, free->at, poisons, now, early_tag + early_begun_++ % early_tags);
        early_count_.fetch_add(1, std::memory_order_release);
        return;
      }
    }
    give(of, at);
  }
  /// Are its data on their way? It may have gone back to a queue.
  bool is_early(const void* task) const noexcept {
    if (!has_early()) return false;
    const base::locked held(lock_);
    return std::ranges::find(early_, task, &early_stage_in::task) != early_.end();
  }
  /// The task begins here. Gives whether its stage-in has begun, and then its plan and places.
  bool find_early(const void* task, plan& of, places& at) noexcept {
    if (!has_early()) return false;
    const base::locked held(lock_);
    const auto found = std::ranges::find(early_, task, &early_stage_in::task);
    if (found == early_.end()) return false;
    of = std::move(found->of);
    at = std::move(found->at);
    end_early(*found);
    ++counts_.early;
    return true;
  }
  /// The task begins elsewhere, or will not run: takes back what was fetched for it. None of it is on its way any more.
  void drop_early(const void* task) noexcept {
    if (has_early()) drop_early_if([task](const void* one) { return one == task; });
  }
  void end_stage_in(const plan& of, places& at) {
    {
      const base::locked held(lock_);
      await_gets(at);
    }
    return_loans(of, at, true);
  }
  /// Begins to copy to memory what the body has written. `failed`: it has thrown, and may not have written what it was
  /// only to write. Otherwise what need not reach memory yet stays dirty.
  void begin_stage_out(const plan& of, places& at, bool failed) {
    const base::locked held(lock_);
    ++counts_.tasks;
    for (std::size_t i = 0; i < of.copies.size(); ++i) {
      const copy& c = of.copies[i];
      at[i].is_hit = at[i].is_hit && !c.writes;  // it is another value now
      if (!c.writes || (failed && !c.reads)) continue;
      if (at[i].is_dirty) counts_.note_saved(c.home.size());  // what an earlier task wrote
      at[i].is_dirty = !failed && c.is_lazy && keeps(c);
      if (!at[i].is_dirty) begin_put(c.home, at[i].at, out_tag, of.task);
    }
  }
  void end_stage_out() {
    const base::locked held(lock_);
    engine_.wait(out_tag);
  }
  /// The task has ended, or will not run: takes its places back. What it has found and not written is kept as before.
  void give(const plan& of, places& at) noexcept {
    {
      const base::locked held(lock_);
      await_gets(at);
      give_each(of, at);
    }
    return_loans(of, at, false);
    at.clear();
  }
  /// Instead: the task has ended at that tick, and its copies are as memory is, or dirty.
  void leave(const plan& of, places& at, std::uint64_t now) noexcept {
    const base::locked held(lock_);
    for (std::size_t i = 0; i < of.copies.size(); ++i) {
      if (at[i].is_shared)
        end_sharing(of.copies[i], at[i], now);
      else if (at[i].is_dirty || keeps(of.copies[i]))
        keep(of.copies[i], at[i], now);
    }
    give_each(of, at);
    at.clear();
  }
  /// A task that ends has written there, wherever it ran.
  void end_copies(std::span<const use> uses) noexcept {
    const base::locked held(lock_);
    drop_copies(uses);
  }
  /// A task begins on memory: what is dirty of its data reaches memory, or is dropped where the task will write all of
  /// it.
  void show(std::span<const use> uses) noexcept {
    if (!has_dirty()) return;
    const base::locked held(lock_);
    show_all(uses, nullptr);
  }
  /// The program may look at all memory.
  void show_everything() noexcept {
    if (!has_dirty()) return;
    const base::locked held(lock_);
    for (kept& one : kept_.all())
      if (one.is_dirty) put_late(one);
  }
  /// The memory is freed; no task uses it.
  void forget(const graph::region& freed) noexcept {
    if (!has_dirty()) return;
    const base::locked held(lock_);
    const use over[] = {{freed, false, true}};
    drop_copies(over);
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
  static constexpr tag late_tag = 2;   ///< what was dirty
  static constexpr tag early_tag = 3;  ///< the first of those
  static constexpr std::size_t most_early = 8;
  static constexpr tag early_tags = most_early + 1;  ///< by turns: a task that begins waits for none of the next ones

  /// Of a task that has not begun; null where there is none.
  struct early_stage_in {
    const void* task = nullptr;
    plan of;
    places at;
  };

  // Its functions hold the lock and so do the lambdas in them, which clang cannot see where a template calls them.

  /// A strided tile lies in the store column behind column.
  template <class Column>
  static void columns(const graph::region& home, std::byte* at, Column&& column) {
    for (std::size_t i = 0; i < home.columns; ++i)
      column(at + i * home.bytes, static_cast<std::byte*>(home.data()) + i * home.stride);
  }
  void begin_gets(const plan& of, places& at, bool poisons, std::uint64_t now, tag t) noexcept MASLIN_REQUIRES(lock_) {
    for (std::size_t i = 0; i < of.copies.size(); ++i) {
      const copy& c = of.copies[i];
      if (at[i].is_hit) {
        ++counts_.hits;
        counts_.bytes_kept += c.home.size();
      } else if (c.reads) {
        begin_get(c, at[i], t, of.task);
        if (!c.writes && keeps(c)) share(c, at[i], now + 1);
      } else if (poisons) {
        graph::poison(packed(c.home, at[i].at));
      }
    }
  }
  void begin_get(const copy& c, place& at, tag t, std::uint64_t task) noexcept MASLIN_REQUIRES(lock_) {
    using enum trace::transfer_of::way;
    const std::uint64_t began = begins_traced();
    at.comes_with = t;
    if (at.lent) {
      engine_.get_from_peer(at.at, at.lent, c.home.size(), t);
      counts_.bytes_from_peers += c.home.size();
    } else {
      columns(c.home, at.at,
              [&](std::byte* here, std::byte* home) MASLIN_UNCHECKED { engine_.get(here, home, c.home.bytes, t); });
      counts_.bytes_in += c.home.size();
    }
    if (began == 0) [[likely]]
      return;
    const int peer = at.lent ? at.from->traced_as.value_or(-1) : -1;
    ends_traced(began, task, {at.lent ? from_peer : from_memory, t >= early_tag, peer, c.home.size()});
  }
  /// `task`: the number of the one that has written it, 0 where it was dirty.
  void begin_put(const graph::region& from, std::byte* at, tag t, std::uint64_t task) MASLIN_REQUIRES(lock_) {
    const std::uint64_t began = begins_traced();
    columns(from, at,
            [&](std::byte* here, std::byte* home) MASLIN_UNCHECKED { engine_.put(home, here, from.bytes, t); });
    counts_.bytes_out += from.size();
    if (began != 0) [[unlikely]]
      ends_traced(began, task, {.goes = trace::transfer_of::way::to_memory, .bytes = from.size()});
  }
  /// Gives when a copy begins that a trace is told of; otherwise 0.
  std::uint64_t begins_traced() const noexcept {
    return trace::on(trace::event_kind::transfer) && traced_as ? trace::now() : 0;
  }
  void ends_traced(std::uint64_t began, std::uint64_t task, const trace::transfer_of& what) const noexcept {
    record_transfer({*traced_as, task, began, trace::now(), what});
  }
  void await_gets(places& at) noexcept MASLIN_REQUIRES(lock_) {
    for (place& one : at)
      if (const auto with = std::exchange(one.comes_with, std::nullopt)) engine_.wait(*with);
  }
  /// `has_it`: what was lent has arrived, and the task begins. What it writes is its own then. Other stores' locks are
  /// taken, so this one's is not.
  static void return_loans(const plan& of, places& at, bool has_it) noexcept {
    for (std::size_t i = 0; i < at.size(); ++i)
      if (lender* const from = std::exchange(at[i].from, nullptr))
        at[i].is_dirty = from->take_back(at[i].lent, has_it && of.copies[i].writes);
  }
  bool keeps(const copy& c) const {
    return keeps_ != keeping::none && !c.is_value && (keeps_ == keeping::all || (keeps_ == keeping::out) == c.writes);
  }

  // What is fetched early.

  bool has_early() const noexcept { return early_count_.load(std::memory_order_acquire) != 0; }
  /// Release: who sees none, where there was one, sees that nothing is on its way.
  void end_early(early_stage_in& one) noexcept MASLIN_REQUIRES(lock_) {
    one = {};
    early_count_.fetch_sub(1, std::memory_order_release);
  }
  template <class Suits>
  bool drop_early_if(Suits&& suits) noexcept {
    bool any = false;
    for (early_stage_in& one : early_) {
      plan of;
      places at;
      {
        const base::locked held(lock_);
        if (!one.task || !suits(one.task)) continue;
        // All under one lock: who finds nothing here may go on.
        of = std::move(one.of);
        at = std::move(one.at);
        await_gets(at);
        give_each(of, at);
        end_early(one);
      }
      return_loans(of, at, false);
      any = true;
    }
    return any;
  }
  bool drop_all_early() noexcept {
    return has_early() && drop_early_if([](const void*) { return true; });
  }

  static bool may_hit(const copy& c) { return c.reads && !c.is_value; }
  /// Gives what tasks have that have not ended, and what other stores fetch.
  std::size_t bytes_in_use() const MASLIN_REQUIRES(lock_) { return arena_.taken() - kept_.bytes(); }

  // Dirty copies are kept ones. What a task writes that has not ended is its own.

  void note_dirty() noexcept { dirty_.fetch_add(1, std::memory_order_relaxed); }
  /// Release: who sees none, of those that it must see, sees what they were in memory.
  void note_clean() noexcept { dirty_.fetch_sub(1, std::memory_order_release); }
  bool has_dirty() const noexcept { return dirty_.load(std::memory_order_acquire) != 0; }

  void put_late(kept& one) noexcept MASLIN_REQUIRES(lock_) {
    begin_put(one.home, one.at, late_tag, 0);
    engine_.wait(late_tag);
    one.is_dirty = false;
    note_clean();
  }
  void note_dropped(const kept& one) noexcept MASLIN_REQUIRES(lock_) {
    if (!one.is_dirty) return;
    counts_.note_saved(one.home.size());
    note_clean();
  }
  void drop_copies(std::span<const use> uses) noexcept MASLIN_REQUIRES(lock_) {
    for (const use& u : uses)
      if (u.writes) kept_.drop_overlapping(u.is, [&](const kept& one) MASLIN_UNCHECKED { note_dropped(one); });
  }
  /// A task begins that will find dirty copies here, or not: then there is no `plan`.
  void show_all(std::span<const use> uses, const plan* finds) noexcept MASLIN_REQUIRES(lock_) {
    if (!has_dirty()) return;
    const auto fate_here = [&](const kept& one) {
      if (!one.is_dirty) return fate::stays;
      if (finds && std::ranges::any_of(finds->copies, [&](const copy& c) { return serves(one, c); }))
        return fate::stays;
      return fate_of(one.home, uses);
    };
    bool drops = false;
    for (kept& one : kept_.all()) {
      const fate f = fate_here(one);
      if (f == fate::is_put) put_late(one);
      drops = drops || f == fate::is_dropped;
    }
    if (drops)
      kept_.drop_if([&](const kept& one) MASLIN_UNCHECKED {
        const bool is_over = fate_here(one) == fate::is_dropped;
        if (is_over) note_dropped(one);
        return is_over;
      });
  }
  /// May a task get that copy, if it is new enough? What it writes nobody else uses.
  static bool serves(const kept& one, const copy& c) {
    return may_hit(c) && one.home == c.home && (!c.writes || one.users == 0);
  }
  /// Gives the task the copy that is here, if it may serve it. One that the task only reads is still found by others.
  void find(const copy& c, place& at, std::optional<std::uint64_t> born) noexcept MASLIN_REQUIRES(lock_) {
    kept* const found = kept_.find(c.home);
    if (!found || !serves(*found, c) || !(found->is_dirty || (born && *born < found->left))) return;
    at = {.at = found->at,
          .is_hit = true,
          .is_shared = !c.writes,
          .is_dirty = c.writes && found->is_dirty,
          .is_ahead = found->is_dirty || found->is_ahead,
          .left = found->left,
          .comes_with = found->comes_with};
    if (!c.writes) return kept_.begin_use(*found);
    if (found->is_dirty) note_clean();
    kept_.take_out(found);
  }
  /// Gives whether a copy of that region may be added: an old one gives way, and if need be another.
  bool has_place_for(const graph::region& home) noexcept MASLIN_REQUIRES(lock_) {
    if (kept* const old = kept_.find(home)) {
      if (old->users > 0) return false;
      note_dropped(*old);
      kept_.drop(old);
    }
    if (!kept_.is_full()) return true;
    kept* const oldest = kept_.oldest();
    if (oldest) evict(oldest);
    return oldest;
  }
  /// What the task reads is on its way; others may read it, too, if they were born before that tick.
  void share(const copy& c, place& at, std::uint64_t left) noexcept MASLIN_REQUIRES(lock_) {
    if (!has_place_for(c.home)) return;
    kept_.add(
        {.home = c.home, .at = at.at, .left = left, .is_ahead = at.is_ahead, .users = 1, .comes_with = at.comes_with});
    at.is_shared = true;
  }
  void end_sharing(const copy& c, place& at, std::uint64_t now) noexcept MASLIN_REQUIRES(lock_) {
    kept* const one = kept_.find(at.at);
    at = {};
    one->left = now;
    if (one->users == 1 && !one->is_dirty && !keeps(c)) kept_.drop(one);
    kept_.end_use(one);
  }
  /// The task has ended and had the copy to itself.
  void keep(const copy& c, place& at, std::uint64_t now) noexcept MASLIN_REQUIRES(lock_) {
    keep_or_put(
        {.home = c.home, .at = at.at, .left = now, .is_dirty = at.is_dirty, .is_ahead = at.is_ahead && !c.writes});
    at = {};
  }
  void keep_or_put(kept one) noexcept MASLIN_REQUIRES(lock_) {
    if (one.is_dirty) note_dirty();
    if (has_place_for(one.home)) return kept_.add(one);
    if (one.is_dirty) put_late(one);
    arena_.give(one.at);
  }
  void evict(kept* one) noexcept MASLIN_REQUIRES(lock_) {
    if (one->is_dirty) put_late(*one);
    kept_.drop(one);
    ++counts_.evictions;
  }
  /// Gives each copy that has none a place, for which kept copies give way; false where that is not enough.
  bool fill(const plan& of, places& at) MASLIN_REQUIRES(lock_) {
    for (std::size_t i = 0; i < at.size(); ++i)
      while (!at[i].at && !(at[i].at = arena_.take(of.copies[i].home.size()))) {
        kept* const oldest = kept_.oldest();
        if (!oldest) return false;
        evict(oldest);
      }
    return true;
  }
  bool take_what_is_free(const plan& of, places& at, std::optional<std::uint64_t> born) {
    at.assign(of.copies.size(), {});
    const base::locked held(lock_);
    show_all(of.uses, &of);
    // Before there is room for others: what is found here does not give way to them.
    std::size_t missing = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const copy& c = of.copies[i];
      if (may_hit(c)) find(c, at[i], born);
      if (!at[i].at) missing += arena::rounded(c.home.size());
    }
    bool fits = missing <= arena_.bytes() - bytes_in_use();
    try {
      if (fits && !fill(of, at)) {
        // What was found, or came into the first gaps, has left no place for the rest. Others may have what is dirty:
        // it stays, and the task fetches it from memory.
        give_each(of, at);
        show_all(of.uses, nullptr);
        while (kept* const oldest = kept_.oldest()) evict(oldest);
        fits = fill(of, at);
      }
    } catch (...) {
      give_each(of, at);
      at.clear();
      throw;
    }
    if (fits) {
      counts_.most_bytes = std::max<std::uint64_t>(counts_.most_bytes, bytes_in_use());
    } else {
      give_each(of, at);
      at.clear();
    }
    return fits;
  }
  /// All but the loans.
  void give_each(const plan& of, places& at) noexcept MASLIN_REQUIRES(lock_) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const place one = std::exchange(at[i], {.from = at[i].from, .lent = at[i].lent});
      if (!one.at) continue;
      if (one.is_shared)
        kept_.end_use(kept_.find(one.at));
      else if (one.is_hit || one.is_dirty)
        keep_or_put({.home = of.copies[i].home,
                     .at = one.at,
                     .left = one.left,
                     .is_dirty = one.is_dirty,
                     .is_ahead = one.is_ahead});
      else
        arena_.give(one.at);
    }
  }

  const keeping keeps_;
  mutable base::short_lock lock_;
  arena arena_;
  kept_copies kept_ MASLIN_GUARDED_BY(lock_);
  std::atomic<std::size_t> dirty_{0};  ///< changed under the lock
  std::array<early_stage_in, most_early> early_ MASLIN_GUARDED_BY(lock_);
  std::atomic<std::size_t> early_count_{0};  ///< changed under the lock
  tag early_begun_ MASLIN_GUARDED_BY(lock_) = 0;
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

/// Runs `body()` and `after()` on the copies of a plan, whose stage-in has begun. What they throw passes when memory
/// has what the body left. At the end of the task, whatever happens, `end()` ends others' copies of what it has written
/// and gives the tick.
template <platform P, class Body, class After, class End>
void run_on_copies(local_store<P>& in, const plan& of, places& at, Body&& body, After&& after, End&& end) {
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
        in.give(of, at);
    }
  } task{in, of, at, end};
  in.end_stage_in(of, at);
  std::exception_ptr thrown = run_with_children(body, after);
  in.begin_stage_out(of, at, thrown != nullptr);
  in.end_stage_out();
  if (thrown) std::rethrow_exception(std::move(thrown));
  task.leaves = true;
}

}  // namespace maslin::store
