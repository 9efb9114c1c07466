#pragma once
// The ready lists R0 to RN of bundles (cellss-scheduling, 5.2, figure 5): a task that is ready stands in the list of as
// many of its data as a worker's memory holds. Tasks that became ready stand in each list in that order; one that moves
// to another list comes to its head, because the data that it moves for are the freshest, or were there until now.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace maslin::place {

/// A task, by its number in program order.
using task_number = std::uint32_t;
inline constexpr task_number no_task = ~task_number{0};

/// What bundles keep of each task; it lives with the task in the graph.
struct bundle_mark {
  task_number next = no_task;  ///< in its ready list
  task_number previous = no_task;
  task_number next_candidate = no_task;  ///< in the temporary list
  task_number previous_candidate = no_task;
  std::uint32_t covered = 0;  ///< dependences whose source is in the bundle that is being built
  std::uint32_t held = 0;     ///< its data that a worker's memory holds
  std::uint8_t list = 0;      ///< the ready list that it is in
  bool ready = false;         ///< it is in a ready list
  bool candidate = false;     ///< it is in the temporary list
  bool scheduled = false;     ///< it is in a bundle, was handed out, or is done
};

template <class Graph>
class ready_lists {
 public:
  static constexpr int most_lists = 64;

  ready_lists(Graph& graph, int lists) : graph_(&graph), lists_(static_cast<std::size_t>(lists)) {}

  bool empty() const { return filled_ == 0; }
  /// Gives the head of the highest list that is not empty; there must be one.
  task_number best() const { return lists_[static_cast<std::size_t>(63 - std::countl_zero(filled_))].head; }

  void add(task_number t) {
    bundle_mark& m = graph_->mark(t);
    m.ready = true;
    m.list = list_of(m);
    append(t, m);
  }
  void take_out(task_number t) {
    bundle_mark& m = graph_->mark(t);
    unlink(m);
    m.ready = false;
  }
  /// The number of its data that are held has changed.
  void move(task_number t) {
    bundle_mark& m = graph_->mark(t);
    const std::uint8_t wanted = list_of(m);
    if (wanted == m.list) return;
    unlink(m);
    m.list = wanted;
    prepend(t, m);
  }

 private:
  struct ends {
    task_number head = no_task;
    task_number tail = no_task;
  };

  std::uint8_t list_of(const bundle_mark& m) const {
    return static_cast<std::uint8_t>(std::min<std::size_t>(m.held, lists_.size() - 1));
  }
  void append(task_number t, bundle_mark& m) {
    ends& l = lists_[m.list];
    m.next = no_task;
    m.previous = l.tail;
    (l.tail == no_task ? l.head : graph_->mark(l.tail).next) = t;
    l.tail = t;
    filled_ |= std::uint64_t{1} << m.list;
  }
  void prepend(task_number t, bundle_mark& m) {
    ends& l = lists_[m.list];
    m.previous = no_task;
    m.next = l.head;
    (l.head == no_task ? l.tail : graph_->mark(l.head).previous) = t;
    l.head = t;
    filled_ |= std::uint64_t{1} << m.list;
  }
  void unlink(const bundle_mark& m) {
    ends& l = lists_[m.list];
    (m.previous == no_task ? l.head : graph_->mark(m.previous).next) = m.next;
    (m.next == no_task ? l.tail : graph_->mark(m.next).previous) = m.previous;
    if (l.head == no_task) filled_ &= ~(std::uint64_t{1} << m.list);
  }

  Graph* graph_;
  std::vector<ends> lists_;
  std::uint64_t filled_ = 0;  ///< bit i: list i is not empty
};

}  // namespace maslin::place
