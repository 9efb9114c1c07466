#include "operation.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace mpi {

namespace {

template <class Value, class Index>
struct pair_of {
  Value value;
  Index index;
};
template <class T>
constexpr bool is_pair = false;
template <class V, class I>
constexpr bool is_pair<pair_of<V, I>> = true;
template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

/// Calls `some` with a null pointer to the C++ type of that kind of number; false where there is none.
template <class Some>
bool with_type(number kind, Some&& some) {
  using enum number;
  switch (kind) {
    case none:
    case i128:
    case f128:
    case c128:
      return false;
    case i8:
      return some(static_cast<std::int8_t*>(nullptr));
    case u8:
      return some(static_cast<std::uint8_t*>(nullptr));
    case i16:
      return some(static_cast<std::int16_t*>(nullptr));
    case u16:
      return some(static_cast<std::uint16_t*>(nullptr));
    case i32:
      return some(static_cast<std::int32_t*>(nullptr));
    case u32:
      return some(static_cast<std::uint32_t*>(nullptr));
    case i64:
      return some(static_cast<std::int64_t*>(nullptr));
    case u64:
      return some(static_cast<std::uint64_t*>(nullptr));
    case f32:
      return some(static_cast<float*>(nullptr));
    case f64:
      return some(static_cast<double*>(nullptr));
    case f80:
      return some(static_cast<long double*>(nullptr));
    case c32:
      return some(static_cast<std::complex<float>*>(nullptr));
    case c64:
      return some(static_cast<std::complex<double>*>(nullptr));
    case c80:
      return some(static_cast<std::complex<long double>*>(nullptr));
    case truth:
      return some(static_cast<bool*>(nullptr));
    case f32_i32:
      return some(static_cast<pair_of<float, int>*>(nullptr));
    case f64_i32:
      return some(static_cast<pair_of<double, int>*>(nullptr));
    case i64_i32:
      return some(static_cast<pair_of<long, int>*>(nullptr));
    case i16_i32:
      return some(static_cast<pair_of<short, int>*>(nullptr));
    case i32_i32:
      return some(static_cast<pair_of<int, int>*>(nullptr));
    case f80_i32:
      return some(static_cast<pair_of<long double, int>*>(nullptr));
    case f32_f32:
      return some(static_cast<pair_of<float, float>*>(nullptr));
    case f64_f64:
      return some(static_cast<pair_of<double, double>*>(nullptr));
  }
  return false;
}

// Integers wrap around, as they do on the machines that MPI programs are written for.
template <class T>
T wrapped(T a, T b, auto by) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(by(static_cast<wide>(a), static_cast<wide>(b)));
  } else {
    return static_cast<T>(by(a, b));
  }
}

/// What the operation makes of two numbers, as a function object; `void` where it makes nothing of them.
template <class T, int Operation>
constexpr auto of_two() {
  constexpr bool whole = std::is_integral_v<T>;  // bool among them
  constexpr bool ordered = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
  if constexpr (Operation == MPI_MAX && ordered)
    return [](T a, T b) { return a > b ? a : b; };
  else if constexpr (Operation == MPI_MIN && ordered)
    return [](T a, T b) { return a < b ? a : b; };
  else if constexpr (Operation == MPI_SUM && (ordered || is_complex<T>))
    return [](T a, T b) { return wrapped(a, b, [](auto x, auto y) { return x + y; }); };
  else if constexpr (Operation == MPI_PROD && (ordered || is_complex<T>))
    return [](T a, T b) { return wrapped(a, b, [](auto x, auto y) { return x * y; }); };
  else if constexpr (Operation == MPI_LAND && whole)
    return [](T a, T b) { return static_cast<T>(a && b); };
  else if constexpr (Operation == MPI_LOR && whole)
    return [](T a, T b) { return static_cast<T>(a || b); };
  else if constexpr (Operation == MPI_LXOR && whole)
    return [](T a, T b) { return static_cast<T>(!a != !b); };
  else if constexpr (Operation == MPI_BAND && whole)
    return [](T a, T b) { return static_cast<T>(a & b); };
  else if constexpr (Operation == MPI_BOR && whole)
    return [](T a, T b) { return static_cast<T>(a | b); };
  else if constexpr (Operation == MPI_BXOR && whole)
    return [](T a, T b) { return static_cast<T>(a ^ b); };
  else if constexpr (Operation == MPI_MAXLOC && is_pair<T>)
    return [](T a, T b) { return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b; };
  else if constexpr (Operation == MPI_MINLOC && is_pair<T>)
    return [](T a, T b) { return a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b; };
  else if constexpr (Operation == MPI_REPLACE)
    return [](T a, T) { return a; };
  else if constexpr (Operation == MPI_NO_OP)
    return [](T, T b) { return b; };
}

