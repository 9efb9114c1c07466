#pragma once
// What the six programs have in common: each makes its input, runs as tasks, gives its answer, and checks one.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linalg/kernels.hpp"

namespace linalg {

/// A square matrix of n rows in blocks of `block` rows.
struct matrix_size {
  int n;
  int block;
  int blocks() const { return n / block; }
};

/// An array of vectors.
struct array_size {
  int vectors;
  int length;
};

/// A cube of n x n x n numbers. FFTs are made on slices of so many rows, transpositions on blocks of so many rows.
struct cube_size {
  int n;
  int slice;
  int block;
};

inline double power(int base, int exponent) { return std::pow(static_cast<double>(base), exponent); }

/// Gives the size of a matrix as a text: 48 x 48 blocks of 64 x 64 floats.
std::string describe(matrix_size size);

/// How far an answer is off, and how far it may be.
struct check {
  std::string what;   ///< A = L L^T
  double error;       ///< as the check defines it; infinite if the answer has what is no number
  double bound;       ///< follows from the number of roundings
  std::string worst;  ///< where the error is largest, what was found there and what was expected
  bool holds() const { return error <= bound; }
};

class program {
 public:
  virtual ~program() = default;
  /// Makes the input anew.
  virtual void prepare() = 0;
  /// Creates the tasks, waits for them and gives how many there were. Needs a new input each time.
  virtual std::size_t run() = 0;
  /// Gives the answer in an order that does not depend on blocks. The C forms write the same with --output.
  virtual std::vector<float> answer() const = 0;
  /// Compares an answer with what BLAS, LAPACK or FFTW say.
  virtual std::vector<check> verify(std::span<const float> answer) const = 0;

  virtual std::string size() const = 0;  ///< "48 x 48 blocks of 64 x 64 floats"
  virtual double work() const = 0;       ///< of the last run: operations, or bytes that were read and written
  virtual const char* unit() const { return "GFLOP/s"; }
  virtual double bytes() const = 0;           ///< memory for the run, and for its answer
  virtual double bytes_of_check() const = 0;  ///< more memory for `verify`

  kernel_set kernels;  ///< what its tasks call; others in their place void its answer
};

std::unique_ptr<program> make_matmul(matrix_size size);      ///< C = C + A B
std::unique_ptr<program> make_sparselu(matrix_size size);    ///< A = L U, A sparse in blocks
std::unique_ptr<program> make_cholesky_c(matrix_size size);  ///< A = L L^T, column after column
std::unique_ptr<program> make_cholesky_r(matrix_size size);  ///< A = L L^T, row after row
std::unique_ptr<program> make_reduct(array_size size);       ///< the sum of vectors
std::unique_ptr<program> make_fft3d(cube_size size);         ///< a 3-D FFT

/// Makes one of these by the name that the commands have for it. `sizes`: n and block; vectors and length; n, slice and
/// block. Gives null where the program or the number of sizes is not known.
std::unique_ptr<program> make_program(std::string_view name, std::span<const int> sizes);

/// Gives FNV-1a of the answer's bytes, as the C forms print it.
std::uint64_t checksum_of(std::span<const float> answer);

}  // namespace linalg
