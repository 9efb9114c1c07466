#include "wavefront.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace wavefront {
namespace {

constexpr std::int64_t cell_ps = 1000;

deck per_rank(std::uint32_t ranks_i, std::uint32_t ranks_j) {
  deck d;
  d.ranks_i = ranks_i;
  d.ranks_j = ranks_j;
  d.cells_i = 5 * ranks_i;
  d.cells_j = 5 * ranks_j;
  d.cells_k = 40;
  d.cell_ps = cell_ps;
  return d;
}

/// Gives the blocks' times that a sweep takes if messages take none.
std::int64_t steps(const deck& d) {
  const maslin::links::network on = maslin::links::without_links(d.ranks());
  program p(d);
  return maslin::links::ranks(on, d.ranks(), p).run() / (5 * 5 * 10 * 6 * cell_ps);
}

TEST(Wavefront, FillsOnceForEachChangeOfDirection) {
  // From a corner to the one opposite of it, back along j, and both once more: 2 times i, 4 times j.
  for (const auto& [i, j] : {std::pair{1U, 1U}, {2U, 1U}, {1U, 2U}, {7U, 1U}, {4U, 4U}, {8U, 3U}, {3U, 8U}})
    EXPECT_EQ(steps(per_rank(i, j)), 8 * 4 + 2 * (i - 1) + 4 * (j - 1)) << i << " x " << j;
}

TEST(Wavefront, AnInnerRankSendsAndReceivesTwoFacesOfEachBlock) {
  deck d = per_rank(3, 3);
  d.cells_k = 400;
  program p(d);
  std::uint32_t sent = 0, received = 0, computed = 0;
  using maslin::links::action;
  for (action a = p.next(4); a.is != action::kind::end; a = p.next(4)) {
    sent += a.is == action::kind::send;
    received += a.is == action::kind::receive;
    computed += a.is == action::kind::compute;
    if (a.is == action::kind::send) {
      EXPECT_EQ(a.amount, 2400);
    }
  }
  EXPECT_EQ(sent, 640U);
  EXPECT_EQ(received, 640U);
  EXPECT_EQ(computed, 320U);
  EXPECT_EQ(p.computed_ps(), 320 * 1500 * cell_ps);
}

TEST(Wavefront, UnevenPartsComputeWhatTheWholeHas) {
  deck d;
  d.cells_i = d.cells_j = d.cells_k = 50;
  d.ranks_i = 4;
  d.ranks_j = 2;
  d.block_angles = 3;
  d.cell_ps = cell_ps;
  const maslin::links::network on = maslin::links::without_links(8);
  program p(d);
  maslin::links::ranks all(on, 8, p);
  EXPECT_GT(all.run(), p.computed_ps() / 8);
  EXPECT_EQ(p.computed_ps(), std::int64_t{50} * 50 * 50 * 48 * cell_ps);
  EXPECT_EQ(all.messages(), 8U * 2 * 5 * (3 * 2 + 4 * 1));
}

}  // namespace
}  // namespace wavefront
