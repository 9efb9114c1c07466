#include "scheduling.hpp"

#include <malloc.h>

#include <chrono>
#include <stdexcept>
#include <vector>

#include "graph.hpp"

namespace cellss {

namespace {

double heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
}
double ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

scheduling schedule_all(const application& app, const maslin::place::bundle_settings& how) {
  const double bytes = heap_bytes(), begin = ns();
  partial_graph graph(app);
  maslin::place::bundles<partial_graph> policy(graph, how);
  while (!graph.all_created()) {
    const task_number t = graph.created();
    if (graph.create()) policy.ready(t);
  }
  std::vector<std::uint32_t> held;
  while (policy.any_ready()) {
    const std::vector<maslin::place::bundled_task>& bundle = policy.next();
    for (const std::uint32_t region : held) policy.left(region);
    const auto used = app.used(bundle.back().task);
    held.assign(used.begin(), used.end());
    for (const std::uint32_t region : held) policy.entered(region);
    for (const maslin::place::bundled_task& b : bundle)
      for (const task_number now : graph.finish(b.task)) policy.ready(now);
  }
  const double took = ns() - begin, more = heap_bytes() - bytes, tasks = static_cast<double>(app.tasks().size());
  if (graph.finished() != app.tasks().size()) throw std::logic_error("tasks are left that no policy schedules");
  return {took / tasks, more / tasks};
}

}  // namespace cellss
