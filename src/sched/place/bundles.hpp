#pragma once
// Bundles (cellss-scheduling, 5.2, figures 4 to 7): which tasks a worker runs one after another, so that they find each
// other's data. A bundle is built on the part of the graph that is known, in time linear in what it looks at: a ready
// task, then what it leads to by its co-parents or by one successor. A task whose dependences are not all met by the
// bundle is dropped; it comes back by another way. Nothing is searched and nothing is taken back.

#include <concepts>
#include <ranges>
#include <vector>

#include "sched/place/ready_lists.hpp"

namespace maslin::place {

/// A piece of data, by a number of the caller's.
using data_number = std::uint32_t;

/// Another parent of a child of a task's.
struct co_parent {
  task_number other;
  task_number child;
};

template <class R, class T>
concept range_of = std::ranges::input_range<R> && std::convertible_to<std::ranges::range_reference_t<R>, T>;

/// The part of the task graph that is known. The marks of all tasks stay readable, also of those that are done.
template <class G>
concept partial_graph = requires(G& g, task_number t) {
  { g.mark(t) } -> std::same_as<bundle_mark&>;
  /// True dependences of the task whose source is not done; several on one source count once.
  { g.outstanding(t) } -> std::convertible_to<std::uint32_t>;
  /// The tasks that wait for it, each once, in program order.
  { g.successors(t) } -> range_of<task_number>;
  /// Of the parents of a child only neighbours are co-parents of each other, or there would be quadratically many.
  { g.co_parents(t) } -> range_of<co_parent>;
  /// The data that it uses, each once.
  { g.data(t) } -> range_of<data_number>;
};

struct bundle_settings {
  int bound = 4;  ///< tasks in a bundle at most
  int lists = 8;  ///< R0 to R(lists - 1)
  bool co_parents = true;
  bool hints = true;
};

struct bundled_task {
  task_number task;
  /// Its end is told at once, not with the end of the bundle: it has more than one successor.
  bool early_call_back;
  bool operator==(const bundled_task&) const = default;
};

template <partial_graph Graph>
class bundles {
 public:
  bundles(Graph& graph, const bundle_settings& settings)
      : graph_(&graph), settings_(settings), ready_(graph, settings.hints ? settings.lists : 1) {}

  /// A task waits for nothing any more, and is in no bundle.
  void ready(task_number t) {
    bundle_mark& m = graph_->mark(t);
    if (settings_.hints) {
      m.held = 0;
      for (const data_number d : graph_->data(t)) {
        uses& u = uses_of(d);
        m.held += u.holders > 0;
        if (u.ready.size() == u.ready.capacity())
          std::erase_if(u.ready, [this](task_number other) { return !graph_->mark(other).ready; });
        u.ready.push_back(t);
      }
    }
    ready_.add(t);
  }
  bool any_ready() const { return !ready_.empty(); }

  /// A worker hints that its memory holds these data now: ready tasks that use them move up.
  void entered(data_number d) {
    if (settings_.hints && uses_of(d).holders++ == 0) move_users(d, 1);
  }
  /// A hint is stale: that worker's memory holds these data no more.
  void left(data_number d) {
    if (settings_.hints && --uses_of(d).holders == 0) move_users(d, -1);
  }

  /// Gives the next bundle, which is empty if nothing is ready. It is valid until the next call.
  const std::vector<bundled_task>& next() {
    bundle_.clear();
    while (!full() && !ready_.empty()) {
      append(ready_.best());
      expand(bundle_.back().task);
      while (!full() && first_candidate_ != no_task) {
        const task_number u = first_candidate_;
        take_candidate(u);
        if (open_dependences(u) > 0) continue;
        append(u);
        expand(u);
      }
    }
    while (first_candidate_ != no_task) take_candidate(first_candidate_);
    for (const bundled_task& b : bundle_)
      for (const task_number s : graph_->successors(b.task)) graph_->mark(s).covered = 0;
    return bundle_;
  }

 private:
  struct uses {
    std::uint32_t holders = 0;       ///< workers whose memory holds it
    std::vector<task_number> ready;  ///< tasks that use it; also some that are not ready any more
  };

  bool full() const { return bundle_.size() >= static_cast<std::size_t>(settings_.bound); }

  /// ODep: what it waits for, less what the bundle contains.
  std::uint32_t open_dependences(task_number t) const {
    return static_cast<std::uint32_t>(graph_->outstanding(t)) - graph_->mark(t).covered;
  }

  void append(task_number t) {
    bundle_mark& m = graph_->mark(t);
    if (m.ready) ready_.take_out(t);
    m.scheduled = true;
    std::size_t successors = 0;
    for (const task_number s : graph_->successors(t)) {
      ++graph_->mark(s).covered;
      ++successors;
    }
    bundle_.push_back({t, successors > 1});
  }

  void expand(task_number u) {
    if (settings_.co_parents && add_co_parents(u)) return;
    task_number best = no_task;
    std::uint32_t fewest = 0;
    for (const task_number s : graph_->successors(u)) {
      if (graph_->mark(s).scheduled) continue;
      const std::uint32_t open = open_dependences(s);
      if (best != no_task && open >= fewest) continue;
      best = s;
      fewest = open;
    }
    if (best != no_task && !graph_->mark(best).candidate) add_candidate(best, last_candidate_);
  }

  /// Figure 7. Gives whether there were any; they stand at the front of the temporary list, in the order of the
  /// triples.
  bool add_co_parents(task_number u) {
    task_number behind = no_task;
    for (const auto& [other, child] : graph_->co_parents(u)) {
      const task_number found = graph_->mark(other).scheduled ? child : other;
      if (found == behind || graph_->mark(found).scheduled) continue;
      if (graph_->mark(found).candidate) take_candidate(found);
      add_candidate(found, behind);
      behind = found;
    }
    return behind != no_task;
  }

  /// Puts a task into the temporary list behind another one, or to the front.
  void add_candidate(task_number t, task_number behind) {
    bundle_mark& m = graph_->mark(t);
    m.candidate = true;
    m.previous_candidate = behind;
    task_number& from_before = behind == no_task ? first_candidate_ : graph_->mark(behind).next_candidate;
    m.next_candidate = from_before;
    (from_before == no_task ? last_candidate_ : graph_->mark(from_before).previous_candidate) = t;
    from_before = t;
  }
  void take_candidate(task_number t) {
    bundle_mark& m = graph_->mark(t);
    m.candidate = false;
    (m.previous_candidate == no_task ? first_candidate_ : graph_->mark(m.previous_candidate).next_candidate) =
        m.next_candidate;
    (m.next_candidate == no_task ? last_candidate_ : graph_->mark(m.next_candidate).previous_candidate) =
        m.previous_candidate;
  }

  uses& uses_of(data_number d) {
    if (d >= uses_.size()) uses_.resize(d + 1);
    return uses_[d];
  }
  void move_users(data_number d, int by) {
    std::vector<task_number>& users = uses_[d].ready;
    std::size_t kept = 0;
    for (const task_number t : users) {
      bundle_mark& m = graph_->mark(t);
      if (!m.ready) continue;
      users[kept++] = t;
      m.held += static_cast<std::uint32_t>(by);
      ready_.move(t);
    }
    users.resize(kept);
  }

  Graph* graph_;
  bundle_settings settings_;
  ready_lists<Graph> ready_;
  std::vector<uses> uses_;  ///< by the data's numbers
  std::vector<bundled_task> bundle_;
  task_number first_candidate_ = no_task;  ///< the temporary list
  task_number last_candidate_ = no_task;
};

}  // namespace maslin::place
