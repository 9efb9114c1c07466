#include <simgrid/s4u.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

#include "rules.hpp"

namespace sg = simgrid::s4u;

namespace {

constexpr double flops_per_nanosecond = 1;  // of the platform's hosts

}  // namespace

double run_placed(graph_run& run, const std::string& time_line) {
  std::vector<sg::ExecPtr> tasks;
  for (std::size_t i = 0; i < run.size(); ++i)
    tasks.push_back(sg::Exec::init()->set_flops_amount(run.nanoseconds(i) * flops_per_nanosecond));
  const auto wait = [&](std::size_t before, std::size_t after) {
    const auto& all = tasks[before]->get_successors();
    if (std::find(all.begin(), all.end(), tasks[after]) == all.end()) tasks[before]->add_successor(tasks[after]);
  };
  for (std::size_t i = 0; i < run.size(); ++i)
    for (const std::size_t follower : run.followers(i)) wait(i, follower);

  std::ifstream file(time_line);
  double seconds;
  file >> seconds;
  std::map<int, std::size_t> last;  // on each worker
  std::vector<int> worker(run.size(), -1);
  std::size_t task;
  for (int where; file >> task >> where >> seconds; last[where] = task) {
    if (task >= run.size() || worker[task] >= 0) throw std::runtime_error(time_line + ": a task begins once");
    if (const auto before = last.find(where); before != last.end()) wait(before->second, task);
    worker[task] = where;
  }
  if (std::count(worker.begin(), worker.end(), -1) > 0)
    throw std::runtime_error(time_line + ": some tasks never begin");

  sg::Engine& engine = *sg::Engine::get_instance();
  for (std::size_t i = 0; i < run.size(); ++i) tasks[i]->set_host(engine.host_by_name(std::to_string(worker[i])));
  for (const sg::ExecPtr& t : tasks) t->vetoable_start();
  engine.run();
  for (std::size_t i = 0; i < run.size(); ++i) run.begins(i, worker[i], tasks[i]->get_start_time());
  return sg::Engine::get_clock();
}
