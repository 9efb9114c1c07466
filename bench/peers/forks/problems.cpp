#include "problems.hpp"

namespace bench::forks {

board::some_columns board::free_in(int row) const {
  const auto is_free = [&](int column) {
    for (int above = 0; above < row; ++above) {
      const int there = columns[static_cast<std::size_t>(above)];
      if (there == column || there - column == row - above || column - there == row - above) return false;
    }
    return true;
  };
  some_columns free;
  for (int column = 0; column < queens; ++column)
    if (is_free(column)) free.columns[static_cast<std::size_t>(free.count++)] = static_cast<signed char>(column);
  return free;
}

void multiply_leaf(const double* a, const double* b, double* c, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const double factor = a[i * matrix_rows + k];
      for (int j = 0; j < n; ++j) c[i * matrix_rows + j] += factor * b[k * matrix_rows + j];
    }
}

}  // namespace bench::forks
