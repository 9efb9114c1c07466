#include "exec/phase/phase_run.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "trace/recorder.hpp"

namespace maslin {

namespace {
// Streams that take turns: how long one lasts, by what the phase took so far.
constexpr double turns_so_far = 32;
constexpr double shortest_turn_seconds = 1e-3;
constexpr double longest_turn_seconds = 50e-3;

bool has_come_less_far(const stream_run& a, const stream_run& b) {
  return a.off_loads.load(std::memory_order_relaxed) < b.off_loads.load(std::memory_order_relaxed);
}

/// Gives where the team of a slot begins, among the workers of the phase.
int first_place(configuration c, int slot) { return slot * c.width + std::min(slot, c.wider); }
}  // namespace

phase_run::phase_run(phase_host& exec, const detail::phase& what, int workers, bool inner, scope& caller)
    : exec_(exec),
      what_(what),
      name_(trace::intern(what.name)),
      report_(begin_report(what)),
      waiting_(exec, name_, *report_, inner),
      sizing_(exec, what, name_, *report_, workers),
      streams_(&caller, scope::creators::many),
      on_worker_(static_cast<std::size_t>(exec.worker_count())),
      began_(exec.ticks()) {
  const auto most = static_cast<std::size_t>(exec.worker_count());
  running_.reserve(most);
  suspended_.reserve(most);
  teams_.reserve(most + 1);
  before_.reserve(most + 1);
  streams_.enter(static_cast<std::uint64_t>(what.streams));
}

phase_run::~phase_run() {
  exec_.promise_teams(-promised_teams_);
  if (!divided_) report_->change([](phase_report& r) { r.running = false; });  // it did not begin, or was run in place
}

void phase_run::promise_teams(int workers) {
  const int more = teams_for(workers) - promised_teams_;
  exec_.promise_teams(more);
  promised_teams_ += more;
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

void phase_run::begin(team& divided) {
  sizing_.check_pin(most_workers(divided, exec_));
  divided_ = &divided;
  divided.phases.push_back(this);
  divide(divided, exec_);
}

void phase_run::end() noexcept {
  allotted_ = width_;
  std::erase(divided_->phases, this);
  for (int w = first_; w < first_ + width_; ++w) exec_.team_served_by(w).store(divided_, std::memory_order_seq_cst);
  for (team* t : teams_) exec_.return_team(t);
  teams_.clear();
  waiting_.end();
  for (int w = first_; w < first_ + width_; ++w) exec_.notify_worker(w);
  record_configuration(exec_.ticks());
  divide(*divided_, exec_);
}

void phase_run::hold_still(bool hold) {
  nested_ += hold ? 1 : -1;
  if (nested_ > 0) return;
  divide(*divided_, exec_);
  follow();
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

void phase_run::allot(int first, int width) noexcept {
  if (first == first_ && width == width_) return;
  first_ = first;
  width_ = width;
  waiting_.serve(first, width);
  sizing_.serve(first, width);
  apply(sizing_.wanted());
}

void phase_run::apply(configuration c) noexcept {
  std::swap(teams_, before_);
  auto make = [&](int first, int width, int slot, phase_run* runs) MASLIN_REQUIRES(grain_held) {
    team* t = exec_.take_team();
    t->set_workers({first, width});
    t->slot.store(slot, std::memory_order_relaxed);
    t->parent.store(divided_, std::memory_order_relaxed);
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
  ends_.store(left() <= c.streams, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_relaxed);
  off_loaded_ = 0;
  for (stream_run* s : running_) s->off_loaded = false;
  const std::uint64_t now = exec_.ticks();
  sizing_.runs_under(c, now);
  record_configuration(now);
  update_stream_requests();
  for (int w = first_; w < first_ + width_; ++w) exec_.notify_worker(w);
}

void phase_run::update_stream_requests() {
  sizing_.running(static_cast<int>(running_.size()));
  const bool room = running() < now_.streams;
  const bool more = !suspended_.empty() || next_ < what_.streams;
  takes_turns_.store(sizing_.keeps_even() && !suspended_.empty(), std::memory_order_relaxed);
  for (int slot = 0; slot < now_.streams; ++slot) {
    team& t = *teams_[static_cast<std::size_t>(slot)];
    const int leader = t.first();
    const bool wants = room && more && on_worker_[static_cast<std::size_t>(leader)] == 0;
    t.wants_stream.store(wants, std::memory_order_seq_cst);
    const bool may_resume = !suspended_.empty();
    t.may_resume.store(may_resume, std::memory_order_seq_cst);
    if (wants || may_resume) exec_.notify_worker(leader);
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
  const auto comes_first = [even = sizing_.keeps_even()](const stream_run* a, const stream_run* b) {
    return even && has_come_less_far(*a, *b);
  };
  if (auto s = suspended_.resume(before_parking ? 0 : running(), before_parking ? 1 : now_.streams, comes_first)) {
    (*s)->extra = before_parking;
    extra_ += before_parking ? 1 : 0;
    started(**s, worker);
    if (before_parking) (*s)->seen = generation_.load(std::memory_order_relaxed) - 1;
    return *s;
  }
  if (!before_parking && running() < now_.streams) {
    begins_another(begun);
    // No memory: the worker is asked again when something changes.
    const auto slot = begun ? std::nullopt : slot_led_by(worker);
    if (slot) teams_[static_cast<std::size_t>(*slot)]->wants_stream.store(false, std::memory_order_seq_cst);
  }
  return nullptr;
}

/// All that have begun can run or be suspended at a time, so there is room for that first. Where there is no memory for
/// more than the workers have, the others come first.
void phase_run::begins_another(std::optional<std::int64_t>& begun) noexcept {
  if (next_ == what_.streams) return;
  const auto unfinished = static_cast<std::size_t>(next_ - finished_) + 1;
  try {
    if (running_.capacity() < unfinished) running_.reserve(2 * unfinished);
    if (suspended_.capacity() < unfinished) suspended_.reserve(2 * unfinished);
  } catch (const std::bad_alloc&) {
    return;
  }
  begun = next_++;
}

void phase_run::started(stream_run& s, int worker) {
  looks_without_ = 0;
  s.worker = worker;
  // It begins in its place. Where only off-loads count, its slice may not begin before the first.
  s.off_loaded = !s.extra && sizing_.counts_own_code();
  off_loaded_ += s.off_loaded ? 1 : 0;
  s.seen = generation_.load(std::memory_order_relaxed) - 1;
  running_.push_back(&s);
  if (!s.extra) ++on_worker_[static_cast<std::size_t>(worker)];
  update_stream_requests();
}

bool phase_run::gives_way(const stream_run& s, std::uint64_t now) const {
  const bool surplus = suspended_.surplus(running(), now_.streams);
  if (!sizing_.keeps_even()) return surplus;
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
    const double turn =
        std::clamp(exec_.seconds_between(began_, now) / turns_so_far, shortest_turn_seconds, longest_turn_seconds);
    s.turn_ends = now + static_cast<std::uint64_t>(turn / exec_.seconds_per_tick());
    s.seen = generation_.load(std::memory_order_relaxed);
    if (!s.off_loaded) ++off_loaded_;
    s.off_loaded = true;
    if (std::exchange(s.extra, false)) {
      --extra_;
      ++here;
      update_stream_requests();  // the place is taken: a worker that is asked for a stream does not go to sleep
    }
    return true;
  }
  take_off(s);
  suspended_.suspend(&s);
  update_stream_requests();
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
  } else {
    begins_another(begun);
  }
  if (resumed || begun) update_stream_requests();
  return resumed;
}

bool phase_run::finished_outside() {
  ++finished_;
  if (left() == 0) return true;
  sizing_.stream_ended(left(), nested_ == 0);
  tick();
  return false;
}

void phase_run::make_up_for_finished() {
  if (left() == 0) return;  // the others ended meanwhile
  record_configuration(exec_.ticks());
  update_stream_requests();
}

void phase_run::follow() {
  if (!sizing_.is_pinned() && sizing_.wanted() != now_) apply(sizing_.wanted());
}

void phase_run::end_decision() noexcept {
  const bool slice_ended = sizing_.end_decision();
  if (left() == 0 || nested_ > 0) return;
  follow();
  if (slice_ended) record_configuration(exec_.ticks());
}

void phase_run::look_at_waits() noexcept {
  if (!waiting_.look(exec_.ticks())) return;
  for (team* t : teams_)
    if (t->runs) t->waits.store(waiting_.current(), std::memory_order_relaxed);
}

/// Gives for how long those that wait now have done so, in ticks, summed over them.
std::uint64_t phase_run::waits_until(std::uint64_t now) const {
  std::uint64_t ticks = 0;
  for (const stream_run* s : running_)
    if (const std::uint64_t since = s->waits_since.load(std::memory_order_relaxed); since < now) ticks += now - since;
  return ticks;
}

int phase_run::silent() const {
  return static_cast<int>(std::ranges::count_if(
      running_, [](const stream_run* s) { return s->off_loads.load(std::memory_order_relaxed) == 0; }));
}

void phase_run::tick() {
  look_at_waits();
  const std::uint64_t now = exec_.ticks();
  sizing_.look(now, left(), off_loaded_, nested_ > 0, waits_until(now), silent());
}

void phase_run::record_configuration(std::uint64_t now) noexcept {
  const double seconds = exec_.seconds_between(began_, now);
  const double work = sizing_.work();
  const std::optional<double> cpu_seconds = waiting_.cpu_seconds(now);
  double expected = 0;
  report_->change([&, done = finished_, running = left() > 0, current = now_](phase_report& r) {
    r.cpu_seconds = cpu_seconds;
    r.done = done;
    r.running = running;
    r.current = current;
    r.seconds = seconds;
    r.work = work;
    expected = expected_of(current, r.estimates);
  });
  if (!trace::on()) return;
  if (sizing_.is_pinned()) return sizing_.trace_decision(now_, trace::decision_stage::pinned, 0);
  const std::optional<configuration> chosen = sizing_.chosen();
  // What the last streams run in, because they are too few for the chosen configuration, is no decision.
  if (chosen && chosen->streams > left()) return;
  if (chosen == now_)
    sizing_.trace_decision(now_, trace::decision_stage::chosen, expected);
  else
    sizing_.trace_decision(now_, trace::decision_stage::sampling, 0);
}

void phase_run::record_sizing() const noexcept MASLIN_UNCHECKED try {
  if (!trace::on() || sizing_.is_pinned()) return;
  using trace::event_kind;
  const auto record = [&](event_kind kind, std::uint64_t argument) {
    trace::record(exec_.track(), kind, name_, argument);
  };
  report_->look([&](const phase_report& r, std::span<const choice> choices) {
    record(event_kind::sized,
           trace::pack(trace::sized_by{trace::intern(r.policy.c_str()), trace::intern(r.unit.c_str())}));
    for (const choice& c : choices) {
      record(event_kind::teams, trace::pack(trace::teams_of{c.what, 0}));
      const bool stands = r.chosen && &c == &choices.back();
      record(event_kind::choice, trace::pack(trace::choice_of{static_cast<float>(c.expected), stands}));
    }
    for (const phase_estimate& e : r.estimates) {
      record(event_kind::teams, trace::pack(trace::teams_of{e.under, e.samples}));
      const auto error = static_cast<float>(e.error.value_or(-1));
      record(event_kind::estimate, trace::pack(trace::estimate_of{static_cast<float>(e.throughput), error}));
    }
  });
} catch (const std::bad_alloc&) {  // then the trace does not say it
}

}  // namespace maslin
