// Arrays that are divided among processes: each process has the elements that the standard gives it, in the order in
// which they lie, and all processes together have each element once.
#include "expect.h"

enum { most_dimensions = 3, most_elements = 4000 };
struct division {
  int dimensions;
  int sizes[most_dimensions], ways[most_dimensions], arguments[most_dimensions], sides[most_dimensions];
};

/// Which process of that dimension has that element.
static int owner(const struct division* of, int d, int at) {
  const int argument = of->arguments[d], processes = of->sides[d];
  if (of->ways[d] == MPI_DISTRIBUTE_NONE) return 0;
  if (of->ways[d] == MPI_DISTRIBUTE_CYCLIC)
    return at / (argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument) % processes;
  return at / (argument == MPI_DISTRIBUTE_DFLT_DARG ? (of->sizes[d] + processes - 1) / processes : argument);
}

static void divide(const struct division* of, int order) {
  int elements = 1, processes = 1, owned = 0;
  static int array[2 * most_elements], packed[2 * most_elements], back[2 * most_elements];
  static char has[most_elements];
  for (int d = 0; d < of->dimensions; ++d) elements *= of->sizes[d], processes *= of->sides[d];
  memset(has, 0, sizeof has);
  for (int i = 0; i < 2 * elements; ++i) array[i] = i;
  for (int rank = 0; rank < processes; ++rank) {
    MPI_Datatype part;
    MPI_Aint lower, extent;
    int size, at = 0, next = 0;
    MPI_Type_create_darray(processes, rank, of->dimensions, of->sizes, of->ways, of->arguments, of->sides, order,
                           MPI_INT, &part);
    MPI_Type_commit(&part);
    MPI_Type_get_extent(part, &lower, &extent);
    EXPECT(lower == 0 && extent == elements * (MPI_Aint)sizeof(int));
    MPI_Type_size(part, &size);
    owned += size;
    MPI_Pack(array, 2, part, packed, sizeof packed, &at, MPI_COMM_WORLD);
    EXPECT_EQUAL(at, 2 * size);
    for (int i = 0; i < elements; ++i) {
      int left = i, its_rank = 0, where[most_dimensions];
      for (int k = 0; k < of->dimensions; ++k) {
        const int d = order == MPI_ORDER_C ? of->dimensions - 1 - k : k;
        where[d] = left % of->sizes[d];
        left /= of->sizes[d];
      }
      for (int d = 0; d < of->dimensions; ++d) its_rank = its_rank * of->sides[d] + owner(of, d, where[d]);
      if (its_rank != rank) continue;
      EXPECT_EQUAL(packed[next], i);
      EXPECT_EQUAL(packed[next + size / (int)sizeof(int)], elements + i);
      EXPECT_EQUAL(has[i]++, 0);
      ++next;
    }
    EXPECT_EQUAL(next * (int)sizeof(int), size);
    memset(back, -1, sizeof back);
    MPI_Sendrecv(array, 2, part, me, 1, back, 2, part, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0, have = 0; i < 2 * elements; ++i) {
      if (back[i] != -1) EXPECT_EQUAL(back[i], i);
      have += back[i] != -1;
      if (i == 2 * elements - 1) EXPECT_EQUAL(have, 2 * next);
    }
    MPI_Type_free(&part);
  }
  EXPECT_EQUAL(owned, elements * (int)sizeof(int));
}

static void divided(void) {
  const int by_default = MPI_DISTRIBUTE_DFLT_DARG, block = MPI_DISTRIBUTE_BLOCK, cyclic = MPI_DISTRIBUTE_CYCLIC,
            none = MPI_DISTRIBUTE_NONE;
  const struct division all[] = {
      {1, {10}, {block}, {by_default}, {3}},
      {1, {10}, {block}, {6}, {3}},  // the last one has nothing
      {1, {11}, {cyclic}, {by_default}, {4}},
      {1, {23}, {cyclic}, {3}, {4}},
      {1, {5}, {cyclic}, {9}, {2}},
      {1, {7}, {none}, {by_default}, {1}},
      {2, {6, 9}, {block, cyclic}, {by_default, 2}, {2, 3}},
      {2, {6, 9}, {none, block}, {by_default, 5}, {1, 2}},
      {2, {7, 5}, {cyclic, none}, {2, by_default}, {3, 1}},
      {3, {5, 6, 7}, {cyclic, block, cyclic}, {2, by_default, 3}, {2, 3, 2}},
      {3, {4, 3, 8}, {block, none, cyclic}, {3, by_default, by_default}, {2, 1, 3}},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    divide(&all[i], MPI_ORDER_C);
    divide(&all[i], MPI_ORDER_FORTRAN);
  }
}

