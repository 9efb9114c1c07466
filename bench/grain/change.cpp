// A phase whose shape changes half-way. The first half of the streams off-load what has no loop: as many at a time as
// there are workers is best. Those of the second half go over data of their own again and again, in loops, and all
// share a cache that holds the data of few: few at a time, and wide, is best.

#include <fmt/format.h>

#include <mutex>

#include "random.hpp"
#include "shape.hpp"

namespace shapes {

namespace {

constexpr std::int64_t serial_steps = 150'000;
constexpr std::int64_t blocks = 64;
constexpr double element_seconds = 0.4e-9;

// The described cache holds the data of so many streams; each further one makes all slower by half.
constexpr double workers_a_set = 8;
constexpr double slowed_by_each = 0.5;

struct job {
  const size& what;
  std::int64_t elements;
  std::vector<std::uint64_t>* data;
  double slowed;
  std::uint64_t value;

  void alone() {
    if (!what.pays(static_cast<double>(serial_steps) * step_seconds)) value = steps(value, serial_steps);
  }
  void sweep() {
    ms::parallel_for(
        0, elements,
        [&](ms::range r) {
          if (what.pays(static_cast<double>(r.size()) * element_seconds * slowed)) return;
          const affine step;
          for (const auto j : r) (*data)[static_cast<std::size_t>(j)] = step((*data)[static_cast<std::size_t>(j)]);
        },
        ms::block{elements / blocks});
  }
};

const ms::kernel alone_kernel{"alone", [](job* j) { j->alone(); }};
const ms::kernel sweep_kernel{"sweep of a set", [](job* j) { j->sweep(); }};

class change final : public shape {
 public:
  explicit change(const size& what)
      : shape(what),
        elements_(what.declared ? 1 << 19
                  : what.small  ? 1 << 12
                                : 5 << 19),
        sums_(static_cast<std::size_t>(what.streams)) {}

  bool second(std::int64_t i) const { return i >= what_.streams / 2; }
  /// Where they compute, sets are larger and sweeps fewer: 20 MiB are swept as long as 12 serial kernels take.
  std::int64_t expected(std::int64_t i) const override {
    return second(i) && !what_.declared ? std::max<std::int64_t>(2, what_.kernels / 8) : what_.kernels;
  }

  void stream(std::int64_t i) override {
    const auto at = static_cast<std::size_t>(i);
    job mine{what_, elements_, nullptr, 1, mixed(static_cast<std::uint64_t>(i))};
    if (!second(i)) {
      for (std::int64_t k = 0; k < expected(i); ++k) off_load(i, alone_kernel, &mine);
      sums_[at] = mine.value;
      return;
    }
    std::vector<std::uint64_t> data = take();
    for (std::size_t j = 0; j < data.size(); ++j) data[j] = mine.value + j;
    mine.data = &data;
    for (std::int64_t k = 0; k < expected(i); ++k) {
      if (what_.declared) {
        const double fit = std::max(1.0, ms::workers() / workers_a_set);
        mine.slowed = 1 + slowed_by_each * std::max(0.0, static_cast<double>(at_a_time()) / fit - 1);
      }
      off_load(i, sweep_kernel, &mine);
    }
    for (const std::uint64_t value : data) sums_[at] += value;
    give_back(std::move(data));
  }

  void check() const override {
    for (std::int64_t i = 0; i < what_.streams; ++i) {
      const std::uint64_t begin = mixed(static_cast<std::uint64_t>(i));
      const auto ran = static_cast<std::uint64_t>(expected(i));
      std::uint64_t end = 0;
      if (second(i)) {
        const affine all = affine{}.times(ran);
        const auto n = static_cast<std::uint64_t>(elements_);
        end = all.a * (n * begin + n * (n - 1) / 2) + n * all.c;
      } else {
        end = affine{}.times(ran * serial_steps)(begin);
      }
      if (end != sums_[static_cast<std::size_t>(i)]) throw wrong_answer(fmt::format("stream {} has another sum", i));
    }
  }
  std::uint64_t answer() const override { return folded(sums_); }

 private:
  std::vector<std::uint64_t> take() {
    if (what_.declared) return {};
    const std::lock_guard held(lock_);
    if (free_.empty()) return std::vector<std::uint64_t>(static_cast<std::size_t>(elements_));
    auto one = std::move(free_.back());
    free_.pop_back();
    return one;
  }
  void give_back(std::vector<std::uint64_t> one) {
    const std::lock_guard held(lock_);
    free_.push_back(std::move(one));
  }

  const std::int64_t elements_;
  std::mutex lock_;
  std::vector<std::vector<std::uint64_t>> free_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::unique_ptr<shape> make_change(const size& what) { return std::make_unique<change>(what); }

}  // namespace shapes
