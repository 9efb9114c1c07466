#pragma once
// How a kernel or task says which memory it reads and writes. Bodies receive views and must use them: the runtime
// may hand them another copy of the data than the one that was named.

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "maslin/location.hpp"
#include "maslin/ndarray.hpp"

namespace maslin {

/// A contiguous piece of memory as a body receives it: data and extent (elements).
template <class T>
using view = std::span<T>;

/// A block of a column-major matrix as a body receives it; `ld` is the distance between columns, in elements. A
/// row-major block is the tile of its transpose.
template <class T>
struct tile {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t ld = 0;

  T& operator()(std::size_t row, std::size_t col) const { return data[row + col * ld]; }
  operator tile<const T>() const { return {data, rows, cols, ld}; }
};

/// What a task does to a region. `concurrent`: updates it in an order that does not matter, one task at a time;
/// `reduction`: adds to a value of its own, which is combined with the region in program order.
enum class access_mode : unsigned char { in, out, inout, concurrent, reduction };

namespace detail {
template <class View>
constexpr bool is_read_only = false;
template <class T>
inline constexpr bool is_read_only<view<const T>> = true;
template <class T>
inline constexpr bool is_read_only<tile<const T>> = true;
template <class T, std::size_t Rank>
inline constexpr bool is_read_only<ndarray<const T, Rank>> = true;
}  // namespace detail

/// One declared access: a region, what is done to it, and where that was said. `View` is what the body receives.
template <class View, access_mode Mode>
struct access {
  static constexpr access_mode mode = Mode;
  static_assert(Mode == access_mode::in || !detail::is_read_only<View>,
                "An access says that the task writes data that are const. Say in(x).");
  View region;
  location where;
};

namespace detail {

/// How the values of a reduction begin and how they are combined; a function of each element type and operation.
struct reduction_kind {
  std::size_t element;  ///< bytes
  void (*begin)(void* value, std::size_t extent);
  void (*combine)(void* into, const void* value, std::size_t extent);
};

template <class T>
struct is_access : std::false_type {};
template <class View, access_mode Mode>
struct is_access<access<View, Mode>> : std::true_type {};

template <class T>
struct is_tile : std::false_type {};
template <class T>
struct is_tile<tile<T>> : std::true_type {};

template <class T>
struct is_ndarray : std::false_type {};
template <class T, std::size_t Rank>
struct is_ndarray<ndarray<T, Rank>> : std::true_type {};

template <class R>
concept contiguous = requires(R& r) {
  std::span(r);
};

template <access_mode Mode, class T>
using element = std::conditional_t<Mode == access_mode::in, const T, T>;

/// Are the data still there when the call of `in`, `out` and so on is over? `R` is the type of a forwarding reference:
/// an object with a name, or what only points to its data.
template <class R>
constexpr bool lasts = std::is_lvalue_reference_v<R> || is_tile<std::remove_cv_t<R>>::value ||
                       is_ndarray<std::remove_cv_t<R>>::value ||
                       (contiguous<R> && std::ranges::enable_borrowed_range<std::remove_cv_t<R>>);
template <class R>
constexpr bool is_list_of_accesses = false;
template <contiguous R>
inline constexpr bool is_list_of_accesses<R> =
    is_access<std::remove_cv_t<typename decltype(std::span(std::declval<R&>()))::element_type>>::value;
template <class R>
constexpr void expect_lasting() {
  static_assert(!is_list_of_accesses<std::remove_reference_t<R>>,
                "This names a list of accesses, not data: a task takes such a list as it is; wait for each of them.");
  static_assert(!is_access<std::remove_cvref_t<R>>::value,
                "An access names another access. Name the data: in(x), and not in(in(x)).");
  static_assert(lasts<R> || is_access<std::remove_cvref_t<R>>::value,
                "An access names a temporary object, which is gone when the task runs. Name an object that lives until "
                "the task is done, or pass a span, a view, a tile, an ndarray, or a pointer and an extent.");
}

/// Refuses a block that a task would write, and in which an element has several indices.
[[noreturn]] inline void throw_repeated(location where) {
  throw error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
              ": an array that a task writes has an element with several indices (a stride of 0, or rows that lie in "
              "each other); "
              "expected one index for each");
}

/// Refuses a tile whose columns lie in each other.
[[noreturn]] inline void throw_short_columns(std::size_t rows, std::size_t ld, location where) {
  throw error(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": a tile of " +
              std::to_string(rows) + " rows whose columns begin " + std::to_string(ld) +
              " elements apart; expected at least as many as it has rows");
}

template <access_mode Mode, class R>
auto make_access(R& r, location where) {
  using plain = std::remove_cv_t<R>;
  if constexpr (is_tile<plain>::value) {
    if (r.cols > 1 && r.ld < r.rows) throw_short_columns(r.rows, r.ld, where);
    using value = std::remove_pointer_t<decltype(r.data)>;
    return access<tile<element<Mode, value>>, Mode>{{r.data, r.rows, r.cols, r.ld}, where};
  } else if constexpr (is_ndarray<plain>::value) {
    using value = std::remove_pointer_t<decltype(r.data())>;
    const ndarray<element<Mode, value>, plain::rank()> block = r;
    if constexpr (Mode != access_mode::in)
      if (memory_of(block).repeats) throw_repeated(where);
    return access<ndarray<element<Mode, value>, plain::rank()>, Mode>{block, where};
  } else if constexpr (contiguous<R>) {
    std::span whole(r);
    using value = typename decltype(whole)::element_type;
    return access<view<element<Mode, value>>, Mode>{view<element<Mode, value>>(whole), where};
  } else {
    return access<view<element<Mode, R>>, Mode>{view<element<Mode, R>>(std::addressof(r), 1), where};
  }
}

}  // namespace detail

