// Which dependences `maslin trace export --dot` shows of the tasks of a trace.

#include "task_graph.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <random>
#include <set>
#include <tuple>

#include "maslin/error.hpp"
#include "trace/recorder.hpp"

namespace {

namespace trace = maslin::trace;
using enum trace::event_kind;
using enum task_graph::edge_kind;
using edges = std::set<std::tuple<std::uint64_t, std::uint64_t, task_graph::edge_kind>>;

class TaskGraph : public ::testing::Test {
 protected:
  struct access {
    const char* form;
    std::uint64_t address;
  };

  TaskGraph()
      : path_(std::filesystem::temp_directory_path() / ("maslin_task_graph_" + std::to_string(getpid()) + ".mtrace")) {
    trace::start(path_, 2);
    trace::record(0, worker_start);
    trace::record(1, worker_start);
  }
  ~TaskGraph() override {
    trace::stop();
    std::filesystem::remove(path_);
  }

  std::uint32_t line(const char* name) const { return trace::intern(name); }

  /// Creates a task on worker 0; it runs when `run` is called.
  std::uint64_t create(std::initializer_list<access> accesses, const char* name = "program.cpp:1") {
    trace::record(0, task_create, line(name), ++created_);
    for (const access& a : accesses) trace::record(0, accessed, trace::intern(a.form), a.address);
    return created_;
  }
  void run(std::uint64_t task, const char* name = "program.cpp:1", int worker = 1) {
    trace::record(worker, task_begin, line(name), task);
    trace::record(worker, task_end, line(name), task);
  }
  void run_all() {
    for (std::uint64_t task = 1; task <= created_; ++task) run(task);
  }

  static void stop() {
    trace::record(0, worker_stop);
    trace::stop();
  }
  task_graph read() const {
    stop();
    return task_graph_of(path_, {});
  }
  static edges edges_of(const task_graph& graph) {
    edges all;
    for (const task_graph::edge& e : graph.edges) {
      EXPECT_LT(e.from, e.to);
      EXPECT_TRUE(all.emplace(graph.tasks[e.from].number, graph.tasks[e.to].number, e.kind).second) << "twice";
    }
    return all;
  }
  template <class Call>
  static std::string message_of(Call&& call) {
    try {
      call();
    } catch (const maslin::error& e) {
      return e.what();
    }
    return "it did not throw";
  }

  std::string path_;
  std::uint64_t created_ = 0;
};

using bytes_of = std::set<std::uint64_t>;

bool meet(const bytes_of& a, const bytes_of& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint64_t byte) { return b.count(byte) > 0; });
}

/// Wherever `b` must depend on an earlier `a` it does, perhaps by others. Gives how many such pairs there are.
template <class Must>
std::size_t expect_paths(const task_graph& graph, Must&& must) {
  const std::size_t tasks = graph.tasks.size();
  std::vector<std::vector<bool>> after(tasks, std::vector<bool>(tasks));
  for (const task_graph::edge& e : graph.edges) {
    after[e.to][e.from] = true;
    for (std::size_t i = 0; i < e.from; ++i)
      if (after[e.from][i]) after[e.to][i] = true;
  }
  std::size_t found = 0;
  for (std::size_t b = 0; b < tasks; ++b)
    for (std::size_t a = 0; a < b; ++a) {
      if (!must(a, b)) continue;
      ++found;
      EXPECT_TRUE(after[b][a]) << a << " and " << b;
    }
  return found;
}

TEST_F(TaskGraph, AReaderDependsOnTheLastWriterAndAWriterOnTheReaders) {
  create({{"inout 8", 0x1000}});
  create({{"inout 8", 0x1000}});
  create({{"in 8", 0x1000}});
  create({{"in 8", 0x1000}, {"in 8", 0x2000}});
  create({{"inout 8", 0x1000}});
  run_all();
  EXPECT_EQ(edges_of(read()),
            (edges{{1, 2, data}, {2, 3, data}, {2, 4, data}, {2, 5, data}, {3, 5, order}, {4, 5, order}}));
}

