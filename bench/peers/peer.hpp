#pragma once
// The runtime that this program was built for. PEER_ADAPTER names a header that gives, in namespace `peer`:
//
//   name(), version()  as the scorecard shows them
//   started            keeps the runtime running
//   run(f)             calls f() where tasks may be created and waited for; returns when all are done
//   nests              whether tasks can wait for tasks
//   tasks              a set of tasks: run(f), wait()
//   has_forks          whether it has a fork of two calls
//   fork(f, g)         calls both, perhaps at the same time; returns when both are done
//   has_graphs         whether tasks can wait for data; by their accesses, or by edges, which are given as `before`
//   array<T>           data in cells of `extent` values, and accesses to them: reads(i), updates(i), writes(i)
//   graph              task(before, body, accesses...): body(pointers...) runs when its predecessors are done
//   has_wide_graphs    whether a task may wait for any number of data, up to eight
//   wide_task(graph, from, count, to, value)  a task that makes *to = value(from, count)
//   run_graph(emit)    calls emit(graph) and returns when all its tasks are done
//   replays            whether a graph can be run again as it stands
//   recorded           such a graph: recorded(emit), run()
//   schedules          the names of its loops' schedules, the default first; none: it has no loops
//   loop(s, n, body)   calls body(i) for each i below n under schedule s
//   even               the schedule under which two iterations go to two workers
//
// What is unused in one adapter stands there with the least that compiles, so that the figures need no preprocessor.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace bench {

enum class access_mode { reads, updates, writes };

/// One access to a cell, for runtimes which know data by their addresses. `T` is const where it reads.
template <class T, access_mode Mode>
struct access {
  static constexpr access_mode mode = Mode;
  using element = T;
  T* data;
  std::size_t extent;
};

/// Cells that are plain memory.
template <class T>
class plain_array {
 public:
  plain_array(std::size_t cells, std::size_t extent) : extent_(extent), values_(cells * extent) {}

  T* cell(std::size_t i) { return values_.data() + i * extent_; }
  auto reads(std::size_t i) { return access<const T, access_mode::reads>{cell(i), extent_}; }
  auto updates(std::size_t i) { return access<T, access_mode::updates>{cell(i), extent_}; }
  auto writes(std::size_t i) { return access<T, access_mode::writes>{cell(i), extent_}; }

 private:
  std::size_t extent_;
  std::vector<T> values_;
};

/// Numbers of the tasks that must come before a task, for runtimes that are told edges; -1 stands for none.
using before = std::initializer_list<int>;

}  // namespace bench

#include PEER_ADAPTER
