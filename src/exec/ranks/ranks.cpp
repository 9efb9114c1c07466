// ms::ranks: each rank is a task with a fiber of its own, or a thread that has turns under the serial elision.

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/settings.hpp"
#include "comm/placement.hpp"
#include "comm/processes.hpp"
#include "exec/execute.hpp"
#include "exec/in_place.hpp"
#include "exec/pages/pages.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/ranks/world.hpp"
#include "exec/submit/submit.hpp"
#include "machine/budget.hpp"
#include "maslin/error.hpp"
#include "task/uncancelled.hpp"

namespace maslin {

namespace {

struct rank_start {
  world* of;
  int rank;
};

using detail::body_use;

void run_rank(void* callable, const detail::access_record*, body_use use) {
  if (use != body_use::call && use != body_use::call_and_destroy) return;
  const rank_start start = *static_cast<const rank_start*>(callable);
  start.of->run_rank(start.rank);
}

/// Starts the rank at that place in this process, on the worker that is named; if none is, they are divided in blocks.
void start(executor& exec, world& all, scope& members, const context& here, std::size_t place,
           std::span<const int> worker_of_rank, location where) {
  const int rank = all.here()[place];
  const detail::task_storage storage = detail::new_task_storage(sizeof(rank_start), alignof(rank_start), 0);
  new (storage.callable) rank_start{&all, rank};
  auto* const task =
      new (storage.node) detail::task_node(members, here.stream, storage, {run_rank, nullptr, where, 0, nullptr, 0});
  const bool is_started = worker_of_rank.empty()
                              ? exec.start_apart(task, static_cast<int>(place), static_cast<int>(all.here().size()))
                              : exec.start_apart(task, worker_of_rank[place], exec.workers());
  if (is_started) return;
  try {
    throw error(
        fmt::format("ranks at {}:{}: the system has no stack for rank {} of {} (ulimit -v, vm.max_map_count); "
                    "ask for fewer ranks, or for smaller stacks with MASLIN_STACK",
                    where.file_name(), where.line(), rank, all.size()));
  } catch (...) {
    all.fail(rank, std::current_exception());
  }
  graph::cancel(*task, task->in);
  run_task(exec, task, exec);
}

void run_on_workers(executor& exec, world& all, location where, std::span<const int> worker_of_rank = {}) {
  context& here = current_context();
  scope members(here.children, scope::creators::many);
  std::optional<stuck_watch> watched;
  try {
    watched.emplace(all);
  } catch (const std::system_error& e) {
    throw error(
        fmt::format("ranks at {}:{}: the system has no thread to watch over them ({}); allow more threads "
                    "(ulimit -u)",
                    where.file_name(), where.line(), e.what()));
  }
  try {
    for (std::size_t place = 0; place < all.here().size() && !all.has_failed(); ++place)
      start(exec, all, members, here, place, worker_of_rank, where);
  } catch (...) {
    all.fail(0, std::current_exception());
  }
  const stream_waits meanwhile(here);
  suspend_until(exec, members);
  // Watched until then: others may wait for each other.
  if (all.across() && !all.has_failed()) all.across()->finish();
  graph::tell_program_looks();
}

/// A message is copied by whoever comes second, also into data of the other's tasks.
void refuse_on_pages(location where) {
  if (pages::on())
    throw error(fmt::format("ranks at {}:{}: MASLIN_CHECK=pages does not know who copies messages; set MASLIN_CHECK=1",
                            where.file_name(), where.line()));
}

void run_in_one_process(int count, void (*run)(void*, communicator&), void* body, location where, host* of,
                        std::span<const int> worker_of_rank) {
  executor& exec = the_executor();
  const context& here = unrecorded_context("ranks");
  refuse_on_pages(where);
  if (count < 1)
    throw error(fmt::format("ranks at {}:{}: {} ranks; expected 1 or more", where.file_name(), where.line(), count));
  const uncancelled during(here.is_root || exec.serial());  // in turn they have threads, and the caller waits for those
  world all(exec, count, run, body);
  all.serve_by(detail::host_access::of(of));
  if (message_links* const links = exec.links()) all.go_over(*links, worker_of_rank, where);
  if (exec.serial())
    all.run_in_turn();
  else
    run_on_workers(exec, all, where, worker_of_rank);
  all.rethrow();
}

/// How many CPUs the process may use of those that it is bound to.
int granted_cpus() {
  const machine::cpu_budget budget = machine::budget();
  int most = INT_MAX;
  for (const machine::cpu_limit& one : std::span(budget.limits).subspan(1))
    most = std::min(most, one.cpus.value_or(most));
  return most;
}

}  // namespace

void detail::run_ranks(int count, void (*run)(void*, communicator&), void* body, location where, host* of) {
  const char* const how = base::text_of("MASLIN_RANK_PLACE");
  std::vector<int> worker_of_rank;  // in blocks
  if (how && std::string_view(how) != "block" && count > 0)
    worker_of_rank = placed(how, count, the_executor().workers(), "worker", "MASLIN_RANK_PLACE=");
  run_in_one_process(count, run, body, where, of, worker_of_rank);
}

void detail::run_placed_ranks(const std::vector<int>& worker_of_rank, void (*run)(void*, communicator&), void* body,
                              location where, host* of) {
  run_in_one_process(static_cast<int>(worker_of_rank.size()), run, body, where, of, worker_of_rank);
}

std::size_t detail::bytes_of_stack() { return *base::number_of("MASLIN_STACK"); }

void detail::run_ranks_of_process(const process_of_job& process, int count, void (*run)(void*, communicator&),
                                  void* body, location where, host* of, host* of_job) {
  executor& exec = the_executor();
  refuse_on_pages(where);
  if (exec.serial() || exec.times_code())
    throw error(fmt::format("{} is set: ranks of {} processes run on CPU cores; unset it, or ask for one process",
                            exec.serial() ? "MASLIN_SERIAL=1" : "MASLIN_MACHINE", process.count));
  if (process.count > gateway::most_processes || process.count > count)
    throw error(fmt::format("ranks at {}:{}: {} processes for {} ranks; expected at most {}, and a rank for each",
                            where.file_name(), where.line(), process.count, count, gateway::most_processes));
  const uncancelled during(unrecorded_context("ranks").is_root);
  const job_memory memory(process, count, where);
  gateway across(process, count, memory.begin());
  world all(exec, count, run, body, &across);
  all.serve_by(detail::host_access::of(of), detail::host_access::of(of_job));
  across.connect(all, exec.workers(), granted_cpus());
  across.start_receiving();
  run_on_workers(exec, all, where);
  across.stop();
  all.rethrow();
}

}  // namespace maslin
