#include "exec/phase/right_sizing.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "sched/grain/feasible.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

/// Who had a CPU for less than the rest of a slice had it for too short a time to be judged by it.
constexpr double most_without_cpu = 0.95;

double mean_execution(const std::vector<grain::kernel_record>& all) {
  grain::kernel_times times;
  times.add(all);
  return times.mean_execution();
}

}  // namespace

right_sizing::right_sizing(phase_host& exec, const detail::phase& what, std::uint32_t name, live_report& report,
                           int workers)
    : exec_(exec),
      what_(what),
      name_(name),
      report_(report),
      kernels_(exec.worker_count()),
      began_(exec.ticks()),
      workers_(workers) {
  if (const auto pin = exec.pins().find(what.name); pin != exec.pins().end()) {
    pinned_ = pin->second;
    report.change([](phase_report& r) { r.pinned_by = "MASLIN_PIN"; });
    return;
  }
  report.change([&](phase_report& r) { r.policy = grain::name_of(exec.policy()); });
  controller_ = grain::make_controller(
      exec.policy(), {workers, what.streams, exec.handing_over(), exec.learned_of(what.name, workers, what.streams),
                      exec.calls_libraries()});
  counts_own_code_ = exec.counts_own_code() && controller_->counts_own_code();
  answer_ = ask();
  tell(answer_);
}

void right_sizing::check_pin(int workers) const {
  if (pinned_) grain::fit_pin(what_.name, *pinned_, workers);
}

configuration right_sizing::wanted() const {
  if (pinned_) {
    // Beside other phases there may be fewer workers than were pinned: then narrower, and then fewer streams.
    const int width = std::min(pinned_->width, workers_);
    return {std::min(pinned_->streams, workers_ / width), width};
  }
  const configuration c = answer_.current;
  if (grain::busy(c) <= workers_) return c;
  const int streams = std::min(c.streams, workers_);
  return {streams, workers_ / streams};
}

right_sizing::answer right_sizing::ask() const {
  const grain::controller& c = *controller_;
  return {c.current(), c.chosen(), c.sampling(), c.keeps_even(), c.epoch(), c.rule()};
}

/// The choice and what it was made by go into the report together.
void right_sizing::tell(const answer& a) const {
  std::vector<phase_estimate> estimates = controller_->estimates();
  const std::string_view unit = controller_->unit();
  report_.change([&](phase_report& r) {
    r.unit = unit;
    r.estimates.swap(estimates);
    r.chosen = a.chosen;
  });
}

void right_sizing::pin(configuration c) noexcept {
  pinned_ = c;
  news_ = {};
  in_slice_ = false;
  departures_.begin(0);
  look_at_.store(never, std::memory_order_relaxed);
}

void right_sizing::serve(int first, int workers) noexcept {
  first_ = first;
  if (workers == workers_) return;
  workers_ = workers;
  if (pinned_) return;
  if (deciding_) {
    news_.workers = workers;
    return;
  }
  try {
    controller_->resize(workers);
    answer_ = ask();
    report_.change([chosen = answer_.chosen](phase_report& r) { r.chosen = chosen; });
    news_.decides_anew = true;
  } catch (const std::bad_alloc&) {
    pin({static_cast<int>(std::min<std::int64_t>(workers, what_.streams)), 1});
  }
}

/// So many streams have run until now.
void right_sizing::count_streams(std::uint64_t now) {
  if (now <= counted_at_) return;
  streams_ticks_ += static_cast<std::uint64_t>(running_) * (now - counted_at_);
  counted_at_ = now;
}

void right_sizing::runs_under(configuration c, std::uint64_t now) noexcept {
  now_ = c;
  ++generation_;
  set_at_ = now;
  in_slice_ = false;
  const bool looks = !pinned_ && (answer_.sampling || !news_.empty());
  look_at_.store(looks ? 0 : never, std::memory_order_relaxed);
  departures_.begin(pinned_ ? 0 : answer_.epoch);
}

