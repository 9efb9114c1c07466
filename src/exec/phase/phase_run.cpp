#include "exec/phase/phase_run.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/room.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

// Streams that take turns: how long one lasts, by what the phase took so far.
constexpr double turns_so_far = 32;
constexpr double shortest_turn_seconds = 1e-3;
constexpr double longest_turn_seconds = 50e-3;

/// Workers of a described machine look at clocks of their own, which may be behind the one that was looked at before.
std::uint64_t since(std::uint64_t then, std::uint64_t now) { return now > then ? now - then : 0; }

bool has_come_less_far(const stream_run& a, const stream_run& b) {
  return a.off_loads.load(std::memory_order_relaxed) < b.off_loads.load(std::memory_order_relaxed);
}

/// Gives where the team of a slot begins, among the workers of the phase.
int first_place(configuration c, int slot) { return slot * c.width + std::min(slot, c.wider); }
}  // namespace

phase_run::phase_run(phase_host& exec, const detail::phase& what, team& divided, scope& caller)
    : exec_(exec),
      what_(what),
      divided_(divided),
      name_(trace::intern(what.name)),
      kernels_(exec.worker_count()),
      report_(begin_report(what)),
      waiting_(exec, name_, *report_, divided.parent.load(std::memory_order_relaxed)),
      streams_(&caller, scope::creators::many),
      on_worker_(static_cast<std::size_t>(exec.worker_count())),
      began_(exec.ticks()) {
  const auto workers = static_cast<std::size_t>(exec.worker_count());
  running_.reserve(workers);
  suspended_.reserve(workers);  // a stream begins only when none is suspended
  teams_.reserve(workers + 1);
  before_.reserve(workers + 1);
  streams_.enter(static_cast<std::uint64_t>(what.streams));
  if (const auto pin = exec.pins().find(what.name); pin != exec.pins().end()) {
    pinned_ = pin->second;
    report_->change([](phase_report& r) { r.pinned_by = "MASLIN_PIN"; });
  } else {
    report_->change([&](phase_report& r) { r.policy = grain::name_of(exec.policy()); });
  }
}

void phase_run::departed(std::uint64_t ticket, int worker, std::uint32_t column, int width, std::uint64_t ticks,
                         std::uint64_t completed) {
  kernels_.count(worker, column, width, ticks, completed);
  if (departures_.depart(ticket)) look_at_.store(0, std::memory_order_relaxed);
}

bool phase_run::may_divide(const team& t) {
  for (const phase_run* p : t.phases)
    if (p->nested_ > 0) return false;
  return true;
}

bool phase_run::has_room(const team& t) {
  const int width = t.width();
  return (width > 1 || t.grows) && static_cast<int>(t.phases.size()) < width && may_divide(t);
}

void phase_run::divide(team& t, phase_host& exec) {
  if (!may_divide(t)) return;
  auto [first, width] = t.workers();
  const int phases = static_cast<int>(t.phases.size());
  for (int i = 0; i < phases; ++i) {
    const int share = width / phases + (i < width % phases ? 1 : 0);
    t.phases[static_cast<std::size_t>(i)]->allot(first, share);
    first += share;
  }
  if (!t.grows) return;
  for (int w = first; phases > 0 && w < exec.worker_count(); ++w)
    exec.team_served_by(w).store(&t, std::memory_order_seq_cst);
}

void phase_run::begin() {
  const int width = divided_.grows ? exec_.worker_count() : divided_.width();
  if (pinned_) grain::fit_pin(what_.name, *pinned_, width);
  base::make_room(divided_.phases);
  // Those of two configurations, while one follows the other.
  const int teams = 2 * (width + 1);
  exec_.promise_teams(teams);
  promised_teams_ = teams;
  divided_.phases.push_back(this);
  divide(divided_, exec_);
}

void phase_run::end() noexcept {
  const int allotted = width_;
  std::erase(divided_.phases, this);
  for (int w = first_; w < first_ + width_; ++w) exec_.team_served_by(w).store(&divided_, std::memory_order_seq_cst);
  for (team* t : teams_) exec_.return_team(t);
  teams_.clear();
  exec_.promise_teams(-promised_teams_);
  waiting_.end();
  for (int w = first_; w < first_ + width_; ++w) exec_.rouse_worker(w);
  note(exec_.ticks());
  if (!pinned_) measure([&] { exec_.learned().keep(what_.name, allotted, what_.streams, controller_->learned()); });
  divide(divided_, exec_);
}

void phase_run::hold_still(bool hold) {
  nested_ += hold ? 1 : -1;
  if (nested_ == 0) divide(divided_, exec_);
}

std::optional<int> phase_run::slot_led_by(int worker) const {
  const int place = worker - first_;
  const int in_wider = now_.wider * (now_.width + 1);
  const int slot = place < in_wider ? place / (now_.width + 1) : now_.wider + (place - in_wider) / now_.width;
  if (place < 0 || slot >= now_.streams || place != first_place(now_, slot)) return std::nullopt;
  return slot;
}

