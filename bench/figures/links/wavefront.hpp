#pragma once
// An iteration of Sweep3D as ranks see it (apps/sweep): for each octant, block of angles and block of planes a rank
// receives its faces in i and j, computes, and sends those that leave.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/links/ranks.hpp"

namespace wavefront {

struct deck {
  std::uint32_t cells_i = 5, cells_j = 5, cells_k = 400;  ///< of all ranks
  std::uint32_t ranks_i = 1, ranks_j = 1;                 ///< k is not divided
  std::uint32_t planes = 10, angles = 6, block_angles = 6;
  std::int64_t cell_ps = 0;  ///< a cell in an angle

  std::uint32_t ranks() const { return ranks_i * ranks_j; }
  std::uint32_t in_k() const { return (cells_k + planes - 1) / planes; }
  std::uint32_t in_octant() const { return angles / block_angles * in_k(); }
  std::uint32_t blocks() const { return 8 * in_octant(); }
};

class program {
 public:
  explicit program(const deck& of) : of_(of), all_(of.ranks()) {}

  maslin::links::action next(std::uint32_t rank) {
    using maslin::links::action;
    state& s = all_[rank];
    const std::uint32_t i = rank % of_.ranks_i, j = rank / of_.ranks_i;
    for (; s.block < of_.blocks(); ++s.block, s.step = 0) {
      // Octants against an axis come first; k turns round with every one, j with every second, i with every fourth.
      const std::uint32_t octant = s.block / of_.in_octant();
      const bool along_i = (octant & 4U) != 0, along_j = (octant & 2U) != 0;
      const bool first_i = i == (along_i ? 0 : of_.ranks_i - 1), last_i = i == (along_i ? of_.ranks_i - 1 : 0);
      const bool first_j = j == (along_j ? 0 : of_.ranks_j - 1), last_j = j == (along_j ? of_.ranks_j - 1 : 0);
      const std::uint32_t behind_i = along_i ? rank - 1 : rank + 1, before_i = along_i ? rank + 1 : rank - 1;
      const std::uint32_t behind_j = along_j ? rank - of_.ranks_i : rank + of_.ranks_i;
      const std::uint32_t before_j = along_j ? rank + of_.ranks_i : rank - of_.ranks_i;
      while (s.step < 5) switch (s.step++) {
          case 0:
            if (!first_i) return action::receive(behind_i);
            break;
          case 1:
            if (!first_j) return action::receive(behind_j);
            break;
          case 2: {
            const std::int64_t ps = columns(s.block) * width(i, of_.cells_i, of_.ranks_i) *
                                    width(j, of_.cells_j, of_.ranks_j) * of_.cell_ps;
            computed_ps_ += ps;
            return action::compute(ps);
          }
          case 3:
            if (!last_i) return action::send(before_i, face(s.block, width(j, of_.cells_j, of_.ranks_j)));
            break;
          default:
            if (!last_j) return action::send(before_j, face(s.block, width(i, of_.cells_i, of_.ranks_i)));
        }
    }
    return {};
  }

  std::int64_t computed_ps() const { return computed_ps_; }  ///< of all ranks

 private:
  struct state {
    std::uint32_t block = 0;
    std::uint32_t step = 0;  ///< receive in i, in j, compute, send in i, in j
  };

  static std::int64_t width(std::uint32_t at, std::uint32_t cells, std::uint32_t ranks) {
    return cells / ranks + (at < cells % ranks ? 1 : 0);
  }
  /// Gives the block's planes times its angles.
  std::int64_t columns(std::uint32_t block) const {
    const std::uint32_t first = block % of_.in_k() * of_.planes;
    return std::int64_t{std::min(of_.planes, of_.cells_k - first)} * of_.block_angles;
  }
  std::int64_t face(std::uint32_t block, std::int64_t cells) const {
    return columns(block) * cells * static_cast<std::int64_t>(sizeof(double));
  }

  deck of_;
  std::vector<state> all_;
  std::int64_t computed_ps_ = 0;
};

}  // namespace wavefront
