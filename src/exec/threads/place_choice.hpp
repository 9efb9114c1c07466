#pragma once
// MASLIN_PLACE=auto on CPU cores: dbs and locality are in force by turns, and what tasks with data take under each says
// which one serves the program (sched/place/comparison). A stretch under one of them ends where no task is queued, so
// that none lies where the other policy would not have put it. Programs that never come to that have one stretch a run:
// a file keeps what each run has found.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/atomic.hpp"
#include "base/mutex.hpp"
#include "maslin/location.hpp"
#include "sched/place/comparison.hpp"

namespace maslin {

/// What a report says of it.
struct told_place {
  bool is_near = false;     ///< locality is in force
  bool is_decided = false;  ///< otherwise both are tried by turns
  int pairs = 0;            ///< of stretches that were compared, earlier runs' with them
  double ratio = 1;         ///< what tasks take under locality over what they take under dbs
  double error = 0;         ///< half of the interval that holds it in 99 cases of 100; only for two pairs or more
};

/// Gives what the runtime that runs has found; nothing where it does not choose. Any thread may ask.
std::optional<told_place> what_place_was_told();
/// A runtime begins, and a forked child does.
void forget_place_told() noexcept;
void forget_place_after_fork() noexcept;

/// What is in force, in a word.
struct place_in_force {
  bool near = false;          ///< locality
  bool measures = false;      ///< what tasks take is asked for
  std::uint32_t stretch = 0;  ///< the number of the stretch

  bool operator==(const place_in_force&) const = default;
};

/// The tasks that a worker has run, by call site. Only the worker uses it.
class place_meter {
 public:
  struct site {
    location where;
    std::uint64_t tasks = 0;
    std::uint64_t ticks = 0;
    std::uint64_t usual = 0;  ///< what one took before the sums were handed in
  };
  /// A worker's sum is handed in when it is this large, or when the stretch ends.
  static constexpr std::uint64_t handed_in_ticks = std::uint64_t{1} << 21;  // about a millisecond

  /// The next task to be run was chosen since then; 0: that is not asked for.
  void chose_since(std::uint64_t begin) noexcept { chose_since_ = begin; }
  /// The worker begins to choose and to run tasks.
  void begin(std::uint64_t now) noexcept {
    const std::uint64_t chose = std::exchange(chose_since_, 0);
    since_ = chose != 0 ? chose : now;
  }
  /// It ends: what a task takes that has begun before is not known.
  void end() noexcept { since_ = 0; }
  /// Does it choose and run tasks? Otherwise what it takes to queue one is told apart.
  bool runs() const noexcept { return since_ != 0; }
  /// Tasks of that call site were queued, which took so long. It counts as theirs.
  void queued(const location& where, std::uint64_t took) noexcept {
    if (site* const s = site_of(where)) s->ticks += took;
  }
  /// A task has ended, and the next one was chosen.
  void ran(const location& where, std::uint64_t now) noexcept {
    if (since_ == 0) return;
    const std::uint64_t took = now - since_;
    since_ = now;
    site* const found = site_of(where);
    if (!found) return;
    site& s = *found;
    // The system may give the CPU to another program meanwhile, which says nothing of the task.
    const std::uint64_t one = s.usual != 0 ? s.usual : s.tasks < 8 ? took : s.ticks / s.tasks;
    const std::uint64_t most = 8 * one;
    ++s.tasks;
    s.ticks += std::min(took, most);
    sum_ += std::min(took, most);
  }
  std::uint64_t sum() const noexcept { return sum_; }
  /// Calls `f(site)` for each that has something, and begins anew.
  template <class F>
  void take_each(F&& f) {
    for (site& s : sites_)
      if (s.ticks > 0) {
        f(s);
        if (s.tasks > 0) s.usual = s.ticks / s.tasks;
        s.tasks = s.ticks = 0;
      }
    sum_ = 0;
  }

 private:
  /// Gives the call site's sums; null where their place is another one's, until the next time that sums are handed in.
  site* site_of(const location& where) noexcept {
    site& s = sites_[place_of(where)];
    if (s.where.line() != where.line() || s.where.file_name() != where.file_name()) {
      if (s.ticks > 0) return nullptr;
      s = {.where = where};
    }
    return &s;
  }
  static std::size_t place_of(const location& where) noexcept { return where.line() % count; }
  static constexpr std::size_t count = 64;
  std::array<site, count> sites_;
  std::uint64_t sum_ = 0;
  std::uint64_t since_ = 0;  ///< 0: no chain of tasks runs
  std::uint64_t chose_since_ = 0;
};

/// What all workers of a runtime share. Any thread may call it.
class place_choice {
 public:
  /// `file`: what earlier runs have found, and this one will; empty: nothing is kept.
  place_choice(int workers, std::string file);

  place_in_force now() const noexcept { return unpacked(now_.load(std::memory_order_acquire)); }
  /// Did earlier runs decide for dbs? Then there is nothing to choose in this one.
  bool has_chosen_dbs() noexcept;
  /// Has enough been measured that the stretch may end?
  bool is_long() const noexcept { return is_long_.load(std::memory_order_relaxed); }
  /// No task is queued anywhere: the stretch ends if it is long enough, and the next one begins.
  void end_stretch() noexcept;
  /// A worker has measured that under `during`.
  void hand_in(const place_in_force& during, place_meter& sums) noexcept;
  /// The runtime ends; all workers have handed in what they had. Keeps what was found.
  void end() noexcept;

 private:
  static std::uint32_t packed(const place_in_force& f) {
    return f.stretch << 2 | std::uint32_t{f.measures} << 1 | std::uint32_t{f.near};
  }
  static place_in_force unpacked(std::uint32_t word) { return {(word & 1) != 0, (word & 2) != 0, word >> 2}; }
  void begin_stretch() MASLIN_REQUIRES(lock_);
  void add(bool near, const place::stretch& what) MASLIN_REQUIRES(lock_);
  void tell() const MASLIN_REQUIRES(lock_);

  const int workers_;
  const std::string file_;
  MASLIN_ATOMIC<std::uint32_t> now_{0};  ///< changed under lock_
  std::atomic<bool> is_long_{false};
  base::mutex lock_;
  place::comparison found_ MASLIN_GUARDED_BY(lock_);
  place::stretch stretch_ MASLIN_GUARDED_BY(lock_);  ///< what was measured in the one that goes on
  std::uint64_t tasks_ MASLIN_GUARDED_BY(lock_) = 0;
  double seconds_ MASLIN_GUARDED_BY(lock_) = 0;
  std::uint32_t stretches_ MASLIN_GUARDED_BY(lock_) = 0;  ///< that have ended
  // The first one finds the data in no cache, and some that no page holds yet: where others follow it does not count.
  place::stretch first_ MASLIN_GUARDED_BY(lock_);
  bool first_was_near_ MASLIN_GUARDED_BY(lock_) = false;
  bool is_new_ MASLIN_GUARDED_BY(lock_) = false;  ///< the file does not have it
};

/// Gives what earlier runs of this program have found with so many workers on this machine.
place::comparison read_place(const std::string& file, int workers);
/// Keeps what was found in place of that. Where that is not possible the next run finds out anew.
void keep_place(const std::string& file, int workers, const place::comparison& what) noexcept;

}  // namespace maslin
