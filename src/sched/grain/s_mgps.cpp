#include "sched/grain/s_mgps.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace maslin::grain {

namespace {

// After each pass, what is clearly behind is dropped: below this share of the leader's worst slice even in its best
// one. The first pass drops nothing, because one slice says little: it may have met a stream at its start, or another
// program.
constexpr std::array keep_share = {0.0, 0.6, 0.75, 0.85, 0.9};

// Step 1 looks only for the bound on the width, and each of its slices leaves most of the machine idle: few passes. In
// step 2 the late passes compare what is nearly as good as the best, so they cost next to nothing.
constexpr int width_passes = 3;
constexpr int grid_passes = 9;

// A first slice: long against the milliseconds in which an operating system moves threads, and shorter where more
// workers mean more configurations, so that sampling as a whole does not grow.
constexpr double slice_worker_seconds = 0.05;
constexpr double shortest_slice_seconds = 0.0025;
constexpr double longest_first_slice_seconds = 0.025;
constexpr int longest_stretch = 4;

/// Gives 1 to 16, then four steps a doubling, up to and including `last`.
std::vector<int> counts(std::int64_t last) {
  std::vector<int> all;
  int next = 1;
  int step = 1;
  while (next < last) {
    all.push_back(next);
    if (next >= 16 && (next & (next - 1)) == 0) step = next / 4;
    next += step;
  }
  all.push_back(static_cast<int>(last));
  return all;
}

bool uses_less(configuration a, configuration b) {
  const std::int64_t workers_a = std::int64_t{a.streams} * a.width;
  const std::int64_t workers_b = std::int64_t{b.streams} * b.width;
  return workers_a != workers_b ? workers_a < workers_b : a.width < b.width;
}

}  // namespace

std::vector<configuration> feasible(int workers, std::int64_t streams, int widest) {
  std::vector<configuration> all;
  for (const int width : counts(std::clamp(widest, 1, workers)))
    for (const int at_a_time : counts(std::min<std::int64_t>(streams, workers / width)))
      all.push_back({at_a_time, width});
  return all;
}

s_mgps::s_mgps(int workers, std::int64_t streams)
    : workers_(std::max(workers, 1)), streams_(std::max<std::int64_t>(streams, 1)), left_(streams_) {
  enter(feasible(workers_, 1, workers_));
  advance();
}

sample_rule s_mgps::rule() const {
  sample_rule r;
  r.seconds = std::clamp(slice_worker_seconds / workers_, shortest_slice_seconds, longest_first_slice_seconds) *
              std::min(1 << (pass_ - 1), longest_stretch);
  return r;
}

void s_mgps::observe(const sample& measured) {
  if (measured.seconds <= 0) return;
  std::uint64_t completed = 0;
  for (const kernel_record& k : measured.kernels) completed += k.completed;
  times_.add(measured.kernels);
  kernels_seen_ = kernels_seen_ || completed > 0;
  const bool by_units = measured.units >= measured.under.streams &&
                        completed < static_cast<std::uint64_t>(sample_rule{}.kernels * measured.under.streams);
  for (candidate& c : candidates_)
    if (c.under == measured.under) c.slices.push_back(taken_.size());
  taken_.push_back({measured, by_units});
  advance();
}

void s_mgps::streams_left(std::int64_t left) {
  left_ = std::max<std::int64_t>(left, 1);
  advance();
}

void s_mgps::resize(int workers) {
  workers = std::max(workers, 1);
  if (workers == workers_) return;
  workers_ = workers;
  step_ = step::widths;
  chosen_.reset();
  enter(feasible(workers_, 1, workers_));
  advance();
}

/// Starts a race among `field`; slices that were taken before count.
void s_mgps::enter(const std::vector<configuration>& field) {
  candidates_.clear();
  for (const configuration under : field) {
    candidate c{.under = under, .racing = true, .slices = {}};
    for (std::size_t i = 0; i < taken_.size(); ++i)
      if (taken_[i].measured.under == under) c.slices.push_back(i);
    candidates_.push_back(std::move(c));
  }
  pass_ = 1;
}

