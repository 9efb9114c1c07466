#pragma once
// Blocks of arrays of several dimensions, as numpy and Fortran have them: any strides, also negative ones.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "maslin/error.hpp"

namespace maslin {

/// A block of an array of `Rank` dimensions as a body receives it: element (i, j, ...) lies `i * stride(0) +
/// j * stride(1) + ...` elements behind `data()`. It points to memory, and owns none.
template <class T, std::size_t Rank>
class ndarray {
  static_assert(Rank > 0, "An ndarray has one dimension at least. Name one element by a view of it.");

 public:
  using element_type = T;
  using shape_type = std::array<std::size_t, Rank>;
  using strides_type = std::array<std::ptrdiff_t, Rank>;

  ndarray() = default;
  /// An array whose last index runs fastest, as C and numpy have it.
  constexpr ndarray(T* data, const shape_type& shape) : data_(data), shape_(shape) {
    std::ptrdiff_t step = 1;
    for (std::size_t d = Rank; d-- > 0;) {
      strides_[d] = step;
      step *= static_cast<std::ptrdiff_t>(shape[d]);
    }
  }
  /// Strides in elements.
  constexpr ndarray(T* data, const shape_type& shape, const strides_type& strides)
      : data_(data), shape_(shape), strides_(strides) {}
  /// The array of a library that has `data()`, `ndim()`, `shape(d)` and `stride(d)`, as nanobind's ndarray has. Throws
  /// `error` if it has another number of dimensions.
  template <class Array>
    requires requires(const Array& a) {
      { a.data() } -> std::convertible_to<T*>;
      { a.ndim() } -> std::convertible_to<std::size_t>;
      { a.shape(0) } -> std::convertible_to<std::size_t>;
      { a.stride(0) } -> std::convertible_to<std::ptrdiff_t>;
    }
  explicit ndarray(const Array& array) : data_(array.data()) {
    if (static_cast<std::size_t>(array.ndim()) != Rank)
      throw error("an array has " + std::to_string(array.ndim()) + " dimensions; expected one with " +
                  std::to_string(Rank));
    for (std::size_t d = 0; d < Rank; ++d) {
      shape_[d] = static_cast<std::size_t>(array.shape(d));
      strides_[d] = static_cast<std::ptrdiff_t>(array.stride(d));
    }
  }
  constexpr operator ndarray<const T, Rank>() const { return {data_, shape_, strides_}; }

  static constexpr std::size_t rank() { return Rank; }          ///< how many dimensions it has
  constexpr T* data() const { return data_; }                   ///< its element (0, 0, ...)
  constexpr const shape_type& shape() const { return shape_; }  ///< how many indices each dimension has
  constexpr std::size_t shape(std::size_t dimension) const { return shape_[dimension]; }
  constexpr std::ptrdiff_t stride(std::size_t dimension) const { return strides_[dimension]; }  ///< in elements
  /// Gives the number of elements.
  constexpr std::size_t size() const {
    std::size_t all = 1;
    for (const std::size_t extent : shape_) all *= extent;
    return all;
  }

  /// Gives the element at these indices, one for each dimension.
  template <std::integral... Indices>
    requires(sizeof...(Indices) == Rank)
  constexpr T& operator()(Indices... at) const {
    std::size_t d = 0;
    std::ptrdiff_t offset = 0;
    ((offset += static_cast<std::ptrdiff_t>(at) * strides_[d++]), ...);
    return data_[offset];
  }

  /// Gives the part from index `from` up to `to` of one dimension.
  constexpr ndarray part(std::size_t dimension, std::size_t from, std::size_t to) const {
    ndarray some = *this;
    some.data_ += static_cast<std::ptrdiff_t>(from) * strides_[dimension];
    some.shape_[dimension] = to - from;
    return some;
  }
  /// Gives the array without one dimension, at this index of it.
  constexpr ndarray<T, Rank - 1> at(std::size_t dimension, std::size_t index) const requires(Rank > 1) {
    std::array<std::size_t, Rank - 1> shape{};
    std::array<std::ptrdiff_t, Rank - 1> strides{};
    for (std::size_t d = 0, next = 0; d < Rank; ++d) {
      if (d == dimension) continue;
      shape[next] = shape_[d];
      strides[next++] = strides_[d];
    }
    return {data_ + static_cast<std::ptrdiff_t>(index) * strides_[dimension], shape, strides};
  }

  /// Do the elements lie one behind the other, the last index running fastest?
  constexpr bool is_packed() const { return size() == 0 || strides_are(ndarray(data_, shape_)); }
  /// Gives all elements of an array that is packed.
  constexpr std::span<T> elements() const { return {data_, size()}; }

