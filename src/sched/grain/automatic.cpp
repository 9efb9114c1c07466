#include "sched/grain/automatic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
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
/// So many kernels a slice sees at most before it may end, and as many as it takes to know log W to `kernels_sd` if
/// they take unequally long; one of each stream in any case. How little so few say, `variance` knows.
constexpr double most_kernels = 4;
constexpr double kernels_sd = 0.1;
/// A configuration in which nothing moves is given up after so many lengths of a slice.
constexpr double lengths_at_most = 10;

// What one slice says may be an accident (a neighbour, a stream at its start); three of the same kind are none.
constexpr double alone_sd = 0.12;
constexpr double pair_sd = 0.04;
constexpr int enough = 3;
constexpr double strange_sds = 3;
constexpr int remembered = 16;
/// A pair of slices whose squared difference is more than so many times the median counts like that much.
constexpr double wild = 4;

// How much less a slice says later: for every doubling of the phase's time; of a mix of kernels of which it saw none;
// of the time before throughput changed of itself; of an earlier run.
constexpr double aging_sd = 0.03;
constexpr double other_mix_sd = 1;
constexpr double other_era_sd = 0.6;
constexpr double other_run_sd = 0.015;
/// How far the pace of streams' own code is apart in two configurations.
constexpr double pace_sd = 0.3;
/// Less of it than so much of the kernels' time is what rounding leaves.
constexpr double least_own = 1e-3;
/// A slice that did not see so large a share of what is to come says nothing.
constexpr double most_not_seen = 0.5;
/// What is known less well than this (another mix, another era) does not say how this run compares with an earlier one.
constexpr double comparable_sd = 0.2;
/// Inputs are alike if their kernels' mean times are, to such a factor. The fewer kernels were seen, the less is known
/// of that.
constexpr double same_size = 1.5;

/// A change of throughput by less than this, or by less than so many standard deviations of a slice, is none.
constexpr double least_change = 0.2;
constexpr double change_sds = 4;

/// Of two as good as each other to so much, the one in use stays, or else the one that uses less.
constexpr double as_good = 0.005;

/// How likely it is that streams which call libraries gain nothing by those libraries' threads: most calls are short.
constexpr double library_unshared = 0.8;

/// The rest of a phase of which no stream has ended, by what it took so far.
constexpr double may_last = 5;

/// What a change of configuration costs beside the slice: streams move, caches are cold.
constexpr double change_seconds = 0.2e-3;

double square(double x) { return x * x; }

/// By what a slice's length makes it surer: neighbours and stages of a search last, so by less than its seconds.
double sureness(double seconds) { return std::sqrt(seconds); }

/// Gives the probability that a normal x is above 0.
double share_above(double mean, double sd) {
  if (sd <= 0) return mean > 0 ? 1 : 0;
  return std::erfc(-mean / sd / std::numbers::sqrt2) / 2;
}

/// Gives the mean of max(0, x) for normal x.
double mean_gain(double mean, double sd) {
  if (sd <= 0) return std::max(mean, 0.0);
  const double z = mean / sd;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return sd * density + mean * share_above(mean, sd);
}

/// Gives the configuration of so many streams that leaves no worker without one.
configuration all_workers(std::int64_t streams, int workers) {
  const int at_a_time = static_cast<int>(std::min<std::int64_t>(streams, workers));
  return {at_a_time, workers / at_a_time, workers % at_a_time};
}

/// A phase may have lost workers. What needs more than it has says nothing that could be used now, and `surface` has no
/// place for it.
bool fits(configuration c, int workers) { return busy(c) <= workers; }

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
      calls_libraries_(begin.calls_libraries),
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

/// The same as if workers had had a CPU whenever they wanted one: others who take CPUs do it to one configuration in
/// one slice and to another in another.
sample automatic::undisturbed(sample of) {
  const double had = 1 - of.without_cpu;
  for (kernel_record& k : of.kernels) {
    k.one_worker_seconds *= had;
    k.worker_seconds *= had;
    k.stream_seconds *= had;
    k.squares *= square(had);
  }
  of.seconds *= had;
  of.own_seconds *= had;
  own_had_ += had * (of.own_so_far - own_so_far_);
  own_so_far_ = std::exchange(of.own_so_far, own_had_);
  return of;
}

