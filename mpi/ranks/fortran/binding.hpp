#pragma once
// How functions in C become subroutines of Fortran, as gfortran calls them: names in lower case with an underscore
// behind, every argument by reference, and behind all others the error code. A LOGICAL is 0 or 1, as a flag in C is.
//
// MASLIN_FORTRAN(PMPI_Send, send, 6) defines pmpi_send_ for a function of 6 parameters, and its weak alias mpi_send_,
// in front of which a tool may define its own. MASLIN_FORTRAN_TEXT(f, name, 3, 1): one of the 3 parameters is text; its
// length arrives behind the error code, and f takes it behind the others.

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "../include/mpi.h"
#include "../library/site.hpp"
#include "../library/threads.hpp"

extern "C" {
/// The common block of mpif.h: what lies there is recognised by its address.
struct maslin_mpi_special {
  int bottom, in_place;
  int status_ignore[6], statuses_ignore[6];
  int errcodes_ignore, unweighted, weights_empty;
  char argv_null;
};
extern maslin_mpi_special maslin_mpi_special_;
}

namespace mpi::fortran {

/// The function in C that is called while it lives names that place in the program. It takes the place first, so calls
/// of other threads, and those that functions of the program make, name their own.
class call_from {
 public:
  explicit call_from(const void* place) noexcept { called_from.store(place, std::memory_order_relaxed); }
  ~call_from() { called_from.store(nullptr, std::memory_order_relaxed); }  // some functions need no place
  call_from(const call_from&) = delete;
  call_from& operator=(const call_from&) = delete;

 private:
  const called turn_;  ///< before the place is said
};

/// How a parameter arrives, and what the function in C is given for it. Numbers and handles are read here.
template <class T>
struct parameter {
  using arrives = T*;
  static T value(T* at) noexcept { return *at; }
};
/// Arrays, results and functions are references in C, too.
template <class T>
struct parameter<T*> {
  using arrives = T*;
  static T* value(T* at) noexcept { return at; }
};
template <>
struct parameter<MPI_Status*> {
  using arrives = MPI_Status*;
  static MPI_Status* value(MPI_Status* at) noexcept {
    const void* const place = at;
    const auto& special = maslin_mpi_special_;
    return place == special.status_ignore || place == special.statuses_ignore ? MPI_STATUS_IGNORE : at;
  }
};
/// Buffers of any type.
template <>
struct parameter<void*> {
  using arrives = void*;
  static void* value(void* at) noexcept {
    if (at == &maslin_mpi_special_.bottom) return MPI_BOTTOM;
    return at == &maslin_mpi_special_.in_place ? MPI_IN_PLACE : at;
  }
};
template <>
struct parameter<const void*> : parameter<void*> {
  using arrives = const void*;
  static const void* value(const void* at) noexcept { return parameter<void*>::value(const_cast<void*>(at)); }
};

template <class Function>
struct parameters;
template <class... P>
struct parameters<int(P...)> {
  static constexpr std::size_t count = sizeof...(P);
  template <std::size_t i>
  using at = parameter<std::tuple_element_t<i, std::tuple<P...>>>;
};
template <auto function>
using parameters_of = parameters<std::remove_pointer_t<decltype(function)>>;

}  // namespace mpi::fortran

#define MASLIN_PARAMETER(f, i) mpi::fortran::parameters_of<f>::at<i>::arrives a##i
#define MASLIN_PARAMETERS_0(f)
#define MASLIN_PARAMETERS_1(f) MASLIN_PARAMETER(f, 0),
#define MASLIN_PARAMETERS_2(f) MASLIN_PARAMETERS_1(f) MASLIN_PARAMETER(f, 1),
#define MASLIN_PARAMETERS_3(f) MASLIN_PARAMETERS_2(f) MASLIN_PARAMETER(f, 2),
#define MASLIN_PARAMETERS_4(f) MASLIN_PARAMETERS_3(f) MASLIN_PARAMETER(f, 3),
#define MASLIN_PARAMETERS_5(f) MASLIN_PARAMETERS_4(f) MASLIN_PARAMETER(f, 4),
#define MASLIN_PARAMETERS_6(f) MASLIN_PARAMETERS_5(f) MASLIN_PARAMETER(f, 5),
#define MASLIN_PARAMETERS_7(f) MASLIN_PARAMETERS_6(f) MASLIN_PARAMETER(f, 6),
#define MASLIN_PARAMETERS_8(f) MASLIN_PARAMETERS_7(f) MASLIN_PARAMETER(f, 7),
#define MASLIN_PARAMETERS_9(f) MASLIN_PARAMETERS_8(f) MASLIN_PARAMETER(f, 8),
#define MASLIN_PARAMETERS_10(f) MASLIN_PARAMETERS_9(f) MASLIN_PARAMETER(f, 9),
#define MASLIN_PARAMETERS_11(f) MASLIN_PARAMETERS_10(f) MASLIN_PARAMETER(f, 10),
#define MASLIN_PARAMETERS_12(f) MASLIN_PARAMETERS_11(f) MASLIN_PARAMETER(f, 11),