team* phase_run::team_of(const stream_run& s) const {
  const auto slot = slot_led_by(s.worker);
  return slot ? teams_[static_cast<std::size_t>(*slot)] : nullptr;
}

template <class Step>
void phase_run::measure(Step&& step) noexcept {
  try {
    step();
  } catch (const std::bad_alloc&) {
    const int width = width_ > 0 ? width_ : 1;
    pinned_ =
        now_.streams > 0 ? now_ : configuration{static_cast<int>(std::min<std::int64_t>(width, what_.streams)), 1};
    in_slice_ = false;
    departures_.begin(0);
    look_at_.store(never, std::memory_order_relaxed);
  }
}

grain::situation phase_run::situation(int workers) const {
  return {workers, what_.streams, exec_.handing_over(), exec_.learned().of(what_.name, workers, what_.streams)};
}

void phase_run::allot(int first, int width) noexcept {
  if (first == first_ && width == width_) return;
  first_ = first;
  width_ = width;
  waiting_.serve(first, width);
  if (!pinned_)
    measure([&] {
      if (controller_)
        controller_->resize(width);
      else
        controller_ = grain::make_controller(exec_.policy(), situation(width));
    });
  if (pinned_) {
    // Beside other phases there may be fewer workers than were pinned: then narrower, and then fewer streams.
    const int team_width = std::min(pinned_->width, width);
    return apply({std::min(pinned_->streams, width / team_width), team_width});
  }
  apply(controller_->current());
}

void phase_run::apply(configuration c) noexcept {
  std::swap(teams_, before_);
  auto make = [&](int first, int width, int slot, phase_run* runs) {
    team* t = exec_.take_team();
    t->set_workers({first, width});
    t->slot.store(slot, std::memory_order_relaxed);
    t->parent.store(&divided_, std::memory_order_relaxed);
    // Who has no stream to work for has nothing to wait for.
    t->waits.store(runs ? waiting_.current() : grain::wait_policy::park, std::memory_order_relaxed);
    t->runs = runs;
    teams_.push_back(t);
    for (int w = first; w < first + width; ++w) exec_.team_served_by(w).store(t, std::memory_order_seq_cst);
  };
  for (int slot = 0; slot < c.streams; ++slot) {
    const int first = first_ + first_place(c, slot);
    make(first, c.width + (slot < c.wider ? 1 : 0), first, this);
  }
  const int used = first_place(c, c.streams);
  if (used < width_) make(first_ + used, width_ - used, trace::no_slot, nullptr);
  for (team* t : before_) exec_.return_team(t);
  before_.clear();

  now_ = c;
  generation_.fetch_add(1, std::memory_order_relaxed);
  set_at_ = exec_.ticks();
  in_slice_ = false;
  off_loaded_ = 0;
  for (stream_run* s : running_) s->off_loaded = false;
  look_at_.store(pinned_ || !controller_->sampling() ? never : 0, std::memory_order_relaxed);
  departures_.begin(pinned_ ? 0 : controller_->epoch());
  note(set_at_);
  update_wishes();
  for (int w = first_; w < first_ + width_; ++w) exec_.rouse_worker(w);
}

void phase_run::update_wishes() {
  departures_.running(static_cast<int>(running_.size()));
  const bool room = running() < now_.streams;
  const bool more = !suspended_.empty() || next_ < what_.streams;
  takes_turns_.store(keeps_even() && !suspended_.empty(), std::memory_order_relaxed);
  for (int slot = 0; slot < now_.streams; ++slot) {
    team& t = *teams_[static_cast<std::size_t>(slot)];
    const int leader = t.first();
    const bool wants = room && more && on_worker_[static_cast<std::size_t>(leader)] == 0;
    t.wants_stream.store(wants, std::memory_order_seq_cst);
    const bool may_resume = !suspended_.empty();
    t.may_resume.store(may_resume, std::memory_order_seq_cst);
    if (wants || may_resume) exec_.rouse_worker(leader);
  }
}

bool phase_run::has_extra(int worker) const {
  return extra_ > 0 && std::any_of(running_.begin(), running_.end(),
                                   [&](const stream_run* s) { return s->extra && s->worker == worker; });
}

