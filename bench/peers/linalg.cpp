// The applications of the CellSs paper as graphs of tasks (apps/linalg has them as programs): matrices in blocks of
// 64 x 64 floats, with OpenBLAS's kernels on one thread, and the sum of vectors. Answers are multiplied with a vector
// and compared with what the input gives, in double precision (Freivalds).

#include "linalg.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "figures.hpp"

extern "C" void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info, std::size_t uplo_length);

namespace bench {

namespace {

constexpr int b = 64;
constexpr std::size_t elements = b * b;  // of a block

void gemm(float alpha, CBLAS_TRANSPOSE of_b, const float* x, const float* y, float* c) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, of_b, b, b, b, alpha, x, b, y, b, 1, c, b);
}
void solve(CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE of_l, CBLAS_DIAG diagonal, const float* l, float* x) {
  cblas_strsm(CblasColMajor, side, half, of_l, diagonal, b, b, 1, l, b, x, b);
}
/// a = l u in one block; l's diagonal is 1.
void decompose(float* a) {
  for (int k = 0; k < b; ++k) {
    const float pivot = 1 / a[k * b + k];
    for (int i = k + 1; i < b; ++i) a[k * b + i] *= pivot;
    for (int j = k + 1; j < b; ++j) cblas_saxpy(b - k - 1, -a[j * b + k], a + k * b + k + 1, 1, a + j * b + k + 1, 1);
  }
}

/// Calls f(row, column, value) for each element of block (i, j).
template <class F>
void each_element(const float* block, std::size_t i, std::size_t j, F&& f) {
  for (std::size_t c = 0; c < b; ++c)
    for (std::size_t r = 0; r < b; ++r) f(i * b + r, j * b + c, block[c * b + r]);
}

using numbers = std::vector<double>;

/// What a matrix is multiplied with: no two elements have the same weight.
numbers weights(std::size_t n) {
  numbers x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::cos(static_cast<double>(i));
  return x;
}
/// Gives how far two vectors are apart, relative to the second.
double apart(const numbers& found, const numbers& expected) {
  double off = 0, all = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    off += std::pow(found[i] - expected[i], 2);
    all += std::pow(expected[i], 2);
  }
  return std::sqrt(off / all);
}

/// A square matrix of `Blocks` x `Blocks` blocks in cells of an array.
template <template <class> class Array, std::size_t Blocks>
class blocks_of {
 public:
  static constexpr std::size_t n = Blocks * b;
  static std::size_t at(std::size_t i, std::size_t j) { return i + j * Blocks; }

  Array<float> cells{Blocks * Blocks, elements};

  /// Sets every element; those of the diagonal get `more`.
  void fill(inputs& from, float more) {
    for (std::size_t j = 0; j < Blocks; ++j)
      for (std::size_t i = 0; i < Blocks; ++i) fill(i, j, from, more);
  }
  void fill(std::size_t i, std::size_t j, inputs& from, float more) {
    float* const block = cells.cell(at(i, j));
    std::generate_n(block, elements, [&] { return from.next(); });
    for (std::size_t k = 0; i == j && k < b; ++k) block[k * b + k] += more;
  }
  /// Adds to y the product of the matrix with x, or of `part(row, column, value)` of it.
  template <class Part>
  void multiply(const numbers& x, numbers& y, Part&& part) {
    for (std::size_t j = 0; j < Blocks; ++j)
      for (std::size_t i = 0; i < Blocks; ++i)
        each_element(cells.cell(at(i, j)), i, j, [&](std::size_t row, std::size_t column, double value) {
          y[row] += part(row, column, value) * x[column];
        });
  }
  std::vector<float> values() {
    std::vector<float> all;
    for (std::size_t k = 0; k < Blocks * Blocks; ++k) all.insert(all.end(), cells.cell(k), cells.cell(k) + elements);
    return all;
  }
};
constexpr auto whole = [](std::size_t, std::size_t, double value) { return value; };

template <template <class> class Array>
struct matmul {
  static constexpr std::size_t blocks = 16;
  using matrix = blocks_of<Array, blocks>;
  matrix x, y, c;

  void prepare() {
    inputs from;
    x.fill(from, 0);
    y.fill(from, 0);
    for (std::size_t k = 0; k < blocks * blocks; ++k) std::fill_n(c.cells.cell(k), elements, 0.0F);
  }
  template <class Graph>
  void emit(Graph& g) {
    writers of_c(blocks * blocks);
    for (std::size_t i = 0; i < blocks; ++i)
      for (std::size_t j = 0; j < blocks; ++j)
        for (std::size_t k = 0; k < blocks; ++k) {
          const std::size_t to = matrix::at(i, j);
          g.task(
              {of_c.of(to)}, [](const float* l, const float* r, float* into) { gemm(1, CblasNoTrans, l, r, into); },
              x.cells.reads(matrix::at(i, k)), y.cells.reads(matrix::at(k, j)), c.cells.updates(to));
          of_c.task_writes(to);
        }
  }
  auto cells() { return c.values(); }
  double error() {
    const numbers w = weights(matrix::n);
    numbers yw(matrix::n), xyw(matrix::n), cw(matrix::n);
    y.multiply(w, yw, whole);
    x.multiply(yw, xyw, whole);
    c.multiply(w, cw, whole);
    return apart(cw, xyw);
  }
};

