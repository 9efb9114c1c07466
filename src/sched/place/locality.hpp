#pragma once
// Locality on real cores: which of its ready tasks a worker runs next, so that it finds data that its cache still
// holds. After the bundles of CellSs (cellss-scheduling, section 5.2): ready lists R0 to RN with hints, and bundles up
// to a bound, in linear time. docs/decisions/locality.md says what is different here, and why.
//
// A hint is what the worker's cache is thought to hold: a directory of the data that it used last. A task stands in the
// list of how many bytes of its data are missing there; the first list goes first, and in it who came last. A bundle is
// what is chosen before the tasks that it makes ready are looked at. It is bounded by what its data take together, so
// that they are still there for the next one, and so that tasks which share data meet: of a product of matrices, a
// square of blocks instead of a row.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace maslin::place {

/// A piece of memory that a task uses.
struct piece {
  std::uintptr_t at;
  std::size_t bytes;
};

struct locality_settings {
  std::size_t cache = std::size_t{512} << 10;  ///< bytes that the worker's cache holds
  std::size_t bundle = cache / 2;              ///< bytes that the data of a bundle take at most, if it has two tasks
  std::size_t bound = 64;                      ///< tasks in a bundle at most
  bool hints = true;
};

/// The ready tasks of one worker that use data. Nothing in it is shared: who lets others take from it has a lock.
template <class Task>
class local_tasks {
 public:
  static constexpr std::uint32_t most_pieces = 8;  ///< of a task that count

  explicit local_tasks(const locality_settings& settings) : settings_(settings), buckets_(64, none) {}

  /// From now on; before the first task comes.
  void go_by(const locality_settings& settings) { settings_ = settings; }

  /// How many there are, those of the bundle with them.
  std::size_t size() const { return waiting_ + bundle_.size() - begun_; }

  /// Makes room for so many more with so many pieces in all; throws std::bad_alloc, and then can be asked again.
  void make_room(std::size_t tasks, std::size_t pieces) {
    if (tasks > free_entries_) {
      const std::size_t more = std::max<std::size_t>(tasks, entries_.size());
      entries_.resize(entries_.size() + more);
      for (std::size_t i = entries_.size(); i-- > entries_.size() - more;) give_entry(static_cast<index>(i));
    }
    if (pieces > free_data_) {
      const std::size_t more = std::max(pieces, data_.size());
      data_.resize(data_.size() + more);
      for (std::size_t i = data_.size(); i-- > data_.size() - more;) give_datum(static_cast<index>(i));
    }
    if (data_.size() > buckets_.size()) rehash(std::bit_ceil(data_.size()));
    bundle_.reserve(settings_.bound);
  }

  /// A task is ready, for which there is room. Of more pieces than count the first ones do.
  void add(Task* task, std::span<const piece> pieces) {
    const index at = first_free_entry_;
    entry& e = entries_[at];
    first_free_entry_ = e.next;
    --free_entries_;
    e.task = task;
    e.pieces = 0;
    for (const piece& p : pieces.first(std::min<std::size_t>(pieces.size(), most_pieces))) {
      if (p.bytes == 0) continue;
      const index of = datum_of(p);
      // What it names again counts once.
      if (std::any_of(e.uses.begin(), e.uses.begin() + e.pieces, [of](const use& u) { return u.of == of; })) continue;
      e.uses[e.pieces].of = of;
      append_use(at, e.pieces++);
    }
    e.list = list_of(e);
    prepend(at);
    ++waiting_;
  }

  /// Gives the next task, or null.
  Task* next() {
    if (Task* const task = next_of_bundle()) return task;
    choose();
    return next_of_bundle();
  }
  /// Gives the next task of the bundle that was begun, or null at its end. What needs nothing new belongs to it, too.
  Task* next_of_bundle() {
    if (const index at = settings_.hints ? first(0) : none; at != none) return begin(at);
    return begun_ == bundle_.size() ? nullptr : bundle_[begun_++];
  }

