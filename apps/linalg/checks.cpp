#include "linalg/checks.hpp"

#include <fmt/format.h>

#include "cli/shared/digest.hpp"

namespace linalg {

check comparison::with_error(std::string what, double error, double bound) const {
  if (std::isnan(error)) error = INFINITY;
  return {std::move(what), error, bound,
          fmt::format("row {}, column {} has {:.9g}; expected {:.9g}", row_, column_, found_, expected_)};
}

std::vector<double> row_norms(std::span<const double> matrix, std::size_t n) {
  std::vector<double> norms(n);
  for (std::size_t k = 0; k < matrix.size(); ++k) norms[k % n] += matrix[k] * matrix[k];
  for (double& one : norms) one = std::sqrt(one);
  return norms;
}

std::vector<double> column_norms(std::span<const double> matrix, std::size_t n) {
  std::vector<double> norms(n);
  for (std::size_t k = 0; k < matrix.size(); ++k) norms[k / n] += matrix[k] * matrix[k];
  for (double& one : norms) one = std::sqrt(one);
  return norms;
}

std::string describe(matrix_size size) {
  return fmt::format("{0} x {0} blocks of {1} x {1} floats", size.blocks(), size.block);
}

std::uint64_t checksum_of(std::span<const float> answer) { return command::digest_of(answer); }

}  // namespace linalg
