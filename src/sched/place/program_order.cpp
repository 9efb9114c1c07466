#include "sched/place/program_order.hpp"

namespace maslin::place {

using detail::task_node;

namespace {

const task_node* creator_of(const task_node& task) { return task.in->owner(); }

int depth_of(const task_node& task) {
  int depth = 0;
  for (const task_node* at = creator_of(task); at; at = creator_of(*at)) ++depth;
  return depth;
}

/// The `place` of such a task may say something else.
bool is_graphs_own(const task_node& task) { return task.is_internal && !task.is_recorded; }

}  // namespace

std::strong_ordering in_program_order(const task_node& one, const task_node& other) noexcept {
  if (is_graphs_own(one) || is_graphs_own(other)) return is_graphs_own(other) <=> is_graphs_own(one);
  const task_node* a = &one;
  const task_node* b = &other;
  if (a->in != b->in) {
    const int deeper = depth_of(one) - depth_of(other);
    for (int i = 0; i < deeper; ++i) a = creator_of(*a);
    for (int i = 0; i < -deeper; ++i) b = creator_of(*b);
    if (a == b) return deeper <=> 0;
    // Up to the two that one has created.
    for (const task_node* up = creator_of(*a); a->in != b->in; up = creator_of(*a)) {
      if (!up) return std::compare_three_way{}(a->in, b->in);
      a = up;
      b = creator_of(*b);
    }
  }
  return a->place <=> b->place;
}

}  // namespace maslin::place