bool s_mgps::race_is_over() const {
  const auto racers = std::count_if(candidates_.begin(), candidates_.end(), [&](auto& c) { return eligible(c); });
  return racers <= 1 || pass_ > (step_ == step::widths ? width_passes : grid_passes);
}

/// Gives the candidate of this pass that lacks its slice, if any.
const s_mgps::candidate* s_mgps::due() const {
  for (const candidate& c : candidates_) {
    const bool by_units = std::any_of(c.slices.begin(), c.slices.end(), [&](auto i) { return taken_[i].by_units; });
    if (eligible(c) && !by_units && c.slices.size() < static_cast<std::size_t>(pass_)) return &c;
  }
  return nullptr;
}

/// Goes on to where the next slice is due, or to the choice.
void s_mgps::advance() {
  while (step_ != step::done) {
    if (race_is_over()) {
      // Too few streams left end the race as well; what was measured best is the choice all the same.
      const configuration winner = best(false).under;
      if (step_ == step::widths) {
        step_ = step::grid;
        enter_grid(winner.width);
      } else {
        step_ = step::done;
        chosen_ = winner;
      }
    } else if (const candidate* next = due()) {
      current_ = next->under;
      return;
    } else {
      drop_what_is_behind();
      ++pass_;
    }
  }
  current_ = chosen_->streams <= left_ ? *chosen_ : best(true).under;
}

void s_mgps::enter_grid(int widest) {
  std::vector<configuration> field = feasible(workers_, streams_, widest);
  // Should the phase end while it is sampled, the configurations that use most of the machine have been in use.
  std::stable_sort(field.begin(), field.end(), [](auto a, auto b) { return uses_less(b, a); });
  enter(field);
  for (candidate& c : candidates_)  // step 1 has compared these
    if (c.under.streams == 1 && c.under.width != widest) c.racing = false;
}

void s_mgps::drop_what_is_behind() {
  const std::size_t k = std::min<std::size_t>(static_cast<std::size_t>(pass_) - 1, keep_share.size() - 1);
  const double bar = keep_share[k] * throughput(best(true)).lowest;
  for (candidate& c : candidates_)
    if (eligible(c) && throughput(c).highest < bar) c.racing = false;
}

/// Gives the candidate with the largest median throughput, among those that the streams left allow if that is asked:
/// among those still in the race, if any is, since they were measured best.
const s_mgps::candidate& s_mgps::best(bool for_streams_left) const {
  const auto rank = [&](const candidate& c) {
    return std::tuple(!for_streams_left || c.under.streams <= left_, c.racing, throughput(c).median);
  };
  return *std::max_element(candidates_.begin(), candidates_.end(), [&](const candidate& a, const candidate& b) {
    const auto rank_a = rank(a);
    const auto rank_b = rank(b);
    return rank_a != rank_b ? rank_a < rank_b : uses_less(b.under, a.under);
  });
}

s_mgps::spread s_mgps::throughput(const candidate& c) const {
  if (c.slices.empty()) return {0, 0, 0};
  std::vector<double> w;
  for (const std::size_t i : c.slices) w.push_back(work(taken_[i].measured) / taken_[i].measured.seconds);
  std::sort(w.begin(), w.end());
  const std::size_t half = w.size() / 2;
  return {w.front(), w.size() % 2 ? w[half] : (w[half - 1] + w[half]) / 2, w.back()};
}

double s_mgps::work(const sample& s) const {
  return kernels_seen_ ? times_.work(s.kernels) : static_cast<double>(s.units);
}

std::vector<phase_sample> s_mgps::samples() const {
  std::vector<phase_sample> all;
  for (const slice& s : taken_) all.push_back({s.measured.under, work(s.measured), s.measured.seconds});
  return all;
}

}  // namespace maslin::grain
