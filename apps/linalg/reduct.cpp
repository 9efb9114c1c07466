// The sum of an array of vectors as a tree, in place: first each second vector is added to the one before it, then each
// second one of these sums, and so on.

#include <fmt/format.h>

#include "linalg/c/input.h"
#include "linalg/checks.hpp"
#include "linalg/program.hpp"
#include "maslin/maslin.hpp"

namespace linalg {

namespace ms = maslin;

namespace {

class reduct final : public program {
 public:
  explicit reduct(array_size size) : size_(size), vectors_(static_cast<std::size_t>(size.vectors)) {}

  void prepare() override {
    for (std::size_t v = 0; v < vectors_.size(); ++v) {
      vectors_[v].resize(static_cast<std::size_t>(size_.length));
      for (std::size_t i = 0; i < vectors_[v].size(); ++i) vectors_[v][i] = input_element(0, v, i);
    }
  }

  std::size_t run() override {
    for (std::size_t step = 1; step < vectors_.size(); step *= 2)
      for (std::size_t v = 0; v + step < vectors_.size(); v += 2 * step)
        ms::task(kernels.add, ms::in(vectors_[v + step]), ms::inout(vectors_[v]));
    ms::wait();
    return vectors_.size() - 1;
  }

  std::vector<float> answer() const override { return vectors_[0]; }

  std::vector<check> verify(std::span<const float> answer) const override {
    comparison found;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      double sum = 0, absolute = 0;
      for (std::size_t v = 0; v < vectors_.size(); ++v) {
        const double x = input_element(0, v, i);
        sum += x, absolute += std::fabs(x);
      }
      found.add(0, i, answer[i], sum, absolute);
    }
    return {found.result("the sum in double precision", rounding_bound(std::ceil(std::log2(size_.vectors)) + 1))};
  }

  std::string size() const override { return fmt::format("{} vectors of {} floats", size_.vectors, size_.length); }
  double work() const override { return 3.0 * 4 * (size_.vectors - 1.0) * size_.length; }
  const char* unit() const override { return "GB/s"; }
  double bytes() const override { return 4.0 * size_.vectors * size_.length; }
  double bytes_of_check() const override { return 4.0 * size_.length; }

 private:
  array_size size_;
  std::vector<std::vector<float>> vectors_;
};

}  // namespace

std::unique_ptr<program> make_reduct(array_size size) { return std::make_unique<reduct>(size); }

}  // namespace linalg
