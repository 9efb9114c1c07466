// Streams of lognormal lengths, of kernels of lognormal lengths: few are much longer than most, and at the end they are
// alone.

#include <fmt/format.h>

#include <cmath>

#include "random.hpp"
#include "shape.hpp"

namespace shapes {

namespace {

constexpr double stream_sigma = 1.0;
constexpr double kernel_sigma = 0.5;
constexpr std::int64_t parts = 64;
constexpr double part_steps = 3000;
constexpr double serial_steps = 12'000;

struct chain {
  const size& what;
  std::uint64_t seed;
  std::int64_t each;    // steps of a part
  std::int64_t before;  // steps on one worker
  std::uint64_t sum = 0;

  void run() {
    std::uint64_t first = seed;
    if (!what.pays(static_cast<double>(before) * step_seconds)) first = steps(seed, before);
    sum += ms::parallel_reduce(
        0, parts, std::uint64_t{0}, std::plus{},
        [&](ms::range r) {
          std::uint64_t here = 0;
          for (const auto part : r)
            if (!what.pays(static_cast<double>(each) * step_seconds))
              here += steps(first + static_cast<std::uint64_t>(part), each);
          return here;
        },
        ms::block{1});
  }
  std::uint64_t closed_form() const {
    const affine lead = affine{}.times(static_cast<std::uint64_t>(before));
    const affine follow = affine{}.times(static_cast<std::uint64_t>(each));
    std::uint64_t all = 0;
    for (std::uint64_t part = 0; part < parts; ++part) all += follow(lead(seed) + part);
    return all;
  }
};

const ms::kernel chain_kernel{"chain", [](chain* c) { c->run(); }};

class lognormal_streams final : public shape {
 public:
  explicit lognormal_streams(const size& what) : shape(what), sums_(static_cast<std::size_t>(what.streams)) {}

  std::int64_t expected(std::int64_t i) const override {
    const double factor = lognormal(stream_sigma, 7, static_cast<std::uint64_t>(i));
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(what_.kernels) * factor));
  }

  chain of(std::int64_t i, std::int64_t k) const {
    const std::uint64_t seed = mixed(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
    const double factor = lognormal(kernel_sigma, 11, seed);
    return {what_, seed, std::llround(part_steps * factor), std::llround(serial_steps * factor)};
  }

  void stream(std::int64_t i) override {
    for (std::int64_t k = 0; k < expected(i); ++k) {
      chain c = of(i, k);
      off_load(i, chain_kernel, &c);
      sums_[static_cast<std::size_t>(i)] += c.sum;
    }
  }

  void check() const override {
    for (std::int64_t i = 0; i < what_.streams; ++i) {
      std::uint64_t sum = 0;
      for (std::int64_t k = 0; k < expected(i); ++k) sum += of(i, k).closed_form();
      if (sum != sums_[static_cast<std::size_t>(i)]) throw wrong_answer(fmt::format("stream {} has another sum", i));
    }
  }
  std::uint64_t answer() const override { return folded(sums_); }

 private:
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::unique_ptr<shape> make_lognormal(const size& what) { return std::make_unique<lognormal_streams>(what); }

}  // namespace shapes