/// A = L Lᵀ, created column after column, or row after row.
template <template <class> class Array, bool ByRows>
struct cholesky_of {
  static constexpr std::size_t blocks = 32;
  using matrix = blocks_of<Array, blocks>;
  matrix a;
  numbers product;  ///< of the input with the weights

  void prepare() {
    inputs from;
    for (std::size_t j = 0; j < blocks; ++j)
      for (std::size_t i = j; i < blocks; ++i) a.fill(i, j, from, matrix::n);
    if (!product.empty()) return;
    product.resize(matrix::n);
    const numbers w = weights(matrix::n);
    each_lower([&](std::size_t row, std::size_t column, double value) {
      product[row] += value * w[column];
      if (row != column) product[column] += value * w[row];
    });
  }
  template <class Graph>
  void emit(Graph& g) {
    writers last(blocks * blocks);
    const auto at = [](std::size_t i, std::size_t j) { return matrix::at(i, j); };
    const auto update = [&](std::size_t i, std::size_t k, std::size_t j) {
      g.task(
          {last.of(at(i, k)), last.of(at(j, k)), last.of(at(i, j))},
          [](const float* l, const float* r, float* to) { gemm(-1, CblasTrans, l, r, to); }, a.cells.reads(at(i, k)),
          a.cells.reads(at(j, k)), a.cells.updates(at(i, j)));
      last.task_writes(at(i, j));
    };
    const auto factor = [&](std::size_t j) {
      for (std::size_t k = 0; k < j; ++k) {
        g.task(
            {last.of(at(j, k)), last.of(at(j, j))},
            [](const float* l, float* to) {
              cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, b, b, -1, l, b, 1, to, b);
            },
            a.cells.reads(at(j, k)), a.cells.updates(at(j, j)));
        last.task_writes(at(j, j));
      }
      g.task(
          {last.of(at(j, j))},
          [](float* to) {
            const int rows = b;
            int info = 0;
            spotrf_("L", &rows, to, &rows, &info, 1);
          },
          a.cells.updates(at(j, j)));
      last.task_writes(at(j, j));
    };
    const auto divide = [&](std::size_t i, std::size_t j) {
      g.task(
          {last.of(at(j, j)), last.of(at(i, j))},
          [](const float* l, float* to) { solve(CblasRight, CblasLower, CblasTrans, CblasNonUnit, l, to); },
          a.cells.reads(at(j, j)), a.cells.updates(at(i, j)));
      last.task_writes(at(i, j));
    };
    for (std::size_t one = 0; one < blocks; ++one) {
      if constexpr (ByRows) {
        for (std::size_t j = 0; j < one; ++j) {
          for (std::size_t k = 0; k < j; ++k) update(one, k, j);
          divide(one, j);
        }
        factor(one);
      } else {
        for (std::size_t k = 0; k < one; ++k)
          for (std::size_t i = one + 1; i < blocks; ++i) update(i, k, one);
        factor(one);
        for (std::size_t i = one + 1; i < blocks; ++i) divide(i, one);
      }
    }
  }
  auto cells() { return a.values(); }
  double error() {
    const numbers w = weights(matrix::n);
    numbers across(matrix::n), found(matrix::n);
    each_lower([&](std::size_t row, std::size_t column, double value) { across[column] += value * w[row]; });
    each_lower([&](std::size_t row, std::size_t column, double value) { found[row] += value * across[column]; });
    return apart(found, product);
  }

 private:
  template <class F>
  void each_lower(F&& f) {
    for (std::size_t j = 0; j < blocks; ++j)
      for (std::size_t i = j; i < blocks; ++i)
        each_element(a.cells.cell(matrix::at(i, j)), i, j, [&](std::size_t row, std::size_t column, double value) {
          if (row >= column) f(row, column, value);
        });
  }
};
template <template <class> class Array>
using cholesky_c = cholesky_of<Array, false>;
template <template <class> class Array>
using cholesky_r = cholesky_of<Array, true>;

/// A = L U without pivots; most blocks are zeros, and some of them are filled.
template <template <class> class Array>
struct sparselu {
  static constexpr std::size_t blocks = 40;
  using matrix = blocks_of<Array, blocks>;
  matrix a;
  std::vector<bool> there;
  numbers product;  ///< of the input with the weights

