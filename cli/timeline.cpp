#include "timeline.hpp"

#include <algorithm>

#include "output.hpp"

using namespace maslin::trace;

namespace {

bool is_context(timeline::sort s) { return s == timeline::sort::stream || s == timeline::sort::task; }
bool is_rest(timeline::sort s) { return s == timeline::sort::wait || s == timeline::sort::parked; }

/// Gives what tells contexts of one sort apart: a stream keeps its number, its slot may change.
std::uint64_t number(timeline::sort which, std::uint64_t argument) {
  return which == timeline::sort::stream ? static_cast<std::uint64_t>(unpack<stream_at>(argument).index) : argument;
}

/// What an event does to the slices of its worker.
enum class act : std::uint8_t { mark, begin, end, leave, resume, leave_all, resume_all, sum };
struct step {
  act what = act::mark;
  timeline::sort sort{};
};
constexpr auto steps = [] {
  std::array<step, event_kinds> table{};
  const auto set = [&](event_kind kind, act what, timeline::sort sort = {}) {
    table[static_cast<std::size_t>(kind)] = {what, sort};
  };
  using enum event_kind;
  using sort = timeline::sort;
  set(stream_begin, act::begin, sort::stream);
  set(stream_end, act::end, sort::stream);
  set(stream_suspend, act::leave, sort::stream);
  set(stream_resume, act::resume, sort::stream);
  set(task_begin, act::begin, sort::task);
  set(task_end, act::end, sort::task);
  set(task_suspend, act::leave, sort::task);
  set(task_resume, act::resume, sort::task);
  set(loop_begin, act::begin, sort::loop);
  set(loop_end, act::end, sort::loop);
  set(chunk_begin, act::begin, sort::chunk);
  set(chunk_end, act::end, sort::chunk);
  set(offload_begin, act::begin, sort::offload);
  set(offload_end, act::end, sort::offload);
  set(wait_begin, act::begin, sort::wait);
  set(wait_end, act::end, sort::wait);
  set(park, act::begin, sort::parked);
  set(unpark, act::end, sort::parked);
  set(help_begin, act::begin, sort::help);
  set(help_end, act::end, sort::help);
  set(suspend, act::leave_all);
  set(event_kind::resume, act::resume_all);
  set(kernel_count, act::sum);
  set(kernel_total, act::sum);
  return table;
}();

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

/// Ends the innermost slice of that sort and name, with what is open inside it. A context is a wall: what was begun
/// outside it does not end inside it.
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
  t.open[at - 1].end_argument = e.argument;
  while (t.open.size() >= at) {
    close_innermost(e.worker, e.ns, false);
    t.open.pop_back();
  }
}

/// Ends the slices from that place inwards, because what they belong to is suspended, and gives them, outermost first.
std::vector<timeline::slice> timeline::take_from(int worker, std::size_t place, std::int64_t ns) {
  track& t = of(worker);
  std::vector<slice> taken;
  while (t.open.size() > place) {
    close_innermost(worker, ns, true);
    taken.push_back(std::move(t.open.back()));
    t.open.pop_back();
  }
  std::reverse(taken.begin(), taken.end());
  return taken;
}

void timeline::reopen(int worker, std::vector<slice> slices, std::int64_t ns) {
  for (slice& s : slices) {
    s.begin_ns = ns;
    s.resumed = true;
    s.goes_on = false;
    s.kernels.clear();
    begin(worker, std::move(s));
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
  suspended_[context_of(e, which)] = take_from(e.worker, at - 1, e.ns);
}

void timeline::resume(const event& e, sort which) {
  std::vector<slice> slices;
  if (auto found = suspended_.extract(context_of(e, which)); !found.empty())
    slices = std::move(found.mapped());
  else
    slices.push_back({which, e.id, e.argument, e.ns, false, false, {}});  // its suspension was not recorded
  slices.front().argument = e.argument;
  reopen(e.worker, std::move(slices), e.ns);
}

void timeline::leave_all(const event& e) { away_[e.argument] = take_from(e.worker, 0, e.ns); }

void timeline::resume_all(const event& e) {
  if (auto found = away_.extract(e.argument); !found.empty()) reopen(e.worker, std::move(found.mapped()), e.ns);
}

void timeline::add(const event& e) {
  ++events_[static_cast<std::size_t>(e.kind)];
  const step next = steps[static_cast<std::size_t>(e.kind)];
  switch (next.what) {
    case act::begin:
      begin(e.worker, {next.sort, e.id, e.argument, e.ns, false, false, {}});
      break;
    case act::end:
      end(e, next.sort);
      break;
    case act::leave:
      leave(e, next.sort);
      break;
    case act::resume:
      resume(e, next.sort);
      break;
    case act::leave_all:
      leave_all(e);
      break;
    case act::resume_all:
      resume_all(e);
      break;
    case act::sum:
      sum(e);
      return;
    case act::mark:
      to_->mark(e);
      return;
  }
  tell_busy(e.worker, e.ns);
}

/// Keeps what a stream off-loaded, to be told when its slice ends: the count comes first, then the time.
void timeline::sum(const event& e) {
  track& t = of(e.worker);
  if (t.open.empty()) return;
  auto& kernels = t.open.back().kernels;
  if (e.kind == event_kind::kernel_count)
    kernels.push_back({e.id, e.argument, 0});
  else if (!kernels.empty() && kernels.back().kernel == e.id)
    kernels.back().ns = e.argument;
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

timeline observe(const file& trace, timeline::observer& to, std::string bar_name) {
  timeline lines(trace.about().workers, to);
  progress bar(std::move(bar_name), trace.about().events());
  std::uint64_t seen = 0;
  trace.each_event([&](const event& e) {
    lines.add(e);
    if ((++seen & 0xffff) == 0) bar.at(seen);
  });
  lines.finish(trace.about().duration_ns);
  return lines;
}
