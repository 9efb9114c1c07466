#include "sched/grain/automatic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "sched/grain/feasible.hpp"

namespace maslin::grain {

namespace {

// A slice is as long as it takes to know log W to within `wanted_sd`, at what was seen of the noise; before anything
// was seen, a slice of `first_seconds` is taken to be within `first_sd`.
constexpr double wanted_sd = 0.04;
constexpr double first_sd = 0.05;
constexpr double first_seconds = 2.5e-3;
constexpr double shortest_seconds = 1e-3;
constexpr double longest_seconds = 50e-3;
constexpr int most_waves = 8;               ///< more of them are not told from a stream of streams
constexpr double longest_share = 1.0 / 16;  ///< of what the phase took so far
constexpr int kernels_a_slice = 32;
constexpr int kernels_a_stream = 4;
double kernels_wanted(int streams) { return std::max(kernels_a_slice, kernels_a_stream * streams); }
/// A configuration in which nothing moves is given up after so many lengths of a slice.
constexpr double lengths_at_most = 20;

// What one slice says may be an accident (a neighbour, a stream at its start); three of the same kind are none.
constexpr double alone_sd = 0.12;
constexpr double pair_sd = 0.04;
constexpr int enough = 3;
constexpr double strange_sds = 3;
constexpr int remembered = 16;
/// A pair of slices whose squared difference is more than so many times the median counts like that much.
constexpr double wild = 4;

// How much less a slice says later: for every doubling of the phase's time; of another mix of kernels, for all of it
// being others (a mix that moves a little says as much); of the time before throughput changed of itself; of an
// earlier run.
constexpr double aging_sd = 0.03;
constexpr double other_mix_sd = 1;
constexpr double other_era_sd = 0.6;
constexpr double other_run_sd = 0.015;
/// What is known less well than this (another mix, another era) does not say how this run compares with an earlier one.
constexpr double comparable_sd = 0.2;
/// What an earlier run says of the throughput itself, before the first slice.
constexpr double same_input = 1.5;

/// A change of throughput by less than this, or by less than so many standard deviations of a slice, is none.
constexpr double least_change = 0.2;
constexpr double change_sds = 4;

/// Of two as good as each other to so much, the one in use stays, or else the one that uses less.
constexpr double as_good = 0.005;

/// What a change of configuration costs beside the slice: streams move, caches are cold.
constexpr double change_seconds = 0.2e-3;

double square(double x) { return x * x; }

/// By what a slice's length makes it surer: neighbours and stages of a search last, so by less than its seconds.
double sureness(double seconds) { return std::sqrt(seconds); }

/// Gives the mean of max(0, x) for normal x.
double mean_gain(double mean, double sd) {
  if (sd <= 0) return std::max(mean, 0.0);
  const double z = mean / sd;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return sd * density + mean * std::erfc(-z / std::numbers::sqrt2) / 2;
}

/// Gives the configuration of so many streams that leaves no worker without one.
configuration all_workers(std::int64_t streams, int workers) {
  const int at_a_time = static_cast<int>(std::min<std::int64_t>(streams, workers));
  return {at_a_time, workers / at_a_time, workers % at_a_time};
}

std::uint64_t kernels_of(const sample& s) {
  std::uint64_t all = 0;
  for (const kernel_record& k : s.kernels) all += k.executions;
  return all;
}

}  // namespace

automatic::automatic(const situation& begin)
    : workers_(0),
      streams_(std::max<std::int64_t>(begin.streams, 1)),
      left_(streams_),
      handing_over_seconds_(begin.handing_over_seconds),
      before_(begin.before),
      noise_(square(first_sd) * sureness(first_seconds)) {
  automatic::resize(begin.workers);
  automatic::decide();
}

void automatic::resize(int workers) {
  workers_ = std::max(workers, 1);
  chosen_.reset();
  current_ = all_workers(left_, workers_);
}

void automatic::streams_left(std::int64_t left) {
  left_ = std::max<std::int64_t>(left, 1);
  // Very many streams may be very short: only where too few are left for what runs is there something to decide.
  if (left_ < current_.streams) decide();
}

sample_rule automatic::rule() const {
  sample_rule r;
  int slices = 0;
  for (const slice& s : taken_) slices += s.era == era_ && s.measured.under == current_ ? 1 : 0;
  r.seconds = slice_seconds(slices);
  r.kernels = static_cast<std::int64_t>(std::ceil(kernels_wanted(current_.streams) / current_.streams));
  r.units_suffice = false;
  r.at_most_seconds = lengths_at_most * r.seconds;
  // A stream that does not come to an off-load is not waited for as long as for a stream that begins.
  if (!taken_.empty()) r.patience_seconds = std::min(r.patience_seconds, lengths_at_most * slice_seconds(0));
  return r;
}

void automatic::observe(const sample& measured) {
  if (measured.seconds <= 0) return;
  now_ = std::max(now_, measured.at);
  times_.add(measured.kernels);
  taken_.push_back({measured, era_});

  const double all = times_.work(measured.kernels);
  mix_.resize(std::max(mix_.size(), measured.kernels.size()));
  for (std::size_t k = 0; k < mix_.size() && all > 0; ++k) {
    const double share = k < measured.kernels.size() ? times_.work_of(k, measured.kernels[k]) / all : 0;
    mix_[k] += (share - mix_[k]) / (taken_.size() == 1 ? 1 : 4);
  }
  look_for_change();
  decide();
}

/// The throughput of a configuration has changed of itself if two slices in a row say so, of which one alone may be an
/// accident. What is not as old counts little from then on.
void automatic::look_for_change() {
  const std::size_t n = taken_.size();
  if (n >= 2 && taken_[n - 1].era == era_ && taken_[n - 2].era == era_) {
    const slice& last = taken_[n - 1];
    const slice& last_but_one = taken_[n - 2];
    if (last.measured.under == last_but_one.measured.under) {
      std::vector<const slice*> earlier;
      for (std::size_t i = 0; i + 2 < n; ++i)
        if (taken_[i].era == era_ && taken_[i].measured.under == last.measured.under) earlier.push_back(&taken_[i]);
      if (static_cast<int>(earlier.size()) >= enough) {
        const summary was = summarize(last.measured.under, earlier);
        const auto is_off = [&](const slice& s) {
          const double off = std::abs(log_throughput(s.measured) - was.what.log_w);
          return off > std::max(least_change, change_sds * std::sqrt(variance(s) + was.what.variance));
        };
        if (is_off(last) && is_off(last_but_one)) {
          ++era_;
          taken_[n - 1].era = taken_[n - 2].era = era_;
          chosen_.reset();
        }
      }
    }
  }
  learn_noise();
}

/// The noise: how far slices of one kind are from each other. One wild slice must not make all others worthless.
void automatic::learn_noise() {
  const std::size_t n = taken_.size();
  const double at_first = square(first_sd) * sureness(first_seconds);
  std::vector<double> seen(2, at_first);
  for (std::size_t i = n > 64 ? n - 64 : 1; i < n; ++i) {
    const sample& a = taken_[i - 1].measured;
    const sample& b = taken_[i].measured;
    if (a.under != b.under || taken_[i - 1].era != taken_[i].era) continue;
    seen.push_back(square(log_throughput(a) - log_throughput(b)) / (1 / sureness(a.seconds) + 1 / sureness(b.seconds)));
  }
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::nth_element(seen.begin(), middle, seen.end());
  const double most = wild * std::max(*middle, at_first / 4);
  noise_ = 0;
  for (const double one : seen) noise_ += std::min(one, most) / static_cast<double>(seen.size());
}

double automatic::log_throughput(const sample& s) const {
  const double work = times_.mean_execution() > 0 ? times_.work(s.kernels) : static_cast<double>(s.units);
  // Nothing at all was done: less than half of a kernel.
  const double least = times_.mean_execution() > 0 ? times_.mean_execution() / 2 : 0.5;
  return std::log(std::max(work, least) / s.seconds);
}

double automatic::variance(const slice& s) const {
  const double counted =
      times_.mean_execution() > 0 ? static_cast<double>(kernels_of(s.measured)) : static_cast<double>(s.measured.units);
  // Of each stream one kernel is cut by the slice's ends.
  double v = noise_ / sureness(s.measured.seconds) + s.measured.under.streams / (4 * square(counted + 1));
  if (s.measured.at > 0 && now_ > s.measured.at) v += square(aging_sd) * std::log2(now_ / s.measured.at);
  if (s.era != era_) v += square(other_era_sd);
  const double all = times_.work(s.measured.kernels);
  double moved = 0;
  for (std::size_t k = 0; k < mix_.size() && all > 0; ++k)
    moved += std::abs(mix_[k] - (k < s.measured.kernels.size() ? times_.work_of(k, s.measured.kernels[k]) / all : 0));
  return v + square(other_mix_sd * square(moved / 2));
}

automatic::summary automatic::summarize(configuration c, std::vector<const slice*> of) const {
  if (of.size() > remembered) of.erase(of.begin(), of.end() - remembered);
  struct value {
    double log_w, variance;
  };
  std::vector<value> values;
  summary all{{c, 0, 0}, static_cast<int>(of.size()), 0};
  for (const slice* s : of) {
    values.push_back({log_throughput(s->measured), variance(*s)});
    all.fresh += s->era == era_ ? 1 : 0;
  }
  if (values.size() >= enough) {  // the one that is furthest off says nothing
    std::vector<value> sorted = values;
    std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.log_w < b.log_w; });
    const double median = sorted[sorted.size() / 2].log_w;
    const auto off = [&](const value& v) { return std::abs(v.log_w - median); };
    values.erase(std::max_element(values.begin(), values.end(), [&](auto& a, auto& b) { return off(a) < off(b); }));
  }
  double weight = 0;
  for (const value& v : values) {
    weight += 1 / v.variance;
    all.what.log_w += v.log_w / v.variance;
  }
  all.what.log_w /= weight;
  all.what.variance = 1 / weight;
  if (of.size() == 1) all.what.variance += square(alone_sd);
  if (of.size() == 2) all.what.variance += square(std::max(pair_sd, std::abs(values[0].log_w - values[1].log_w) / 2));
  return all;
}