  /// genmat of the paper's program.
  static bool is_there_at_first(std::size_t i, std::size_t j) {
    if (i == j || i + 1 == j || j + 1 == i) return true;
    if ((i < j && i % 3 != 0) || (i > j && j % 3 != 0)) return false;
    return i % 2 == 0 && j % 2 == 0;
  }
  void prepare() {
    inputs from;
    there.assign(blocks * blocks, false);
    for (std::size_t j = 0; j < blocks; ++j)
      for (std::size_t i = 0; i < blocks; ++i) {
        there[matrix::at(i, j)] = is_there_at_first(i, j);
        if (is_there_at_first(i, j))
          a.fill(i, j, from, matrix::n);
        else
          std::fill_n(a.cells.cell(matrix::at(i, j)), elements, 0.0F);
      }
    if (!product.empty()) return;
    product.resize(matrix::n);
    a.multiply(weights(matrix::n), product, whole);
  }
  template <class Graph>
  void emit(Graph& g) {
    writers last(blocks * blocks);
    const auto at = [](std::size_t i, std::size_t j) { return matrix::at(i, j); };
    for (std::size_t k = 0; k < blocks; ++k) {
      const std::size_t pivot = at(k, k);
      g.task(
          {last.of(pivot)}, [](float* to) { decompose(to); }, a.cells.updates(pivot));
      last.task_writes(pivot);
      for (std::size_t j = k + 1; j < blocks; ++j) {
        if (!there[at(k, j)]) continue;
        g.task(
            {last.of(pivot), last.of(at(k, j))},
            [](const float* lu, float* to) { solve(CblasLeft, CblasLower, CblasNoTrans, CblasUnit, lu, to); },
            a.cells.reads(pivot), a.cells.updates(at(k, j)));
        last.task_writes(at(k, j));
      }
      for (std::size_t i = k + 1; i < blocks; ++i) {
        if (!there[at(i, k)]) continue;
        g.task(
            {last.of(pivot), last.of(at(i, k))},
            [](const float* lu, float* to) { solve(CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, lu, to); },
            a.cells.reads(pivot), a.cells.updates(at(i, k)));
        last.task_writes(at(i, k));
      }
      for (std::size_t i = k + 1; i < blocks; ++i)
        for (std::size_t j = k + 1; j < blocks; ++j) {
          if (!there[at(i, k)] || !there[at(k, j)]) continue;
          if (!there[at(i, j)]) {
            there[at(i, j)] = true;
            g.task(
                {-1}, [](float* to) { std::fill_n(to, elements, 0.0F); }, a.cells.writes(at(i, j)));
            last.task_writes(at(i, j));
          }
          g.task(
              {last.of(at(i, k)), last.of(at(k, j)), last.of(at(i, j))},
              [](const float* l, const float* u, float* to) { gemm(-1, CblasNoTrans, l, u, to); },
              a.cells.reads(at(i, k)), a.cells.reads(at(k, j)), a.cells.updates(at(i, j)));
          last.task_writes(at(i, j));
        }
    }
  }
  auto cells() { return a.values(); }
  double error() {
    numbers uw(matrix::n), found(matrix::n);
    a.multiply(weights(matrix::n), uw,
               [](std::size_t row, std::size_t column, double value) { return row <= column ? value : 0; });
    a.multiply(uw, found, [](std::size_t row, std::size_t column, double value) {
      return row > column ? value : row == column ? 1 : 0;
    });
    return apart(found, product);
  }
};

/// The sum of vectors: each second one is added to the one before it, in place, and so on.
template <template <class> class Array>
struct reduct {
  static constexpr std::size_t vectors = 2048, length = 4096;
  Array<float> v{vectors, length};
  numbers sums;

  void prepare() {
    inputs from;
    const bool first = sums.empty();
    if (first) sums.resize(length);
    for (std::size_t k = 0; k < vectors; ++k)
      for (std::size_t i = 0; i < length; ++i) {
        const float x = from.next();
        v.cell(k)[i] = x;
        if (first) sums[i] += x;
      }
  }
  template <class Graph>
  void emit(Graph& g) {
    writers last(vectors);
    for (std::size_t step = 1; step < vectors; step *= 2)
      for (std::size_t k = 0; k + step < vectors; k += 2 * step) {
        g.task(
            {last.of(k + step), last.of(k)},
            [](const float* from, float* to) {
              for (std::size_t i = 0; i < length; ++i) to[i] += from[i];
            },
            v.reads(k + step), v.updates(k));
        last.task_writes(k);
      }
  }
  auto cells() { return std::vector<float>(v.cell(0), v.cell(0) + length); }
  double error() { return apart({v.cell(0), v.cell(0) + length}, sums); }
};

}  // namespace

results linalg() {
  if (!peer::has_graphs) return {};
  openblas_set_num_threads(1);
  return {measured<matmul>("matmul", 1e-5),        measured<sparselu>("sparselu", 1e-5),
          measured<cholesky_c>("choleskyC", 1e-5), measured<cholesky_r>("choleskyR", 1e-5),
          measured<reduct>("reduct", 1e-5),        linalg_fft3d()};
}

}  // namespace bench