void automatic::observe(const sample& seen) {
  if (seen.seconds <= 0) return;
  const sample measured = undisturbed(seen);
  const double since_last = measured.at - now_;
  if (taken_.empty() || taken_.back().measured.under != measured.under) {
    changing_seconds_ += std::max(0.0, since_last - seen.seconds);
    ++changes_;
  }
  now_ = std::max(now_, measured.at);
  held_ = measured.units == 0 ? measured.silent : 0;
  times_.add(measured.kernels);
  const double running = static_cast<double>(std::min<std::int64_t>(measured.under.streams, left_));
  const double finished = static_cast<double>(streams_ - left_);
  mix_.observe(parts_of(measured.own_seconds, measured.kernels, times_), measured.own_so_far, measured.kernels_so_far,
               times_, running / static_cast<double>(left_), since_last, finished > 0 ? now_ * running / finished : 0);

  taken_.push_back({measured, era_, left_ < streams_ && left_ <= measured.under.streams});
  taken_.back().measured.kernels_so_far = {};
  learn_paces();
  learn_spread();
  look_for_change();
  decide();
}

/// Streams' own code may run at another pace in another configuration (memory that all use, a lock). Where streams do
/// it between kernels, slices of one configuration agree on how much of it there is to a second of kernels, and how
/// they differ from other configurations' is the pace. Where a slice catches nothing but own code, and the next one
/// none, that says nothing.
void automatic::learn_paces() {
  paces_.clear();
  double sum = 0, squares = 0;
  int all = 0;
  for (const slice& s : taken_) {
    if (s.era != era_) continue;
    const work_parts done = parts_of(s.measured.own_seconds, s.measured.kernels, times_);
    const double work = std::accumulate(done.begin() + 1, done.end(), 0.0);
    if (done.front() <= least_own * work || work <= 0) continue;
    const double log_own = std::log(done.front() / work);
    auto of = std::find_if(paces_.begin(), paces_.end(), [&](const pace& p) { return p.under == s.measured.under; });
    if (of == paces_.end()) of = paces_.insert(of, {s.measured.under, 0, 0, 0});
    of->sum += log_own;
    of->squares += square(log_own);
    ++of->slices;
    sum += log_own;
    ++all;
  }
  for (const pace& p : paces_) squares += p.squares - square(p.sum) / p.slices;
  const int free = all - static_cast<int>(paces_.size());
  const double within = free >= enough ? std::max(0.0, squares / free) : 1;
  for (pace& p : paces_) {
    const double sure = square(pace_sd) / (square(pace_sd) + within * (1.0 / p.slices + 1.0 / all));
    p.log_pace = sure * (p.sum / p.slices - sum / all);
  }
}

double automatic::pace_of_own_code(configuration under) const {
  const auto of = std::find_if(paces_.begin(), paces_.end(), [&](const pace& p) { return p.under == under; });
  return of == paces_.end() ? 1 : std::exp(of->log_pace);
}