void right_sizing::stream_ended(std::int64_t left, bool tells) {
  ++slice_units_;
  if (tells && !pinned_) news_.left = left;
}

void right_sizing::look(std::uint64_t now, std::int64_t left, int settled, bool still, std::uint64_t waits,
                        int silent) {
  if (pinned_ || deciding_) return;
  if (!answer_.sampling) look_at_.store(never, std::memory_order_relaxed);
  // What off-loads do beside a nested phase is no sign of this one's streams.
  if (const auto off_loads = departures_.take(); off_loads && !still) news_.off_loads = off_loads;
  if (!answer_.sampling) return;
  look_at_.store(now + static_cast<std::uint64_t>(1e-3 / exec_.seconds_per_tick()), std::memory_order_relaxed);
  if (still) {
    in_slice_ = false;  // what a nested phase does is not counted here
    return;
  }
  const grain::sample_rule& rule = answer_.rule;
  const int streams = static_cast<int>(std::min<std::int64_t>(now_.streams, left));
  if (!in_slice_) {
    if (!rule.settled(streams, settled, exec_.seconds_between(set_at_, now))) return;
    news_.slice = slicing::begins;
  } else {
    const bool long_enough = exec_.seconds_between(slice_began_, now) >= rule.seconds;
    if (!long_enough && (!rule.units_suffice || slice_units_ < streams)) return;
    news_.slice = slicing::ends;
  }
  count_streams(now);
  const auto at_work = static_cast<std::int64_t>(streams_ticks_) - static_cast<std::int64_t>(kernels_.waited() + waits);
  news_.at = {now_, generation_, slice_began_, now, at_work, slice_units_, first_, workers_, streams, silent};
}

std::vector<grain::kernel_record> right_sizing::counted() const {
  std::vector<grain::kernel_record> all = kernels_.counted(exec_.seconds_per_tick());
  if (!counts_own_code_)  // then what was not timed counts with the kernels
    for (grain::kernel_record& k : all) k.untimed = 0;
  return all;
}

bool right_sizing::begin_decision() {
  if (pinned_ || deciding_ || news_.empty()) return false;
  deciding_ = true;
  told_ = std::exchange(news_, {});
  chosen_before_ = answer_.chosen;
  return true;
}

void right_sizing::decide() noexcept {
  slice_ended_ = slice_begins_ = false;
  try {
    if (told_.workers > 0) controller_->resize(told_.workers);
    if (told_.workers > 0 || told_.decides_anew) controller_->decide();
    if (told_.off_loads) {
      kernels_.learn(counted());
      controller_->departed(*told_.off_loads);
    }
    if (told_.slice == slicing::ends) end_slice();
    if (told_.slice == slicing::begins) {
      slice_from_ = counted();
      own_from_ = own_seconds(told_.at, slice_from_);
      without_cpu_from_ = seconds_without_cpu(told_.at);
      slice_begins_ = true;
    }
    if (told_.left > 0) controller_->streams_left(told_.left);
    next_ = ask();
    const bool anew = slice_ended_ || told_.workers > 0 || told_.decides_anew;
    if (anew || next_.chosen != chosen_before_) tell(next_);
  } catch (const std::bad_alloc&) {
    no_memory_ = true;
  }
}

/// What streams have done themselves: all that they did but their kernels. Those that have not ended count as own code
/// until then.
double right_sizing::own_seconds(const stretch& until, std::span<const grain::kernel_record> kernels) const {
  if (!counts_own_code_) return 0;
  double seconds = static_cast<double>(until.at_work) * exec_.seconds_per_tick();
  for (const grain::kernel_record& k : kernels) seconds -= k.stream_seconds;
  return seconds;
}

double right_sizing::seconds_without_cpu(const stretch& until) const {
  return controller_->counts_cpu_time() ? exec_.seconds_without_cpu(until.first, until.workers) : 0;
}

