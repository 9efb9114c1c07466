#include "layout_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "maslin/error.hpp"

namespace {

namespace layers = maslin::layers;
using act = recorded::act;

/// What a loop's blocks, or tasks, copy where their workers have local stores: what tasks name, and what code says that
/// it moves where there is nothing named.
struct copied_bytes {
  double in = 0, out = 0, moved = 0;
  double sum() const { return in + out + moved; }
};

void add_loop(std::vector<layers::alike_loops>& to, std::int64_t blocks, double seconds,
              const copied_bytes& bytes = {}) {
  const auto same = std::find_if(to.begin(), to.end(), [&](const layers::alike_loops& l) {
    return l.blocks == blocks && (copied_bytes{l.bytes_in, l.bytes_out, l.bytes_moved}.sum() > 0) == (bytes.sum() > 0);
  });
  layers::alike_loops& l = same == to.end() ? to.emplace_back(layers::alike_loops{0, blocks, 0}) : *same;
  ++l.count;
  l.seconds += seconds;
  l.bytes_in += bytes.in;
  l.bytes_out += bytes.out;
  l.bytes_moved += bytes.moved;
}

class reading {
 public:
  reading(const recorded& program, bool moves) : program_(program), moves_(moves), known_(program.bodies.size()) {}

  layers::profile all() {
    outside(0);
    return std::move(into_);
  }

 private:
  /// Gives the seconds of a body with all that it asked for, one after the other.
  double whole(std::uint32_t body) {
    if (body >= program_.bodies.size()) return 0;  // a stream that never began
    if (known_[body]) return *known_[body];
    known_[body] = 0;  // a body is never part of itself
    double sum = 0;
    for (const recorded::step& s : program_.bodies[body].steps) sum += s.does == act::compute ? computed(s) : asked(s);
    known_[body] = sum;
    return sum;
  }

  static double computed(const recorded::step& s) { return static_cast<double>(s.what) * 1e-9; }

  /// Gives the seconds of what the step asked for.
  double asked(const recorded::step& s) {
    switch (s.does) {
      case act::create:
        return whole(program_.tasks[s.what].runs);
      case act::loop: {
        double sum = 0;
        for (const recorded::piece& p : program_.loops[s.what].pieces) sum += whole(p.runs);
        return sum;
      }
      case act::phase: {
        double sum = 0;
        for (const std::uint32_t stream : program_.phases[s.what].streams) sum += whole(stream);
        return sum;
      }
      case act::kernel:
        return whole(program_.kernels[s.what].runs);
      default:
        return 0;
    }
  }

  /// Gives what a body says that it moves, with the loops in it.
  double moved(std::uint32_t body) const {
    double sum = 0;
    if (body >= program_.bodies.size()) return sum;
    for (const recorded::step& s : program_.bodies[body].steps) {
      if (s.does == act::move) sum += static_cast<double>(s.what);
      if (s.does == act::loop) sum += moved(program_.loops[s.what]);
    }
    return sum;
  }
  double moved(const recorded::loop& l) const {
    double sum = 0;
    for (const recorded::piece& p : l.pieces) sum += moved(p.runs);
    return sum;
  }

  /// Tasks that were created between two waits are shared by a team as the blocks of a loop are.
  struct batch {
    std::int64_t tasks = 0;
    double seconds = 0;
    copied_bytes bytes;
    void end(std::vector<layers::alike_loops>& to) {
      if (tasks > 0) add_loop(to, tasks, seconds, bytes);
      *this = {};
    }
  };

  void add_copied(const recorded::task& t, copied_bytes& to) const {
    using maslin::access_mode;
    if (moves_ && t.accesses == 0) to.moved += moved(t.runs);
    for (std::uint32_t i = 0; i < t.accesses; ++i) {
      const auto& form = program_.accesses[t.first_access + i].form;
      const double bytes = static_cast<double>(form.bytes) * static_cast<double>(form.columns);
      if (form.mode != access_mode::out && form.mode != access_mode::reduction) to.in += bytes;
      if (form.mode != access_mode::in) to.out += bytes;
    }
  }

  /// What a team can share of a step that is no kernel; gives whether there is something.
  bool shared(const recorded::step& s, std::vector<layers::alike_loops>& to, batch& tasks) {
    switch (s.does) {
      case act::create:
        ++tasks.tasks;
        tasks.seconds += asked(s);
        add_copied(program_.tasks[s.what], tasks.bytes);
        return true;
      case act::wait:
      case act::wait_on:
        tasks.end(to);
        return true;
      case act::loop: {
        const recorded::loop& l = program_.loops[s.what];
        add_loop(to, l.blocks, asked(s), {0, 0, moves_ ? moved(l) : 0});
        return true;
      }
      case act::phase:  // inside another: its streams divide that one's team
        add_loop(to, static_cast<std::int64_t>(program_.phases[s.what].streams.size()), asked(s));
        return true;
      default:
        return false;
    }
  }

