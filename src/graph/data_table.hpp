#pragma once
// The data of a domain: which datum a region is, and which of them overlap.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/region.hpp"
#include "graph/task_list.hpp"
#include "graph/version.hpp"

namespace maslin::graph {

/// A region that tasks have named, and who waits for whom because of it.
struct datum {
  explicit datum(const region& r) : home(r) {}
  ~datum();
  datum(const datum&) = delete;
  datum& operator=(const datum&) = delete;

  region home;                         ///< empty: retired, it will go when the table grows
  std::uint64_t named_in = 0;          ///< the addition in which a task last named it
  detail::version* current = nullptr;  ///< where it lies now; null: at home
  task_list writers;                   ///< whose value it has: the last writer, or those that take turns (`updated`)
  task_list readers;                   ///< since then
  bool updated = false;                ///< `writers` are `concurrent` tasks
  bool named_lately = true;            ///< since the domain last looked
  bool pending = false;                ///< in the domain's list of data that are not at home or not combined

  struct rare {
    task_list written_before;          ///< while `updated`: what its tasks wait for, and whose value they change
    task_list read_before;             ///< and what they only wait for
    task_list at_home;                 ///< tasks that still use the home memory while the datum lies elsewhere
    std::vector<datum*> aliases;       ///< other data that overlap this one
    std::uint64_t written = 0;         ///< when it was last, among the writes of data with aliases
    detail::version* turns = nullptr;  ///< of `concurrent` tasks, at home
    const detail::reduction_kind* kind = nullptr;  ///< of a reduction that is not combined yet
    task_list adders;                              ///< its tasks, in program order
    std::vector<detail::version*> values;          ///< theirs
  };
  std::unique_ptr<rare> more;

  rare& extended() {
    if (!more) more = std::make_unique<rare>();
    return *more;
  }
  bool combining() const { return more && more->kind; }
  /// Nobody needs to know of it: what it holds is at home, and who wrote and read it is done and well.
  bool is_over();
  bool has_aliases() const { return more && !more->aliases.empty(); }
  /// Was it written after others had failed to write data that overlap it? It is over and done.
  bool hides_failures() const;
  /// What the datum held is over: from now on `task` is whose value it has. Room for one writer must be there.
  void set_writer(detail::task_node& task) noexcept;
};

class data_table {
 public:
  data_table() = default;
  ~data_table();
  data_table(const data_table&) = delete;
  data_table& operator=(const data_table&) = delete;

  std::size_t size() const { return data_.size(); }
  auto begin() const { return data_.begin(); }
  auto end() const { return data_.end(); }

  /// A task is about to name data: makes room for so many more, perhaps by forgetting some that are over. Throws
  /// std::bad_alloc.
  void make_room(std::size_t more);
  /// Gives the datum of exactly that region, for which `make_room` made room. Throws std::bad_alloc.
  datum& find(const region& r);
  /// Has the task that names data now named one of them more than once?
  bool names_one_again() const { return names_one_again_; }
  /// Forgets all data; no task is named any more.
  void clear();

 private:
  struct slot {
    std::uintptr_t start = 0;
    datum* of = nullptr;
  };

  std::size_t slot_of(std::uintptr_t start) const;
  void enter(datum* d);
  void find_aliases(datum& d);
  static void retire(datum& d);
  void index(datum& d);
  void index_all();
  template <class Visit>
  void for_each_overlapping(const region& r, Visit&& visit);

  std::vector<datum*> data_;
  std::vector<slot> table_;
  std::uint64_t addition_ = 0;    ///< how many tasks have named data
  bool names_one_again_ = false;  ///< the latest of them

  // Which data overlap. As long as all have one size and lie on one grid, none do, and there is no index.
  bool on_a_grid_ = true;
  bool is_indexed_ = false;  ///< the index is whole
  std::size_t grid_size_ = 0;
  std::uintptr_t grid_rest_ = 0;
  std::uint64_t classes_ = 0;  ///< bit k: there are data of 2^(k-1) < extent ≤ 2^k bytes
  std::unordered_map<std::uint64_t, std::vector<datum*>> granules_;
};

}  // namespace maslin::graph
