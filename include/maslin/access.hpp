#pragma once
// How a kernel or task says which memory it reads and writes. Bodies receive views and must use them: the runtime
// may hand them another copy of the data than the one that was named.

#include <cstddef>
#include <span>
#include <type_traits>

namespace maslin {

/// A contiguous piece of memory as a body receives it: data and extent (elements).
template <class T>
using view = std::span<T>;

/// A block of a column-major matrix as a body receives it; `ld` is the distance between columns, in elements.
template <class T>
struct tile {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t ld = 0;

  T& operator()(std::size_t row, std::size_t col) const { return data[row + col * ld]; }
  operator tile<const T>() const { return {data, rows, cols, ld}; }
};

enum class access_mode : unsigned char { in, out, inout };

/// One declared access: a region and what is done to it. `View` is what the body receives.
template <class View, access_mode Mode>
struct access {
  static constexpr access_mode mode = Mode;
  View region;
};

namespace detail {

template <class T>
struct is_access : std::false_type {};
template <class View, access_mode Mode>
struct is_access<access<View, Mode>> : std::true_type {};

template <class T>
struct is_tile : std::false_type {};
template <class T>
struct is_tile<tile<T>> : std::true_type {};

template <class R>
concept contiguous = requires(R& r) {
  std::span(r);
};

template <access_mode Mode, class T>
using element = std::conditional_t<Mode == access_mode::in, const T, T>;

template <access_mode Mode, class R>
auto make_access(R& r) {
  using plain = std::remove_cv_t<R>;
  if constexpr (is_tile<plain>::value) {
    using value = std::remove_pointer_t<decltype(r.data)>;
    return access<tile<element<Mode, value>>, Mode>{{r.data, r.rows, r.cols, r.ld}};
  } else if constexpr (contiguous<R>) {
    std::span whole(r);
    using value = typename decltype(whole)::element_type;
    return access<view<element<Mode, value>>, Mode>{view<element<Mode, value>>(whole)};
  } else {
    return access<view<element<Mode, R>>, Mode>{view<element<Mode, R>>(&r, 1)};
  }
}

}  // namespace detail

/// Declares that the body reads `r`: a contiguous range, a tile or one object. Arrives as `view<const T>` or
/// `tile<const T>`.
template <class R>
auto in(const R& r) {
  return detail::make_access<access_mode::in>(r);
}
/// Declares that the body writes every element of `r` and reads none.
template <class R>
auto out(R&& r) {
  return detail::make_access<access_mode::out>(r);
}
/// Declares that the body reads and writes `r`.
template <class R>
auto inout(R&& r) {
  return detail::make_access<access_mode::inout>(r);
}

/// The same for `extent` elements behind a pointer.
template <class T>
auto in(const T* data, std::size_t extent) {
  return access<view<const T>, access_mode::in>{view<const T>(data, extent)};
}
template <class T>
auto out(T* data, std::size_t extent) {
  return access<view<T>, access_mode::out>{view<T>(data, extent)};
}
template <class T>
auto inout(T* data, std::size_t extent) {
  return access<view<T>, access_mode::inout>{view<T>(data, extent)};
}

namespace detail {
/// What the body receives for one argument of the call: the view of an access, a copy of anything else.
template <class A>
decltype(auto) as_argument(const A& argument) {
  if constexpr (is_access<A>::value)
    return (argument.region);
  else
    return (argument);
}
}  // namespace detail

}  // namespace maslin
