#include "exec/virtual/hosts.hpp"

#include <algorithm>
#include <utility>

#include "base/float_mode.hpp"
#include "exec/core/streams.hpp"
#include "exec/in_place.hpp"
#include "exec/virtual/monitor_guard.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

code_version version_for(int width) { return width == 1 ? code_version::one_worker : code_version::team; }

}  // namespace

hosts::hosts(virtual_executor& exec, const machine::machine_spec& machine, int first_number)
    : exec_(exec), first_number_(first_number) {
  const int count = machine.hosts->contexts * machine.nodes;
  for (int i = 0; i < count; ++i) contexts_.push_back(std::make_unique<host_context>(exec, first_number + i));
  for (int i = 0; i < count; ++i) {
    const int core = i / machine.hosts->threads_per_core * machine.hosts->threads_per_core;
    for (int k = core; k < core + machine.hosts->threads_per_core; ++k)
      if (i != k)
        contexts_[static_cast<std::size_t>(i)]->neighbours.push_back(contexts_[static_cast<std::size_t>(k)].get());
  }
}

bool hosts::give_turn() {
  return std::any_of(contexts_.begin(), contexts_.end(), [](const auto& c) { return c->give_turn(); });
}

/// Binds a new thread to the context that fewest share, of those on the worker's node. Its caller is inside.
void hosts::begin_stream(phase_run& phase, std::int64_t index, int worker) MASLIN_UNCHECKED {
  virtual_fiber& f = exec_.take_fiber(idle_streams_, stream_body);
  f.stream.emplace(phase, index);
  phase.started(*f.stream, worker);
  const auto of_node = contexts_.begin() + exec_.times_.hosts_of_worker(worker);
  const auto fewest = std::min_element(of_node, of_node + exec_.times_.contexts,
                                       [](const auto& a, const auto& b) { return a->threads() < b->threads(); });
  (*fewest)->bind(f);
  f.home->enqueue(f, exec_.now_);
}

void hosts::stream_body(void* fiber) {
  auto& me = *static_cast<virtual_fiber*>(fiber);
  virtual_executor& exec = me.exec;
  for (;;) {
    exec.run_stream(*me.stream);
    auto& h = *static_cast<host_context*>(me.home);
    h.unbind(me);
    exec.set_idle(exec.hosts_->idle_streams_, me);
    h.running = nullptr;
    exec.expect(h, h.clock);
    exec.leave(me);
  }
}

// Off-loads
// -------------------------------------------------------------------------------------------------------------------

/// From a host: to its team's first worker, unless the kernel is too small for that or the host is its loops' master.
void hosts::send(context& here, stream_run* s, std::uint32_t kernel, int width, void (*call)(void*), void* env) {
  if (stays_on_host(here, kernel, width)) {
    run_on_host(here, kernel, 1, call, env);
  } else if (is_master(here, s, kernel, width)) {
    run_on_host(here, kernel, width, call, env);
  } else {
    kernel_run k{call, env, &here, kernel, width, s};
    if (s) k.ticket = s->phase.sizing().arrived();
    call_on_team(here, k);
    if (k.thrown) std::rethrow_exception(k.thrown);
  }
  if (s && here.owns_stream) core::look_at(exec_, *s, exec_.ticks());
}

/// Is the kernel too small to be off-loaded to a team of that width?
bool hosts::stays_on_host(const context& caller, std::uint32_t kernel, int width) {
  if (const auto pinned = exec_.pinned_place(kernel)) return *pinned == grain::kernel_place::host;
  if (!exec_.times_.controls_grain) return false;
  const virtual_executor::monitor_guard calling(exec_);
  const auto& h = *static_cast<const host_context*>(exec_.here());
  const std::int64_t sharing = std::max<std::int64_t>(1, h.present());
  const double one = exec_.times_.kernel_on_host * lengths_.of_one_worker(kernel, width);
  const bool has_code = exec_.at(exec_.calling_team(caller).first()).code == version_for(width);
  return !grain::worth_off_loading(
      {.accelerator = lengths_.at_width(kernel, width),
       .host = h.slowed(one),
       .communication = static_cast<double>(exec_.times_.signal),
       .code = has_code ? 0 : static_cast<double>(exec_.times_.code),
       .context_switch = sharing > 1 ? static_cast<double>(exec_.times_.context_switch) : 0,
       .sharing = sharing});
}

/// Does the host give the workers of that team their parts of the kernel's loops? Only of a kernel that is known to
/// have such loops: it would run all of another one.
bool hosts::is_master(const context& caller, const stream_run* s, std::uint32_t kernel, int width) MASLIN_UNCHECKED {
  const grain::loop_master fixed = exec_.times_.master;
  if (fixed == grain::loop_master::worker || exec_.pinned_place(kernel)) return false;
  const virtual_executor::monitor_guard calling(exec_, false);
  const std::optional<double> by_itself = lengths_.by_itself(kernel, width);
  const bool may_be = width > 1 && by_itself;
  if (fixed == grain::loop_master::host || !s || !caller.owns_stream)
    return may_be && fixed == grain::loop_master::host;
  const std::string_view phase = s->phase.what().name;
  if (s->phase.sizing().sampling()) {
    for (auto& [key, trial] : masters_)
      if (std::get<0>(key) == phase) trial.interrupt();
    return false;
  }
  // The host is spared the way to the worker and back. Where the rest of the kernel takes it longer by more than that,
  // there is nothing to be tried.
  const auto spared = static_cast<double>(2 * exec_.times_.signal + exec_.times_.wake);
  if (!may_be || *by_itself * (exec_.times_.kernel_on_host - 1) > spared) return false;
  const int streams = s->phase.current().streams;
  grain::master_trial& trial = masters_.try_emplace({phase, streams, width}, streams).first->second;
  const bool host = trial.begins(static_cast<std::int64_t>(exec_.ticks())) == grain::loop_master::host;
  if (trial.chosen()) s->phase.report()->chose_loop_master(host ? "host" : "worker");
  return host;
}

