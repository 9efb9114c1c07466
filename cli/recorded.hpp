#pragma once
// What the program of a trace did, as it said it: for each of its bodies (its own control flow, tasks, streams,
// kernels, blocks of loops) how long it computed and what it asked of the runtime, in order.

#include <cstdint>
#include <string>
#include <vector>

#include "maslin/trace.hpp"

struct recorded {
  enum class act : std::uint8_t {
    compute,  ///< what: nanoseconds
    create,   ///< what: place in `tasks`
    wait,     ///< for all that the body created, or for a group; what: its number, or 0
    end,      ///< of a group; what: its number
    wait_on,  ///< what: place in `accesses`
    loop,     ///< what: place in `loops`
    phase,    ///< what: place in `phases`
    kernel,   ///< what: place in `kernels`
    move,     ///< data between caches and memory, while it goes on; what: bytes
  };
  struct step {
    act does;
    std::uint64_t what;
  };
  struct body {
    std::vector<step> steps;
  };
  /// What a task does to data, or what a wait is for.
  struct access {
    maslin::trace::access_form form;
    std::uint64_t address;
  };
  struct task {
    std::uint32_t site = 0;  ///< its name's number
    std::uint32_t first_access = 0;
    std::uint32_t accesses = 0;
    std::uint32_t runs = 0;      ///< place in `bodies`
    std::uint32_t group = 0;     ///< its number, from 1 up; 0: none
    std::int64_t begin_ns = -1;  ///< when it began; below 0: it never did
  };
  /// Blocks [first, last) of a loop, which a worker ran one after another.
  struct piece {
    std::int64_t first;
    std::int64_t last;
    std::uint32_t runs;
  };
  struct loop {
    std::uint32_t site;
    std::int64_t blocks;
    std::vector<piece> pieces;  ///< by their first blocks
  };
  struct phase {
    std::uint32_t name;
    std::vector<std::uint32_t> streams;  ///< bodies, by index
  };
  struct kernel {
    std::uint32_t name;
    std::uint32_t runs;
  };

  std::vector<body> bodies;  ///< the first is the program's own
  std::vector<task> tasks;
  std::vector<access> accesses;
  std::vector<loop> loops;
  std::vector<phase> phases;
  std::vector<kernel> kernels;
  std::vector<std::string> names;  ///< by number
  std::string program;
  int workers = 0;
  double seconds = 0;          ///< from the runtime's start to its end
  double trimmed_seconds = 0;  ///< from the program's first call to the end of its last
  double work = 0;             ///< seconds that all bodies computed
  /// Of the phases of which the trace tells what they took of the CPUs: how long they took, and that.
  double phase_seconds = 0;
  double phase_cpu_seconds = 0;

  /// Calls `with(name, body)` for the body of each task, kernel and stream and of each piece of a loop.
  template <class With>
  void each_named_body(With&& with) const {
    for (const task& t : tasks) with(t.site, t.runs);
    for (const kernel& k : kernels) with(k.name, k.runs);
    for (const loop& l : loops)
      for (const piece& p : l.pieces) with(l.site, p.runs);
    for (const phase& p : phases)
      for (const std::uint32_t stream : p.streams)
        if (stream < bodies.size()) with(p.name, stream);  // it may never have begun
  }
  /// Gives whether the body at that place says what it moves to and from memory.
  bool tells_traffic(std::uint32_t place) const;

  const std::string& name(std::uint32_t number) const { return names[number < names.size() ? number : 0]; }
};

/// Reads what the program did. Throws `maslin::error` for a trace that does not hold all of it, and so `lacks` what the
/// caller wants: "cannot be replayed".
recorded read_recorded(const std::string& path, const std::string& lacks = "cannot be replayed");
