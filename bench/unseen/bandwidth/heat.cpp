// Heat flow on a plane, explicit steps: five-point sweeps over 40 MB, loops of three streams that never off-load.

#include <numbers>

#include "program.hpp"

namespace unseen {

namespace {

class heat final : public program {
 public:
  explicit heat(const size& what) : program(what, 3), side_(small_or<std::int64_t>(66, 1'602)), steps_(rounds(8, 170)) {
    for (std::int64_t i = 0; i < streams(); ++i) planes_.emplace_back(start(i), start(i));
  }

  void stream(std::int64_t i) override {
    auto& [now, next] = planes_[at(i)];
    for (std::int64_t step = 0; step < steps_; ++step) {
      loop(side_ - 2, 8, static_cast<double>(side_) * moved(24), [&](range r) {
        for (std::int64_t y = r.first + 1; y <= r.last; ++y)
          for (std::int64_t k = y * side_ + 1; k + 1 < (y + 1) * side_; ++k)
            next[at(k)] =
                0.2 * (now[at(k)] + now[at(k - 1)] + now[at(k + 1)] + now[at(k - side_)] + now[at(k + side_)]);
      });
      std::swap(now, next);
    }
    for (std::size_t k = 0; k < now.size(); k += 97) digest(i, now[k]);
  }

  /// A wave that is zero on the edges keeps its shape.
  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const double decay =
          std::pow(0.2 + 0.4 * (std::cos(angle(i + 1)) + std::cos(angle(1))), static_cast<double>(steps_));
      const std::vector<double> begin = start(i);
      for (std::size_t k = 0; k < begin.size(); ++k)
        require(std::abs(planes_[at(i)].first[k] - decay * begin[k]) < 1e-9, "the temperature is wrong");
    }
  }

 private:
  double angle(std::int64_t waves) const {
    return std::numbers::pi * static_cast<double>(waves) / static_cast<double>(side_ - 1);
  }
  std::vector<double> start(std::int64_t i) const {
    std::vector<double> plane = room<double>(side_ * side_), along = room<double>(side_), down = along;
    for (std::size_t k = 1; k + 1 < along.size(); ++k) {
      along[k] = std::sin(angle(i + 1) * static_cast<double>(k));
      down[k] = std::sin(angle(1) * static_cast<double>(k));
    }
    for (std::size_t k = 0; k < plane.size(); ++k) plane[k] = along[k % along.size()] * down[k / along.size()];
    return plane;
  }

  const std::int64_t side_, steps_;
  std::vector<std::pair<std::vector<double>, std::vector<double>>> planes_;
};

const listed<heat> here{"bandwidth", "heat"};

}  // namespace

}  // namespace unseen