/// The throughput of a configuration has changed of itself if two slices in a row say so, of which one alone may be an
/// accident. What is not as old counts little from then on.
void automatic::look_for_change() {
  const std::size_t n = taken_.size();
  if (n >= 2 && taken_[n - 1].era == era_ && taken_[n - 2].era == era_) {
    const slice& last = taken_[n - 1];
    const slice& last_but_one = taken_[n - 2];
    if (last.measured.under == last_but_one.measured.under) {
      std::vector<judged> earlier;
      for (std::size_t i = 0; i + 2 < n; ++i)
        if (taken_[i].era == era_ && taken_[i].measured.under == last.measured.under)
          earlier.push_back(judge(taken_[i], to_come()));
      if (static_cast<int>(earlier.size()) >= enough) {
        const summary was = summarize(last.measured.under, earlier);
        const auto is_off = [&](const slice& s) {
          const throughput now = throughput_of(s.measured, to_come());
          const double off = std::abs(now.log_w - was.what.log_w);
          return off > std::max(least_change, change_sds * std::sqrt(variance(s, now) + was.what.variance));
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
    const throughput wa = throughput_of(a, to_come());
    const throughput wb = throughput_of(b, to_come());
    const double differ = std::max(0.0, square(wa.log_w - wb.log_w) - wa.scatter - wb.scatter);
    seen.push_back(differ / (1 / sureness(a.seconds) + 1 / sureness(b.seconds)));
  }
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::nth_element(seen.begin(), middle, seen.end());
  const double most = wild * std::max(*middle, at_first / 4);
  noise_ = 0;
  for (const double one : seen) noise_ += std::min(one, most) / static_cast<double>(seen.size());
}

/// Gives the shares of what streams still have to do. As long as more are left than could run at a time, all parts of a
/// stream count, whatever those that run are at.
const work_parts& automatic::to_come() const { return mix_.to_come(left_ > workers_); }

double automatic::own() const { return to_come().empty() ? 0 : to_come().front(); }

expectation automatic::expected() const {
  double seconds = 0;
  double without_cpu = 0;
  for (const slice& s : taken_) {
    seconds += s.measured.seconds;
    without_cpu += s.measured.seconds * s.measured.without_cpu;
  }
  expectation e{times_.mean_execution(), handing_over_seconds_, own(), seconds > 0 ? without_cpu / seconds : 0};
  if (calls_libraries_) e.unshared = library_unshared;
  return e;
}

/// Slices catch more of one part of streams' work or of another. So a slice says how long each part took, and for how
/// many streams' time streams were at work; the throughput is that of streams which do what is still to come.
automatic::throughput automatic::throughput_of(const sample& s, const work_parts& shares) const {
  const work_parts done = parts_of(s.own_seconds, s.kernels, times_);
  double at_work = s.own_seconds;
  double in_kernels = 0;
  double work = 0;
  for (std::size_t k = 0; k < s.kernels.size(); ++k) {
    at_work += s.kernels[k].stream_seconds;
    in_kernels += s.kernels[k].stream_seconds;
    work += done[k + 1];
  }
  // What takes one second of one worker took streams so many seconds.
  const double kernel =
      work > 0 ? in_kernels / work
               : s.under.streams / std::exp(expectation{times_.mean_execution(), handing_over_seconds_}(s.under));
  double each = shares.empty() ? kernel : shares.front() * pace_of_own_code(s.under);
  double not_seen = 0;
  double scatter = 0;
  for (std::size_t k = 0; k + 1 < shares.size(); ++k) {
    const bool seen = k < s.kernels.size() && done[k + 1] > 0;
    const double part = shares[k + 1] * (seen ? s.kernels[k].stream_seconds / done[k + 1] : kernel);
    each += part;
    not_seen += seen ? 0 : shares[k + 1];
    if (seen) scatter += square(part) * times_.spread(k) / s.kernels[k].timed_executions();
  }
  if (at_work > 0 && each > 0) return {std::log(at_work / s.seconds / each), not_seen, scatter / square(each)};
  // Nothing was timed. Where other slices saw something, this one says nothing.
  const double least = times_.mean_execution() > 0 ? times_.mean_execution() / 2 : 0.5;
  const double units = times_.mean_execution() > 0 ? times_.work(s.kernels) : static_cast<double>(s.units);
  return {std::log(std::max(units, least) / s.seconds), shares.empty() ? 0.0 : 1.0};
}

double automatic::kernels_wanted(int streams) const {
  const double enough = taken_.empty() ? most_kernels : std::min(most_kernels, spread_ / square(kernels_sd));
  return std::max<double>(enough, streams);
}

void automatic::learn_spread() {
  double scatter = 0;
  double executions = 0;
  for (const slice& s : taken_) {
    const auto seen = static_cast<double>(kernels_of(s.measured));
    scatter += throughput_of(s.measured, to_come()).scatter * square(seen);
    executions += seen;
  }
  spread_ = executions > 0 ? scatter / executions : 0;
}

double automatic::variance(const slice& s, const throughput& w) const {
  const double counted =
      times_.mean_execution() > 0 ? static_cast<double>(kernels_of(s.measured)) : static_cast<double>(s.measured.units);
  // Of each stream one kernel is cut by the slice's ends.
  double v =
      noise_ / sureness(s.measured.seconds) + square(1 - own()) * s.measured.under.streams / (4 * square(counted + 1));
  if (s.measured.at > 0 && now_ > s.measured.at) v += square(aging_sd) * std::log2(now_ / s.measured.at);
  if (s.era != era_) v += square(other_era_sd);
  return v + w.scatter + square(other_mix_sd * w.not_seen);
}

automatic::judged automatic::judge(const slice& s, const work_parts& shares) const {
  return {&s, throughput_of(s.measured, shares)};
}

automatic::summary automatic::summarize(configuration c, std::vector<judged> of) const {
  if (of.size() > remembered) of.erase(of.begin(), of.end() - remembered);
  struct value {
    double log_w, variance;
  };
  std::vector<value> values;
  summary all{{c, 0, 0}, static_cast<int>(of.size()), 0};
  for (const judged& one : of) {
    values.push_back({one.w.log_w, variance(*one.of, one.w)});
    all.fresh += one.of->era == era_ ? 1 : 0;
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

/// Gives a summary of each configuration that this run has slices of.
std::vector<automatic::summary> automatic::measured_here(const work_parts& shares, bool with_tail) const {
  std::vector<configuration> seen;
  std::vector<std::vector<judged>> slices;  // of each
  for (const slice& s : taken_) {
    if ((s.tail && !with_tail) || !fits(s.measured.under, workers_)) continue;
    const judged one = judge(s, shares);
    if (one.w.not_seen > most_not_seen) continue;
    const auto at = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), s.measured.under) - seen.begin());
    if (at == seen.size()) {
      seen.push_back(s.measured.under);
      slices.emplace_back();
    }
    slices[at].push_back(one);
  }
  std::vector<summary> all;
  for (std::size_t c = 0; c < seen.size(); ++c) all.push_back(summarize(seen[c], std::move(slices[c])));
  return all;
}

/// The same, and of those that only an earlier run knows (null: there is none).
std::vector<automatic::summary> automatic::summaries(const work_parts& shares, bool with_tail,
                                                     const knowledge* earlier) const {
  std::vector<summary> all = measured_here(shares, with_tail);
  // An earlier run says how configurations compare; how fast this one is, the slices say. As far as it was off where
  // there are slices, it may be elsewhere.
  double shift = 0;
  double off = 0;
  int both = 0;
  const std::vector<knowledge::known> before = earlier ? earlier->best : std::vector<knowledge::known>();
  for (const knowledge::known& k : before) {
    for (const summary& s : all) {
      if (s.what.under != k.under || s.what.variance >= square(comparable_sd)) continue;
      const double faster = s.what.log_w - std::log(k.throughput);
      shift += faster;
      off += square(faster);
      ++both;
    }
  }
  if (both > 0) shift /= both, off /= both;
  if (both > 1) off = std::max(0.0, off - square(shift));  // all faster or slower by as much
  for (const knowledge::known& k : before)
    if (fits(k.under, workers_) &&
        std::none_of(all.begin(), all.end(), [&](const summary& s) { return s.what.under == k.under; }))
      all.push_back({{k.under, std::log(k.throughput) + shift, square(other_run_sd) + off}, 0, 0});
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

/// Gives about how many seconds the rest will take. Before a stream has ended nothing says when one will. A phase that
/// lasts much longer loses more by a bad configuration than a short one by a sample: so it is taken to last.
double automatic::seconds_left(configuration under) const {
  const double done = static_cast<double>(streams_ - left_);
  const double left = static_cast<double>(left_);
  const double running = std::min<double>(under.streams, left);
  if (done >= running) return now_ * (left - running / 2) / (done + running / 2);
  double begun = running;
  for (const slice& s : taken_) begun = std::max(begun, std::min<double>(s.measured.under.streams, left));
  return now_ * std::max(may_last, 2 * left / begun - 1);
}

/// Gives the first earlier run of the same input; nullptr if there is none. What a kernel takes on one worker says
/// little of the input where workers contend, because it is another time in every configuration. How many kernels a
/// configuration completes in a second is the same as long as the input is.
const knowledge* automatic::same_input() const {
  if (before_.empty()) return nullptr;
  knowledge here{times_.mean_execution(), {}};
  for (const summary& s : measured_here(mix_.of_all(), true))
    here.best.push_back({s.what.under, std::exp(s.what.log_w)});
  double seen = 0;
  for (const slice& s : taken_) seen += static_cast<double>(kernels_of(s.measured));
  const double close = std::log(same_size) + 1 / std::sqrt(std::max(seen, 1.0));
  const auto is_same = [&](const knowledge& k) {
    return here.kernel_seconds <= 0 || k.kernel_seconds <= 0 || std::abs(log_size_ratio(here, k)) <= close;
  };
  const auto first = std::ranges::find_if(before_, is_same);
  return first == before_.end() ? nullptr : &*first;
}

void automatic::decide() {
  if (workers_ == 1) {
    current_ = {1, 1};
    chosen_ = current_;
    estimates_.clear();
    estimates_of_ = chosen_;
    return;
  }
  const knowledge* const earlier = same_input();
  const std::vector<summary> known = summaries(to_come(), true, earlier);
  const auto known_of = [&](configuration c) {
    const auto at = std::find_if(known.begin(), known.end(), [&](auto& s) { return s.what.under == c; });
    return at == known.end() ? nullptr : &*at;
  };

  const expectation expected = this->expected();
  std::vector<measured> points;
  for (const summary& s : known) points.push_back(s.what);
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
  // run, on all workers unless slices have shown that fewer are enough: there is no time left to try it.
  const bool rest = chosen_ && chosen_->streams > left_;
  const candidate* lead = nullptr;
  for (const candidate& c : candidates) {
    if (!c.known && !(rest && c.under.streams == left_)) continue;
    const auto rank = [&](const candidate& x) {
      return (rest ? believed.likeliest(x.under) : x.log_w.mean) + (x.under == current_ ? as_good : 0);
    };
    if (!lead || rank(c) > rank(*lead)) lead = &c;
  }
  if (!lead) {  // nothing is known: all workers, by as many streams as there are
    current_ = all_workers(left_, workers_);
    chosen_.reset();
    return;
  }

  // What cannot run any more is no candidate. It stays in what was last decided by.
  const bool all_can_run =
      std::none_of(known.begin(), known.end(), [&](auto& s) { return s.what.under.streams > left_; });
  const auto keep_if_confirmed = [&] {
    const bool is_new = chosen_ && chosen_ != estimates_of_;
    if ((!chosen_ || chosen_ == lead->under) && (all_can_run || is_new)) keep_estimates(candidates);
  };

  current_ = lead->under;
  if (!chosen_ && (!lead->known || lead->known->fresh < (earlier ? 1 : enough))) return keep_if_confirmed();

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
    if (&c == lead || c.under.streams < held_) continue;
    // Slices until it is known well enough to take the lead's place, and what they may turn out to say.
    const int fresh = c.known ? c.known->fresh : 0;
    const int slices = std::max(1, enough - fresh);
    const double ahead = c.log_w.mean - lead->log_w.mean;
    const double seconds_each = std::max(
        slice_seconds(fresh), kernels_wanted(c.under.streams) * times_.mean_execution() / std::exp(c.log_w.mean));
    const double seconds_of_work = seconds_each * std::exp(c.log_w.mean);
    const double after =
        (noise_ / sureness(seconds_each) + spread_ * times_.mean_execution() / seconds_of_work) / slices;
    const double turn = square(c.log_w.sd) / std::sqrt(square(c.log_w.sd) + after);
    const double gain = mean_gain(ahead, turn) * rest_seconds;
    const double lost = std::max({0.0, 1 - std::exp(ahead), lag(c)});
    // The first slice says of most that they are not worth the others.
    const double expected_slices = 1 + (slices - 1) * share_above(ahead, turn);
    const double cost = (expected_slices * seconds_each + changing_seconds_ / changes_) * lost + change_seconds +
                        times_.mean_execution();
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
  keep_if_confirmed();
}

void automatic::keep_estimates(const std::vector<candidate>& candidates) {
  estimates_.clear();
  for (const candidate& c : candidates)
    if (c.known) estimates_.push_back({c.under, std::exp(c.log_w.mean), c.log_w.sd, c.known->slices});
  std::ranges::stable_sort(estimates_, std::greater(), &phase_estimate::throughput);
  estimates_of_ = chosen_;
}

std::string_view automatic::unit() const {
  const bool has_own = std::any_of(taken_.begin(), taken_.end(), [](auto& s) { return s.measured.own_seconds > 0; });
  return taken_.empty() || has_own || times_.mean_execution() > 0 ? unit::work : unit::streams;
}

std::vector<phase_sample> automatic::samples() const {
  std::vector<phase_sample> all;
  for (const slice& s : taken_)
    all.push_back({s.measured.under, std::exp(throughput_of(s.measured, mix_.of_all()).log_w) * s.measured.seconds,
                   s.measured.seconds});
  return all;
}

knowledge automatic::learned() const {
  constexpr std::size_t most = 16;
  std::vector<summary> known = summaries(mix_.of_all(), false, same_input());
  const auto at_least = [](const summary& s) { return s.what.log_w - std::sqrt(s.what.variance); };
  std::sort(known.begin(), known.end(), [&](auto& a, auto& b) { return at_least(a) > at_least(b); });
  knowledge k{times_.mean_execution(), {}};
  // What ran the most workers is kept in any case: without it the next run would try it.
  const auto busiest = std::ranges::max_element(known, {}, [](const summary& s) { return busy(s.what.under); });
  if (busiest - known.begin() >= static_cast<std::ptrdiff_t>(most)) std::swap(*busiest, known[most - 1]);
  for (const summary& s : known)
    if (k.best.size() < most) k.best.push_back({s.what.under, std::exp(s.what.log_w)});
  return k;
}

}  // namespace maslin::grain
