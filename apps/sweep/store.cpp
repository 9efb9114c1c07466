#include "sweep/store.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "sweep/rank.hpp"

namespace sweep {

namespace {

/// Numbers of a cell that are read only, and that are added to.
int read_of(const deck& of) { return 1 + of.moments(); }
int changed_of(const deck& of) { return of.moments() + (of.currents ? 3 : 0); }

class in_store : public block_sweeper {
 public:
  in_store(domain& d, std::int64_t lines)
      : d_(d),
        row_(static_cast<std::size_t>(d.ni)),
        lines_(static_cast<std::size_t>(lines)),
        store_(lines_ * row_ * static_cast<std::size_t>(read_of(d.of.with) + changed_of(d.of.with))) {
    staged_.reserve(lines_);
  }

  std::int64_t sweep(const block& b, surfaces& faces, bool fixups) override {
    const line_kernel kernel = choose_lines().of(b.angles, d_.of.with.moments(), fixups);
    std::int64_t fixed = 0;
    for (int step = 0; step < b.planes; ++step)
      for (int row = 0; row < d_.nj; ++row) {
        stage_in(line_of(d_, b, faces, step, b.row(row, d_.nj)));
        if (staged_.size() == lines_) fixed += sweep_staged(kernel, b);
      }
    return fixed + sweep_staged(kernel, b);
  }

  double staged_bytes() override { return static_cast<double>(std::exchange(moved_, 0) * sizeof(double)); }

 private:
  /// A line in the store, and the same in memory.
  struct pair {
    line here, there;
  };

  void stage_in(const line& there) {
    line here = there;
    here.total = copy_in(there.total);
    for (int n = 0; n < d_.of.with.moments(); ++n) {
      here.source[n] = copy_in(there.source[n]);
      here.flux[n] = copy_in(there.flux[n]);
    }
    if (d_.of.with.currents)
      for (int n = 0; n < 3; ++n) here.current[n] = copy_in(there.current[n]);
    staged_.push_back({here, there});
  }

  std::int64_t sweep_staged(line_kernel kernel, const block& b) {
    std::int64_t fixed = 0;
    for (const pair& one : staged_) fixed += kernel(one.here, *b.towards);
    for (const pair& one : staged_) {
      for (int n = 0; n < d_.of.with.moments(); ++n) copy_out(one.there.flux[n], one.here.flux[n]);
      if (d_.of.with.currents)
        for (int n = 0; n < 3; ++n) copy_out(one.there.current[n], one.here.current[n]);
    }
    staged_.clear();
    used_ = 0;
    return fixed;
  }

  double* copy_in(const double* from) {
    double* const to = &store_[used_];
    std::memcpy(to, from, row_ * sizeof(double));
    used_ += row_;
    moved_ += row_;
    return to;
  }
  void copy_out(double* to, const double* from) {
    std::memcpy(to, from, row_ * sizeof(double));
    moved_ += row_;
  }

  domain& d_;
  std::size_t row_;                   ///< numbers of a line's row
  std::size_t lines_;                 ///< that the store holds
  std::size_t used_ = 0, moved_ = 0;  ///< numbers
  std::vector<double> store_;
  std::vector<pair> staged_;
};

}  // namespace

store_plan::store_plan(const deck& of, const part& mine, int rings) {
  const std::int64_t lanes = lanes_of(of.block_angles), angles = of.block_angles;
  const std::int64_t ni = mine.ni, nj = mine.nj;
  const std::int64_t sent = (ni + nj) * of.planes * angles;
  const std::int64_t worked_on = ni * (of.planes + nj) * lanes;
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(double));
  faces_bytes = bytes * (rings * sent + worked_on);
  line_bytes = bytes * ni * (read_of(of) + changed_of(of));
  all_lines = nj * mine.nk;
}

std::unique_ptr<block_sweeper> make_sweeper_in_store(domain& d, std::int64_t lines) {
  return std::make_unique<in_store>(d, lines);
}

}  // namespace sweep
