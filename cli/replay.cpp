#include "replay.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "maslin/cost.hpp"
#include "maslin/error.hpp"
#include "maslin/maslin.h"
#include "maslin/runtime.hpp"

namespace {

void good(int status) {
  if (status != MASLIN_OK) throw maslin::error(fmt::format("the replay failed: {}", maslin_error_message()));
}

/// Memory that stands for the recorded program's: every byte that an access named has one here, those that lay next to
/// each other still do, and none is touched unless the runtime copies it.
class shadow {
 public:
  explicit shadow(const std::vector<recorded::access>& accesses) {
    std::vector<span> all;
    all.reserve(accesses.size());
    for (const recorded::access& a : accesses) {
      std::uint64_t bytes = 0, end = 0;
      if (a.form.bytes == 0 || a.form.columns == 0) continue;
      if (__builtin_mul_overflow(a.form.columns - 1, a.form.stride, &bytes) ||
          __builtin_add_overflow(bytes, a.form.bytes, &bytes) || __builtin_add_overflow(a.address, bytes, &end))
        throw maslin::error(
            fmt::format("the trace cannot be replayed: an access of '{}' at {:#x} lies outside all memory",
                        maslin::trace::to_string(a.form), a.address));
      all.push_back({a.address, end, 0});
    }
    std::sort(all.begin(), all.end(), [](const span& a, const span& b) { return a.first < b.first; });
    constexpr std::uint64_t page = 4096;
    for (const span& s : all) {
      if (!spans_.empty() && s.first <= spans_.back().last) {
        spans_.back().last = std::max(spans_.back().last, s.last);
      } else {
        spans_.push_back(s);
      }
    }
    for (span& s : spans_) {
      s.at = bytes_ + s.first % page;
      bytes_ = (s.at + (s.last - s.first) + page - 1) / page * page;
    }
    if (bytes_ == 0) return;
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw maslin::error(fmt::format("the recorded tasks name {} bytes of data, for which there is no room here: {}",
                                      bytes_, std::strerror(errno)));
    memory_ = static_cast<char*>(memory);
  }
  ~shadow() {
    if (memory_) munmap(memory_, bytes_);
  }
  shadow(const shadow&) = delete;
  shadow& operator=(const shadow&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  void* at(std::uint64_t address) const {
    const auto after = std::upper_bound(spans_.begin(), spans_.end(), address,
                                        [](std::uint64_t a, const span& s) { return a < s.first; });
    if (after == spans_.begin()) return nullptr;
    return memory_ + after[-1].at + (address - after[-1].first);
  }

 private:
  struct span {
    std::uint64_t first, last, at;
  };
  std::vector<span> spans_;
  std::uint64_t bytes_ = 0;
  char* memory_ = nullptr;
};

const maslin_operation nothing{1, [](void*, size_t) {}, [](void*, const void*, size_t) {}};

static_assert(MASLIN_IN == static_cast<int>(maslin::access_mode::in) &&
              MASLIN_OUT == static_cast<int>(maslin::access_mode::out) &&
              MASLIN_INOUT == static_cast<int>(maslin::access_mode::inout) &&
              MASLIN_CONCURRENT == static_cast<int>(maslin::access_mode::concurrent) &&
              MASLIN_REDUCTION == static_cast<int>(maslin::access_mode::reduction));

/// A name as the runtime wants a source line.
struct source_line {
  std::string file;
  int line = 0;
};

/// Sets an environment variable while it lives.
class setting {
 public:
  setting(const char* name, const std::string& value) : name_(name) {
    if (const char* now = std::getenv(name)) before_ = now;
    had_ = std::getenv(name) != nullptr;
    if (value.empty())
      unsetenv(name);
    else
      setenv(name, value.c_str(), 1);
  }
  ~setting() {
    if (had_)
      setenv(name_, before_.c_str(), 1);
    else
      unsetenv(name_);
  }
  setting(const setting&) = delete;
  setting& operator=(const setting&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_;
};

}  // namespace

struct replay::state {
  explicit state(const recorded& p) : program(p), memory(p.accesses) {
    accesses.reserve(p.accesses.size());
    for (const recorded::access& a : p.accesses) accesses.push_back(access_of(a));
    for (const std::string& name : p.names) {
      const auto colon = name.rfind(':');
      const char* digits = colon == std::string::npos ? "0" : name.c_str() + colon + 1;
      lines.push_back({name.substr(0, colon), std::atoi(digits)});
    }
  }

