// A memory-bound stencil: every stream sweeps over arrays that no cache of a core holds; an off-load is one sweep. All
// workers share the memory's bandwidth, so fewer of them win.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numbers>

#include "random.hpp"
#include "shape.hpp"

namespace shapes {

namespace {

constexpr std::int64_t blocks = 64;
constexpr std::int64_t wave = 16;  // elements
constexpr double bytes = 24;  // that a sweep moves for an element: one in, one out, which is read before it is written

// The described memory: a worker alone moves 10 GB/s, and a quarter of all workers use up what there is. Beyond that
// they disturb each other: every further quarter costs 15 % of the whole.
constexpr double worker_bytes_per_second = 10e9;
constexpr double workers_that_fill_it = 0.25;  // of all
constexpr double disturbance = 0.15;

double sweep_seconds(double elements, double active) {
  const double enough = std::max(1.0, workers_that_fill_it * ms::workers());
  const double share = std::min(1.0, enough / active);
  const double slowed = 1 + disturbance * std::max(0.0, active / enough - 1);
  return elements * bytes / (worker_bytes_per_second * share) * slowed;
}

struct arrays {
  std::vector<double> from, to;
};

class stencil;
struct sweep {
  const stencil& phase;
  arrays* data;
  bool first;
};

class stencil final : public shape {
 public:
  explicit stencil(const size& what)
      : shape(what), length_(what.small ? 1 << 12 : 1 << 20), amplitudes_(static_cast<std::size_t>(what.streams)) {}

  std::int64_t expected(std::int64_t) const override { return what_.kernels; }
  void stream(std::int64_t i) override;

  /// Half of both neighbours: a wave of 16 elements keeps its shape and shrinks by cos(π / 8).
  void run(const sweep& s) const {
    arrays& a = *s.data;
    const double active = what_.declared ? static_cast<double>(at_a_time() * ms::width()) : 1;
    ms::parallel_for(
        0, length_,
        [&](ms::range r) {
          if (what_.pays(sweep_seconds(static_cast<double>(r.size()), active))) return;
          for (const auto j : r) {
            const auto at = static_cast<std::size_t>(j);
            if (s.first)
              a.to[at + 1] = start_[(at + 1) % wave];
            else
              a.to[at + 1] = 0.5 * (a.from[at] + a.from[at + 2]);
          }
        },
        ms::block{length_ / blocks});
    std::swap(a.from, a.to);
  }

  void check() const override {
    const double expected_amplitude = std::pow(std::cos(std::numbers::pi / 8), static_cast<double>(what_.kernels - 1));
    for (const double amplitude : amplitudes_)
      if (!(std::abs(amplitude / expected_amplitude - 1) <= 1e-9))
        throw wrong_answer(fmt::format("an amplitude is {}, expected {}", amplitude, expected_amplitude));
  }
  std::uint64_t answer() const override { return folded(amplitudes_); }

 private:
  /// Arrays of a stream that has ended serve the next one: otherwise the system would clear pages most of the time.
  arrays take() {
    if (what_.declared) return {};
    const std::lock_guard held(lock_);
    if (free_.empty()) return {std::vector<double>(room()), std::vector<double>(room())};
    arrays one = std::move(free_.back());
    free_.pop_back();
    return one;
  }
  void give_back(arrays one) {
    const std::lock_guard held(lock_);
    free_.push_back(std::move(one));
  }
  std::size_t room() const { return static_cast<std::size_t>(length_) + 2; }

  /// The wave is periodic, and its ends are zeros of it.
  static std::array<double, wave> start() {
    std::array<double, wave> one{};
    for (std::size_t j = 0; j < wave; ++j) one[j] = std::sin(std::numbers::pi / 8 * static_cast<double>(j));
    return one;
  }

  const std::int64_t length_;
  const std::array<double, wave> start_ = start();
  std::mutex lock_;
  std::vector<arrays> free_;
  std::vector<double> amplitudes_;
};

const ms::kernel sweep_kernel{"sweep", [](const sweep* s) { s->phase.run(*s); }};

void stencil::stream(std::int64_t i) {
  arrays mine = take();
  for (std::int64_t k = 0; k < what_.kernels; ++k) {
    const sweep one{*this, &mine, k == 0};
    off_load(i, sweep_kernel, &one);
  }
  if (what_.declared) return;
  // Far from both ends, whose zeros are exact only up to rounding.
  amplitudes_[static_cast<std::size_t>(i)] = mine.from[room() / 2 / wave * wave + wave / 4];
  give_back(std::move(mine));
}

}  // namespace

std::unique_ptr<shape> make_stencil(const size& what) { return std::make_unique<stencil>(what); }

}  // namespace shapes