std::vector<automatic::summary> automatic::summaries() const {
  std::vector<summary> all;
  std::vector<configuration> seen;
  for (const slice& s : taken_)
    if (std::find(seen.begin(), seen.end(), s.measured.under) == seen.end()) seen.push_back(s.measured.under);
  for (const configuration c : seen) {
    std::vector<const slice*> of;
    for (const slice& s : taken_)
      if (s.measured.under == c) of.push_back(&s);
    all.push_back(summarize(c, std::move(of)));
  }
  // An earlier run says how configurations compare; how fast this one is, the slices say.
  double shift = 0;
  int both = 0;
  const std::vector<knowledge::known> before = before_.empty() ? std::vector<knowledge::known>() : before_.front().best;
  for (const knowledge::known& k : before)
    for (const summary& s : all)
      if (s.what.under == k.under && s.what.variance < square(comparable_sd))
        shift += s.what.log_w - std::log(k.throughput), ++both;
  if (both > 0) shift /= both;
  for (const knowledge::known& k : before)
    if (std::find(seen.begin(), seen.end(), k.under) == seen.end())
      all.push_back({{k.under, std::log(k.throughput) + shift, square(other_run_sd)}, 0, 0});
  return all;
}

std::vector<configuration> automatic::field() const {
  std::vector<configuration> all = feasible(workers_, left_, workers_);
  for (configuration& c : all)
    if (c.width == workers_ / c.streams) c.wider = workers_ % c.streams;
  // Some counts of streams use up the workers at no width that is among them.
  for (std::size_t i = 0; i < all.size() && all[i].width == 1; ++i) {
    const configuration c = all_workers(all[i].streams, workers_);
    if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
  }
  return all;
}

