// Monte Carlo with a serial reduction: a stream prices one thing in rounds. An off-load walks paths of a fair game in a
// loop and then sums what they paid, with compensation, on one worker: a tenth to a seventh of its time.

#include <fmt/format.h>

#include <cmath>

#include "random.hpp"
#include "shape.hpp"

namespace shapes {

namespace {

constexpr std::int64_t paths = 16'384;
constexpr std::int64_t block = 256;  // paths
constexpr int moves = 32;            // of a path
constexpr double up = 1.05;
constexpr double down = 0.95;  // as likely as up, so that the expected value stays 1
constexpr double factors[] = {down, up};
constexpr double move_seconds = 1.3e-9;
constexpr double sum_seconds = 3.5e-9;  // of an element

struct round_of_paths {
  const size& what;
  std::vector<double> paid;
  double sum = 0;

  explicit round_of_paths(const size& of) : what(of), paid(of.declared ? 0 : paths) {}

  void walk(std::uint64_t seed) {
    ms::parallel_for(
        0, paths,
        [&](ms::range r) {
          if (what.pays(static_cast<double>(r.size()) * moves * move_seconds)) return;
          for (const auto path : r) {
            std::uint64_t coins = mixed(seed, static_cast<std::uint64_t>(path));
            double value = 1;
            for (int k = 0; k < moves; ++k, coins >>= 1) value *= factors[coins & 1];
            paid[static_cast<std::size_t>(path)] = value;
          }
        },
        ms::block{block});
    if (what.pays(paths * sum_seconds)) return;
    double lost = 0;
    for (const double value : paid) {
      const double next = value - lost;
      const double now = sum + next;
      lost = (now - sum) - next;
      sum = now;
    }
  }
};

const ms::kernel round_kernel{"paths", [](round_of_paths* r, std::uint64_t seed) { r->walk(seed); }};

class monte_carlo final : public shape {
 public:
  explicit monte_carlo(const size& what) : shape(what), means_(static_cast<std::size_t>(what.streams)) {}

  std::int64_t expected(std::int64_t) const override { return what_.kernels; }

  void stream(std::int64_t i) override {
    round_of_paths mine(what_);
    for (std::int64_t k = 0; k < what_.kernels; ++k)
      off_load(i, round_kernel, &mine, mixed(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)));
    means_[static_cast<std::size_t>(i)] = mine.sum / static_cast<double>(what_.kernels * paths);
  }

  void check() const override {
    const double variance = std::pow((up * up + down * down) / 2, moves) - 1;
    const double sigma = std::sqrt(variance / static_cast<double>(what_.kernels * paths));
    for (const double mean : means_)
      if (!(std::abs(mean - 1) <= 6 * sigma))
        throw wrong_answer(fmt::format("a mean is {}, expected 1 within {:.2g}", mean, 6 * sigma));
  }
  std::uint64_t answer() const override { return folded(means_); }

 private:
  std::vector<double> means_;
};

}  // namespace

std::unique_ptr<shape> make_monte_carlo(const size& what) { return std::make_unique<monte_carlo>(what); }

}  // namespace shapes
