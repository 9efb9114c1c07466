#include "trace/causes.hpp"

namespace maslin::trace::internal {

int rank(event_kind kind) {
  using enum event_kind;
  switch (kind) {
    case task_begin:
    case task_resume:
    case stream_begin:
    case stream_resume:
    case chunk_begin:
    case help_begin:
    case resume:
    case unpark:
      return 1;
    case loop_end:
    case wait_end:
    case group_end:
    case phase_end:
    case worker_stop:
      return 2;
    default:
      return 0;
  }
}

bool causes::has(const key& what, std::uint64_t count) const {
  if (count == 0) return true;
  const auto found = counts_.find(what);
  return found != counts_.end() && found->second >= count;
}

void causes::more(const key& what, std::uint64_t count) {
  if (count > 0) counts_[what] += count;
}

void causes::fewer(const key& what, std::uint64_t count) {
  const auto found = counts_.find(what);
  if (found == counts_.end()) return;
  if (found->second > count)
    found->second -= count;
  else
    counts_.erase(found);
}

bool causes::complete(const event& e) const {
  using enum event_kind;
  switch (e.kind) {
    case task_create:
      return !has({sort::task, 0, e.argument}) && !has({sort::begun_task, 0, e.argument});
    case task_begin:
      return e.argument == ran_at_once || has({sort::task, 0, e.argument});
    case task_resume:
      return has({sort::left_task, 0, e.argument});
    case stream_resume:
      return has(stream(e));
    case resume:
      return has({sort::left, 0, e.argument});
    case chunk_begin:
      return has({sort::loop, e.id, 0});
    case stream_begin:
      return has({sort::streams_to_begin, e.id, 0});
    case decision:
    case waiting:
    case cpu_time:
    case sized:
    case teams:
    case choice:
    case estimate:
      return has({sort::phase, e.id, 0});
    case phase_end:
      return has({sort::ended_streams, e.id, 0}, e.argument);
    default:
      return true;
  }
}

void causes::add(const event& e) {
  using enum event_kind;
  switch (e.kind) {
    case task_create:
      if (e.argument == ran_at_once) break;
      counts_[{sort::task, 0, e.argument}] = 1;
      counts_.erase({sort::begun_task, 0, e.argument});  // if its end was not recorded
      break;
    case task_begin:
      fewer({sort::task, 0, e.argument});
      if (e.argument != ran_at_once) more({sort::begun_task, 0, e.argument});
      break;
    case task_end:
      fewer({sort::begun_task, 0, e.argument});
      break;
    case task_suspend:
      more({sort::left_task, 0, e.argument});
      break;
    case task_resume:
      fewer({sort::left_task, 0, e.argument});
      break;
    case stream_suspend:
      more(stream(e));
      break;
    case stream_resume:
      fewer(stream(e));
      break;
    case suspend:
      more({sort::left, 0, e.argument});
      break;
    case resume:
      fewer({sort::left, 0, e.argument});
      break;
    case loop_begin:
      more({sort::loop, e.id, 0});
      break;
    case loop_end:
      fewer({sort::loop, e.id, 0});
      break;
    case phase_begin:
      more({sort::phase, e.id, 0});
      more({sort::streams_to_begin, e.id, 0}, e.argument);
      break;
    case stream_begin:
      fewer({sort::streams_to_begin, e.id, 0});
      break;
    case stream_end:
      more({sort::ended_streams, e.id, 0});
      break;
    case phase_end:
      fewer({sort::phase, e.id, 0});
      fewer({sort::ended_streams, e.id, 0}, e.argument);
      break;
    default:
      break;
  }
}

}  // namespace maslin::trace::internal