void right_sizing::end_slice() {
  const stretch& at = told_.at;
  std::vector<grain::kernel_record> all = counted();
  kernels_.learn(all);
  grain::sample slice{at.under, exec_.seconds_between(at.began, at.now), exec_.seconds_between(began_, at.now), all,
                      at.units};
  slice.silent = at.silent;
  const double without_cpu = seconds_without_cpu(at);
  const double busy_seconds = slice.seconds * grain::busy(at.under);
  slice.without_cpu = std::clamp((without_cpu - without_cpu_from_) / busy_seconds, 0.0, most_without_cpu);
  slice.kernels_so_far = all;
  slice.own_so_far = own_seconds(at, all);
  slice.own_seconds = std::max(0.0, slice.own_so_far - own_from_);
  std::int64_t executions = 0;
  for (std::size_t k = 0; k < slice.kernels.size(); ++k) {
    grain::kernel_record& of = slice.kernels[k];
    const grain::kernel_record before = k < slice_from_.size() ? slice_from_[k] : grain::kernel_record{};
    of.executions -= before.executions;
    of.completed -= before.completed;
    of.untimed -= before.untimed;
    of.one_worker -= before.one_worker;
    of.one_worker_seconds = std::max(0.0, of.one_worker_seconds - before.one_worker_seconds);
    of.worker_seconds = std::max(0.0, of.worker_seconds - before.worker_seconds);
    of.stream_seconds = std::max(0.0, of.stream_seconds - before.stream_seconds);
    of.squares = std::max(0.0, of.squares - before.squares);
    executions += static_cast<std::int64_t>(of.executions);
  }
  // What streams did themselves says as much as the kernels that take as long; all of it, where there are none.
  if (slice.own_seconds > 0) {
    const double kernel = mean_execution(all);
    const double as_many = kernel > 0 ? slice.own_seconds / kernel : std::numeric_limits<std::int32_t>::max();
    executions += static_cast<std::int64_t>(std::min<double>(as_many, std::numeric_limits<std::int32_t>::max()));
  }
  if (!controller_->rule().complete({slice.seconds, executions, slice.units, at.streams})) return;
  slice_ended_ = true;
  controller_->observe(slice);
  std::vector<phase_sample> samples = controller_->samples();
  if (trace::on() && controller_->chosen() != at.under && !samples.empty())
    trace_decision(at.under, trace::decision_stage::sampling, samples.back().throughput());
  report_.change([&](phase_report& r) { r.samples.swap(samples); });
  if (controller_->current() != at.under || !controller_->sampling()) return;
  slice_from_ = std::move(all);
  own_from_ = slice.own_so_far;
  without_cpu_from_ = without_cpu;
  slice_begins_ = true;
}

bool right_sizing::end_decision() noexcept {
  deciding_ = false;
  if (no_memory_) {
    pin(now_);
    return false;
  }
  answer_ = next_;
  if (told_.off_loads && answer_.epoch == 0) departures_.begin(0);
  if (told_.at.generation == generation_ && (slice_ended_ || slice_begins_)) {
    in_slice_ = slice_begins_;
    slice_began_ = told_.at.now;
    slice_units_ -= told_.at.units;
  }
  if (!answer_.sampling)
    look_at_.store(never, std::memory_order_relaxed);
  else if (!in_slice_)
    look_at_.store(0, std::memory_order_relaxed);
  return slice_ended_;
}

void right_sizing::trace_decision(configuration c, trace::decision_stage stage, double throughput) const {
  trace::record(exec_.track(), trace::event_kind::decision, name_,
                trace::decision_of{c, stage, static_cast<float>(throughput)});
}

void right_sizing::keep(int workers) noexcept MASLIN_UNCHECKED {
  if (pinned_) return;
  try {
    exec_.learn(what_.name, workers, what_.streams, controller_->learned());
  } catch (const std::bad_alloc&) {  // the next run learns anew
  }
}

}  // namespace maslin