  maslin_access access_of(const recorded::access& a) const {
    // An out whose data cannot lie elsewhere waits as an inout does.
    const bool stays = a.form.mode == maslin::access_mode::out && !a.form.renames;
    maslin_access made =
        maslin_access_to(stays ? MASLIN_INOUT : static_cast<int>(a.form.mode), memory.at(a.address), 1,
                         static_cast<std::int64_t>(a.form.bytes), static_cast<std::int64_t>(a.form.columns),
                         static_cast<std::int64_t>(a.form.stride));
    if (made.mode == MASLIN_REDUCTION) made.operation = &nothing;
    return made;
  }
  maslin_location line(std::uint32_t name) const { return {lines[name].file.c_str(), lines[name].line}; }

  maslin_group* group(std::uint32_t number) {
    if (number == 0) return nullptr;
    maslin_group*& of = groups[number];
    if (!of) good(maslin_group_create(&of));
    return of;
  }
  maslin_kernel kernel(std::uint32_t name) {
    const auto [at, fresh] = kernels.try_emplace(name, 0);
    if (fresh) good(maslin_kernel_named(program.name(name).c_str(), &at->second));
    return at->second;
  }

  /// Does what the body did; it computes for `share` of its time, and asks for something only if it `asks`.
  void act(std::uint32_t body, double share = 1, bool asks = true);
  void act_program(bool trimmed);
  void step(const recorded::step& s, double share);
  void create(std::uint32_t place);
  void run_loop(const recorded::loop& l);
  void run_phase(const recorded::phase& p);
  void run_kernel(const recorded::kernel& k);

  /// Does what a body does; a C body's way to say that it failed.
  template <class Do>
  int attempt(Do&& work) noexcept {
    try {
      work();
      return MASLIN_OK;
    } catch (const std::exception& e) {
      if (problem.empty()) problem = e.what();
      return 1;
    }
  }

