// The accelerator model (F. Petrini et al., Multicore surprises: lessons learned from optimizing Sweep3D on the Cell
// Broadband Engine, 2007): a host controls, and off-loads the lines of a block, diagonal by diagonal. All data stay in
// memory, faces as well.

#include <algorithm>
#include <functional>
#include <vector>

#include "maslin/loop.hpp"
#include "maslin/offload.hpp"
#include "sweep/forms.hpp"

namespace sweep {

namespace {

/// Lines that do not depend on each other: step in k and in j add up to the same.
struct diagonal {
  domain* of;
  const block* in;
  surfaces* faces;
  line_kernel kernel;
  int number;

  int first() const { return std::max(0, number - of->nj + 1); }  ///< step in k
  int last() const { return std::min(in->planes, number + 1); }   ///< behind the last
};

/// Gives how many cells were fixed.
std::int64_t sweep_diagonal(const diagonal& d) {
  return maslin::parallel_reduce(
      d.first(), d.last(), std::int64_t{0}, std::plus{},
      [&](maslin::range steps) {
        std::int64_t fixed = 0;
        for (const std::int64_t step : steps) {
          const int k = static_cast<int>(step), j = d.in->row(d.number - k, d.of->nj);
          fixed += d.kernel(line_of(*d.of, *d.in, *d.faces, k, j), *d.in->towards);
        }
        return fixed;
      },
      maslin::block{1});
}

const maslin::kernel lines{"sweep_lines", sweep_diagonal};

class by_offloads : public block_sweeper {
 public:
  explicit by_offloads(domain& d) : d_(d) {}
  std::int64_t sweep(const block& b, surfaces& faces, bool fixups) override {
    diagonal next{&d_, &b, &faces, choose_lines().of(b.angles, d_.of.with.moments(), fixups), 0};
    std::int64_t fixed = 0;
    for (; next.number < d_.nj + b.planes - 1; ++next.number) fixed += maslin::offload(lines, next);
    return fixed;
  }

 private:
  domain& d_;
};

/// What flows into a rank, block by block: a place in memory for each block of an iteration.
struct inbox {
  std::vector<double> i, j;
};

/// The rank upstream writes the faces to memory and says so; they are swept where they lie.
class through_memory : public exchange {
 public:
  through_memory(maslin::communicator& world, const domain& d, std::vector<inbox>& memory)
      : world_(world), near_(d.of.with, d), ni_(d.ni), nj_(d.nj), memory_(memory) {
    const block first = block_at(d.of.with, 0);
    const auto blocks = static_cast<std::size_t>(d.of.with.blocks());
    full_i_ = first.face(nj_);
    full_j_ = first.face(ni_);
    mine().i.resize(blocks * full_i_);
    mine().j.resize(blocks * full_j_);
    world_.barrier();  // others write there
  }

  void receive(const block& b, surfaces& faces) override {
    const octant& o = b.towards->towards;
    faces.i = mine().i.data() + place(b, full_i_);
    faces.j = mine().j.data() + place(b, full_j_);
    int block_number = 0;
    if (const int from = near_.upstream_i(o); from >= 0) world_.receive(block_number, from, tag_i);
    if (const int from = near_.upstream_j(o); from >= 0) world_.receive(block_number, from, tag_j);
  }

  void send(const block& b, const surfaces& faces) override {
    const octant& o = b.towards->towards;
    if (const int to = near_.downstream_i(o); to >= 0) {
      std::copy_n(faces.i, b.face(nj_), inbox_of(to).i.data() + place(b, full_i_));
      world_.send(b.number, to, tag_i);
    }
    if (const int to = near_.downstream_j(o); to >= 0) {
      std::copy_n(faces.j, b.face(ni_), inbox_of(to).j.data() + place(b, full_j_));
      world_.send(b.number, to, tag_j);
    }
  }

 private:
  static constexpr int tag_i = 1, tag_j = 2;
  static std::size_t place(const block& b, std::size_t face) { return static_cast<std::size_t>(b.number) * face; }
  inbox& inbox_of(int rank) { return memory_[static_cast<std::size_t>(rank)]; }
  inbox& mine() { return inbox_of(world_.rank()); }

  maslin::communicator& world_;
  neighbours near_;
  int ni_, nj_;
  std::size_t full_i_ = 0, full_j_ = 0;  ///< fluxes of a whole block's faces
  std::vector<inbox>& memory_;
};

}  // namespace

double accelerated_faces_bytes(const deck& of) {
  const block first = block_at(of, 0);
  const part largest(of, 0);
  return sizeof(double) * static_cast<double>(first.face(largest.nj) + first.face(largest.ni)) * of.blocks() *
         static_cast<double>(of.ranks());
}

solution solve_accelerated(const problem& of) {
  std::vector<inbox> memory(static_cast<std::size_t>(of.with.ranks()));
  return solve_by_ranks(of, [&](maslin::communicator& world, domain& d) {
    return rank_form{std::make_unique<through_memory>(world, d, memory), std::make_unique<by_offloads>(d)};
  });
}

}  // namespace sweep
