#include <algorithm>
#include <bit>

#include "exec/core/loops.hpp"
#include "exec/in_place.hpp"
#include "exec/virtual/monitor_guard.hpp"

namespace maslin {

namespace {

/// The worker runs blocks of a loop that a team shares. `accelerators`: whose workers may have to wait for that code.
struct runs_shared_blocks {
  runs_shared_blocks(const hosts* accelerators, virtual_worker* w) {
    if (accelerators && w) accelerators->needs_code(*w, code_version::team);
  }
  const calling_thread::runs_code_meanwhile during;
};

/// Block by block: each takes its time.
struct block_by_block {
  virtual_executor& exec;
  std::int64_t first;

  static std::int64_t end_of_piece(std::int64_t next) { return next + 1; }
  void ran(context& here) const noexcept {
    exec.ran();
    here.declares = false;
  }
  bool stops(std::int64_t next) const {
    // What throws earlier, further down, ends this: it is to be seen however many blocks there are.
    constexpr std::uint64_t often_enough = 1024;
    if (const auto done = static_cast<std::uint64_t>(next - first); done >= often_enough && std::has_single_bit(done))
      const virtual_executor::exclusive calling(exec);
    return false;
  }
};

/// Block by block, and after so many a look at the team. A look takes no time of the machine, but some of the
/// simulation.
struct until_changed : block_by_block {
  virtual_worker& w;
  const context& caller;
  std::int64_t looks_every;

  bool stops(std::int64_t next) const {
    if ((next - first) % looks_every != 0) return block_by_block::stops(next);
    const virtual_executor::exclusive calling(exec);
    return core::team_has_changed(exec, w, caller);
  }
};

}  // namespace

loop_part virtual_executor::run_until_changed(virtual_worker& w, loop_run& run, std::int64_t first) {
  constexpr std::int64_t looks = 32;
  const std::int64_t blocks = run.what.blocks();
  const calling_thread::runs_code_meanwhile during;
  until_changed pace{{*this, first}, w, run.caller, std::max<std::int64_t>(1, blocks / looks)};
  return {&run, core::run_blocks(*this, &w, run, first, blocks, pace), blocks};
}

void virtual_executor::run_blocks(virtual_worker* w, loop_run& run, std::int64_t first, std::int64_t last) {
  const runs_shared_blocks during(hosts_ ? &*hosts_ : nullptr, w);
  core::run_blocks(*this, w, run, first, last, block_by_block{*this, first});
}

void virtual_executor::run_part(virtual_worker* w, const loop_part& part) {
  run_blocks(w, *part.loop, part.first, part.last);
  ends(*w, {nullptr, part});
}

void virtual_executor::share_loop(context& caller, const detail::loop& l) {
  if (l.blocks() == 1 || caller.alone) {
    loop_in_place(*this, caller, l);
    return end_of_moves();
  }
  const bool is_kernels = caller.in_offload && !caller.in_loop;
  if (is_kernels && sends_kernels()) return share_as_host(caller, l);
  virtual_worker* const of_kernel = is_kernels ? self() : nullptr;
  const std::uint64_t begin = of_kernel ? ticks() : 0;
  core::share_loop(*this, loops_, caller, l);
  end_of_moves();
  if (!of_kernel) return;
  of_kernel->in_loops += static_cast<picoseconds>(ticks() - begin);
  of_kernel->shares_loops = true;
}

/// A loop of which nothing was shared ends when its worker's local store has, or has given, what the blocks move. Who
/// has run a part of one looks at what is shared next, and that waits.
void virtual_executor::end_of_moves() {
  virtual_worker* const w = self();
  if (!w || !stores_) return;
  const monitor_guard calling(*this, false);
  stores_->await_moved(*w);
}

/// A host has no queue that its stream's team looks into, and in the centre any worker of the machine would find the
/// loop. So under dbs each worker of the team is told its part, and who has done it takes some of another's, as under
/// afs.
void virtual_executor::share_as_host(context& caller, const detail::loop& l) {
  detail::loop told = l;
  if (told.policy == schedule::of_the_run) told.policy = loops_;
  if (told.policy == schedule::dbs) told.policy = schedule::afs;
  core::share_loop(*this, loops_, caller, told);
}

std::int64_t virtual_executor::run_share(virtual_worker* w, const loop_part& part) {
  run_blocks(w, *part.loop, part.first, part.last);
  return part.size();
}

}  // namespace maslin