/// An array on rank 0 is divided among the ranks, and gathered again.
static void scattered(void) {
  enum { side = 9 };
  int array[side][side], own[side * side], back[side][side], sides[2] = {0, 0}, size;
  const int sizes[2] = {side, side}, ways[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
            arguments[2] = {2, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Datatype part;
  MPI_Request request;
  MPI_Dims_create(ranks, 2, sides);
  for (int i = 0; i < side * side; ++i) array[i / side][i % side] = i;
  memset(back, -1, sizeof back);
  MPI_Type_create_darray(ranks, me, 2, sizes, ways, arguments, sides, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_commit(&part);
  MPI_Type_size(part, &size);
  MPI_Irecv(own, size / (int)sizeof(int), MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  for (int rank = 0; me == 0 && rank < ranks; ++rank) {
    MPI_Datatype its;
    MPI_Type_create_darray(ranks, rank, 2, sizes, ways, arguments, sides, MPI_ORDER_C, MPI_INT, &its);
    MPI_Type_commit(&its);
    MPI_Send(array, 1, its, rank, 0, MPI_COMM_WORLD);
    MPI_Type_free(&its);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(own, size / (int)sizeof(int), MPI_INT, me, 1, back, 1, part, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, back, side * side, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT(memcmp(array, back, sizeof array) == 0);
  MPI_Type_free(&part);
}

/// The elements may be of any type; what made it is given back.
static void made_of(void) {
  const int sizes[2] = {4, 6}, ways[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, arguments[2] = {3, 2},
            sides[2] = {2, 2},
            expected[] = {4, 3, 2, 4, 6, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, 3, 2, 2, 2, MPI_ORDER_FORTRAN};
  MPI_Datatype apart, part, of;
  int integers, addresses, types, combiner, got[16], size;
  MPI_Aint lower, extent;
  MPI_Type_vector(2, 1, 3, MPI_SHORT, &apart);
  MPI_Type_create_darray(4, 3, 2, sizes, ways, arguments, sides, MPI_ORDER_FORTRAN, apart, &part);
  MPI_Type_get_envelope(part, &integers, &addresses, &types, &combiner);
  EXPECT(integers == 12 && addresses == 0 && types == 1 && combiner == MPI_COMBINER_DARRAY);
  MPI_Type_get_contents(part, 16, 0, 1, got, NULL, &of);
  EXPECT(memcmp(got, expected, sizeof expected) == 0);
  MPI_Type_size(part, &size);
  EXPECT_EQUAL(size, 1 * 2 * 2 * (int)sizeof(short));
  MPI_Type_get_extent(part, &lower, &extent);
  EXPECT(lower == 0 && extent == 24 * 4 * (MPI_Aint)sizeof(short));
  MPI_Type_free(&of);
  MPI_Type_free(&apart);
  MPI_Type_free(&part);
}

static void errors(void) {
  const int ten = 10, block = MPI_DISTRIBUTE_BLOCK, none = MPI_DISTRIBUTE_NONE, by_default = MPI_DISTRIBUTE_DFLT_DARG,
            two = 2, zero = 0, seven = 7;
  MPI_Datatype part;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#define EXPECT_REFUSED(processes, rank, dimensions, size, way, argument, side, order)                                 \
  EXPECT_EQUAL(MPI_Type_create_darray(processes, rank, dimensions, size, way, argument, side, order, MPI_INT, &part), \
               MPI_ERR_ARG)
  EXPECT_REFUSED(3, 0, 1, &ten, &block, &by_default, &two, MPI_ORDER_C);
  EXPECT_REFUSED(2, 2, 1, &ten, &block, &by_default, &two, MPI_ORDER_C);
  EXPECT_REFUSED(2, -1, 1, &ten, &block, &by_default, &two, MPI_ORDER_C);
  EXPECT_REFUSED(2, 0, 1, &ten, &block, &by_default, &two, 3);
  EXPECT_REFUSED(2, 0, 1, &ten, &none, &by_default, &two, MPI_ORDER_C);
  EXPECT_REFUSED(2, 0, 1, &ten, &block, &two, &two, MPI_ORDER_C);
  EXPECT_REFUSED(2, 0, 1, &ten, &block, &zero, &two, MPI_ORDER_C);
  EXPECT_REFUSED(2, 0, 1, &ten, &seven, &by_default, &two, MPI_ORDER_C);
  EXPECT_REFUSED(2, 0, 1, &zero, &block, &by_default, &two, MPI_ORDER_C);
  EXPECT_REFUSED(0, 0, 1, &ten, &block, &by_default, &zero, MPI_ORDER_C);
  EXPECT_REFUSED(1, 0, 0, &ten, &block, &by_default, &two, MPI_ORDER_C);
  EXPECT_REFUSED(1, 0, -1, &ten, &block, &by_default, &two, MPI_ORDER_C);
  EXPECT_EQUAL(MPI_Type_create_subarray(-1, &ten, &two, &zero, MPI_ORDER_C, MPI_INT, &part), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Type_create_darray(2, 0, 1, &ten, &block, &by_default, &two, MPI_ORDER_C, MPI_DATATYPE_NULL, &part),
               MPI_ERR_TYPE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  divided();
  scattered();
  made_of();
  errors();
  return end();
}
