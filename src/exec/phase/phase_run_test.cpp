#include "exec/phase/phase_run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <deque>
#include <random>
#include <vector>

namespace maslin {
namespace {

/// Four workers whose clock is moved by hand.
class clocked_host final : public phase_host {
 public:
  clocked_host() : whole(make_whole(workers)) {
    for (auto& t : served_) t.store(&whole);
  }
  int worker_count() const override { return workers; }
  MASLIN_ATOMIC<team*>& team_served_by(int worker) override { return served_[static_cast<std::size_t>(worker)]; }
  void notify_worker(int) override {}
  int track() const noexcept override { return -1; }
  std::uint64_t ticks() const override { return now; }
  double seconds_per_tick() const override { return 1e-9; }
  double handing_over() const override { return 1e-7; }
  std::optional<grain::wait_sums> waits(int, int) const override { return std::nullopt; }
  std::optional<double> cpu_seconds() const override { return std::nullopt; }
  std::unique_ptr<learned_phases> open_learned() const override { return std::make_unique<learned_phases>("", ""); }

  static constexpr int workers = 4;
  std::uint64_t now = 1'000'000;
  team& whole;

 private:
  std::array<MASLIN_ATOMIC<team*>, workers> served_{};
};

/// Workers that run the streams of one phase, one step at a time. A stream may wait for something, and its worker goes
/// on with others meanwhile.
class simulated_phase {
 public:
  simulated_phase(clocked_host& host, unsigned seed) : host_(host), random_(seed) {
    run_.promise_teams(clocked_host::workers);
    run_.begin(host.whole);
  }

  bool is_over() const { return finished_ == what_.streams; }
  /// Gives whether the worker got what it was asked to fetch.
  bool step() {
    host_.now += random_() % 200'000;
    const auto w = random_() % clocked_host::workers;
    std::vector<running>& mine = on_worker_[w];
    for (running& r : mine)
      if (r.waits && random_() % 8 == 0) r.waits = false;
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (!mine[i].waits) return go_on(mine, i, static_cast<int>(w)), true;
    return fetch(mine, static_cast<int>(w));
  }

 private:
  struct running {
    stream_run* stream;
    bool waits;
  };

  void go_on(std::vector<running>& mine, std::size_t i, int worker) {
    stream_run& s = *mine[i].stream;
    const auto what = random_() % 16;
    if (what == 0) {
      mine[i].waits = true;
    } else if (what == 1 && s.off_loads.load() > 20) {
      mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(i));
      ++finished_;
      if (run_.finished(s)) return run_.end();
      decide();
      run_.make_up_for_finished();
    } else {
      run_.off_loaded(s, host_.now);
      if (run_.due(host_.now)) {
        run_.tick();
        decide();
      }
      if (run_.stale(s) && !run_.stays(s, worker)) mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  void decide() {
    while (run_.sizing().begin_decision()) {
      run_.sizing().decide();
      run_.end_decision();
    }
  }
  bool fetch(std::vector<running>& mine, int worker) {
    const team& t = *host_.team_served_by(worker).load();
    if (t.first() != worker || t.runs != &run_) return true;
    if (t.wants_stream.load()) return fetch(mine, worker, false);
    return fetch(mine, worker, true) || !t.may_resume.load();
  }
  bool fetch(std::vector<running>& mine, int worker, bool before_parking) {
    std::optional<std::int64_t> begun;
    stream_run* s = run_.next_stream(worker, before_parking, begun);
    if (begun) run_.started(*(s = &all_.emplace_back(run_, *begun)), worker);
    if (s) mine.push_back({s, false});
    return s != nullptr;
  }

  const detail::phase what_{"simulated", 24, nullptr, nullptr, {}};
  clocked_host& host_;
  std::mt19937 random_;
  scope caller_{nullptr, scope::creators::many};
  phase_run run_{host_, what_, clocked_host::workers, false, caller_};
  std::deque<stream_run> all_;
  std::array<std::vector<running>, clocked_host::workers> on_worker_;
  std::int64_t finished_ = 0;
};

class PhaseRun : public testing::TestWithParam<const char*> {};

// A worker that is asked for a stream and finds none looks again and again: it never sleeps, and before that it resumes
// nobody.
TEST_P(PhaseRun, WhoIsAskedForAStreamFindsOne) {
  setenv("MASLIN_GRAIN", GetParam(), 1);
  for (unsigned seed = 0; seed < 200; ++seed) {
    clocked_host host;
    simulated_phase phase(host, seed);
    for (int steps = 0; !phase.is_over(); ++steps) {
      ASSERT_TRUE(phase.step()) << "seed " << seed << ", step " << steps;
      ASSERT_LT(steps, 1'000'000) << "seed " << seed;
    }
  }
  unsetenv("MASLIN_GRAIN");
}

INSTANTIATE_TEST_SUITE_P(Policies, PhaseRun, testing::Values("ucb", "s-mgps", "mgps", "edtlp"),
                         [](const auto& of) { return std::string(of.param) == "s-mgps" ? "smgps" : of.param; });

}  // namespace
}  // namespace maslin
