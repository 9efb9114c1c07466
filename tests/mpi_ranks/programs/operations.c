// Every operation with every type that it is for, with few and with many elements: together, and with MPI_Reduce_local.
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "expect.h"

enum { few = 3, many = 3001 };

// Small numbers, so that products of all ranks fit into every type; some are 0, for logical operations.
static int value(int rank, int i) { return (rank + i) % 7 == 3 ? 0 : 1 + (rank * 5 + i) % 2; }

static int made_of(MPI_Op op, int a, int b) {
  if (op == MPI_MAX) return a > b ? a : b;
  if (op == MPI_MIN) return a < b ? a : b;
  if (op == MPI_SUM) return a + b;
  if (op == MPI_PROD) return a * b;
  if (op == MPI_LAND) return a && b;
  if (op == MPI_LOR) return a || b;
  if (op == MPI_LXOR) return !a != !b;
  if (op == MPI_BAND) return a & b;
  if (op == MPI_BOR) return a | b;
  return a ^ b;
}

/// `op` over ranks up to `last`.
static int combined(MPI_Op op, int last, int i) {
  int all = value(0, i);
  for (int r = 1; r <= last; ++r) all = made_of(op, all, value(r, i));
  return all;
}

#define TRY(type, handle, ops)                                                                                         \
  do {                                                                                                                 \
    for (size_t o = 0; o < sizeof ops / sizeof *ops; ++o)                                                              \
      for (int count = few; count <= many; count += many - few) {                                                      \
        static type mine[many], got[many];                                                                             \
        const int root = (int)o % ranks;                                                                               \
        for (int i = 0; i < count; ++i) mine[i] = (type)value(me, i), got[i] = (type)0;                                \
        MPI_Allreduce(mine, got, count, handle, ops[o], MPI_COMM_WORLD);                                               \
        for (int i = 0; i < count; ++i) EXPECT(got[i] == (type)combined(ops[o], ranks - 1, i));                        \
        MPI_Scan(mine, got, count, handle, ops[o], MPI_COMM_WORLD);                                                    \
        for (int i = 0; i < count; ++i) EXPECT(me == 0 ? got[i] == mine[i] : got[i] == (type)combined(ops[o], me, i)); \
        MPI_Reduce(mine, got, count, handle, ops[o], root, MPI_COMM_WORLD);                                            \
        for (int i = 0; me == root && i < count; ++i) EXPECT(got[i] == (type)combined(ops[o], ranks - 1, i));          \
        for (int i = 0; i < count; ++i) got[i] = (type)value(me + 1, i);                                               \
        MPI_Reduce_local(mine, got, count, handle, ops[o]);                                                            \
        for (int i = 0; i < count; ++i) EXPECT(got[i] == (type)made_of(ops[o], value(me, i), value(me + 1, i)));       \
      }                                                                                                                \
  } while (0)

static void of_numbers(void) {
  // 8-bit products stay small: 2 to the power of 7 is the most that 16 ranks reach, as every other number is 1.
  const MPI_Op whole[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_LAND, MPI_BAND,
                          MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_PROD};
  const MPI_Op real[] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD};
  const MPI_Op complex_ones[] = {MPI_SUM, MPI_PROD};
  const MPI_Op bits[] = {MPI_BAND, MPI_BOR, MPI_BXOR};
  const MPI_Op logical[] = {MPI_LAND, MPI_LOR, MPI_LXOR};
  TRY(signed char, MPI_SIGNED_CHAR, whole);
  TRY(unsigned char, MPI_UNSIGNED_CHAR, whole);
  TRY(short, MPI_SHORT, whole);
  TRY(unsigned short, MPI_UNSIGNED_SHORT, whole);
  TRY(int, MPI_INT, whole);
  TRY(unsigned, MPI_UNSIGNED, whole);
  TRY(long, MPI_LONG, whole);
  TRY(unsigned long, MPI_UNSIGNED_LONG, whole);
  TRY(long long, MPI_LONG_LONG, whole);
  TRY(unsigned long long, MPI_UNSIGNED_LONG_LONG, whole);
  TRY(int8_t, MPI_INT8_T, whole);
  TRY(int16_t, MPI_INT16_T, whole);
  TRY(int32_t, MPI_INT32_T, whole);
  TRY(int64_t, MPI_INT64_T, whole);
  TRY(uint8_t, MPI_UINT8_T, whole);
  TRY(uint16_t, MPI_UINT16_T, whole);
  TRY(uint32_t, MPI_UINT32_T, whole);
  TRY(uint64_t, MPI_UINT64_T, whole);
  TRY(MPI_Aint, MPI_AINT, whole);
  TRY(MPI_Count, MPI_COUNT, whole);
  TRY(MPI_Offset, MPI_OFFSET, whole);
  TRY(float, MPI_FLOAT, real);
  TRY(double, MPI_DOUBLE, real);
  TRY(long double, MPI_LONG_DOUBLE, real);
  TRY(float complex, MPI_C_COMPLEX, complex_ones);
  TRY(double complex, MPI_C_DOUBLE_COMPLEX, complex_ones);
  TRY(long double complex, MPI_C_LONG_DOUBLE_COMPLEX, complex_ones);
  TRY(unsigned char, MPI_BYTE, bits);
  TRY(bool, MPI_C_BOOL, logical);
}

