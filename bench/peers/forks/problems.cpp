#include "problems.hpp"

namespace bench::forks {

bool board::is_free(int row, int column) const {
  for (int above = 0; above < row; ++above) {
    const int there = columns[static_cast<std::size_t>(above)];
    if (there == column || there - column == row - above || column - there == row - above) return false;
  }
  return true;
}

void multiply_leaf(const double* a, const double* b, double* c, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const double factor = a[i * matrix_rows + k];
      for (int j = 0; j < n; ++j) c[i * matrix_rows + j] += factor * b[k * matrix_rows + j];
    }
}

}  // namespace bench::forks
