// Conjugate gradients on sparse matrices in rows (CSR): all is bound by memory, and three of four loops end in a sum
// that everybody waits for.

#include "program.hpp"

namespace unseen {

namespace {

constexpr double row_bytes = 5 * 12 + 4 + 24;
constexpr int iterations = 24;  // for one right side
constexpr std::int64_t block = 4'096;

class conjugate_gradients final : public program {
 public:
  explicit conjugate_gradients(const size& what)
      : program(what, 6), side_(small_or<std::int64_t>(48, 800)), rows_(side_ * side_) {
    begins_.push_back(0);
    for (std::int64_t k = 0; !declared && k < rows_; ++k) {
      const auto add = [&](bool there, std::int64_t column, double value) {
        if (!there) return;
        columns_.push_back(static_cast<std::int32_t>(column));
        values_.push_back(value);
      };
      add(k >= side_, k - side_, -1);
      add(k % side_ > 0, k - 1, -1);
      add(true, k, 5);
      add(k % side_ + 1 < side_, k + 1, -1);
      add(k + side_ < rows_, k + side_, -1);
      begins_.push_back(static_cast<std::int32_t>(columns_.size()));
    }
    systems_.resize(at(streams()));
    for (system& s : systems_) s.b = s.x = s.r = s.p = s.q = room<double>(rows_);
  }

  void stream(std::int64_t i) override {
    for (std::int64_t round = 0; round < rounds(1, 2); ++round) solve(systems_[at(i)], i, round);
    for (std::size_t k = 0; k < systems_[at(i)].x.size(); k += 61) digest(i, systems_[at(i)].x[k]);
  }

  void check() const override {
    for (const system& s : systems_) {
      double square = 0, whole = 0;
      for (std::int64_t k = 0; k < rows_; ++k) {
        square += std::pow(s.b[at(k)] - product(s.x, k), 2);
        whole += s.b[at(k)] * s.b[at(k)];
      }
      require(square < 1e-12 * whole, "a residual is large");
    }
  }

 private:
  struct system {
    std::vector<double> b, x, r, p, q;
  };

  double product(const std::vector<double>& x, std::int64_t k) const {
    double sum = 0;
    for (std::int32_t j = begins_[at(k)]; j < begins_[at(k + 1)]; ++j) sum += values_[at(j)] * x[at(columns_[at(j)])];
    return sum;
  }

  void solve(system& s, std::int64_t i, std::int64_t round) const {
    double square = loop_sum(rows_, block, moved(64), [&](range r) {
      double sum = 0;
      for (std::int64_t k = r.first; k < r.last; ++k) {
        s.b[at(k)] = s.r[at(k)] = s.p[at(k)] =
            uniform(static_cast<std::uint64_t>(100 * i + round), static_cast<std::uint64_t>(k)) - 0.5;
        s.x[at(k)] = 0;
        sum += s.r[at(k)] * s.r[at(k)];
      }
      return sum;
    });
    for (int iteration = 0; iteration < iterations; ++iteration) {
      const double curve = loop_sum(rows_, block, moved(row_bytes), [&](range r) {
        double sum = 0;
        for (std::int64_t k = r.first; k < r.last; ++k) {
          s.q[at(k)] = product(s.p, k);
          sum += s.p[at(k)] * s.q[at(k)];
        }
        return sum;
      });
      const double along = square / curve;
      const double now = loop_sum(rows_, block, moved(48), [&](range r) {
        double sum = 0;
        for (std::int64_t k = r.first; k < r.last; ++k) {
          s.x[at(k)] += along * s.p[at(k)];
          s.r[at(k)] -= along * s.q[at(k)];
          sum += s.r[at(k)] * s.r[at(k)];
        }
        return sum;
      });
      const double keep = now / square;
      square = now;
      loop(rows_, block, moved(24), [&](range r) {
        for (std::int64_t k = r.first; k < r.last; ++k) s.p[at(k)] = s.r[at(k)] + keep * s.p[at(k)];
      });
    }
  }

  const std::int64_t side_, rows_;
  std::vector<std::int32_t> begins_, columns_;
  std::vector<double> values_;
  std::vector<system> systems_;
};

const listed<conjugate_gradients> here{"bandwidth", "conjugate-gradients"};

}  // namespace

}  // namespace unseen