/// The largest and the smallest value, and of equal ones the smallest index.
#define TRY_PAIR(type, handle)                                                                            \
  do {                                                                                                    \
    typedef struct {                                                                                      \
      type value;                                                                                         \
      int index;                                                                                          \
    } pair;                                                                                               \
    MPI_Aint lower, extent;                                                                               \
    MPI_Type_get_extent(handle, &lower, &extent);                                                         \
    EXPECT_EQUAL(extent, sizeof(pair));                                                                   \
    static pair mine[many], most[many], least[many];                                                      \
    for (int count = 1; count <= many; count += many - 1) {                                               \
      for (int i = 0; i < count; ++i) mine[i].value = (type)((me * 3 + i) % 4), mine[i].index = 100 - me; \
      MPI_Allreduce(mine, most, count, handle, MPI_MAXLOC, MPI_COMM_WORLD);                               \
      MPI_Allreduce(mine, least, count, handle, MPI_MINLOC, MPI_COMM_WORLD);                              \
      for (int i = 0; i < count; ++i) {                                                                   \
        int high = 0, low = 0;                                                                            \
        for (int r = 1; r < ranks; ++r) {                                                                 \
          if ((r * 3 + i) % 4 >= (high * 3 + i) % 4) high = r;                                            \
          if ((r * 3 + i) % 4 <= (low * 3 + i) % 4) low = r;                                              \
        }                                                                                                 \
        EXPECT_EQUAL(most[i].index, 100 - high);                                                          \
        EXPECT(most[i].value == (type)((high * 3 + i) % 4));                                              \
        EXPECT_EQUAL(least[i].index, 100 - low);                                                          \
        EXPECT(least[i].value == (type)((low * 3 + i) % 4));                                              \
      }                                                                                                   \
    }                                                                                                     \
  } while (0)

static void of_pairs(void) {
  TRY_PAIR(float, MPI_FLOAT_INT);
  TRY_PAIR(double, MPI_DOUBLE_INT);
  TRY_PAIR(long, MPI_LONG_INT);
  TRY_PAIR(short, MPI_SHORT_INT);
  TRY_PAIR(int, MPI_2INT);
  TRY_PAIR(long double, MPI_LONG_DOUBLE_INT);
}

static int calls;
static void first_of_two(void* in, void* inout, int* count, MPI_Datatype* type) {
  int size;
  MPI_Type_size(*type, &size);
  memcpy(inout, in, (size_t)size * (size_t)*count);
  calls += *count > 0;
}

/// A function of the program gets its own type, and what comes from lower ranks first.
static void of_the_program(void) {
  MPI_Op op;
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_SHORT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(first_of_two, 0, &op);
  static short mine[3 * many], got[3 * many];
  for (int count = 1; count <= many; count += many - 1) {
    for (int i = 0; i < 3 * count; ++i) mine[i] = (short)(me * 100 + i % 97), got[i] = -1;
    MPI_Reduce(mine, got, count, type, op, ranks - 1, MPI_COMM_WORLD);
    for (int i = 0; me == ranks - 1 && i < 3 * count; ++i) EXPECT_EQUAL(got[i], i % 97);
    MPI_Exscan(mine, got, count, type, op, MPI_COMM_WORLD);
    for (int i = 0; me > 0 && i < 3 * count; ++i) EXPECT_EQUAL(got[i], i % 97);
  }
  calls = 0;
  MPI_Reduce_local(mine, got, 5, type, op);
  EXPECT_EQUAL(calls, 1);
  MPI_Op_free(&op);
  EXPECT_EQUAL(op, MPI_OP_NULL);
  MPI_Type_free(&type);
}

/// a * x + b, in elements with gaps that begin before their address.
struct map {
  int free_before;
  unsigned a;
  int free_between;
  unsigned b;
};
static void one_after_the_other(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i) {
    // The type's origin is at `free_between`.
    const unsigned* const first = (const unsigned*)((const char*)in + i * extent);
    unsigned* const second = (unsigned*)((char*)inout + i * extent);
    second[1] = second[-1] * first[1] + second[1];
    second[-1] = second[-1] * first[-1];
  }
}
static struct map map_of(int rank, int i) {
  return (struct map){-5, 3 + 2 * (unsigned)(rank + i), -6, (unsigned)(rank * 7 + i)};
}
static void expect_maps(const struct map* got, int last, int count) {
  for (int i = 0; i < count; ++i) {
    struct map expected = map_of(0, i);
    for (int r = 1; r <= last; ++r) {
      const struct map next = map_of(r, i);
      expected.b = next.a * expected.b + next.b;
      expected.a *= next.a;
    }
    EXPECT_EQUAL(got[i].a, expected.a);
    EXPECT_EQUAL(got[i].b, expected.b);
    EXPECT(got[i].free_before == -5 && got[i].free_between == -6);
  }
}

