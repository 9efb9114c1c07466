// on_simgrid PLATFORM GRAPH RULE [TIME_LINE]: simulates the graph on SimGrid, RULE one of placed (as the time line
// says), bisecting, central. Prints what on_maslin prints.

#include <simgrid/s4u.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "rules.hpp"

int main(int argc, char** argv) try {
  simgrid::s4u::Engine engine(&argc, argv);
  // Plain latencies: no factors that were fitted to some cluster's TCP; and times to the picosecond.
  engine.set_config("network/model:CM02");
  engine.set_config("network/latency-factor:1");
  engine.set_config("surf/precision:1e-12");
  if (argc < 4) throw std::runtime_error("usage: on_simgrid PLATFORM GRAPH placed|bisecting|central [TIME_LINE]");
  engine.load_platform(argv[1]);
  const task_graph graph = read_graph(argv[2]);
  graph_run run(graph);
  const std::string rule = argv[3];
  if (rule == "placed" && argc == 5)
    run.print(run_placed(run, argv[4]));
  else if (rule == "bisecting")
    run.print(run_by_workers(run, queues::own));
  else if (rule == "central")
    run.print(run_by_workers(run, queues::one));
  else
    throw std::runtime_error("no such rule: " + rule);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "on_simgrid: %s\n", e.what());
  return 1;
}