  const recorded& program;
  const shadow memory;
  std::vector<maslin_access> accesses;
  std::vector<source_line> lines;  ///< by name
  std::unordered_map<std::uint32_t, maslin_group*> groups;
  std::unordered_map<std::uint32_t, maslin_kernel> kernels;
  std::string problem;  ///< the first; bodies run one at a time
  bool moves_data = true;
};

void replay::state::act(std::uint32_t body, double share, bool asks) {
  for (const recorded::step& s : program.bodies[body].steps)
    if (asks || s.does == recorded::act::compute || s.does == recorded::act::move) step(s, share);
}

void replay::state::act_program(bool trimmed) {
  const auto asks = [](const recorded::step& s) {
    return s.does != recorded::act::compute && s.does != recorded::act::move;
  };
  const std::vector<recorded::step>& steps = program.bodies[0].steps;
  auto first = steps.begin();
  auto last = steps.end();
  if (trimmed) {
    first = std::find_if(first, last, asks);
    last = std::find_if(steps.rbegin(), steps.rend(), asks).base();
  }
  for (auto s = first; s < last; ++s) step(*s, 1);
}

void replay::state::step(const recorded::step& s, double share) {
  switch (s.does) {
    case recorded::act::compute:
      return maslin::cost(std::chrono::duration<double>(static_cast<double>(s.what) * 1e-9 * share));
    case recorded::act::move:
      if (moves_data) maslin::memory_traffic(std::llround(static_cast<double>(s.what) * share));
      return;
    case recorded::act::create:
      return create(static_cast<std::uint32_t>(s.what));
    case recorded::act::wait:
      if (s.what == 0) return good(maslin_wait());
      if (const auto of = groups.find(static_cast<std::uint32_t>(s.what)); of != groups.end())
        good(maslin_group_wait(of->second));
      return;
    case recorded::act::end:
      if (const auto of = groups.extract(static_cast<std::uint32_t>(s.what)); !of.empty())
        good(maslin_group_destroy(of.mapped()));
      return;
    case recorded::act::wait_on:
      return good(maslin_wait_on(accesses[s.what]));
    case recorded::act::loop:
      return run_loop(program.loops[s.what]);
    case recorded::act::phase:
      return run_phase(program.phases[s.what]);
    case recorded::act::kernel:
      return run_kernel(program.kernels[s.what]);
  }
}

void replay::state::create(std::uint32_t place) {
  struct call {
    state* in;
    std::uint32_t body;
  };
  const recorded::task& t = program.tasks[place];
  const call what{this, t.runs};
  const maslin_task_options options{sizeof options, 0, group(t.group)};
  const auto body = [](void* arguments, const maslin_view*) {
    const call& c = *static_cast<const call*>(arguments);
    return c.in->attempt([&] { c.in->act(c.body); });
  };
  good(maslin_task_at(line(t.site), body, &what, sizeof what, accesses.data() + t.first_access,
                      static_cast<int>(t.accesses), &options));
}

void replay::state::run_loop(const recorded::loop& l) {
  if (l.blocks <= 0) return;
  struct call {
    state* in;
    const recorded::loop* of;
  };
  call what{this, &l};
  const auto body = [](void* env, std::int64_t block, std::int64_t) {
    const call& c = *static_cast<const call*>(env);
    const auto& pieces = c.of->pieces;
    auto at = std::upper_bound(pieces.begin(), pieces.end(), block,
                               [](std::int64_t b, const recorded::piece& p) { return b < p.first; });
    if (at == pieces.begin()) return static_cast<int>(MASLIN_OK);
    --at;
    // Its blocks share the piece's time; what they asked for the first asks for.
    const double share = 1.0 / static_cast<double>(at->last - at->first);
    return c.in->attempt([&] { c.in->act(at->runs, share, block == at->first); });
  };
  maslin_loop_options options{};
  options.size = sizeof options;
  options.block = 1;
  good(maslin_parallel_for_at(line(l.site), 0, l.blocks, body, &what, &options));
}

void replay::state::run_phase(const recorded::phase& p) {
  struct call {
    state* in;
    const recorded::phase* of;
  };
  call what{this, &p};
  const auto body = [](void* env, std::int64_t index) {
    const call& c = *static_cast<const call*>(env);
    const std::uint32_t runs = c.of->streams[static_cast<std::size_t>(index)];
    return c.in->attempt([&] {
      if (runs < c.in->program.bodies.size()) c.in->act(runs);
    });
  };
  good(maslin_phase(program.name(p.name).c_str(), static_cast<std::int64_t>(p.streams.size()), body, &what));
}

void replay::state::run_kernel(const recorded::kernel& k) {
  struct call {
    state* in;
    const recorded::kernel* of;
  };
  call what{this, &k};
  const auto body = [](void* env) {
    const call& c = *static_cast<const call*>(env);
    return c.in->attempt([&] { c.in->act(c.of->runs); });
  };
  good(maslin_offload(kernel(k.name), body, &what));
}

void expect_workers(int asked, const maslin::machine::machine_spec& machine) {
  const int described = machine.workers.count * machine.nodes;
  if (asked > described)
    throw maslin::error(fmt::format("--workers {}: '{}' has {}; ask for no more, or describe a larger machine", asked,
                                    machine.file, described));
}

replay::replay(const recorded& program) : state_(std::make_unique<state>(program)) {}
replay::~replay() = default;
std::uint64_t data_bytes(const recorded& program) { return shadow(program.accesses).bytes(); }

double replay::run(const replay_wishes& how) {
  const setting machine("MASLIN_MACHINE", how.machine);
  const setting workers("MASLIN_WORKERS", "");
  const setting durations("MASLIN_DURATIONS", "declared");
  const setting loops("MASLIN_LOOP", how.loops);
  const setting trace("MASLIN_TRACE", how.trace);
  const setting quiet("MASLIN_QUIET", "1");
  const setting parallel("MASLIN_SERIAL", "");
  const setting detail("MASLIN_TRACE_DETAIL", "");
  const setting when_full("MASLIN_TRACE_FULL", "wait");
  const setting report("MASLIN_REPORT", "off");
  const setting learned("MASLIN_LEARNED", "off");
  state& s = *state_;
  s.problem.clear();
  s.moves_data = how.memory;
  maslin::Runtime::options options;
  options.workers = how.workers;
  const maslin::Runtime runtime(options);
  const auto begin = maslin::time();
  const int status = s.attempt([&] {
    s.act_program(how.trimmed);
    good(maslin_wait());
  });
  const auto end = maslin::time();
  for (auto& [number, group] : s.groups) maslin_group_destroy(group);
  s.groups.clear();
  if (status != MASLIN_OK || !s.problem.empty()) throw maslin::error(s.problem);
  return (end - begin).count();
}