TEST_F(TaskGraph, AnOutGetsMemoryOfItsOwnUnlessItOverlapsOthers) {
  create({{"inout 8", 0x1000}});
  create({{"out 8", 0x1000}});
  create({{"in 8", 0x1000}});
  create({{"out there 8", 0x1000}});
  create({{"inout 8", 0x2000}});
  create({{"out 16", 0x2000}});
  run_all();
  EXPECT_EQ(edges_of(read()), (edges{{2, 3, data}, {2, 4, order}, {3, 4, order}, {5, 6, order}}));
}

TEST_F(TaskGraph, DataThatOverlapAreDependedOnUnlessTheyWereOverwrittenSince) {
  create({{"inout 8 x 4 / 32", 0x1000}});
  create({{"inout 8 x 4 / 32", 0x1008}});
  create({{"in 8", 0x1020}});
  create({{"inout 128", 0x1000}});
  create({{"in 128", 0x1000}});
  run_all();
  EXPECT_EQ(edges_of(read()), (edges{{1, 3, data}, {1, 4, data}, {2, 4, data}, {3, 4, order}, {4, 5, data}}));
}

TEST_F(TaskGraph, TasksThatTakeTurnsOrAddDoNotDependOnEachOther) {
  create({{"inout 8", 0x1000}});
  create({{"concurrent 8", 0x1000}});
  create({{"concurrent 8", 0x1000}});
  create({{"in 8", 0x1000}});
  create({{"inout 8", 0x2000}});
  create({{"reduction 8", 0x2000}});
  create({{"reduction 8", 0x2000}});
  create({{"in 8", 0x2000}});
  run_all();
  EXPECT_EQ(edges_of(read()),
            (edges{{1, 2, data}, {1, 3, data}, {2, 4, data}, {3, 4, data}, {5, 8, data}, {6, 8, data}, {7, 8, data}}));
}

TEST_F(TaskGraph, AnOutBehindTasksThatTakeTurnsWaitsForThem) {
  create({{"concurrent 8", 0x1000}});
  create({{"concurrent 8", 0x1000}});
  create({{"in 8", 0x1000}});
  create({{"out 8", 0x1000}});
  create({{"concurrent 8", 0x2000}});
  create({{"reduction 8", 0x2000}});
  create({{"out 8", 0x2000}});  // combining the value has ended the turns
  run_all();
  EXPECT_EQ(edges_of(read()), (edges{{1, 3, data}, {2, 3, data}, {1, 4, order}, {2, 4, order}, {3, 4, order}}));
}

TEST_F(TaskGraph, AnOutOfWhatTheTaskReadsWaits) {
  create({{"inout 8", 0x1000}, {"inout 8", 0x2000}});
  create({{"in 8", 0x1000}, {"in 8", 0x2000}});
  create({{"out 8", 0x1000}, {"in 8", 0x1000}});
  create({{"in 8", 0x2000}, {"out 8", 0x2000}});
  create({{"in 8", 0x1000}, {"in 8", 0x1000}});
  create({{"in 8", 0x1000}});
  run_all();
  EXPECT_EQ(
      edges_of(read()),
      (edges{{1, 2, data}, {1, 3, data}, {2, 3, order}, {1, 4, data}, {2, 4, order}, {3, 5, data}, {3, 6, data}}));
}

TEST_F(TaskGraph, ValuesAreCombinedOnce) {
  create({{"inout 8", 0x1000}});
  create({{"reduction 8", 0x1000}});
  create({{"in 8", 0x1000}});
  create({{"reduction 8", 0x1000}});
  create({{"in 8", 0x1000}});  // what was read before is overwritten with the new sum
  create({{"inout 8", 0x1000}});
  run_all();
  EXPECT_EQ(
      edges_of(read()),
      (edges{{1, 3, data}, {2, 3, data}, {3, 5, order}, {4, 5, data}, {3, 6, order}, {4, 6, data}, {5, 6, order}}));
}