#define MASLIN_ARGUMENT(f, i) mpi::fortran::parameters_of<f>::at<i>::value(a##i)
#define MASLIN_ARGUMENTS_0(f)
#define MASLIN_ARGUMENTS_1(f) MASLIN_ARGUMENT(f, 0)
#define MASLIN_ARGUMENTS_2(f) MASLIN_ARGUMENTS_1(f), MASLIN_ARGUMENT(f, 1)
#define MASLIN_ARGUMENTS_3(f) MASLIN_ARGUMENTS_2(f), MASLIN_ARGUMENT(f, 2)
#define MASLIN_ARGUMENTS_4(f) MASLIN_ARGUMENTS_3(f), MASLIN_ARGUMENT(f, 3)
#define MASLIN_ARGUMENTS_5(f) MASLIN_ARGUMENTS_4(f), MASLIN_ARGUMENT(f, 4)
#define MASLIN_ARGUMENTS_6(f) MASLIN_ARGUMENTS_5(f), MASLIN_ARGUMENT(f, 5)
#define MASLIN_ARGUMENTS_7(f) MASLIN_ARGUMENTS_6(f), MASLIN_ARGUMENT(f, 6)
#define MASLIN_ARGUMENTS_8(f) MASLIN_ARGUMENTS_7(f), MASLIN_ARGUMENT(f, 7)
#define MASLIN_ARGUMENTS_9(f) MASLIN_ARGUMENTS_8(f), MASLIN_ARGUMENT(f, 8)
#define MASLIN_ARGUMENTS_10(f) MASLIN_ARGUMENTS_9(f), MASLIN_ARGUMENT(f, 9)
#define MASLIN_ARGUMENTS_11(f) MASLIN_ARGUMENTS_10(f), MASLIN_ARGUMENT(f, 10)
#define MASLIN_ARGUMENTS_12(f) MASLIN_ARGUMENTS_11(f), MASLIN_ARGUMENT(f, 11)

#define MASLIN_LENGTHS_0
#define MASLIN_LENGTHS_1 , std::size_t l0
#define MASLIN_LENGTHS_2 , std::size_t l0, std::size_t l1
#define MASLIN_LENGTHS_GIVEN_0
#define MASLIN_LENGTHS_GIVEN_1 , l0
#define MASLIN_LENGTHS_GIVEN_2 , l0, l1

/// The second name of pmpi_NAME_.
#define MASLIN_FORTRAN_NAME(name) \
  extern "C" decltype(pmpi_##name##_) mpi_##name##_ __attribute__((weak, alias("pmpi_" #name "_")));

#define MASLIN_FORTRAN_TEXT(function, name, arity, texts)                                                 \
  extern "C" void pmpi_##name##_(MASLIN_PARAMETERS_##arity(function) int* error MASLIN_LENGTHS_##texts) { \
    static_assert(mpi::fortran::parameters_of<function>::count == (arity) + (texts));                     \
    const mpi::fortran::call_from here(__builtin_return_address(0));                                      \
    *error = function(MASLIN_ARGUMENTS_##arity(function) MASLIN_LENGTHS_GIVEN_##texts);                   \
  }                                                                                                       \
  MASLIN_FORTRAN_NAME(name)
#define MASLIN_FORTRAN(function, name, arity) MASLIN_FORTRAN_TEXT(function, name, arity, 0)
