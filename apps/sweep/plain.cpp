// The plain form: as the original program is for MPI.

#include <span>
#include <vector>

#include "sweep/forms.hpp"

namespace sweep {

namespace {

class messages : public exchange {
 public:
  messages(maslin::communicator& world, const domain& d) : world_(world), near_(d.of.with, d), ni_(d.ni), nj_(d.nj) {
    const block first = block_at(d.of.with, 0);
    i_.resize(first.face(nj_));
    j_.resize(first.face(ni_));
  }

  void receive(const block& b, surfaces& faces) override {
    const octant& o = b.towards->towards;
    faces.i = i_.data();
    faces.j = j_.data();
    if (const int from = near_.upstream_i(o); from >= 0) world_.receive(face_i(b), from, tag_i);
    if (const int from = near_.upstream_j(o); from >= 0) world_.receive(face_j(b), from, tag_j);
  }

  void send(const block& b, const surfaces&) override {
    const octant& o = b.towards->towards;
    if (const int to = near_.downstream_i(o); to >= 0) world_.send(face_i(b), to, tag_i);
    if (const int to = near_.downstream_j(o); to >= 0) world_.send(face_j(b), to, tag_j);
  }

 private:
  static constexpr int tag_i = 1, tag_j = 2;
  std::span<double> face_i(const block& b) { return std::span(i_).first(b.face(nj_)); }
  std::span<double> face_j(const block& b) { return std::span(j_).first(b.face(ni_)); }

  maslin::communicator& world_;
  neighbours near_;
  int ni_, nj_;
  std::vector<double> i_, j_;
};

class in_place : public block_sweeper {
 public:
  explicit in_place(domain& d) : d_(d) {}
  std::int64_t sweep(const block& b, surfaces& faces, bool fixups) override {
    const line_kernel kernel = choose_lines().of(b.angles, d_.of.with.moments(), fixups);
    std::int64_t fixed = 0;
    for (int step = 0; step < b.planes; ++step)
      for (int row = 0; row < d_.nj; ++row) fixed += kernel(line_of(d_, b, faces, step, b.row(row, d_.nj)), *b.towards);
    return fixed;
  }

 private:
  domain& d_;
};

}  // namespace

std::unique_ptr<block_sweeper> make_sweeper_in_place(domain& d) { return std::make_unique<in_place>(d); }

solution solve_plain(const problem& of) {
  return solve_by_ranks(of, [](maslin::communicator& world, domain& d) {
    return rank_form{std::make_unique<messages>(world, d), make_sweeper_in_place(d)};
  });
}

}  // namespace sweep
