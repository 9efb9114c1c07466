// Frames of the Mandelbrot set, each a zoom closer than the last. A frame is an off-load, a loop over rows: those that
// meet the set take a hundred times as long as those that do not.

#include "program.hpp"

namespace unseen {

namespace {

constexpr int most_steps = 600;
constexpr double step_seconds = 2.6e-9;
constexpr double steps_outside = 14;

const kernel frame_kernel{"frame"};

class mandelbrot final : public program {
 public:
  explicit mandelbrot(const size& what)
      : program(what, 12), rows_(small_or<std::int64_t>(16, 96)), columns_(small_or<std::int64_t>(24, 128)) {
    counts_.assign(at(streams()), std::vector<std::int64_t>(at(rows_)));
  }

  void stream(std::int64_t i) override {
    const std::int64_t frames = rounds(2, 5 + 3 * (i % 4));
    for (std::int64_t frame = 0; frame < frames; ++frame)
      off_load(frame_kernel, [&] {
        const auto cost = [&](range r) { return declared_seconds(i, frame, r); };
        loop(rows_, 1, cost, [&](range r) {
          for (std::int64_t y = r.first; y < r.last; ++y) counts_[at(i)][at(y)] += row(i, frame, y);
        });
      });
    digest(i, counts_[at(i)]);
  }

  /// The set is symmetric, and the frames lie on the real axis.
  void check() const override {
    for (const auto& counts : counts_)
      for (std::int64_t y = 0; y < rows_; ++y)
        require(counts[at(y)] > 0 && counts[at(y)] == counts[at(rows_ - 1 - y)], "a frame is not symmetric");
  }

 private:
  /// The middle of a frame, from the needle to the heart.
  double middle(std::int64_t i) const { return -1.6 + 1.7 * static_cast<double>(i) / static_cast<double>(streams()); }

  static double width(std::int64_t frame) { return 3.2 * std::pow(0.75, static_cast<double>(frame)); }

  /// The rows in the middle meet the set: the more, the nearer the frame is to its heart.
  double declared_seconds(std::int64_t i, std::int64_t frame, range r) const {
    const double height_of_set = 0.55 * std::max(0.1, 1 - std::abs(middle(i) + 0.3));
    const double half = std::min(1.0, height_of_set / (0.375 * width(frame)));
    const double inside = std::min(1.0, 0.9 / width(frame));
    double steps = 0;
    for (std::int64_t y = r.first; y < r.last; ++y) {
      const double from_axis = std::abs(static_cast<double>(2 * y + 1 - rows_)) / static_cast<double>(rows_);
      steps += steps_outside + (from_axis < half ? most_steps * inside : 0);
    }
    return steps * static_cast<double>(columns_) * step_seconds;
  }

  std::int64_t row(std::int64_t i, std::int64_t frame, std::int64_t y) const {
    const double pixel = width(frame) / static_cast<double>(columns_);
    const double im = 0.5 * static_cast<double>(2 * y + 1 - rows_) * pixel;
    std::int64_t all = 0;
    for (std::int64_t x = 0; x < columns_; ++x) {
      const double re = middle(i) + 0.5 * static_cast<double>(2 * x + 1 - columns_) * pixel;
      double a = 0, b = 0;
      int steps = 0;
      for (; steps < most_steps && a * a + b * b < 4; ++steps) {
        const double next = a * a - b * b + re;
        b = 2 * a * b + im;
        a = next;
      }
      all += steps;
    }
    return all;
  }

  const std::int64_t rows_, columns_;
  std::vector<std::vector<std::int64_t>> counts_;
};

const listed<mandelbrot> here{"unequal", "mandelbrot"};

}  // namespace

}  // namespace unseen
