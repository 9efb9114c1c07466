#include "graph.hpp"

namespace cellss {

using maslin::place::no_task;

partial_graph::partial_graph(const application& app)
    : app_(&app), nodes_(app.tasks().size()), users_(app.regions().size()), last_child_(app.tasks().size(), no_task) {}

void partial_graph::add_parent(task_number parent, task_number child) {
  if (parent == no_task || nodes_[parent].done || last_child_[parent] == child) return;
  last_child_[parent] = child;
  parents_.push_back(parent);
}

bool partial_graph::create() {
  const task_number t = created_++;
  parents_.clear();
  for (const access& a : app_->accesses(t)) {
    users& u = users_[a.region];
    if (a.reads()) add_parent(u.writer, t);
    if (a.writes()) {
      for (const task_number reader : u.readers) add_parent(reader, t);
      u.readers.clear();
      u.writer = t;
    } else {
      u.readers.push_back(t);
    }
  }
  for (std::size_t i = 0; i < parents_.size(); ++i) {
    nodes_[parents_[i]].successors.push_back(t);
    if (i == 0) continue;
    nodes_[parents_[i - 1]].co_parents.push_back({parents_[i], t});
    nodes_[parents_[i]].co_parents.push_back({parents_[i - 1], t});
  }
  nodes_[t].outstanding = static_cast<std::uint32_t>(parents_.size());
  edges_ += parents_.size();
  return parents_.empty();
}

const std::vector<task_number>& partial_graph::finish(task_number t) {
  node& n = nodes_[t];
  n.done = true;
  ++finished_;
  now_ready_.clear();
  for (const task_number s : n.successors)
    if (--nodes_[s].outstanding == 0 && !nodes_[s].mark.scheduled) now_ready_.push_back(s);
  return now_ready_;
}

}  // namespace cellss
