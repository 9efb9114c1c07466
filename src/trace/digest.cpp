#include "trace/digest.hpp"

#include <algorithm>
#include <utility>

namespace maslin::trace::internal {

void digest::before_others(encoder& to) {
  if (!pending_) return;
  to.add(*pending_);
  pending_.reset();
}

void digest::suspend(const cell& c, encoder& to) {
  cut_help(c.ticks, to);
  before_others(to);
  if (!open_.empty()) waiting_[c.argument] = std::exchange(open_, {});
  if (frames_.empty()) return;  // nothing that is passed on was open
  suspended_[c.argument] = std::exchange(frames_, {});
  pending_ = c;
}

void digest::resume(const cell& c, encoder& to) {
  const auto found = suspended_.extract(c.argument);
  if (const auto open = waiting_.extract(c.argument); !open.empty()) {
    open_ = std::move(open.mapped());
    if (found.empty()) help(c.ticks, open_.back(), to);
  }
  if (found.empty()) return;
  end_help(to);
  if (pending_ && pending_->argument == c.argument) {
    pending_.reset();
  } else {
    before_others(to);
    to.add(c);
  }
  frames_ = std::move(found.mapped());
}

void digest::end_help(encoder& to) {
  if (!helping_) return;
  helping_ = false;
  to.add(help_last_, event_kind::help_end, 0, help_slot_);
}

void digest::cut_help(std::uint64_t now, encoder& to) {
  if (helping_ && !open_.empty()) help_last_ = now;
  end_help(to);
}

void digest::go_on_helping(std::uint64_t now, encoder& to) {
  if (frames_.empty() && !open_.empty()) help(now, open_.back(), to);
}

void digest::begin_help(std::uint64_t now, std::uint64_t slot, encoder& to) {
  if (!frames_.empty()) return;
  if (helping_ && !open_.empty()) help_last_ = now;  // what is around it has run until now
  open_.push_back(slot);
  help(now, slot, to);
}

void digest::leave_help(std::uint64_t now, encoder& to) {
  if (!frames_.empty()) return;
  if (helping_) help_last_ = now;
  if (!open_.empty()) open_.pop_back();
  go_on_helping(now, to);
}

void digest::help(std::uint64_t now, std::uint64_t slot, encoder& to) {
  if (helping_ && (slot != help_slot_ || now - help_last_ > most_gap_)) end_help(to);
  if (!helping_) {
    before_others(to);
    to.add(now, event_kind::help_begin, 0, slot);
  }
  helping_ = true;
  help_slot_ = slot;
  help_last_ = now;
}

void digest::finish(encoder& to) { cut_help(last_ticks_, to); }

/// The innermost context ends or leaves: says what it off-loaded here. An off-load that is still open counts with its
/// time until now and is counted itself where it ends.
void digest::leave(std::uint64_t now, encoder& to) {
  if (frames_.empty()) return;
  frame& f = frames_.back();
  for (const auto& open : f.open) f.kernels[open.kernel].ticks += now - open.begin;
  for (const auto& [kernel, sum] : f.kernels) {
    to.add(now, event_kind::kernel_count, kernel, sum.count);
    to.add(now, event_kind::kernel_total, kernel, sum.ticks);
  }
  frames_.pop_back();
}

void digest::add(const cell& recorded, encoder& to) {
  cell c = recorded;
  // The thread may have moved to a core whose clock is behind.
  c.ticks = last_ticks_ = std::max(last_ticks_, c.ticks);
  switch (c.kind) {
    case event_kind::stream_begin:
    case event_kind::stream_resume:
      cut_help(c.ticks, to);
      before_others(to);
      frames_.push_back({c.ticks, {}, {}});
      return to.add(c);
    case event_kind::stream_end:
    case event_kind::stream_suspend:
      end_help(to);
      before_others(to);
      leave(c.ticks, to);
      to.add(c);
      return go_on_helping(c.ticks, to);
    case event_kind::offload_begin:
      if (!frames_.empty()) frames_.back().open.push_back({c.id, c.ticks});
      return;
    case event_kind::offload_end:
      if (!frames_.empty()) {
        frame& f = frames_.back();
        std::uint64_t begin = f.begin;  // it began elsewhere, before the stream was resumed here
        if (!f.open.empty()) {
          begin = f.open.back().begin;
          f.open.pop_back();
        }
        total& sum = f.kernels[c.id];
        ++sum.count;
        sum.ticks += c.ticks - begin;
      }
      return;
    case event_kind::chunk_begin:
      return begin_help(c.ticks, static_cast<std::uint64_t>(unpack<chunk_at>(c.argument).slot), to);
    case event_kind::task_begin:
    case event_kind::task_resume:
      return begin_help(c.ticks, no_slot, to);
    case event_kind::chunk_end:
    case event_kind::task_end:
    case event_kind::task_suspend:
      return leave_help(c.ticks, to);
    case event_kind::worker_start:
    case event_kind::worker_stop:
    case event_kind::phase_begin:
    case event_kind::phase_end:
    case event_kind::decision:
    case event_kind::waiting:
    case event_kind::cpu_time:
    case event_kind::library:
    case event_kind::sized:
    case event_kind::teams:
    case event_kind::choice:
    case event_kind::estimate:
    case event_kind::park:
    case event_kind::unpark:
      cut_help(c.ticks, to);
      before_others(to);
      to.add(c);
      // Nothing is open on a worker that parks or stops: an end was dropped.
      if (c.kind == event_kind::park || c.kind == event_kind::worker_stop) open_.clear();
      return go_on_helping(c.ticks, to);
    case event_kind::suspend:
      return suspend(c, to);
    case event_kind::resume:
      return resume(c, to);
    default:
      return;
  }
}

}  // namespace maslin::trace::internal