/// Runs the kernel on the calling thread's host context, which it keeps meanwhile, but for loops that it shares with a
/// team of that width.
void hosts::run_on_host(context& caller, std::uint32_t kernel, int width, void (*call)(void*), void* env) {
  auto* s = static_cast<stream_run*>(caller.stream);
  const bool alone = width == 1;
  const std::uint64_t ticket = !s ? 0 : alone ? s->phase.sizing().stayed() : s->phase.sizing().arrived();
  const int at = s ? s->worker : exec_.track();
  const auto begin = static_cast<picoseconds>(exec_.ticks());
  const auto& h = *static_cast<const host_context*>(exec_.here());
  const double longer = exec_.times_.kernel_on_host * static_cast<double>(h.slowed(picoseconds{1'000'000})) * 1e-6;
  const std::uint32_t name = traced_kernel(kernel);
  const std::uint64_t where = alone ? trace::on_host : static_cast<std::uint64_t>(width);
  trace::record(at, trace::event_kind::offload_begin, name, where);
  std::exception_ptr thrown;
  try {
    call_kernel(exec_, caller, alone, call, env);
  } catch (...) {
    thrown = std::current_exception();
  }
  const virtual_executor::monitor_guard end(exec_);
  trace::record(at, trace::event_kind::offload_end, name, where);
  const picoseconds length = static_cast<picoseconds>(exec_.ticks()) - begin;
  if (alone) lengths_.ran(kernel, 1, static_cast<picoseconds>(static_cast<double>(length) / longer));
  if (s)
    s->phase.sizing().departed(ticket, s->worker, s->phase.sizing().counts().of_kernel(kernel), width,
                               static_cast<std::uint64_t>(length), true);
  if (thrown) std::rethrow_exception(thrown);
}

/// Sends the kernel to the first worker of the caller's team; the calling thread goes on when the worker's signal is
/// back.
void hosts::call_on_team(const context& caller, kernel_run& k) {
  const virtual_executor::monitor_guard calling(exec_);
  auto& h = *static_cast<host_context*>(exec_.here());
  virtual_worker& to = exec_.at(exec_.calling_team(caller).first());
  k.waits = h.running;
  k.arrives = exec_.signalled(to);
  to.kernels.insert(std::upper_bound(to.kernels.begin(), to.kernels.end(), k.arrives,
                                     [](picoseconds when, const kernel_run* other) { return when < other->arrives; }),
                    &k);
  exec_.expect(to, k.arrives);
  h.off_loaded();
  exec_.make_way(*k.waits);
}

void hosts::needs_code(virtual_worker& w, code_version version) const {
  if (std::exchange(w.code, version) != version) w.clock = later(w.clock, exec_.times_.code);
}

bool hosts::run_kernel(virtual_worker& w) {
  if (w.kernels.empty()) return false;
  kernel_run& k = *w.kernels.front();
  if (k.arrives > w.clock) return exec_.expect(w, k.arrives), false;
  w.kernels.erase(w.kernels.begin());
  needs_code(w, version_for(k.width));
  const picoseconds begin = w.clock;
  const std::uint32_t name = traced_kernel(k.kernel);
  trace::record(w.index, trace::event_kind::offload_begin, name, static_cast<std::uint64_t>(k.width));
  w.in_loops = 0;
  w.shares_loops = false;
  calling_thread::code_begins();
  try {
    const entered in(*k.caller);
    const base::in_float_mode callers(k.mode);
    call_kernel(exec_, *k.caller, k.width == 1, k.call, k.env);
  } catch (...) {
    k.thrown = std::current_exception();
  }
  const virtual_executor::monitor_guard end(exec_);
  trace::record(w.index, trace::event_kind::offload_end, name, static_cast<std::uint64_t>(k.width));
  const picoseconds length = w.clock - begin;
  lengths_.ran(k.kernel, k.width, length);
  if (w.shares_loops) lengths_.shared_loops(k.kernel, k.width, std::max<picoseconds>(0, length - w.in_loops));
  if (k.stream)
    k.stream->phase.sizing().departed(k.ticket, w.index, k.stream->phase.sizing().counts().of_kernel(k.kernel), k.width,
                                      static_cast<std::uint64_t>(length), true);
  k.waits->on_host.last_length = length;
  k.waits->home->enqueue(*k.waits, exec_.signalled(*k.waits->home));
  return true;
}

}  // namespace maslin