/// Declares that the body reads `r`: a contiguous range, a tile, an ndarray or one object. Arrives as `view<const T>`,
/// `tile<const T>` or `ndarray<const T, Rank>`. The data must live until the task is done: a temporary object is
/// refused, unless it is a span, a view, a tile or an ndarray. The same goes for all accesses.
template <class R>
auto in(R&& r, location where = location::current()) {
  detail::expect_lasting<R>();
  return detail::make_access<access_mode::in>(std::as_const(r), where);
}
/// Declares that the body writes every element of `r` and reads none. A region that is still in use gets a new version
/// (renaming), so the body must write where its view points.
template <class R>
auto out(R&& r, location where = location::current()) {
  detail::expect_lasting<R>();
  return detail::make_access<access_mode::out>(r, where);
}
/// Declares that the body reads and writes `r`.
template <class R>
auto inout(R&& r, location where = location::current()) {
  detail::expect_lasting<R>();
  return detail::make_access<access_mode::inout>(r, where);
}
/// Declares that the body updates `r`, after what was created before and before what comes later, but in any order
/// among tasks that do the same, one at a time. The order may differ from run to run.
template <class R>
auto concurrent(R&& r, location where = location::current()) {
  detail::expect_lasting<R>();
  return detail::make_access<access_mode::concurrent>(r, where);
}

/// The same for `extent` elements behind a pointer.
template <class T>
auto in(const T* data, std::size_t extent, location where = location::current()) {
  return access<view<const T>, access_mode::in>{view<const T>(data, extent), where};
}
template <class T>
auto out(T* data, std::size_t extent, location where = location::current()) {
  return access<view<T>, access_mode::out>{view<T>(data, extent), where};
}
template <class T>
auto inout(T* data, std::size_t extent, location where = location::current()) {
  return access<view<T>, access_mode::inout>{view<T>(data, extent), where};
}
template <class T>
auto concurrent(T* data, std::size_t extent, location where = location::current()) {
  return access<view<T>, access_mode::concurrent>{view<T>(data, extent), where};
}

/// The value that an operation leaves everything as it is with. To be specialized for one's own operations.
template <class Operation, class T>
struct identity_of;
template <class T>
struct identity_of<std::plus<>, T> {
  static constexpr T value = T{};
};
template <class T>
struct identity_of<std::multiplies<>, T> {
  static constexpr T value = T{1};
};
/// The smaller of two, as the operation of a reduction; `maximum` gives the larger.
struct minimum {
  template <class T>
  constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
/// The larger of two.
struct maximum {
  template <class T>
  constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
template <class T>
struct identity_of<minimum, T> {
  static_assert(std::numeric_limits<T>::is_specialized, "Say what the identity is: specialize maslin::identity_of.");
  static constexpr T value =
      std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
};
template <class T>
struct identity_of<maximum, T> {
  static_assert(std::numeric_limits<T>::is_specialized, "Say what the identity is: specialize maslin::identity_of.");
  static constexpr T value =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
};

/// A reduction's access: see `reduction`.
template <class T, class Operation>
struct reduction_access {
  static constexpr access_mode mode = access_mode::reduction;
  view<T> region;
  location where;
};

/// Declares that the body adds to `r` by `Operation`, a stateless associative function of two elements. The body
/// receives elements of its own, which begin as the operation's identity; so the tasks of one reduction may run at the
/// same time. Their values are combined in program order: the result is the same to the last bit at any number of
/// workers.
template <class Operation = std::plus<>, class R>
auto reduction(R&& r, location where = location::current()) {
  detail::expect_lasting<R>();
  const auto whole = detail::make_access<access_mode::inout>(r, where).region;
  using value = typename std::remove_cv_t<decltype(whole)>::element_type;
  static_assert(std::is_trivially_copyable_v<value>, "the elements of a reduction are copied as bytes");
  return reduction_access<value, Operation>{whole, where};
}

namespace detail {

template <class T, class Operation>
struct is_access<reduction_access<T, Operation>> : std::true_type {};

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