stream_run* phase_run::next_stream(int worker, bool before_parking, std::optional<std::int64_t>& begun) {
  const bool busy = on_worker_[static_cast<std::size_t>(worker)] > 0;
  // Before the first worker of a team sleeps it resumes a suspended stream, although there is no room: that one may
  // hold what its own stream waits for, or those that still stand in the places of an earlier configuration. At its
  // next off-load it is suspended again.
  if (!before_parking && busy) return nullptr;
  const auto comes_first = [even = keeps_even()](const stream_run* a, const stream_run* b) {
    return even && has_come_less_far(*a, *b);
  };
  if (auto s = suspended_.resume(before_parking ? 0 : running(), before_parking ? 1 : now_.streams, comes_first)) {
    (*s)->extra = before_parking;
    extra_ += before_parking ? 1 : 0;
    started(**s, worker);
    if (before_parking) (*s)->seen = generation_.load(std::memory_order_relaxed) - 1;
    return *s;
  }
  if (before_parking || running() >= now_.streams || next_ == what_.streams) return nullptr;
  begun = next_++;
  return nullptr;
}

void phase_run::started(stream_run& s, int worker) {
  looks_without_ = 0;
  s.worker = worker;
  s.off_loaded = false;
  // A new place is taken at the first off-load: that is when its slice may begin.
  s.seen = generation_.load(std::memory_order_relaxed) - 1;
  running_.push_back(&s);
  if (!s.extra) ++on_worker_[static_cast<std::size_t>(worker)];
  update_wishes();
}

bool phase_run::gives_way(const stream_run& s, std::uint64_t now) const {
  const bool surplus = suspended_.surplus(running(), now_.streams);
  if (!keeps_even()) return surplus;
  const auto is_behind = [&](const stream_run* other) { return has_come_less_far(*other, s); };
  if (surplus) return std::count_if(running_.begin(), running_.end(), is_behind) >= now_.streams;
  return now >= s.turn_ends && suspended_.any(is_behind);
}

bool phase_run::stays(stream_run& s, int worker) {
  int& here = on_worker_[static_cast<std::size_t>(worker)];
  const bool has_room = running() < now_.streams;
  // An extra stream gets no turn beside one that never waits, so that one goes where there is a place for it.
  const bool is_free = s.extra ? here == 0 && has_room : !(has_room && has_extra(worker));
  const std::uint64_t now = exec_.ticks();
  if (slot_led_by(worker) && is_free && !gives_way(s, now)) {
    const double turn = std::clamp(static_cast<double>(since(began_, now)) * exec_.seconds_per_tick() / turns_so_far,
                                   shortest_turn_seconds, longest_turn_seconds);
    s.turn_ends = now + static_cast<std::uint64_t>(turn / exec_.seconds_per_tick());
    if (s.extra) {
      --extra_;
      ++here;
    }
    s.extra = false;
    s.seen = generation_.load(std::memory_order_relaxed);
    if (!s.off_loaded) ++off_loaded_;
    s.off_loaded = true;
    return true;
  }
  take_off(s);
  suspended_.suspend(&s);
  update_wishes();
  return false;
}

void phase_run::stayed_after_all(stream_run& s, int worker) {
  suspended_.forget(&s);
  started(s, worker);
  s.seen = generation_.load(std::memory_order_relaxed);
}

void phase_run::take_off(stream_run& s) {
  std::erase(running_, &s);
  if (s.off_loaded) --off_loaded_;
  if (s.extra)
    --extra_;
  else
    --on_worker_[static_cast<std::size_t>(s.worker)];
  s.extra = false;
}

bool phase_run::finished(stream_run& s) {
  take_off(s);
  return finished_outside();
}

stream_run* phase_run::next_outside(std::optional<std::int64_t>& begun) {
  // A tenth of a second: what runs there has no team, and on a busy machine workers come late.
  constexpr int looks_before = 8;
  if (!running_.empty()) looks_without_ = 0;
  if (!running_.empty() || ++looks_without_ <= looks_before) return nullptr;
  stream_run* resumed = nullptr;
  if (auto s = suspended_.resume(0, 1)) {
    resumed = *s;
    resumed->worker = stream_run::outside;
  } else if (next_ < what_.streams) {
    begun = next_++;
  }
  if (resumed || begun) update_wishes();
  return resumed;
}

bool phase_run::finished_outside() {
  ++finished_;
  ++slice_units_;
  if (left() == 0) return true;
  if (!pinned_) {
    tick();
    if (nested_ == 0 && !pinned_) {
      measure([&] { controller_->streams_left(left()); });
      follow();
    }
  }
  note(exec_.ticks());
  update_wishes();
  return false;
}

void phase_run::follow() {
  if (pinned_) return;
  if (controller_->current() != now_)
    apply(controller_->current());
  else if (controller_->sampling() && !in_slice_)
    look_at_.store(0, std::memory_order_relaxed);
  else if (!controller_->sampling())
    look_at_.store(never, std::memory_order_relaxed);
}

void phase_run::begin_slice(std::uint64_t now) {
  slice_from_ = counted();
  in_slice_ = true;
  slice_began_ = now;
  slice_units_ = 0;
}

void phase_run::look_at_waits() noexcept {
  if (!waiting_.look(exec_.ticks())) return;
  for (team* t : teams_)
    if (t->runs) t->waits.store(waiting_.current(), std::memory_order_relaxed);
}

