#include "timeline.hpp"

#include <algorithm>

using namespace maslin::trace;

namespace {

bool is_context(timeline::sort s) { return s == timeline::sort::stream || s == timeline::sort::task; }
bool is_rest(timeline::sort s) { return s == timeline::sort::wait || s == timeline::sort::parked; }

/// Gives what tells contexts of one sort apart: a stream keeps its number, its slot may change.
std::uint64_t number(timeline::sort which, std::uint64_t argument) {
  return which == timeline::sort::stream ? static_cast<std::uint64_t>(unpack<stream_at>(argument).index) : argument;
}

}  // namespace

timeline::context timeline::context_of(const event& e, sort which) { return {which, e.id, number(which, e.argument)}; }
timeline::context timeline::context_of(const slice& s) { return {s.sort, s.id, number(s.sort, s.argument)}; }

void timeline::tell_busy(int worker, std::int64_t ns) {
  track& t = of(worker);
  const bool now = !t.open.empty() && !is_rest(t.open.back().sort);
  if (now == t.busy) return;
  t.busy = now;
  to_->busy(worker, now, ns);
}

void timeline::begin(int worker, slice s) {
  track& t = of(worker);
  t.open.push_back(std::move(s));
  to_->begin(worker, t.open.back());
}

void timeline::close_innermost(int worker, std::int64_t ns, bool goes_on) {
  track& t = of(worker);
  t.open.back().goes_on = goes_on;
  to_->end(worker, t.open.back(), ns);
}

/// Ends the innermost slice of that sort and name, with what is open inside it. A context is a wall: what was begun outside
/// it does not end inside it.
void timeline::end(const event& e, sort which) {
  track& t = of(e.worker);
  const auto matches = [&](const slice& s) {
    return is_context(which) ? context_of(s) == context_of(e, which) : s.sort == which && s.id == e.id;
  };
  std::size_t at = t.open.size();
  while (at > 0 && !matches(t.open[at - 1])) at = is_context(t.open[at - 1].sort) && !is_context(which) ? 0 : at - 1;
  if (at == 0) {
    ++unmatched_;
    return;
  }
  while (t.open.size() >= at) {
    close_innermost(e.worker, e.ns, false);
    t.open.pop_back();
  }
}

void timeline::leave(const event& e, sort which) {
  track& t = of(e.worker);
  std::size_t at = t.open.size();
  while (at > 0 && context_of(t.open[at - 1]) != context_of(e, which)) --at;
  if (at == 0) {
    ++unmatched_;
    return;
  }
  std::vector<slice> taken;
  while (t.open.size() >= at) {
    close_innermost(e.worker, e.ns, true);
    taken.push_back(std::move(t.open.back()));
    t.open.pop_back();
  }
  std::reverse(taken.begin(), taken.end());
  suspended_[context_of(e, which)] = std::move(taken);
}

void timeline::resume(const event& e, sort which) {
  std::vector<slice> slices;
  if (auto found = suspended_.extract(context_of(e, which)); !found.empty())
    slices = std::move(found.mapped());
  else
    slices.push_back({which, e.id, e.argument, e.ns, false, false, {}});  // its suspension was not recorded
  slices.front().argument = e.argument;
  for (slice& s : slices) {
    s.begin_ns = e.ns;
    s.resumed = true;
    s.goes_on = false;
    s.kernels.clear();
    begin(e.worker, std::move(s));
  }
}

void timeline::add(const event& e) {
  const auto start = [&](sort which) { begin(e.worker, {which, e.id, e.argument, e.ns, false, false, {}}); };
  switch (e.kind) {
    case event_kind::stream_begin: start(sort::stream); break;
    case event_kind::stream_end: end(e, sort::stream); break;
    case event_kind::stream_suspend: leave(e, sort::stream); break;
    case event_kind::stream_resume: resume(e, sort::stream); break;
    case event_kind::task_begin: start(sort::task); break;
    case event_kind::task_end: end(e, sort::task); break;
    case event_kind::task_suspend: leave(e, sort::task); break;
    case event_kind::task_resume: resume(e, sort::task); break;
    case event_kind::loop_begin: start(sort::loop); break;
    case event_kind::loop_end: end(e, sort::loop); break;
    case event_kind::chunk_begin: start(sort::chunk); break;
    case event_kind::chunk_end: end(e, sort::chunk); break;
    case event_kind::offload_begin: start(sort::offload); break;
    case event_kind::offload_end: end(e, sort::offload); break;
    case event_kind::wait_begin: start(sort::wait); break;
    case event_kind::wait_end: end(e, sort::wait); break;
    case event_kind::park: start(sort::parked); break;
    case event_kind::unpark: end(e, sort::parked); break;
    case event_kind::help_begin: start(sort::help); break;
    case event_kind::help_end: end(e, sort::help); break;
    case event_kind::kernel_count: {
      track& t = of(e.worker);
      if (!t.open.empty()) t.open.back().kernels.push_back({e.id, e.argument, 0});
      return;
    }
    case event_kind::kernel_total: {
      track& t = of(e.worker);
      if (!t.open.empty() && !t.open.back().kernels.empty() && t.open.back().kernels.back().kernel == e.id)
        t.open.back().kernels.back().ns = e.argument;
      return;
    }
    default: to_->mark(e); return;
  }
  tell_busy(e.worker, e.ns);
}

void timeline::finish(std::int64_t ns) {
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const int worker = i + 1 == tracks_.size() ? -1 : static_cast<int>(i);
    while (!tracks_[i].open.empty()) {
      close_innermost(worker, ns, false);
      tracks_[i].open.pop_back();
    }
    tell_busy(worker, ns);
  }
}
