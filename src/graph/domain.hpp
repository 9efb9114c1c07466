#pragma once
// A domain: what the tasks of one creator do to its data, and so what each of them must wait for. Used by the creator
// alone.

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/data_table.hpp"
#include "graph/edges.hpp"
#include "task/context.hpp"

namespace maslin::graph {

class domain final : public context::dependences {
 public:
  /// `captures`: the tasks do not run; each gets all its edges, and the sink those that have none.
  explicit domain(context& creator, bool captures = false) : creator_(creator), captures_(captures) {}
  ~domain() override;

  /// Gives the calling context's, made when it is first asked for.
  static domain& of(context& creator);

  /// Says what the task waits for and where its data lies. `at_home`: it will look at the data where the program
  /// declared it. Gives true when it waits for nothing: then the caller runs it. Otherwise the sink gets it when it is
  /// ready, perhaps now. Throws std::bad_alloc before the task has become part of anything.
  bool add(detail::task_node& task, const detail::declared* accesses, bool at_home, ready_sink& sink);

  /// Gives the region of each datum.
  std::vector<region> homes() const;
  /// Forgets all data; no task is named any more.
  void forget();

  /// Creates the tasks that bring data home and combine reductions: all, or those to which a member of `members`
  /// contributed, and then as members of that scope, which also waits for such tasks that exist. Throws std::bad_alloc.
  void bring_home(scope* members, ready_sink& sink);
  /// The creator's body has run: creates a task, if need be, that waits for the members of groups which still use data,
  /// for those are given back when the creator is done. Throws std::bad_alloc.
  void keep_guests(ready_sink& sink);
  /// When the creator's own tasks are done: does a datum name members of groups that are not?
  bool in_use();
  /// The same for all data, if it is at most so many bytes. Throws std::bad_alloc.
  void bring_home_up_to(std::size_t bytes, ready_sink& sink);
  /// Nothing is in flight: forgets members of groups, unless there are more data to look through than were named since
  /// the last time.
  void forget_guests();
  /// Waits no new task for anything, whatever it names, and is all data at home?
  bool is_settled() const noexcept {
    return pending_.empty() && !has_guests_ && creator_.children->quiet() && !creator_.children->has_errors();
  }
  /// To be called when all tasks (or all members of a scope) are done and what they threw is about to be seen: data
  /// that failed ones left void are data again.
  void quiet(const scope* members, bool failed);

 private:
  /// The task that is being added: its edges so far, and the memory for more.
  struct addition {
    detail::task_node* task = nullptr;
    int records_used = 0;  ///< whose edges are in use
    std::int32_t edges = 0;
  };

  template <class VisitWriters, class VisitReaders>
  void for_each_list(VisitWriters&& writers, VisitReaders&& readers);
  /// Unnames what is done, and forgets all data when most were not named since the last time; gives whether a datum is
  /// in use.
  bool drain();

  // Everything that can fail.
  void prepare(datum& d, const detail::declared& a, detail::access_record& record, bool at_home, ready_sink& sink);
  void reserve_edges(std::size_t count);
  // Nothing of this can.
  void begin(detail::task_node& task);
  bool end(ready_sink& sink);
  void wait_for(detail::task_node& from, bool needs);
  void wait_for(task_list& sources, bool needs);
  void wait_for_aliases(datum& d, bool reads, bool writes);
  void wait_for_overlapping(datum::rare& more, bool reads, bool writes);
  void read(datum& d);
  void write(datum& d, bool reads);
  void update(datum& d);
  void contribute(datum& d, detail::version& value, const detail::reduction_kind& kind);
  bool rename(datum& d);
  void add_pending(datum& d);

  template <class Body>
  detail::task_node& make_task(scope& in, location where, detail::version* of, void* home, Body&& body);
  void move_home(datum& d, scope& in, ready_sink& sink);
  void combine(datum& d, scope& in, ready_sink& sink);
  /// Creates a member of that scope which only waits for those. Throws std::bad_alloc.
  void await_in(scope& in, task_list& tasks, ready_sink& sink);

  context& creator_;
  const bool captures_;
  data_table data_;
  std::vector<datum*> pending_;  ///< not at home, or not combined
  std::size_t accesses_ = 0;     ///< since it was last drained
  bool has_guests_ = false;      ///< members of groups were added since then
  std::uint64_t writes_ = 0;     ///< of data with aliases

  addition now_;
  detail::edge* spare_ = nullptr;  ///< blocks, chained by `next`
  std::size_t spares_ = 0;
};

template <class VisitWriters, class VisitReaders>
void domain::for_each_list(VisitWriters&& writers, VisitReaders&& readers) {
  for (datum* d : data_) {
    writers(d->writers);
    readers(d->readers);
    if (!d->more) continue;
    writers(d->more->written_before);
    readers(d->more->read_before);
    readers(d->more->at_home);
  }
}

/// Gives the version that a task of a domain's own (`is_internal`) reads, or adds to; empty if none.
region read_by_own(detail::task_node& task);
/// Gives what it writes, where it lies now; it may be empty.
region written_by_own(detail::task_node& task);

/// As the domain's; a context that has none is settled.
inline bool is_settled(const context& creator) noexcept {
  return !creator.data || static_cast<const domain&>(*creator.data).is_settled();
}

/// Before the creator waits: as `bring_home`; what cannot be brought home for lack of memory is an error of the scope.
void settle(context& creator, scope* members, ready_sink& sink) noexcept;
/// The same before it ends, with `keep_guests`.
void settle_at_end(context& creator, ready_sink& sink) noexcept;

}  // namespace maslin::graph
