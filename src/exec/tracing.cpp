#include "exec/tracing.hpp"

#include <vector>

#include "graph/describe.hpp"

namespace maslin {

namespace {

void trace_access(int track, const detail::declared& a) {
  const trace::access_form form{a.mode, a.mode == access_mode::out && a.renames, a.bytes, a.columns, a.stride};
  trace::record(track, trace::event_kind::accessed, trace::form(form), reinterpret_cast<std::uintptr_t>(a.data));
}

}  // namespace

void record_created(executor& exec, const detail::task_description& what, std::uint64_t number) {
  const traced_track on(exec);
  trace::record(on.number, trace::event_kind::task_create, trace::site(what.where), number);
  for (std::size_t i = 0; i < what.access_count; ++i) trace_access(on.number, what.accesses[i]);
  if (what.in) trace::record(on.number, trace::event_kind::member, 0, traced_number(&what.in->get().members));
}

void trace_replayed(executor& exec, const recording::state& tasks) {
  if (!trace::on(trace::event_kind::task_create)) [[likely]]
    return;
  const traced_track on(exec);
  for (detail::task_node* task : tasks.tasks) {
    if (task->is_internal) continue;
    trace::record(on.number, trace::event_kind::task_create, trace::site(task->where), traced_number(task));
    for (const detail::declared& a : graph::accesses_of(*task)) trace_access(on.number, a);
  }
}

void record_transfer(const trace::store_transfer& one) noexcept {
  executor* const exec = running_executor.load(std::memory_order_acquire);
  if (!exec) return trace::record_transfer(-1, one);  // the runtime ends, and there are tasks in flight
  const traced_track on(*exec);
  trace::record_transfer(on.number, one);
}

traced_wait::traced_wait(executor& exec, const scope* group, const detail::declared* data) {
  if (!trace::on(trace::event_kind::wait_begin)) [[likely]]
    return;
  exec_ = &exec;
  group_ = group ? traced_number(group) : 0;
  const traced_track on(exec);
  trace::record(on.number, trace::event_kind::wait_begin, 0, group_);
  if (data) trace_access(on.number, *data);
}

void traced_blocks::begin_alone(executor& exec, const detail::loop& alone) {
  track_ = exec.track();
  site_ = trace::site(alone.where);
  blocks_ = {trace::no_slot, 0, alone.blocks()};
  trace::record(track_, trace::event_kind::loop_begin, site_, trace::loop_shape{blocks_.blocks, 1});
  begin(blocks_.blocks);
}

void traced_blocks::begin_chunk(int track, std::uint32_t site, const trace::chunk_at& chunk) {
  is_chunk_ = true;
  track_ = track;
  site_ = site;
  blocks_ = chunk;
  reached_ = chunk.first_block;
  trace::record(track_, trace::event_kind::chunk_begin, site_, blocks_);
  begin(chunk.first_block + chunk.blocks);
}

void traced_blocks::begin(std::int64_t last) {
  step_ = std::max<std::int64_t>(1, (last - reached_ + most_pieces - 1) / most_pieces);
  next_ = reached_ + step_;
}

void traced_blocks::trace_piece() {
  trace::record(track_, trace::event_kind::piece, 0, static_cast<std::uint64_t>(reached_));
  next_ += step_;
}

void traced_blocks::end() {
  if (!is_chunk_)
    return trace::record(track_, trace::event_kind::loop_end, site_, trace::loop_shape{blocks_.blocks, 1});
  // It may have ended before all of its blocks were done, and a chunk's event holds no large number of them.
  blocks_.blocks = reached_ - blocks_.first_block;
  if (blocks_.blocks >= 0xffff) trace_piece();
  trace::record(track_, trace::event_kind::chunk_end, site_, blocks_);
}

}  // namespace maslin