 private:
  constexpr bool strides_are(const ndarray& other) const {
    for (std::size_t d = 0; d < Rank; ++d)
      if (shape_[d] > 1 && strides_[d] != other.strides_[d]) return false;
    return true;
  }

  T* data_ = nullptr;
  shape_type shape_{};
  strides_type strides_{};
};

namespace detail {

/// The memory of an array, as the graph takes it: runs of `bytes` bytes, `columns` of them, one every `stride` bytes.
struct array_memory {
  std::ptrdiff_t lowest = 0;  ///< the first byte, counted from the array's data
  std::size_t bytes = 0;
  std::size_t columns = 1;
  std::size_t stride = 0;
  bool exact = true;     ///< false: bytes of no element lie between
  bool repeats = false;  ///< an element has several indices
};

/// Gives the memory of an array. Several dimensions are one run, or one row of columns, where one continues the other;
/// of what more there is, only the last is kept as columns, and what lies between counts as well.
template <std::size_t Rank>
constexpr array_memory memory_of(const std::array<std::size_t, Rank>& shape,
                                 const std::array<std::ptrdiff_t, Rank>& strides, std::size_t element) {
  struct dimension {
    std::size_t extent, step;  // in bytes
  };
  std::array<dimension, Rank + 1> all{};
  std::size_t count = 0;
  array_memory found;
  for (std::size_t d = 0; d < Rank; ++d) {
    if (shape[d] == 0) return found;
    if (shape[d] == 1) continue;
    const auto bytes = static_cast<std::ptrdiff_t>(element) * strides[d];
    const std::size_t step = static_cast<std::size_t>(bytes < 0 ? -bytes : bytes);
    if (bytes < 0) found.lowest += bytes * static_cast<std::ptrdiff_t>(shape[d] - 1);
    if (step == 0) {
      found.repeats = true;
      continue;
    }
    std::size_t at = count++;  // in the order of their steps
    for (; at > 0 && all[at - 1].step > step; --at) all[at] = all[at - 1];
    all[at] = {shape[d], step};
  }

  found.bytes = element;
  std::size_t next = 0;
  for (; next < count && all[next].step == found.bytes; ++next) found.bytes *= all[next].extent;
  if (next == count) return found.stride = found.bytes, found;

  const std::size_t first = next;
  std::size_t end = all[first].step;
  for (; next < count && all[next].step == end; ++next) end *= all[next].extent;
  if (next == count && all[first].step >= found.bytes) {
    found.stride = all[first].step;
    found.columns = end / found.stride;
    return found;
  }
  // Not so regular: the last dimension as columns, if its runs do not lie in each other; else one run.
  found.exact = false;
  found.bytes = element;
  for (std::size_t d = 0; d + 1 < count; ++d) {
    found.repeats = found.repeats || all[d].step * (all[d].extent - 1) >= all[d + 1].step;
    found.bytes += all[d].step * (all[d].extent - 1);
  }
  const dimension& last = all[count - 1];
  if (last.step >= found.bytes) {
    found.columns = last.extent;
    found.stride = last.step;
  } else {
    found.bytes += last.step * (last.extent - 1);
    found.stride = found.bytes;
  }
  return found;
}

template <class T, std::size_t Rank>
constexpr array_memory memory_of(const ndarray<T, Rank>& array) {
  std::array<std::ptrdiff_t, Rank> strides{};
  for (std::size_t d = 0; d < Rank; ++d) strides[d] = array.stride(d);
  return memory_of(array.shape(), strides, sizeof(T));
}

/// Gives the array whose memory begins at `lowest`, where its columns are `stride` bytes apart.
template <class T, std::size_t Rank>
ndarray<T, Rank> laid_out_at(void* lowest, const ndarray<T, Rank>& declared, const array_memory& memory,
                             std::size_t stride) {
  std::array<std::ptrdiff_t, Rank> strides{};
  std::ptrdiff_t first = 0;  // elements from the lowest to the one with index 0
  for (std::size_t d = 0; d < Rank; ++d) {
    const std::ptrdiff_t own = declared.stride(d) * static_cast<std::ptrdiff_t>(sizeof(T));
    const auto columns = static_cast<std::ptrdiff_t>(memory.stride);
    const bool is_of_columns = memory.columns > 1 && (own < 0 ? -own : own) >= columns;
    strides[d] = is_of_columns ? own / columns * static_cast<std::ptrdiff_t>(stride / sizeof(T)) : declared.stride(d);
    if (strides[d] < 0 && declared.shape(d) > 1)
      first -= strides[d] * static_cast<std::ptrdiff_t>(declared.shape(d) - 1);
  }
  return {static_cast<T*>(lowest) + first, declared.shape(), strides};
}

}  // namespace detail

}  // namespace maslin
