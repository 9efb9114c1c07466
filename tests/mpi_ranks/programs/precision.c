// Types by their precision and by their size: which they are, that they combine numbers, and that they stay.
#include <float.h>

#include "expect.h"

static void expect_size(MPI_Datatype type, int expected) {
  int size;
  MPI_Type_size(type, &size);
  EXPECT_EQUAL(size, expected);
}

static void expect_made_by(MPI_Datatype type, int combiner, int first, int second) {
  int integers, addresses, types, its, got[2] = {-1, -1};
  char name[MPI_MAX_OBJECT_NAME];
  const int expected = combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &its);
  EXPECT(its == combiner && integers == expected && addresses == 0 && types == 0);
  MPI_Type_get_contents(type, 2, 0, 0, got, NULL, NULL);
  EXPECT(got[0] == first && (expected == 1 || got[1] == second));
  MPI_Type_get_name(type, name, &integers);
  EXPECT_EQUAL(integers, 0);
}

static void by_precision(void) {
  const struct {
    int digits, range, bytes;
  } reals[] = {{6, 37, 4},   {3, MPI_UNDEFINED, 4},    {MPI_UNDEFINED, 37, 4}, {7, MPI_UNDEFINED, 8}, {6, 38, 8},
               {15, 307, 8}, {MPI_UNDEFINED, 308, 16}, {16, 10, 16},           {33, 4931, 16}};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; ++i) {
    MPI_Datatype type, again;
    MPI_Type_create_f90_real(reals[i].digits, reals[i].range, &type);
    expect_size(type, reals[i].bytes);
    expect_made_by(type, MPI_COMBINER_F90_REAL, reals[i].digits, reals[i].range);
    MPI_Type_create_f90_real(reals[i].digits, reals[i].range, &again);
    EXPECT_EQUAL(type, again);
    MPI_Type_create_f90_complex(reals[i].digits, reals[i].range, &type);
    expect_size(type, 2 * reals[i].bytes);
    expect_made_by(type, MPI_COMBINER_F90_COMPLEX, reals[i].digits, reals[i].range);
    EXPECT(type != again);
  }
  const int wholes[][2] = {{0, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 4}, {9, 4}, {10, 8}, {18, 8}, {19, 16}, {38, 16}};
  for (size_t i = 0; i < sizeof wholes / sizeof *wholes; ++i) {
    MPI_Datatype type;
    MPI_Type_create_f90_integer(wholes[i][0], &type);
    expect_size(type, wholes[i][1]);
    expect_made_by(type, MPI_COMBINER_F90_INTEGER, wholes[i][0], 0);
  }
}

static void numbers_are_combined(void) {
  MPI_Datatype real, whole, most;
  const double mine = me + 0.5;
  double sum = 0;
  const long own = 1L << (me % 60);
  long product = 0;
  const long double one = 1;
  long double ones = 0;
  MPI_Type_create_f90_real(12, 100, &real);
  MPI_Type_create_f90_integer(15, &whole);
  MPI_Type_create_f90_real(LDBL_DIG, 1000, &most);
  MPI_Allreduce(&mine, &sum, 1, real, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == ranks * (ranks - 1) / 2.0 + ranks / 2.0);
  MPI_Allreduce(&own, &product, 1, whole, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQUAL(product, 1L << (ranks > 60 ? 59 : ranks - 1));
  MPI_Request request;
  MPI_Iallreduce(&one, &ones, 1, most, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(ones == ranks);
  // They are the numbers that they are like.
  MPI_Reduce(&mine, &sum, 1, me % 2 ? real : MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (me == 0) EXPECT(sum == ranks - 0.5);
  sum = -1;
  MPI_Sendrecv(&mine, 1, real, me, 0, &sum, 1, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(sum == mine);
}

static void of_others(void) {
  MPI_Datatype real, three, of, twin;
  int count, addresses, types, combiner;
  MPI_Type_create_f90_real(10, 50, &real);
  MPI_Type_contiguous(3, real, &three);
  MPI_Type_get_contents(three, 1, 0, 1, &count, NULL, &of);
  EXPECT_EQUAL(of, real);
  MPI_Type_free(&three);
  MPI_Type_dup(real, &twin);
  MPI_Type_get_envelope(twin, &count, &addresses, &types, &combiner);
  EXPECT(combiner == MPI_COMBINER_DUP && types == 1);
  MPI_Type_get_contents(twin, 0, 0, 1, NULL, NULL, &of);
  EXPECT_EQUAL(of, real);
  MPI_Type_free(&twin);
}

static void by_size(void) {
  const struct {
    int type_class, bytes;
  } all[] = {{MPI_TYPECLASS_REAL, 4},     {MPI_TYPECLASS_REAL, 8},     {MPI_TYPECLASS_REAL, 16},
             {MPI_TYPECLASS_INTEGER, 1},  {MPI_TYPECLASS_INTEGER, 2},  {MPI_TYPECLASS_INTEGER, 4},
             {MPI_TYPECLASS_INTEGER, 8},  {MPI_TYPECLASS_INTEGER, 16}, {MPI_TYPECLASS_COMPLEX, 8},
             {MPI_TYPECLASS_COMPLEX, 16}, {MPI_TYPECLASS_COMPLEX, 32}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    MPI_Datatype type;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_match_size(all[i].type_class, all[i].bytes, &type);
    expect_size(type, all[i].bytes);
    MPI_Type_get_name(type, name, &length);
    EXPECT(length > 0);
  }
}

static void errors(void) {
  MPI_Datatype type, kept;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Type_create_f90_real(34, 10, &type), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Type_create_f90_real(10, 4932, &type), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &type), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Type_create_f90_complex(-3, 10, &type), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Type_create_f90_integer(39, &type), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 0, &type), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Type_match_size(77, 4, &type), MPI_ERR_ARG);
  MPI_Type_create_f90_real(6, 30, &type);
  kept = type;
  EXPECT_EQUAL(MPI_Type_free(&type), MPI_ERR_TYPE);
  EXPECT_EQUAL(type, kept);
  // What C++ has no type for is sent, and not combined.
  char number[16] = "0123456789abcde", other[16];
  EXPECT_EQUAL(MPI_Allreduce(number, other, 1, MPI_REAL16, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
  EXPECT_EQUAL(MPI_Allreduce(number, other, 1, MPI_INTEGER16, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
  MPI_Sendrecv(number, 1, MPI_INTEGER16, me, 0, other, 1, MPI_INTEGER16, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(memcmp(number, other, sizeof number) == 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  by_precision();
  numbers_are_combined();
  of_others();
  by_size();
  errors();
  return end();
}
