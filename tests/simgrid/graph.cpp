#include "graph.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

task_graph read_graph(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  task_graph graph;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    graph_task task{};
    std::string how;
    words >> task.nanoseconds >> how >> task.writes;
    task.overwrites = how == "out";
    bool good = words && (task.overwrites || how == "inout");
    for (std::size_t datum; words >> datum;) task.reads.push_back(datum);
    good = good && words.eof();
    if (!good) throw std::runtime_error(path + ": line " + std::to_string(graph.tasks.size() + 1) + " is no task");
    for (const std::size_t datum : task.reads) graph.data = std::max(graph.data, datum + 1);
    graph.data = std::max(graph.data, task.writes + 1);
    graph.tasks.push_back(std::move(task));
  }
  return graph;
}
