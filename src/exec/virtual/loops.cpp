#include <bit>

#include "base/clock.hpp"
#include "base/float_mode.hpp"
#include "exec/core/loops.hpp"
#include "exec/in_place.hpp"
#include "exec/virtual/inside.hpp"

namespace maslin {

void virtual_executor::run_blocks(virtual_worker* w, loop_run& run, std::int64_t first, std::int64_t last) {
  scope own(&run.blocks);
  context here(own);
  here.in_loop = &run.what;
  here.in_offload = run.caller.in_offload;
  here.stream = run.caller.stream;
  const entered in(here);
  const base::in_float_mode callers(run.mode);
  const trace::chunk_at what{w->in_team.load(std::memory_order_relaxed)->slot.load(std::memory_order_relaxed), first,
                             last - first};
  noted_blocks noted(w->index, run.site, what);
  constexpr std::uint64_t often_enough = 1024;
  for (std::int64_t i = first; i < last && !run.is_void(i); ++i) {
    run_to_end(*this, here, own, [&] {
      std::int64_t next = i;
      run.what.run_blocks(next, i + 1);
    });
    ran();
    here.declares = false;
    if (own.has_errors()) [[unlikely]]
      run.note_thrown(i, own.take_errors());
    noted.reached(i + 1);
    // What throws earlier, further down, ends this: it is to be seen however many blocks there are.
    if (const auto done = static_cast<std::uint64_t>(i + 1 - first); done >= often_enough && std::has_single_bit(done))
      const inside calling(*this);
  }
}

void virtual_executor::share_loop(context& caller, const detail::loop& l) {
  if (l.blocks() == 1 || caller.alone) return loop_in_place(*this, caller, l);
  core::share_loop(*this, loops_, caller, l);
}

std::int64_t virtual_executor::run_share(virtual_worker* w, const loop_part& part) {
  run_blocks(w, *part.loop, part.first, part.last);
  return part.size();
}

}  // namespace maslin
