// Grids of ranks: neighbours, slices, ranks that are left over, and how ranks are divided among dimensions.
#include "expect.h"

static void expect_sides(int count, int dimensions, const int* given, const int* expected) {
  int sides[4];
  memcpy(sides, given, (size_t)dimensions * sizeof *sides);
  MPI_Dims_create(count, dimensions, sides);
  for (int d = 0; d < dimensions; ++d) EXPECT_EQUAL(sides[d], expected[d]);
}

static void divided(void) {
  const int open[4] = {0, 0, 0, 0};
  expect_sides(1, 3, open, (const int[]){1, 1, 1});
  expect_sides(6, 2, open, (const int[]){3, 2});
  expect_sides(7, 3, open, (const int[]){7, 1, 1});
  expect_sides(12, 2, open, (const int[]){4, 3});
  expect_sides(16, 4, open, (const int[]){2, 2, 2, 2});
  expect_sides(60, 3, open, (const int[]){5, 4, 3});
  expect_sides(64, 3, open, (const int[]){4, 4, 4});
  expect_sides(5616, 4, open, (const int[]){13, 9, 8, 6});
  expect_sides(2040, 2, open, (const int[]){51, 40});
  expect_sides(1 << 30, 3, open, (const int[]){1024, 1024, 1024});
  expect_sides(2147483647, 3, open, (const int[]){2147483647, 1, 1});
  expect_sides(1000, 3, open, (const int[]){10, 10, 10});
  expect_sides(6, 3, (const int[]){0, 3, 0}, (const int[]){2, 3, 1});
  expect_sides(12, 2, (const int[]){12, 1}, (const int[]){12, 1});
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT(MPI_Dims_create(7, 2, (int[]){0, 3}) != MPI_SUCCESS);
  EXPECT(MPI_Dims_create(6, 2, (int[]){-1, 3}) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// A torus in one dimension, open in another; all neighbours are met.
static void neighbours(int rows, int columns) {
  MPI_Comm grid;
  const int sides[2] = {rows, columns}, periods[2] = {1, 0};
  int got_sides[2], got_periods[2], at[2], size;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 0, &grid);
  if (me >= rows * columns) {
    EXPECT_EQUAL(grid, MPI_COMM_NULL);
    return;
  }
  MPI_Comm_size(grid, &size);
  EXPECT_EQUAL(size, rows * columns);
  MPI_Cart_get(grid, 2, got_sides, got_periods, at);
  EXPECT(got_sides[0] == rows && got_sides[1] == columns && got_periods[0] && !got_periods[1]);
  EXPECT_EQUAL(at[0], me / columns);
  EXPECT_EQUAL(at[1], me % columns);
  for (int dimension = 0; dimension < 2; ++dimension)
    for (int by = -3; by <= 3; ++by) {
      int from, to, got = -5;
      MPI_Status status;
      MPI_Cart_shift(grid, dimension, by, &from, &to);
      if (dimension == 0)
        EXPECT_EQUAL(to, ((at[0] + by) % rows + rows) % rows * columns + at[1]);
      else
        EXPECT_EQUAL(to, at[1] + by >= 0 && at[1] + by < columns ? me + by : MPI_PROC_NULL);
      MPI_Sendrecv(&me, 1, MPI_INT, to, 1, &got, 1, MPI_INT, from, 1, grid, &status);
      EXPECT_EQUAL(got, from == MPI_PROC_NULL ? -5 : from);
    }
  for (int r = 0; r < size; ++r) {
    int back;
    MPI_Cart_coords(grid, r, 2, at);
    EXPECT(at[0] == r / columns && at[1] == r % columns);
    at[0] += rows;  // around once
    MPI_Cart_rank(grid, at, &back);
    EXPECT_EQUAL(back, r);
  }
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  EXPECT(MPI_Cart_rank(grid, (const int[]){0, columns}, &size) != MPI_SUCCESS);
  EXPECT(MPI_Cart_shift(grid, 2, 1, &size, &size) != MPI_SUCCESS);
  // A duplicate is a grid, too; a part made by MPI_Comm_split is none.
  MPI_Comm same, part;
  int kind;
  MPI_Comm_dup(grid, &same);
  MPI_Topo_test(same, &kind);
  EXPECT_EQUAL(kind, MPI_CART);
  MPI_Comm_split(grid, 0, 0, &part);
  MPI_Topo_test(part, &kind);
  EXPECT_EQUAL(kind, MPI_UNDEFINED);
  EXPECT_EQUAL(MPI_Cartdim_get(part, &kind), MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&same);
  MPI_Comm_free(&part);
  MPI_Comm_free(&grid);
}

/// Slices of a grid of three dimensions.
static void slices(void) {
  int sides[3] = {0, 0, 0}, at[3], periods[3] = {0, 1, 0}, its[2], its_periods[2], its_place[2], rank, dimensions;
  MPI_Comm grid, plane, point;
  MPI_Dims_create(ranks, 3, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 3, sides, periods, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 3, at);
  MPI_Cart_sub(grid, (const int[]){1, 0, 1}, &plane);
  MPI_Cartdim_get(plane, &dimensions);
  EXPECT_EQUAL(dimensions, 2);
  MPI_Cart_get(plane, 2, its, its_periods, its_place);
  EXPECT(its[0] == sides[0] && its[1] == sides[2] && !its_periods[0] && !its_periods[1]);
  EXPECT(its_place[0] == at[0] && its_place[1] == at[2]);
  MPI_Comm_rank(plane, &rank);
  EXPECT_EQUAL(rank, at[0] * sides[2] + at[2]);
  int least, most;
  MPI_Allreduce(&at[1], &least, 1, MPI_INT, MPI_MIN, plane);
  MPI_Allreduce(&at[1], &most, 1, MPI_INT, MPI_MAX, plane);
  EXPECT(least == at[1] && most == at[1]);
  MPI_Comm_free(&plane);
  MPI_Cart_sub(grid, (const int[]){1, 1, 1}, &plane);
  MPI_Comm_compare(grid, plane, &least);
  EXPECT_EQUAL(least, MPI_CONGRUENT);
  MPI_Comm_free(&plane);
  MPI_Cart_map(MPI_COMM_WORLD, 3, sides, periods, &least);
  EXPECT(least >= 0 && least < ranks);
  MPI_Comm_free(&grid);
  MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &point);
  EXPECT_EQUAL(point == MPI_COMM_NULL, me != 0);
  if (point != MPI_COMM_NULL) MPI_Comm_free(&point);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  divided();
  neighbours(1, 1);
  neighbours(ranks, 1);
  neighbours(1, ranks);
  if (ranks > 1) neighbours(ranks / 2, 2);
  slices();
  return end();
}