TEST_F(TaskGraph, ReductionsHaveDependencesInProportionToTheTasks) {
  constexpr std::size_t rounds = 20'000 / 18;
  for (std::size_t i = 0; i < rounds; ++i)
    for (const std::uint64_t beside : {0, 4}) {  // the datum is read, or one that overlaps it
      const std::uint64_t added_to = 0x1000 + beside * 0x1000;
      for (int k = 0; k < 8; ++k) create({{"reduction 8", added_to}});
      create({{"in 8", added_to + beside}});
    }
  run_all();
  stop();
  const std::clock_t begin = std::clock();
  const task_graph graph = task_graph_of(path_, {});
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC);  // of processor time
  EXPECT_EQ(graph.edges.size(), 2 * (rounds * 9 - 1));
}

TEST_F(TaskGraph, WhatIsAddedIsInAllThatReadsIt) {
  std::mt19937 random(2);
  constexpr std::size_t tasks = 300, memory = 24;
  struct use {
    bytes_of read, written, added;
  };
  std::vector<use> uses(tasks);
  for (use& u : uses) {
    trace::record(0, task_create, line("program.cpp:1"), ++created_);
    const std::size_t bytes = 1 + random() % 6;
    const std::uint64_t start = random() % (memory - bytes);
    const auto mode = random() % 5;
    const std::string form = (mode == 0 ? "in " : mode == 1 ? "inout " : "reduction ") + std::to_string(bytes);
    trace::record(0, accessed, trace::intern(form.c_str()), 0x1000 + start);
    for (std::uint64_t i = start; i < start + bytes; ++i) {
      if (mode < 2) u.read.insert(i);
      if (mode == 1) u.written.insert(i);
      if (mode > 1) u.added.insert(i);
    }
  }
  run_all();
  const task_graph graph = read();
  for (const task_graph::edge& e : graph.edges) {
    EXPECT_TRUE(uses[e.to].added.empty()) << "who adds waits for nobody: " << e.to;
  }
  const auto must = [&](std::size_t a, std::size_t b) {
    return meet(uses[a].written, uses[b].read) || meet(uses[a].added, uses[b].read) ||
           meet(uses[a].read, uses[b].written);
  };
  EXPECT_GT(expect_paths(graph, must), 1000u);
}

TEST_F(TaskGraph, ATaskComputesInItsLoopsAndKernelsToo) {
  const auto compute = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  create({});
  trace::record(1, task_begin, line("program.cpp:1"), 1);
  trace::record(1, loop_begin, line("program.cpp:2"), trace::pack(trace::loop_shape{1, 1}));
  compute();
  trace::record(1, loop_end, line("program.cpp:2"), trace::pack(trace::loop_shape{1, 1}));
  trace::record(1, offload_begin, line("kernel"), 1);
  compute();
  trace::record(1, offload_end, line("kernel"), 1);
  trace::record(1, task_end, line("program.cpp:1"), 1);
  EXPECT_GE(read().tasks.at(0).seconds, 0.019);
}

TEST_F(TaskGraph, ATasksOwnTasksHaveDependencesOfTheirOwn) {
  create({{"inout 8", 0x1000}});
  trace::record(0, task_begin, line("program.cpp:1"), 1);
  create({{"inout 8", 0x1000}}, "program.cpp:2");
  create({{"inout 8", 0x1000}}, "program.cpp:2");
  run(2, "program.cpp:2");
  run(3, "program.cpp:2");
  trace::record(0, task_end, line("program.cpp:1"), 1);
  const task_graph graph = read();
  EXPECT_EQ(edges_of(graph), (edges{{1, 2, creates}, {1, 3, creates}, {2, 3, data}}));
  ASSERT_EQ(graph.lines.size(), 2u);
  EXPECT_EQ(graph.lines[0].name, "program.cpp:2");
  EXPECT_EQ(graph.lines[0].tasks, 2u);
  EXPECT_EQ(graph.tasks[0].line, 1u);
  EXPECT_EQ(graph.size(), "3 tasks, 1 dependence");
}