static void of_elements_with_gaps(void) {
  static struct map mine[many], got[many];
  enum { origin = 8 };
  MPI_Datatype pair, type;
  MPI_Op op;
  MPI_Type_create_hindexed(2, (const int[]){1, 1}, (const MPI_Aint[]){4 - origin, 12 - origin}, MPI_UNSIGNED, &pair);
  MPI_Type_create_resized(pair, -origin, sizeof(struct map), &type);
  MPI_Type_free(&pair);
  MPI_Type_commit(&type);
  MPI_Op_create(one_after_the_other, 0, &op);
  char *const given = (char*)mine + origin, *const result = (char*)got + origin;
  for (int way = 0; way < 5; ++way)
    for (int count = 1; count <= many; count += many - 1) {
      const int stays = way % 2 == 0, root = ranks / 2;
      for (int i = 0; i < count; ++i) mine[i] = map_of(me, i), got[i] = stays ? mine[i] : (struct map){-5, 0, -6, 0};
      if (way < 2) MPI_Allreduce(stays ? MPI_IN_PLACE : given, result, count, type, op, MPI_COMM_WORLD);
      if (way == 2 || way == 3) MPI_Scan(stays ? MPI_IN_PLACE : given, result, count, type, op, MPI_COMM_WORLD);
      if (way == 4)
        MPI_Reduce(me == root ? MPI_IN_PLACE : given, me == root ? result : NULL, count, type, op, root,
                   MPI_COMM_WORLD);
      if (way < 4 || me == root) expect_maps(got, way == 2 || way == 3 ? me : ranks - 1, count);
    }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

static void add_pairs(void* in, void* inout, int* count, MPI_Datatype* type) {
  int size = -1;
  EXPECT_EQUAL(MPI_Type_size(*type, &size), MPI_SUCCESS);
  EXPECT_EQUAL(size, 2 * sizeof(int));
  for (int i = 0; i < 2 * *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/// An operation may ask for the type of a started reduction, although the program has freed it.
static void of_a_type_that_is_freed(void) {
  static int mine[2 * many], got[2 * many];
  MPI_Datatype type, other, first = MPI_DATATYPE_NULL;
  MPI_Request request;
  MPI_Op op;
  MPI_Op_create(add_pairs, 1, &op);
  for (int round = 0; round < 20; ++round) {
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (round == 0) first = type;
    EXPECT(type <= first + 1);  // handles are given back
    for (int i = 0; i < 2 * many; ++i) mine[i] = me + i;
    MPI_Iallreduce(mine, got, round % 2 ? many : 1, type, op, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Type_contiguous(5, MPI_CHAR, &other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < (round % 2 ? 2 * many : 2); ++i) EXPECT_EQUAL(got[i], ranks * (ranks - 1) / 2 + ranks * i);
    MPI_Type_free(&other);
  }
  MPI_Op_free(&op);
}

/// What one part of a reduction lacks is missing in all results; and operations of the program count elements.
static void failures_of_all(void) {
  static int mine[many], got[many];
  MPI_Datatype wide, pair;
  MPI_Request request;
  MPI_Comm own;
  MPI_Op op;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Op_create(first_of_two, 0, &op);
  // The elements lie side by side, and one by itself spans more than there are addresses.
  MPI_Type_create_resized(MPI_INT, (MPI_Aint)1 << 46, sizeof(int), &wide);
  MPI_Type_commit(&wide);
  EXPECT_EQUAL(MPI_Allreduce(mine, got, 1, wide, op, own), MPI_ERR_NO_MEM);
  EXPECT_EQUAL(MPI_Iallreduce(mine, got, many, wide, op, own, &request), MPI_SUCCESS);
  EXPECT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_NO_MEM);
  MPI_Type_free(&wide);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_contiguous(me == 0 ? 1 : 2, pair, &wide);
  MPI_Type_commit(&wide);
  EXPECT_EQUAL(MPI_Allreduce(mine, got, me == 0 ? 20 : 10, wide, op, own), ranks == 1 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  MPI_Type_free(&pair);
  MPI_Type_free(&wide);
  MPI_Op_free(&op);
  MPI_Comm_free(&own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  of_numbers();
  of_pairs();
  of_the_program();
  of_elements_with_gaps();
  of_a_type_that_is_freed();
  failures_of_all();
  return end();
}