void phase_run::tick() {
  look_at_waits();
  if (pinned_) return;
  end_epoch();
  if (pinned_ || !controller_->sampling()) return;
  const double second = exec_.seconds_per_tick();
  const std::uint64_t now = exec_.ticks();
  const auto a_millisecond = static_cast<std::uint64_t>(1e-3 / second);
  look_at_.store(now + a_millisecond, std::memory_order_relaxed);
  if (nested_ > 0) {
    in_slice_ = false;  // what a nested phase does is not counted here
    return;
  }
  const grain::sample_rule rule = controller_->rule();
  const int streams = static_cast<int>(std::min<std::int64_t>(now_.streams, left()));
  if (!in_slice_) {
    if (rule.settled(streams, off_loaded_, static_cast<double>(since(set_at_, now)) * second))
      measure([&] { begin_slice(now); });
    return;
  }
  grain::sample slice;
  slice.under = now_;
  slice.seconds = static_cast<double>(since(slice_began_, now)) * second;
  slice.units = slice_units_;
  slice.at = static_cast<double>(since(began_, now)) * second;
  if (slice.seconds < rule.seconds && (!rule.units_suffice || slice.units < streams)) return;
  bool over = false;
  measure([&] { over = end_slice(slice, now); });
  if (!over) return;
  follow();
  note(now);
}

void phase_run::end_epoch() {
  if (!controller_->sampling()) look_at_.store(never, std::memory_order_relaxed);
  const auto off_loads = departures_.take();
  if (!off_loads || nested_ > 0) return;  // what off-loads do beside a nested phase is no sign of this one's streams
  measure([&] {
    kernels_.learn(counted());
    controller_->departed(*off_loads);
  });
  if (pinned_) return;
  if (controller_->epoch() == 0) departures_.begin(0);
  follow();
}

bool phase_run::end_slice(grain::sample& slice, std::uint64_t now) {
  slice.kernels = counted();
  kernels_.learn(slice.kernels);
  std::int64_t executions = 0;
  for (std::size_t k = 0; k < slice.kernels.size(); ++k) {
    grain::kernel_record& of = slice.kernels[k];
    const grain::kernel_record before = k < slice_from_.size() ? slice_from_[k] : grain::kernel_record{};
    of.executions -= before.executions;
    of.completed -= before.completed;
    of.one_worker -= before.one_worker;
    of.one_worker_seconds = std::max(0.0, of.one_worker_seconds - before.one_worker_seconds);
    of.worker_seconds = std::max(0.0, of.worker_seconds - before.worker_seconds);
    executions += static_cast<std::int64_t>(of.executions);
  }
  const int streams = static_cast<int>(std::min<std::int64_t>(now_.streams, left()));
  if (!controller_->rule().complete({slice.seconds, executions, slice.units, streams})) return false;
  in_slice_ = false;
  controller_->observe(slice);
  samples_ = controller_->samples();
  report_->change([&](phase_report& r) { r.samples = samples_; });
  if (trace::on() && controller_->chosen() != slice.under && !samples_.empty())
    note_decision(slice.under, trace::decision_stage::sampling, samples_.back().throughput());
  if (controller_->current() == now_ && controller_->sampling()) begin_slice(now);
  return true;
}

void phase_run::note_decision(configuration c, trace::decision_stage stage, double throughput) const {
  trace::record(exec_.track(), trace::event_kind::decision, name_,
                trace::decision_of{c, stage, static_cast<float>(throughput)});
}

void phase_run::note(std::uint64_t now) noexcept try {
  grain::kernel_times times;
  const auto all = counted();
  times.add(all);
  const double seconds = static_cast<double>(since(began_, now)) * exec_.seconds_per_tick();
  const std::optional<double> cpu_seconds = waiting_.cpu_seconds(now);
  report_->change([&](phase_report& r) {
    r.cpu_seconds = cpu_seconds;
    r.done = finished_;
    r.running = left() > 0;
    r.current = now_;
    r.seconds = seconds;
    r.work = times.work(all);
    if (controller_) r.chosen = controller_->chosen();
  });
  if (!trace::on()) return;
  auto stage = trace::decision_stage::pinned;
  double throughput = 0;
  if (!pinned_) {
    const auto chosen = controller_->chosen();
    // What the last streams run in, because they are too few for the chosen configuration, is no decision.
    if (chosen && chosen->streams > left()) return;
    stage = chosen == now_ ? trace::decision_stage::chosen : trace::decision_stage::sampling;
    if (chosen == now_)
      for (const phase_sample& s : samples_)
        if (s.under == now_) throughput = s.throughput();
  }
  note_decision(now_, stage, throughput);
} catch (const std::bad_alloc&) {  // the report stays as it was
}

}  // namespace maslin