/// Calls `some` with what combines two numbers of that type; false where nothing does.
template <class T, class Some>
bool with_operation(int operation, Some&& some) {
  const auto of = [&]<int Operation>(std::integral_constant<int, Operation>) {
    if constexpr (std::is_void_v<decltype(of_two<T, Operation>())>)
      return false;
    else
      return some(of_two<T, Operation>());
  };
  switch (operation) {
    case MPI_MAX:
      return of(std::integral_constant<int, MPI_MAX>{});
    case MPI_MIN:
      return of(std::integral_constant<int, MPI_MIN>{});
    case MPI_SUM:
      return of(std::integral_constant<int, MPI_SUM>{});
    case MPI_PROD:
      return of(std::integral_constant<int, MPI_PROD>{});
    case MPI_LAND:
      return of(std::integral_constant<int, MPI_LAND>{});
    case MPI_BAND:
      return of(std::integral_constant<int, MPI_BAND>{});
    case MPI_LOR:
      return of(std::integral_constant<int, MPI_LOR>{});
    case MPI_BOR:
      return of(std::integral_constant<int, MPI_BOR>{});
    case MPI_LXOR:
      return of(std::integral_constant<int, MPI_LXOR>{});
    case MPI_BXOR:
      return of(std::integral_constant<int, MPI_BXOR>{});
    case MPI_MAXLOC:
      return of(std::integral_constant<int, MPI_MAXLOC>{});
    case MPI_MINLOC:
      return of(std::integral_constant<int, MPI_MINLOC>{});
    case MPI_REPLACE:
      return of(std::integral_constant<int, MPI_REPLACE>{});
    case MPI_NO_OP:
      return of(std::integral_constant<int, MPI_NO_OP>{});
    default:
      return false;
  }
}

template <class Some>
bool with_both(number kind, int operation, Some&& some) {
  return with_type(kind, [&]<class T>(T*) {
    return with_operation<T>(operation, [&](auto of) { return some(static_cast<T*>(nullptr), of); });
  });
}

}  // namespace

std::string operation::problem_with(const datatype& type) const {
  if (function) return {};
  const bool works = with_both(type.reduces_as, predefined, [](auto*, auto) { return true; });
  return works ? std::string() : name + " does not combine elements of " + type.name;
}

void operation::combine(const void* from, void* into, std::size_t count, const datatype& type,
                        MPI_Datatype handle) const {
  if (function) {
    // The function counts with int.
    for (std::size_t done = 0; done < count;) {
      int some = static_cast<int>(std::min<std::size_t>(count - done, 1u << 30));
      const auto at = static_cast<std::ptrdiff_t>(done) * type.extent();
      MPI_Datatype its = handle;
      function(static_cast<char*>(const_cast<void*>(from)) + at, static_cast<char*>(into) + at, &some, &its);
      done += static_cast<std::size_t>(some);
    }
    return;
  }
  combine_predefined(predefined, type.reduces_as, from, into, count);
}

void combine_predefined(int operation, number kind, const void* from, void* into, std::size_t count) {
  with_both(kind, operation, [&]<class T>(T*, auto of) {
    const auto* const a = static_cast<const T*>(from);
    auto* const b = static_cast<T*>(into);
    for (std::size_t i = 0; i < count; ++i) b[i] = of(a[i], b[i]);
    return true;
  });
}

std::vector<std::shared_ptr<operation>> predefined_operations() {
  static constexpr const char* names[] = {"MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD", "MPI_LAND",
                                          "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR", "MPI_BXOR",
                                          "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"};
  std::vector<std::shared_ptr<operation>> made;
  for (const char* name : names) {
    auto one = std::make_shared<operation>();
    one->name = name;
    one->predefined = static_cast<int>(made.size()) + 1;
    made.push_back(std::move(one));
  }
  return made;
}

}  // namespace mpi
