#include "resident.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace place {

namespace {

using linalg::block;
using linalg::const_block;
using linalg::number;

/// Memory of a thread's own that begins on a line of the cache, with zeros until somebody writes there. What is not
/// touched takes none.
template <class Element>
class room {
 public:
  Element* of(std::size_t elements) {
    if (elements > elements_) {
      // Pages that come from the system are zeros.
      constexpr std::size_t line = 64;
      memory_.reset(static_cast<char*>(std::calloc(elements * sizeof(Element) + line, 1)));
      if (!memory_) throw std::bad_alloc();
      const auto at = reinterpret_cast<std::uintptr_t>(memory_.get());
      first_ = reinterpret_cast<Element*>((at + line - 1) / line * line);
      elements_ = elements;
    }
    return first_;
  }

 private:
  struct give_back {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, give_back> memory_;
  Element* first_ = nullptr;
  std::size_t elements_ = 0;
};

/// Gives a block of zeros.
template <int Which, class Element>
Element* zeros(std::size_t elements) {
  static thread_local room<Element> own;
  return own.of(elements);
}

block zero_block(std::size_t elements) { return {zeros<0, float>(elements), elements}; }
const_block zero_operand(std::size_t elements) { return {zeros<1, float>(elements), elements}; }
const_block other_zero_operand(std::size_t elements) { return {zeros<2, float>(elements), elements}; }

/// Gives the unit matrix of n rows.
block unit_block(int n) {
  static thread_local room<float> own;
  static thread_local int rows = 0;
  const auto size = static_cast<std::size_t>(n);
  float* const at = own.of(size * size);
  if (rows != n) {
    std::fill(at, at + size * size, 0.0F);
    for (std::size_t i = 0; i < size; ++i) at[i * size + i] = 1;
    rows = n;
  }
  return {at, size * size};
}

/// Gives a tile of zeros whose columns lie as far apart as those of `like`.
template <int Which>
maslin::tile<number> zero_tile(const maslin::tile<number>& like) {
  return {zeros<Which, number>(like.ld * (like.cols - 1) + like.rows), like.rows, like.cols, like.ld};
}

}  // namespace

linalg::kernel_set resident_kernels() {
  using maslin::tile;
  using maslin::view;
  linalg::kernel_set all;
  all.gemm = [](int n, const_block a, const_block b, block c) {
    linalg::gemm(n, zero_operand(a.size()), other_zero_operand(b.size()), zero_block(c.size()));
  };
  all.gemm_subtract = [](int n, const_block a, const_block b, block c) {
    linalg::gemm_subtract(n, zero_operand(a.size()), other_zero_operand(b.size()), zero_block(c.size()));
  };
  all.gemm_subtract_t = [](int n, const_block a, const_block b, block c) {
    linalg::gemm_subtract_t(n, zero_operand(a.size()), other_zero_operand(b.size()), zero_block(c.size()));
  };
  all.syrk = [](int n, const_block a, block c) { linalg::syrk(n, zero_operand(a.size()), zero_block(c.size())); };
  all.potrf = [](int n, block) { linalg::potrf(n, unit_block(n)); };
  all.trsm = [](int n, const_block, block b) { linalg::trsm(n, unit_block(n), zero_block(b.size())); };
  all.lu0 = [](int n, block) { linalg::lu0(n, unit_block(n)); };
  all.fwd = [](int n, const_block, block b) { linalg::fwd(n, unit_block(n), zero_block(b.size())); };
  all.bdiv = [](int n, const_block, block b) { linalg::bdiv(n, unit_block(n), zero_block(b.size())); };
  all.clean = [](block a) { linalg::clean(zero_block(a.size())); };
  all.add = [](const_block a, block b) { linalg::add(zero_operand(a.size()), zero_block(b.size())); };
  all.fft_rows = [](fftwf_plan plan, view<number> slice) {
    linalg::fft_rows(plan, {zeros<3, number>(slice.size()), slice.size()});
  };
  all.transpose = [](tile<number> a) { linalg::transpose(zero_tile<4>(a)); };
  all.transpose_swap = [](tile<number> a, tile<number> b) { linalg::transpose_swap(zero_tile<4>(a), zero_tile<5>(b)); };
  return all;
}

}  // namespace place
