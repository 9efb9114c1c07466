// Recordings: tasks that are created once and run many times.

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "exec/in_place.hpp"
#include "exec/submit/submit.hpp"
#include "graph/domain.hpp"
#include "graph/recording.hpp"
#include "maslin/replay.hpp"
#include "task/uncancelled.hpp"

namespace maslin::detail {

recording record(void (*create)(void* env), void* env, location where) {
  the_executor();
  unrecorded_context("record");
  std::unique_ptr<recording::state> made;
  {
    graph::recorder tasks;
    {
      entered in(tasks.creator());
      create(env);
    }
    made = tasks.finish();
  }
  recording all(std::move(made));
  replay(all, {}, where);
  return all;
}

void replay(recording& tasks, std::span<const rebinding> instead, location where) {
  context& here = unrecorded_context("replay");
  if (tasks.tasks() == 0) return;
  wait();
  executor& exec = the_executor();
  recording::state& all = tasks.get();
  const uncancelled during(here);
  // Tasks of groups may be in flight; those that use the same data come first. One may replay the same recording: so
  // they are waited for before this takes its turn.
  if (here.data && graph::domain::of(here).in_use()) {
    const std::vector<declared> data = all.accesses(instead);
    constexpr std::size_t at_a_time = 1000;  // a task has a most of accesses
    for (std::span<const declared> left(data); !left.empty();) {
      const auto some = left.first(std::min(at_a_time, left.size()));
      wait_for_data(exec, here, some, "replay", where);
      left = left.subspan(some.size());
    }
  }
  const std::lock_guard turn(all.turn);
  all.bind(instead, where);
  run_recorded(exec, all);
  if (all.members.has_errors()) rethrow_first(all.members.take_errors());
}

}  // namespace maslin::detail
