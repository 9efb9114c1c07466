// Types by their precision, as Fortran's SELECTED_REAL_KIND and SELECTED_INT_KIND choose them, and by their size.

#include <algorithm>
#include <cfloat>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "state.hpp"

namespace mpi {

namespace {

struct real_kind {
  int digits, range;  ///< decimal
  MPI_Datatype real, complex;
};
// From the smallest. The ranges are those of the smallest and the largest number, whichever is less.
constexpr real_kind reals[] = {{FLT_DIG, -FLT_MIN_10_EXP, MPI_REAL, MPI_COMPLEX},
                               {DBL_DIG, -DBL_MIN_10_EXP, MPI_DOUBLE_PRECISION, MPI_DOUBLE_COMPLEX},
                               {LDBL_DIG, -LDBL_MIN_10_EXP, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
                               {33, 4931, MPI_REAL16, MPI_COMPLEX32}};

struct whole_kind {
  int range;
  MPI_Datatype type;
};
constexpr whole_kind wholes[] = {
    {2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}, {38, MPI_INTEGER16}};

void expect_asked(int digits, const char* what) {
  if (digits < 0 && digits != MPI_UNDEFINED)
    throw failure{MPI_ERR_ARG,
                  std::string(what) + " " + std::to_string(digits) + "; expected one from 0, or MPI_UNDEFINED"};
}

const real_kind& real_for(int digits, int range) {
  expect_asked(digits, "precision");
  expect_asked(range, "range");
  if (digits == MPI_UNDEFINED && range == MPI_UNDEFINED)
    throw failure{MPI_ERR_ARG, "neither precision nor range is said"};
  const auto* const found = std::find_if(std::begin(reals), std::end(reals), [&](const real_kind& one) {
    return one.digits >= digits && one.range >= range;
  });
  if (found == std::end(reals))
    throw failure{MPI_ERR_ARG, "there are no real numbers of " + std::to_string(digits) + " digits and range " +
                                   std::to_string(range) + "; expected up to 33 and 4931"};
  return *found;
}

MPI_Datatype whole_for(int range) {
  expect_asked(range, "range");
  const auto* const found =
      std::find_if(std::begin(wholes), std::end(wholes), [&](const whole_kind& one) { return one.range >= range; });
  if (found == std::end(wholes))
    throw failure{MPI_ERR_ARG, "there are no integers of range " + std::to_string(range) + "; expected up to 38"};
  return found->type;
}

/// The type for what was asked, which is the same each time. It has all of that other type but its name.
MPI_Datatype asked_for(int combiner, std::vector<int> integers, MPI_Datatype as) {
  MPI_Datatype& known = me.by_precision[{combiner, integers}];
  if (known == MPI_DATATYPE_NULL) {
    auto made = std::make_shared<datatype>(type_of(as));
    made->name.clear();
    made->attributes.clear();
    made->by = {combiner, std::move(integers), {}, {}};
    known = me.types.add_for_good(std::move(made));
  }
  return known;
}

}  // namespace

}  // namespace mpi

using namespace mpi;

MASLIN_MPI_DEFINE(Type_create_f90_real, (int digits, int range, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_f90_real), MPI_COMM_WORLD, [&] {
    *made = asked_for(MPI_COMBINER_F90_REAL, {digits, range}, real_for(digits, range).real);
  });
}
MASLIN_MPI_DEFINE(Type_create_f90_complex, (int digits, int range, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_f90_complex), MPI_COMM_WORLD, [&] {
    *made = asked_for(MPI_COMBINER_F90_COMPLEX, {digits, range}, real_for(digits, range).complex);
  });
}
MASLIN_MPI_DEFINE(Type_create_f90_integer, (int range, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_f90_integer), MPI_COMM_WORLD,
                   [&] { *made = asked_for(MPI_COMBINER_F90_INTEGER, {range}, whole_for(range)); });
}
MASLIN_MPI_DEFINE(Type_match_size, (int type_class, int size, MPI_Datatype* type)) {
  return carry_out(MASLIN_MPI_CALL(Type_match_size), MPI_COMM_WORLD, [&] {
    static constexpr struct {
      int type_class;
      MPI_Datatype type;
    } all[] = {{MPI_TYPECLASS_REAL, MPI_REAL4},       {MPI_TYPECLASS_REAL, MPI_REAL8},
               {MPI_TYPECLASS_REAL, MPI_REAL16},      {MPI_TYPECLASS_INTEGER, MPI_INTEGER1},
               {MPI_TYPECLASS_INTEGER, MPI_INTEGER2}, {MPI_TYPECLASS_INTEGER, MPI_INTEGER4},
               {MPI_TYPECLASS_INTEGER, MPI_INTEGER8}, {MPI_TYPECLASS_INTEGER, MPI_INTEGER16},
               {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX8}, {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX16},
               {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX32}};
    for (const auto& one : all)
      if (one.type_class == type_class && size > 0 && type_of(one.type).size == static_cast<std::size_t>(size)) {
        *type = one.type;
        return;
      }
    throw failure{MPI_ERR_ARG, "there is no type of " + std::to_string(size) + " bytes of that class"};
  });
}
