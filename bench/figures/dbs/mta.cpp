// MTA, the synthetic application: arrays whose columns are triangular. A column is a recurrence and runs serially, the
// columns are independent. Functional parallelism: the arrays are independent, too.

#include <array>
#include <cmath>

#include "program.hpp"

namespace figures {

namespace {

constexpr int arrays = 4;
constexpr double decay = 0.75;

class triangles final : public problem {
 public:
  triangles(int columns, int sweeps) : columns_(columns), sweeps_(sweeps) {
    for (std::size_t array = 0; array < arrays; ++array) given_[array] = noise(start_of(columns), array + 1);
  }

  void reset() override { at_ = given_; }

  void run(const execution& how) override {
    for (int sweep = 0; sweep < sweeps_; ++sweep)
      how.together([&] { fill(how, at_[0]); }, [&] { fill(how, at_[1]); }, [&] { fill(how, at_[2]); },
                   [&] { fill(how, at_[3]); });
  }

  std::vector<double> answer() const override {
    std::vector<double> all;
    for (const auto& array : at_) all.insert(all.end(), array.begin(), array.end());
    return all;
  }

  /// Column 1 by hand: its upper element stays, its lower one gains from the upper in each sweep.
  double defect() const override {
    double worst = 0;
    for (std::size_t array = 0; array < arrays; ++array) {
      double above = given_[array][1];
      double below = given_[array][2];
      for (int sweep = 0; sweep < sweeps_; ++sweep) below += decay * above;
      worst = std::max(worst, std::abs(at_[array][2] - below) + std::abs(at_[array][1] - above));
    }
    return worst;
  }

 private:
  /// Where a column begins: column c has c + 1 elements.
  static std::size_t start_of(std::int64_t column) { return static_cast<std::size_t>(column * (column + 1) / 2); }

  void fill(const execution& how, array_of<double>& array) const {
    how.loop(columns_, [&](ms::range columns) {
      const auto first = static_cast<std::int64_t>(start_of(columns.first));
      how.writes(&array[start_of(columns.first)], static_cast<std::int64_t>(start_of(columns.last)) - first);
      for (const std::int64_t column : columns) {
        const std::size_t end = start_of(column + 1);
        for (std::size_t i = start_of(column) + 1; i < end; ++i) array[i] += decay * array[i - 1];
      }
      how.did(columns.last * (columns.last - 1) - columns.first * (columns.first - 1));  // 2 for each but the first
    });
  }

  int columns_;
  int sweeps_;
  std::array<array_of<double>, arrays> given_;
  std::array<array_of<double>, arrays> at_;
};

}  // namespace

const program mta{"mta",
                  "4 triangular arrays, the columns of which are recurrences",
                  "columns",
                  {512, 40, 2},
                  "sweeps",
                  {8, 2, 1},
                  1e-12,
                  [](int size, int steps) -> std::unique_ptr<problem> {
                    return std::make_unique<triangles>(size, steps); }};

}  // namespace figures