TEST_F(TaskGraph, DependencesAreThoseOfTheBytes) {
  std::mt19937 random(1);
  constexpr std::size_t tasks = 300, memory = 64;
  struct use {
    bytes_of read, written;
  };
  std::vector<use> uses(tasks);
  for (use& u : uses) {
    trace::record(0, task_create, line("program.cpp:1"), ++created_);
    for (std::size_t k = 0, count = 1 + random() % 2; k < count; ++k) {
      const std::size_t bytes = 1 + random() % 4, columns = 1 + random() % 3, stride = bytes + 1 + random() % 6;
      const std::uint64_t start = random() % (memory - bytes - stride * (columns - 1));
      const int mode = static_cast<int>(random() % 3);
      std::string form = std::string(mode == 0   ? "in"
                                     : mode == 1 ? "inout"
                                                 : "out there") +
                         ' ' + std::to_string(bytes);
      if (columns > 1) form += " x " + std::to_string(columns) + " / " + std::to_string(stride);
      trace::record(0, accessed, trace::intern(form.c_str()), 0x1000 + start);
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t i = 0; i < bytes; ++i) {
          if (mode < 2) u.read.insert(start + c * stride + i);
          if (mode > 0) u.written.insert(start + c * stride + i);
        }
    }
  }
  run_all();
  const task_graph graph = read();
  ASSERT_EQ(graph.tasks.size(), tasks);
  for (const task_graph::edge& e : graph.edges) {
    const use &from = uses[e.from], &to = uses[e.to];
    EXPECT_TRUE(meet(from.written, e.kind == data ? to.read : to.written) || meet(from.read, to.written))
        << e.from << " and " << e.to;
  }
  const auto must = [&](std::size_t a, std::size_t b) {
    return meet(uses[a].written, uses[b].read) || meet(uses[a].written, uses[b].written) ||
           meet(uses[a].read, uses[b].written);
  };
  EXPECT_GT(expect_paths(graph, must), 1000u);
}

TEST_F(TaskGraph, AWindowHasTheTasksThatBeganInIt) {
  create({{"inout 8", 0x1000}});
  create({{"inout 8", 0x1000}});
  run_all();
  create({{"inout 8", 0x1000}});  // it never began
  EXPECT_EQ(edges_of(read()), (edges{{1, 2, data}}));
  EXPECT_NE(message_of([&] {
              task_graph_of(path_, {1000, 2000});
            }).find("none of its 3 tasks began then"),
            std::string::npos);
}

TEST_F(TaskGraph, ATraceWithoutTasksIsAnError) {
  trace::record(0, loop_begin, line("program.cpp:1"), trace::pack(trace::loop_shape{1, 1}));
  trace::record(0, loop_end, line("program.cpp:1"), trace::pack(trace::loop_shape{1, 1}));
  trace::stop();
  EXPECT_NE(message_of([&] { task_graph_of(path_, {}); }).find("has no task graph: it holds no tasks"),
            std::string::npos);
}

TEST_F(TaskGraph, ADamagedAccessIsAnError) {
  create({{"in 8 x 3 / 4", 0x1000}});
  run_all();
  stop();
  EXPECT_NE(message_of([&] { task_graph_of(path_, {}); }).find("the trace is damaged"), std::string::npos);
}

TEST_F(TaskGraph, NamesAreQuoted) {
  create({}, "a\"b\\c<d>&.cpp:1");
  run(1, "a\"b\\c<d>&.cpp:1");
  const task_graph graph = read();
  EXPECT_NE(to_dot(graph).find(R"~(label="a\"b\\c<d>&.cpp:1 (1)")~"), std::string::npos) << to_dot(graph);
  EXPECT_NE(to_svg(graph).find("a&quot;b\\c&lt;d>&amp;.cpp:1"), std::string::npos) << to_svg(graph);
}

TEST_F(TaskGraph, APictureOfVeryManyTasksIsRefused) {
  task_graph graph;
  graph.lines.push_back({"program.cpp:1", 2001});
  for (std::uint64_t i = 1; i <= 2001; ++i) graph.tasks.push_back({i, 0, 0});
  EXPECT_NE(message_of([&] { to_svg(graph); }).find("2001 tasks"), std::string::npos);
  graph.tasks.pop_back();
  EXPECT_NE(to_svg(graph).find("</svg>"), std::string::npos);
}

}  // namespace
