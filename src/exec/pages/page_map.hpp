#pragma once
// Which pages are watched, which tasks that are not done use them, and what the code that runs now may do there
// (README.md). Knows no lock: its user has one.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/region.hpp"

namespace maslin::pages {

/// What code may do with a page; each may do what those before it may.
enum class right : std::uint8_t { none, read, all };

/// Calls `see(start, end)` for the whole pages that lie in a column of the region, column by column.
template <class See>
void for_whole_pages(const graph::region& of, std::size_t page, See&& see) {
  for (std::size_t c = 0; c < of.columns; ++c) {
    const std::uintptr_t start = of.start + c * of.stride;
    const std::uintptr_t first = (start + page - 1) / page * page, last = (start + of.bytes) / page * page;
    if (first < last) see(first, last);
  }
}

/// Whole pages that a task uses.
struct use {
  std::uintptr_t start, end;
  right own;             ///< the task's
  right left;            ///< that of code which does not declare them, while the task is not done
  bool is_first = true;  ///< of an access: those that follow lie in the same mapping
};

/// A task that is not done, and declares data.
struct watched_task {
  watched_task* creator = nullptr;  ///< the innermost of these in which it was created
  bool is_adrift = false;           ///< the outermost of these was created inside a task: nobody knows who created that
  bool has_begun = false;
  int creates = 0;  ///< of these, that are not done
  std::vector<use> uses;
  std::string words;
};

/// The code that runs on a thread: in whose name. Outside of all tasks: in nobody's.
struct code {
  watched_task* in = nullptr;  ///< the innermost
  bool is_adrift = false;      ///< as there
  bool is_its_own = false;     ///< and no task's inside that one

  bool is_in_task() const { return in || is_adrift; }
};

/// A thread.
struct runner {
  code now;
  bool is_listed = false;  ///< among those whose code is a task's
  runner* next = nullptr;
};

/// What the system does with pages.
struct page_system {
  enum class outcome : std::uint8_t { done, not_such_pages, no_mappings };
  outcome (*set)(std::uintptr_t start, std::uintptr_t end, right now) noexcept;
  bool (*is_writable)(std::uintptr_t start) noexcept;
};

class page_map {
 public:
  explicit page_map(const page_system& system) : system_(system) {}

  // These put rights into force. What the system refuses is not watched; whether it has no mappings for more,
  // `is_exhausted` says.

  /// The task is created. Throws std::bad_alloc; then the map is good for `lift` alone.
  void add(const watched_task& task);
  /// It is done. What still runs in its name runs in its creator's.
  void remove(const watched_task& task) noexcept;
  /// The thread runs other code than before.
  void run(runner& thread, const code& now) noexcept;

  bool is_exhausted() const { return is_exhausted_; }
  /// Everybody may do everything again; all is forgotten but pages of which the system refuses that.
  void lift() noexcept;

  /// What an access means that the system has refused.
  struct finding {
    enum class kind : std::uint8_t {
      unknown,    ///< nothing: these are no pages of ours
      allowed,    ///< it may be made again
      writes_in,  ///< `declares` does so with in()
      elsewhere,  ///< `declares` does so, but its data lie elsewhere
      in_use      ///< `other`, which is not done, uses the data
    };
    kind is = kind::unknown;
    const watched_task* declares = nullptr;  ///< null: nobody in whose name the code runs
    const watched_task* other = nullptr;
  };
  /// Gives that; an access that is allowed is possible from now on, also after `lift`.
  finding look(std::uintptr_t at, const code& who, bool writes) noexcept;

 private:
  struct part {
    const watched_task* by;
    right own;
    right left;
  };
  struct piece {
    std::uintptr_t end;
    right now = right::all;
    bool is_watched = true;
    std::vector<part> parts;
  };
  using pieces = std::map<std::uintptr_t, piece>;

  pieces::iterator cut(std::uintptr_t at);
  template <class See>
  void for_pieces(const use& of, See&& see) noexcept;
  /// What that code may do, and who is in the way of more.
  static right right_of(const piece& p, const code& who, finding* why = nullptr) noexcept;
  right wanted(const piece& p) const noexcept;
  void apply(pieces::value_type& p) noexcept { set(p, wanted(p.second)); }
  void set(pieces::value_type& p, right now) noexcept;
  void refresh(const watched_task& task) noexcept;
  void refresh_all_of(const code& who) noexcept;

  const page_system system_;
  pieces pieces_;
  runner* running_ = nullptr;
  bool is_exhausted_ = false;
  bool is_lifted_ = false;
  bool is_stretched_ = false;  ///< `look` has allowed what is not wanted
};

}  // namespace maslin::pages
