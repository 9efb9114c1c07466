#pragma once
// Programs on cells of data, for each of which a graph of tasks is emitted anew: whoever finds dependences finds them
// by the accesses, and the flow graph is told who wrote a cell last. Each task writes one cell, which nobody reads
// before it is as its readers want it, so there are no other dependences.

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "measure.hpp"
#include "peer.hpp"

namespace bench {

/// The graph that runs each task at once.
struct in_order {
  template <class Body, class... Accesses>
  void task(before, Body body, Accesses... accesses) {
    body(accesses.data...);
  }
};

/// Who wrote a cell last, by the numbers of tasks in the order of their creation.
class writers {
 public:
  explicit writers(std::size_t cells) : last_(cells, -1) {}
  int of(std::size_t cell) const { return last_[cell]; }
  void task_writes(std::size_t cell) { last_[cell] = next_++; }

 private:
  std::vector<int> last_;
  int next_ = 0;
};

/// Gives numbers between -1 and 1, always the same.
class inputs {
 public:
  float next() {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<float>(static_cast<std::int64_t>(state_) >> 40) * 0x1p-23F;
  }

 private:
  std::uint64_t state_ = 1;
};

/// Measures `App`: prepare() makes its input, emit(graph) its tasks, cells() gives what they have left, and error() how
/// far that is off the definition, relative. Each run leaves what one after the other does, to the bit.
template <template <template <class> class> class App>
result measured(const char* name, double error_at_most) {
  App<plain_array> expected;
  expected.prepare();
  in_order one_by_one;
  expected.emit(one_by_one);
  bool right = expected.error() <= error_at_most;  // false for what is no number, too
  const auto cells = expected.cells();
  App<peer::array> here;
  const timing seconds = time_of([&] {
    here.prepare();
    const double taken = seconds_of([&] { peer::run_graph([&](peer::graph& out) { here.emit(out); }); });
    right = right && here.cells() == cells;
    return taken;
  });
  return {std::string("linalg-") + name, seconds, 0, right};
}

/// A 3-D FFT (linalg_fft3d.cpp).
result linalg_fft3d();

}  // namespace bench