  /// The program, and tasks that hold phases.
  void outside(std::uint32_t body) {
    batch tasks;
    for (const recorded::step& s : program_.bodies[body].steps) {
      if (s.does == act::compute)
        into_.alone += computed(s);
      else if (s.does == act::phase)
        phase(program_.phases[s.what]);
      else if (s.does == act::create && holds_phase(program_.tasks[s.what].runs))
        outside(program_.tasks[s.what].runs);
      else if (s.does == act::kernel)
        into_.alone += asked(s);
      else
        shared(s, into_.between, tasks);
    }
    tasks.end(into_.between);
  }

  bool holds_phase(std::uint32_t body) {
    for (const recorded::step& s : program_.bodies[body].steps) {
      if (s.does == act::phase) return true;
      if (s.does == act::create && holds_phase(program_.tasks[s.what].runs)) return true;
    }
    return false;
  }

  void phase(const recorded::phase& p) {
    const std::string& name = program_.name(p.name);
    auto of = std::find_if(into_.phases.begin(), into_.phases.end(), [&](const auto& one) { return one.name == name; });
    if (of == into_.phases.end()) of = into_.phases.insert(of, layers::phase{name, {}});
    layers::phase_run run;
    for (const std::uint32_t body : p.streams)
      run.streams.push_back(body < program_.bodies.size() ? stream(body) : layers::stream{});
    of->runs.push_back(std::move(run));
  }

  layers::stream stream(std::uint32_t body) {
    layers::stream s;
    batch tasks;
    double before = 0;  // this kernel, on the host
    for (const recorded::step& one : program_.bodies[body].steps) {
      if (one.does == act::compute) {
        s.host += computed(one);
        before += computed(one);
      } else if (one.does == act::kernel) {
        ++s.kernels;
        s.host_squares += before * before;
        before = 0;
        const double takes = asked(one);
        s.kernel_squares += takes * takes;
        kernel(program_.kernels[one.what].runs, s);
      } else {
        shared(one, s.own, tasks);
      }
    }
    tasks.end(s.own);
    return s;
  }

  void kernel(std::uint32_t body, layers::stream& into) {
    batch tasks;
    for (const recorded::step& s : program_.bodies[body].steps) {
      if (s.does == act::compute)
        into.serial += computed(s);
      else if (s.does == act::kernel)  // it stays with its caller
        kernel(program_.kernels[s.what].runs, into);
      else if (shared(s, into.in_kernel, tasks) && (s.does == act::create || s.does == act::phase))
        into.kernels_have_tasks = true;
    }
    tasks.end(into.in_kernel);
  }

  const recorded& program_;
  const bool moves_;
  layers::profile into_;
  std::vector<std::optional<double>> known_;
};

/// What all runs of a phase compute.
struct computed_by {
  double code = 0, loops = 0;
};
computed_by sums_of(const layers::phase& p) {
  computed_by sums;
  for (const layers::phase_run& run : p.runs)
    for (const layers::stream& s : run.streams) {
      sums.code += s.host + s.serial;
      sums.loops += s.parallel();
    }
  return sums;
}

double slowed_by_each(double alone, double beside, int copies) {
  return alone > 0 ? std::max(0.0, beside / alone - 1) / copies : 0;
}

}  // namespace

layers::profile profile_of(const recorded& program, const std::string& trace, bool moves) {
  if (program.workers != 1)
    throw maslin::error(
        fmt::format("the trace '{}' was recorded on {} workers, which share what they measure; record it with "
                    "MASLIN_WORKERS=1",
                    trace, program.workers));
  layers::profile p = reading(program, moves).all();
  if (p.phases.empty())
    throw maslin::error(fmt::format(
        "'{}' has no phase: there are no streams to lay out; put its independent parts into ms::phase, or ask "
        "`maslin scale` how many workers it can use",
        program.program));
  return p;
}

void add_neighbours(layers::profile& alone, const layers::profile& beside, int copies) {
  for (layers::phase& p : alone.phases) {
    const auto there = std::find_if(beside.phases.begin(), beside.phases.end(),
                                    [&](const layers::phase& one) { return one.name == p.name; });
    if (there == beside.phases.end())
      throw maslin::error(fmt::format("--beside: phase '{}' did not run beside the copies of the program", p.name));
    const computed_by first = sums_of(p), second = sums_of(*there);
    p.slowed_by = {slowed_by_each(first.code, second.code, copies), slowed_by_each(first.loops, second.loops, copies)};
  }
  const auto between = [](const layers::profile& p) {
    double sum = 0;
    for (const layers::alike_loops& l : p.between) sum += l.seconds;
    return sum;
  };
  alone.between_slowed_by.loops = slowed_by_each(between(alone), between(beside), copies);
}
