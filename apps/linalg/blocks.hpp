#pragma once
// A matrix as pointers to square blocks, as CellSs programs have it. Each block lies in one piece of memory, column by
// column; blocks of zeros may be missing.

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "linalg/program.hpp"
#include "maslin/access.hpp"

namespace linalg {

class block_matrix {
 public:
  using where = maslin::location;

  explicit block_matrix(matrix_size size)
      : blocks_(static_cast<std::size_t>(size.blocks())), block_(static_cast<std::size_t>(size.block)) {}

  bool has(int i, int j) const { return !places_.empty() && place(i, j) != nullptr; }
  /// What a task does to block (i, j), which is there. The task's line is that of this call.
  auto in(int i, int j, where line = where::current()) const {
    return maslin::in(static_cast<const float*>(at(i, j)), elements(), line);
  }
  auto out(int i, int j, where line = where::current()) { return maslin::out(at(i, j), elements(), line); }
  auto inout(int i, int j, where line = where::current()) { return maslin::inout(at(i, j), elements(), line); }
  /// Makes block (i, j); its elements are not set.
  void add(int i, int j) {
    places_.resize(blocks_ * blocks_);  // not before: whether there is memory for so many is asked first
    places_[index(i, j)] = memory(new (line_of_cache) float[elements()]);
  }
  /// Gives an element of the whole matrix; 0 where there is no block.
  float operator()(std::size_t row, std::size_t column) const {
    const memory& one = places_[row / block_ * blocks_ + column / block_];
    return one ? one.get()[column % block_ * block_ + row % block_] : 0.0F;
  }
  /// Sets block (i, j), which is there, to `element(row, column)` of the whole matrix.
  template <class F>
  void fill(int i, int j, F&& element) {
    float* to = at(i, j);
    for (std::size_t c = 0; c < block_; ++c)
      for (std::size_t r = 0; r < block_; ++r)
        *to++ = element(static_cast<std::size_t>(i) * block_ + r, static_cast<std::size_t>(j) * block_ + c);
  }

 private:
  static constexpr std::align_val_t line_of_cache{64};
  struct give_back {
    void operator()(float* first) const { ::operator delete[](first, line_of_cache); }
  };
  using memory = std::unique_ptr<float, give_back>;

  float* at(int i, int j) const { return place(i, j).get(); }
  std::size_t elements() const { return block_ * block_; }  ///< of a block
  std::size_t index(int i, int j) const { return static_cast<std::size_t>(i) * blocks_ + static_cast<std::size_t>(j); }
  const memory& place(int i, int j) const { return places_[index(i, j)]; }

  std::size_t blocks_;
  std::size_t block_;
  std::vector<memory> places_;
};

}  // namespace linalg