/// Gives how long a slice of a configuration is that has so many already. Each is longer than the one before: what is
/// sampled again is nearly as good as the best, or it is what runs anyhow.
double automatic::slice_seconds(int slices) const {
  const double first = std::clamp(square(noise_ / square(wanted_sd)), shortest_seconds, longest_seconds);
  return std::clamp(std::ldexp(first, std::clamp(slices - 1, 0, 20)), first, std::max(first, now_ * longest_share));
}

/// Gives about how many seconds the rest will take. As long as nothing else is known: as much as it took so far.
double automatic::seconds_left(configuration under) const {
  const double done = static_cast<double>(streams_ - left_);
  const double running = static_cast<double>(std::min<std::int64_t>(under.streams, left_));
  if (done >= running) return now_ * (static_cast<double>(left_) - running / 2) / (done + running / 2);
  return now_ * std::max(1.0, 2 * static_cast<double>(left_) / running - 1);
}

void automatic::decide() {
  if (workers_ == 1) {
    current_ = {1, 1};
    chosen_ = current_;
    return;
  }
  // Another input: what was learned of it does not count.
  if (const double now = times_.mean_execution(); now > 0)
    std::erase_if(before_, [&](const knowledge& k) {
      return k.kernel_seconds > 0 && (now > same_input * k.kernel_seconds || k.kernel_seconds > same_input * now);
    });
  const std::vector<summary> known = summaries();
  const auto known_of = [&](configuration c) {
    const auto at = std::find_if(known.begin(), known.end(), [&](auto& s) { return s.what.under == c; });
    return at == known.end() ? nullptr : &*at;
  };

  // Throughput relative to that of what is best known, in whatever unit.
  const expectation expected{times_.mean_execution(), handing_over_seconds_};
  std::vector<measured> points;
  for (const summary& s : known) points.push_back(s.what);
  double level = 0;
  if (!known.empty()) {
    const auto& surest =
        *std::min_element(points.begin(), points.end(), [](auto& a, auto& b) { return a.variance < b.variance; });
    level = surest.log_w - expected(surest.under);
  }
  for (measured& p : points) p.log_w -= level;
  surface believed(workers_, expected, points);
  // What one slice says against all that the others let expect is asked for again.
  bool strange = false;
  for (std::size_t i = 0; i < points.size() && points.size() > 1; ++i) {
    const estimate off = believed.off(i);
    if (known[i].slices != 1 || std::abs(off.mean) < strange_sds * off.sd) continue;
    points[i].variance += square(off.mean);
    strange = true;
  }
  if (strange) believed = surface(workers_, expected, points);

  // Streams that began together end together, so what is left behind the last full wave counts.
  const bool in_waves = left_ == streams_;
  const auto over_all = [&](configuration c, double log_w) {
    if (!in_waves || left_ > most_waves * c.streams) return log_w;
    const std::int64_t behind = left_ % c.streams;
    double seconds = static_cast<double>(left_ - behind) / std::exp(log_w);
    if (behind > 0) seconds += static_cast<double>(behind) / std::exp(believed.at(all_workers(behind, workers_)).mean);
    return std::log(static_cast<double>(left_) / seconds);
  };
  std::vector<candidate> candidates;
  for (const configuration c : field()) {
    estimate log_w = believed.at(c);
    log_w.mean = over_all(c, log_w.mean);
    candidates.push_back({c, log_w, known_of(c)});
  }

  // The best of what was measured, here or in an earlier run. Where streams have become too few for that, all of them
  // run.
  const bool rest = chosen_ && chosen_->streams > left_;
  const candidate* lead = nullptr;
  for (const candidate& c : candidates) {
    if (!c.known && !(rest && c.under.streams == left_)) continue;
    const auto rank = [&](const candidate& x) { return x.log_w.mean + (x.under == current_ ? as_good : 0); };
    if (!lead || rank(c) > rank(*lead)) lead = &c;
  }
  if (!lead) {  // nothing is known: all workers, by as many streams as there are
    current_ = all_workers(left_, workers_);
    return;
  }

  current_ = lead->under;
  if (!chosen_ && (!lead->known || lead->known->fresh < (before_.empty() ? enough : 1))) return;

  const double rest_seconds = seconds_left(lead->under);
  // Where all streams run at a time in the lead, those that stand aside for a slice are behind when the others end.
  const auto lag = [&](const candidate& c) {
    const std::int64_t aside = left_ - c.under.streams;
    if (left_ > lead->under.streams || aside <= 0) return 0.0;
    const auto speed = [&](double log_w, std::int64_t streams) {  // of one stream, to that in the lead
      return std::exp(log_w - lead->log_w.mean) * static_cast<double>(left_) / static_cast<double>(streams);
    };
    const double within = speed(c.log_w.mean, c.under.streams);
    const double at_end = std::max(1.0, speed(believed.at(all_workers(aside, workers_)).mean, aside));
    return 1 - within + within / at_end;
  };
  const candidate* next = nullptr;
  double most = 0;
  double promised = 0;
  for (const candidate& c : candidates) {
    if (&c == lead) continue;
    // Slices until it is known well enough to take the lead's place, and what they may turn out to say.
    const int fresh = c.known ? c.known->fresh : 0;
    const int slices = std::max(1, enough - fresh);
    const double ahead = c.log_w.mean - lead->log_w.mean;
    const double seconds_each =
        std::max(slice_seconds(fresh),
                 kernels_wanted(c.under.streams) * times_.mean_execution() / std::exp(c.log_w.mean + level));
    const double after = noise_ / (sureness(seconds_each) * slices);
    const double turn = square(c.log_w.sd) / std::sqrt(square(c.log_w.sd) + after);
    const double gain = mean_gain(ahead, turn) * rest_seconds;
    const double lost = std::max({0.0, 1 - std::exp(ahead), lag(c)});
    const double cost = slices * seconds_each * lost + change_seconds + times_.mean_execution();
    if (gain - cost > most) {
      most = gain - cost;
      promised = gain / rest_seconds;
      next = &c;
    }
  }
  // Where the lead itself is known less, it is sampled: that costs nothing.
  if (next && next->log_w.sd > lead->log_w.sd) current_ = next->under;
  const bool seen = lead->known && lead->known->fresh > 0;  // by this run itself
  if (promised < as_good && !rest && seen) chosen_ = lead->under;
}

std::vector<phase_sample> automatic::samples() const {
  std::vector<phase_sample> all;
  for (const slice& s : taken_)
    all.push_back({s.measured.under, std::exp(log_throughput(s.measured)) * s.measured.seconds, s.measured.seconds});
  return all;
}

knowledge automatic::learned() const {
  constexpr std::size_t most = 8;
  std::vector<summary> known = summaries();
  const auto at_least = [](const summary& s) { return s.what.log_w - std::sqrt(s.what.variance); };
  std::sort(known.begin(), known.end(), [&](auto& a, auto& b) { return at_least(a) > at_least(b); });
  knowledge k{times_.mean_execution(), {}};
  for (const summary& s : known)
    if (k.best.size() < most) k.best.push_back({s.what.under, std::exp(s.what.log_w)});
  return k;
}

}  // namespace maslin::grain