  /// Gives the next task if it `suits`; else one of the bundle that does, or of the latest in each list; or null.
  template <class Predicate>
  Task* next_if(Predicate&& suits) {
    constexpr int latest = 8;
    if (const index at = settings_.hints ? first(0) : none; at != none && suits(*entries_[at].task)) return begin(at);
    if (begun_ == bundle_.size()) choose();
    for (std::size_t i = begun_; i < bundle_.size(); ++i)
      if (Task* const task = bundle_[i]; suits(*task)) {
        std::rotate(bundle_.begin() + static_cast<std::ptrdiff_t>(begun_),
                    bundle_.begin() + static_cast<std::ptrdiff_t>(i),
                    bundle_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        return bundle_[begun_++];
      }
    for (const ends& list : lists_) {
      index at = list.head;
      for (int i = 0; i < latest && at != none; ++i, at = entries_[at].next)
        if (suits(*entries_[at].task)) return begin(at);
    }
    return nullptr;
  }

  /// Gives up half of the tasks (rounded up), at most `most`: those that it wants least, or where all are in the
  /// bundle, the tail of that. Gives how many were put into `tasks`, the one that it wants least first.
  std::size_t give_half(Task** tasks, std::size_t most) {
    std::size_t given = 0;
    if (waiting_ > 0) {
      const std::size_t wanted = std::min((waiting_ + 1) / 2, most);
      for (; given < wanted; ++given)
        tasks[given] = give_up(lists_[static_cast<std::size_t>(63 - std::countl_zero(filled_))].tail);
      return given;
    }
    const std::size_t wanted = std::min((bundle_.size() - begun_ + 1) / 2, most);
    for (; given < wanted; ++given) {
      tasks[given] = bundle_.back();
      bundle_.pop_back();
    }
    return given;
  }

  /// Gives up one that `suits`, or null.
  template <class Predicate>
  Task* take_if(Predicate&& suits) {
    for (std::size_t i = begun_; i < bundle_.size(); ++i) {
      Task* const task = bundle_[i];
      if (!suits(*task)) continue;
      bundle_.erase(bundle_.begin() + static_cast<std::ptrdiff_t>(i));
      return task;
    }
    for (const ends& list : lists_)
      for (index at = list.head; at != none; at = entries_[at].next)
        if (suits(*entries_[at].task)) return give_up(at);
    return nullptr;
  }

 private:
  using index = std::uint32_t;
  static constexpr index none = ~index{0};
  static constexpr std::size_t line = 64;  ///< bytes: less than that takes as much of a cache
  static constexpr int most_moved = 64;    ///< tasks that a hint moves: what one datum does takes bounded time

  struct use {
    index of;        ///< the datum
    index next;      ///< use of the datum: of entry next / most_pieces the one with number next % most_pieces
    index previous;  ///< none: it is the datum's first
  };
  struct entry {
    Task* task = nullptr;
    index next = none;  ///< in its list, or among the free ones
    index previous = none;
    std::uint8_t list = 0;
    std::uint8_t pieces = 0;
    std::array<use, most_pieces> uses;
  };
  struct datum {
    std::uintptr_t at = 0;
    std::size_t bytes = 0;
    index next = none;  ///< in its bucket, or among the free ones
    index first_use = none;
    index last_use = none;
    index older = none;  ///< in the directory
    index newer = none;
    bool held = false;
    std::uint64_t bundle = 0;  ///< the last one that used it
  };
  struct ends {
    index head = none;
    index tail = none;
  };

  use& use_at(index i) { return entries_[i / most_pieces].uses[i % most_pieces]; }

  // Lists

  /// By half octaves of the bytes that are missing: the same number of equal blocks is in the same list, one block more
  /// or less is not.
  std::uint8_t list_of(const entry& e) const {
    if (!settings_.hints) return 0;
    std::size_t missing = 0;
    for (std::uint8_t i = 0; i < e.pieces; ++i)
      if (const datum& d = data_[e.uses[i].of]; !d.held) missing += d.bytes;
    if (missing == 0) return 0;
    missing = missing / line + 2;
    const auto octave = static_cast<unsigned>(std::bit_width(missing)) - 1;
    return static_cast<std::uint8_t>(std::min<std::size_t>(63, 2 * octave - 1 + ((missing >> (octave - 1)) & 1)));
  }
  void prepend(index at) {
    entry& e = entries_[at];
    ends& l = lists_[e.list];
    e.previous = none;
    e.next = l.head;
    (l.head == none ? l.tail : entries_[l.head].previous) = at;
    l.head = at;
    filled_ |= std::uint64_t{1} << e.list;
  }
  void unlink(index at) {
    const entry& e = entries_[at];
    ends& l = lists_[e.list];
    (e.previous == none ? l.head : entries_[e.previous].next) = e.next;
    (e.next == none ? l.tail : entries_[e.next].previous) = e.previous;
    if (l.head == none) filled_ &= ~(std::uint64_t{1} << e.list);
  }
  /// Takes out a task that the worker will not run.
  Task* give_up(index at) {
    const entry& e = entries_[at];
    for (std::uint8_t i = 0; i < e.pieces; ++i) {
      remove_use(at, i);
      forget_if_unused(e.uses[i].of);
    }
    Task* const task = e.task;
    take_out(at);
    return task;
  }
  void take_out(index at) {
    unlink(at);
    give_entry(at);
    --waiting_;
  }
  void give_entry(index at) {
    entries_[at].next = first_free_entry_;
    first_free_entry_ = at;
    ++free_entries_;
  }
  void move(index at, std::uint8_t list) {
    unlink(at);
    entries_[at].list = list;
    prepend(at);
  }
  /// Gives the first task of the first list that is not empty, of those up to `last`. What has left the directory
  /// counts only now: many tasks may use it.
  index first(int last) {
    while (filled_ != 0 && std::countr_zero(filled_) <= last) {
      const index at = lists_[static_cast<std::size_t>(std::countr_zero(filled_))].head;
      const std::uint8_t wanted = list_of(entries_[at]);
      if (wanted <= entries_[at].list) return at;
      move(at, wanted);
    }
    return none;
  }
  /// The datum has come: tasks that use it go forward.
  void move_users(const datum& d) {
    if (!settings_.hints) return;
    int moved = 0;
    for (index u = d.first_use; u != none && moved < most_moved; u = use_at(u).next, ++moved) {
      const index at = u / most_pieces;
      if (const std::uint8_t wanted = list_of(entries_[at]); wanted != entries_[at].list) move(at, wanted);
    }
  }

  // Bundles

  void choose() {
    bundle_.clear();
    begun_ = 0;
    ++bundles_;
    std::size_t bytes = 0;
    for (index at; bundle_.size() < settings_.bound && (at = first(63)) != none;) {
      const entry& e = entries_[at];
      std::size_t more = 0;
      for (std::uint8_t i = 0; i < e.pieces; ++i)
        if (const datum& d = data_[e.uses[i].of]; d.bundle != bundles_) more += d.bytes;
      if (!bundle_.empty() && bytes + more > settings_.bundle) break;
      bytes += more;
      bundle_.push_back(begin(at));
    }
  }
  /// Takes out a task that the worker will run: its data come to the directory.
  Task* begin(index at) {
    const entry& e = entries_[at];
    Task* const task = e.task;
    for (std::uint8_t i = 0; i < e.pieces; ++i) remove_use(at, i);
    const std::array<use, most_pieces> uses = e.uses;
    const std::uint8_t pieces = e.pieces;
    take_out(at);
    for (std::uint8_t i = 0; i < pieces; ++i) {
      data_[uses[i].of].bundle = bundles_;
      enter(uses[i].of);
    }
    // Not before: what goes may be what the task uses next.
    while (held_bytes_ > settings_.cache) leave(oldest_);
    return task;
  }

  // The directory

  /// The worker uses the datum now.
  void enter(index i) {
    datum& d = data_[i];
    if (d.held) {
      unlink_from_directory(d);
      put_newest(i);
      return;
    }
    if (d.bytes > settings_.cache) return forget_if_unused(i);
    d.held = true;
    held_bytes_ += d.bytes;
    put_newest(i);
    move_users(d);
  }
  void leave(index i) {
    datum& d = data_[i];
    unlink_from_directory(d);
    d.held = false;
    held_bytes_ -= d.bytes;
    forget_if_unused(i);
  }
  void put_newest(index i) {
    datum& d = data_[i];
    d.newer = none;
    d.older = newest_;
    (newest_ == none ? oldest_ : data_[newest_].newer) = i;
    newest_ = i;
  }
  void unlink_from_directory(const datum& d) {
    (d.newer == none ? newest_ : data_[d.newer].older) = d.older;
    (d.older == none ? oldest_ : data_[d.older].newer) = d.newer;
  }

  // Data

  std::size_t bucket_of(std::uintptr_t at) const {
    return static_cast<std::size_t>((at * 0x9e3779b97f4a7c15U) >> 32) & (buckets_.size() - 1);
  }
  index datum_of(const piece& p) {
    const std::size_t bytes = std::max(p.bytes, line);
    index& first = buckets_[bucket_of(p.at)];
    for (index i = first; i != none; i = data_[i].next)
      if (data_[i].at == p.at) {
        datum& d = data_[i];
        if (d.held) held_bytes_ += bytes - d.bytes;
        d.bytes = bytes;
        return i;
      }
    const index made = first_free_datum_;
    datum& d = data_[made];
    first_free_datum_ = d.next;
    --free_data_;
    d = {.at = p.at, .bytes = bytes, .next = first};
    first = made;
    return made;
  }
  void append_use(index at, std::uint8_t number) {
    use& u = entries_[at].uses[number];
    datum& d = data_[u.of];
    const auto self = at * most_pieces + number;
    u.next = none;
    u.previous = d.last_use;
    (d.last_use == none ? d.first_use : use_at(d.last_use).next) = self;
    d.last_use = self;
  }
  void remove_use(index at, std::uint8_t number) {
    const use& u = entries_[at].uses[number];
    datum& d = data_[u.of];
    (u.previous == none ? d.first_use : use_at(u.previous).next) = u.next;
    (u.next == none ? d.last_use : use_at(u.next).previous) = u.previous;
  }
  void forget_if_unused(index i) {
    const datum& d = data_[i];
    if (d.held || d.first_use != none) return;
    index* link = &buckets_[bucket_of(d.at)];
    while (*link != i) link = &data_[*link].next;
    *link = d.next;
    give_datum(i);
  }
  void give_datum(index i) {
    data_[i].next = first_free_datum_;
    first_free_datum_ = i;
    ++free_data_;
  }
  void rehash(std::size_t buckets) {
    std::vector<index> fresh(buckets, none);
    fresh.swap(buckets_);
    for (index first : fresh)
      while (first != none) {
        const index i = first;
        first = data_[i].next;
        index& now = buckets_[bucket_of(data_[i].at)];
        data_[i].next = now;
        now = i;
      }
  }

  locality_settings settings_;
  std::array<ends, 64> lists_;
  std::uint64_t filled_ = 0;  ///< bit i: list i is not empty
  std::vector<entry> entries_;
  index first_free_entry_ = none;
  std::size_t free_entries_ = 0;
  std::size_t waiting_ = 0;  ///< tasks in lists
  std::vector<datum> data_;
  std::vector<index> buckets_;  ///< of data by their addresses; a power of two
  index first_free_datum_ = none;
  std::size_t free_data_ = 0;
  index newest_ = none;  ///< of the directory
  index oldest_ = none;
  std::size_t held_bytes_ = 0;
  std::vector<Task*> bundle_;
  std::size_t begun_ = 0;  ///< tasks of the bundle that have been given out
  std::uint64_t bundles_ = 0;
};

}  // namespace maslin::place
