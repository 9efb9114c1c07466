// The reverse-acceleration model (S. Pakin, M. Lang and D. K. Kerbyson, The reverse-acceleration model for programming
// petascale hybrid systems, 2009): the whole program runs on the workers, each of which is a rank.

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "maslin/error.hpp"
#include "sweep/forms.hpp"
#include "sweep/store.hpp"

namespace sweep {

namespace {

/// A block is received while the one before it is swept, and sent while the next is. So there are three places.
constexpr int places = 3;

class ahead : public exchange {
 public:
  ahead(maslin::communicator& world, const domain& d)
      : world_(world), of_(d.of.with), near_(d.of.with, d), ni_(d.ni), nj_(d.nj) {
    const block first = block_at(of_, 0);
    for (place& one : places_) {
      one.i.resize(first.face(nj_));
      one.j.resize(first.face(ni_));
    }
  }

  void receive(const block& b, surfaces& faces) override {
    if (b.number == 0) expect(b);
    if (b.number + 1 < of_.blocks()) expect(block_at(of_, b.number + 1));
    place& here = place_of(b);
    here.complete_receives();
    faces.i = here.i.data();
    faces.j = here.j.data();
  }

  void send(const block& b, const surfaces&) override {
    const octant& o = b.towards->towards;
    place& here = place_of(b);
    if (const int to = near_.downstream_i(o); to >= 0)
      here.leaves_i = world_.start_send(std::span(here.i).first(b.face(nj_)), to, tag_i);
    if (const int to = near_.downstream_j(o); to >= 0)
      here.leaves_j = world_.start_send(std::span(here.j).first(b.face(ni_)), to, tag_j);
  }

  void finish() override {
    for (place& one : places_) one.complete_sends();
  }

 private:
  static constexpr int tag_i = 1, tag_j = 2;

  struct place {
    std::vector<double> i, j;
    std::optional<maslin::request> comes_i, comes_j, leaves_i, leaves_j;

    static void complete(std::optional<maslin::request>& one) {
      if (one) one->wait();
      one.reset();
    }
    void complete_receives() {
      complete(comes_i);
      complete(comes_j);
    }
    void complete_sends() {
      complete(leaves_i);
      complete(leaves_j);
    }
  };

  /// Says where a block's inflow is wanted, so that the ranks upstream put it there.
  void expect(const block& b) {
    const octant& o = octants[static_cast<std::size_t>(b.octant)];
    place& there = place_of(b);
    there.complete_sends();
    if (const int from = near_.upstream_i(o); from >= 0)
      there.comes_i = world_.start_receive(std::span(there.i).first(b.face(nj_)), from, tag_i);
    if (const int from = near_.upstream_j(o); from >= 0)
      there.comes_j = world_.start_receive(std::span(there.j).first(b.face(ni_)), from, tag_j);
  }

  place& place_of(const block& b) { return places_[static_cast<std::size_t>(b.number % places)]; }

  maslin::communicator& world_;
  const deck& of_;
  neighbours near_;
  int ni_, nj_;
  std::array<place, places> places_;
};

}  // namespace

solution solve_reversed(const problem& of, std::int64_t store_bytes) {
  const part largest(of.with, 0);
  const store_plan plan(of.with, largest, places);
  if (store_bytes > 0 && plan.lines_in(store_bytes) < 1)
    throw maslin::error(fmt::format(
        "--store {}: a rank's faces take {} bytes, and a line of {} cells takes {}; expected at least {} bytes, or "
        "smaller blocks (--mk, --mmi)",
        store_bytes, plan.faces_bytes, largest.ni, plan.line_bytes, plan.faces_bytes + plan.line_bytes));
  return solve_by_ranks(of, [&](maslin::communicator& world, domain& d) {
    const store_plan mine(of.with, d, places);
    const bool fits = store_bytes == 0 || mine.lines_in(store_bytes) >= mine.all_lines;
    return rank_form{std::make_unique<ahead>(world, d),
                     fits ? make_sweeper_in_place(d) : make_sweeper_in_store(d, mine.lines_in(store_bytes))};
  });
}

}  // namespace sweep
