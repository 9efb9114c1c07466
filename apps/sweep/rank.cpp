#include "sweep/rank.hpp"

#include <algorithm>

namespace sweep {

neighbours::neighbours(const deck& of, const part& mine) {
  const int rank = mine.rank_j * of.ranks_i + mine.rank_i;
  west = mine.rank_i > 0 ? rank - 1 : -1;
  east = mine.rank_i < of.ranks_i - 1 ? rank + 1 : -1;
  south = mine.rank_j > 0 ? rank - of.ranks_i : -1;
  north = mine.rank_j < of.ranks_j - 1 ? rank + of.ranks_i : -1;
}

block block_at(const deck& of, int number) {
  const int in_k = (of.cells[2] + of.planes - 1) / of.planes, in_angles = of.angles / of.block_angles;
  block b{};
  b.number = number;
  b.octant = number / (in_k * in_angles);
  b.first_angle = number / in_k % in_angles * of.block_angles;
  b.angles = of.block_angles;
  b.first_step = number % in_k * of.planes;
  b.planes = std::min(of.planes, of.cells[2] - b.first_step);
  return b;
}

namespace {

/// The boundary as a rank's blocks see it: a vacuum, or a mirror at the beginning of an axis.
class boundary {
 public:
  boundary(domain& d, outflow& leaving) : d_(d), leaving_(leaving), near_(d.of.with, d) {}

  void enter(const block& b, surfaces& faces) {
    const octant& o = b.towards->towards;
    const bool edge_i = near_.upstream_i(o) < 0, edge_j = near_.upstream_j(o) < 0;
    const bool mirror_i = o.i > 0 && d_.of.with.reflective[0], mirror_j = o.j > 0 && d_.of.with.reflective[1];
    double* at_i = faces.i;
    double* at_j = faces.j;
    for (int step = 0; step < b.planes; ++step) {
      const int k = b.plane(step, d_.nk);
      for (int j = 0; j < d_.nj; ++j)
        for (int a = 0; a < b.angles; ++a, ++at_i) {
          if (edge_i) *at_i = mirror_i ? leaving_.i(mirrored(b.octant, 4), b.first_angle + a, d_.first_j + j, k) : 0.0;
          d_.come_in_i(o, j, k, b.towards->along[0][a] * *at_i);
        }
      for (int i = 0; i < d_.ni; ++i)
        for (int a = 0; a < b.angles; ++a, ++at_j) {
          if (edge_j) *at_j = mirror_j ? leaving_.j(mirrored(b.octant, 2), b.first_angle + a, d_.first_i + i, k) : 0.0;
          d_.come_in_j(o, i, k, b.towards->along[1][a] * *at_j);
        }
    }
    if (b.first_step == 0) enter_k(b, faces);
  }

  void leave(const block& b, const surfaces& faces) {
    const octant& o = b.towards->towards;
    const double* at = faces.i;
    if (near_.downstream_i(o) < 0)
      for (int step = 0; step < b.planes; ++step)
        for (int j = 0; j < d_.nj; ++j)
          for (int a = 0; a < b.angles; ++a)
            leaving_.i(b.octant, b.first_angle + a, d_.first_j + j, b.plane(step, d_.nk)) = *at++;
    at = faces.j;
    if (near_.downstream_j(o) < 0)
      for (int step = 0; step < b.planes; ++step)
        for (int i = 0; i < d_.ni; ++i)
          for (int a = 0; a < b.angles; ++a)
            leaving_.j(b.octant, b.first_angle + a, d_.first_i + i, b.plane(step, d_.nk)) = *at++;
    if (b.first_step + b.planes < d_.nk) return;
    at = faces.k.data();
    for (int j = 0; j < d_.nj; ++j)
      for (int i = 0; i < d_.ni; ++i, at += lanes_of(b.angles))
        for (int a = 0; a < b.angles; ++a)
          leaving_.k(b.octant, b.first_angle + a, d_.first_i + i, d_.first_j + j) = at[a];
  }

 private:
  void enter_k(const block& b, surfaces& faces) {
    const octant& o = b.towards->towards;
    std::ranges::fill(faces.k, 0.0);
    if (o.k < 0 || !d_.of.with.reflective[2]) return;
    double* at = faces.k.data();
    for (int j = 0; j < d_.nj; ++j)
      for (int i = 0; i < d_.ni; ++i, at += lanes_of(b.angles))
        for (int a = 0; a < b.angles; ++a) {
          at[a] = leaving_.k(mirrored(b.octant, 1), b.first_angle + a, d_.first_i + i, d_.first_j + j);
          d_.come_in_k(o, i, j, b.towards->along[2][a] * at[a]);
        }
    // As in j, lanes that are left over repeat the last.
    for (std::size_t cell = 0; cell < faces.k.size(); cell += static_cast<std::size_t>(lanes_of(b.angles)))
      for (int lane = b.angles; lane < lanes_of(b.angles); ++lane)
        faces.k[cell + static_cast<std::size_t>(lane)] = faces.k[cell + static_cast<std::size_t>(b.angles - 1)];
  }

  domain& d_;
  outflow& leaving_;
  neighbours near_;
};

/// Copies the fluxes in j to where each has a lane; lanes that are left over repeat the last.
void spread(const block& b, const domain& d, surfaces& faces) {
  const double* from = faces.j;
  double* to = faces.rows.data();
  for (std::int64_t n = 0; n < std::int64_t{b.planes} * d.ni; ++n, from += b.angles)
    for (int lane = 0; lane < lanes_of(b.angles); ++lane) *to++ = from[std::min(lane, b.angles - 1)];
}
/// Copies them back.
void gather(const block& b, const domain& d, surfaces& faces) {
  const double* from = faces.rows.data();
  double* to = faces.j;
  for (std::int64_t n = 0; n < std::int64_t{b.planes} * d.ni; ++n, from += lanes_of(b.angles), to += b.angles)
    std::copy_n(from, b.angles, to);
}

}  // namespace

std::int64_t sweep_all(domain& d, outflow& leaving, exchange& between, block_sweeper& blocks, bool fixups) {
  const deck& with = d.of.with;
  const auto lanes = static_cast<std::size_t>(lanes_of(with.block_angles));
  surfaces faces{};
  const std::size_t row = static_cast<std::size_t>(d.ni) * lanes;
  faces.k.resize(row * static_cast<std::size_t>(d.nj));
  faces.rows.resize(row * static_cast<std::size_t>(with.planes));
  boundary edge(d, leaving);
  std::int64_t fixed = 0;
  for (int number = 0; number < with.blocks(); ++number) {
    block b = block_at(with, number);
    const directions towards(d.of, b.octant, b.first_angle, b.angles);
    b.towards = &towards;
    between.receive(b, faces);
    edge.enter(b, faces);
    spread(b, d, faces);
    fixed += blocks.sweep(b, faces, fixups);
    gather(b, d, faces);
    edge.leave(b, faces);
    between.send(b, faces);
  }
  between.finish();
  return fixed;
}

}  // namespace sweep
