// The 3-D FFT of a cube of complex numbers, in pencils: a cell is a block of rows that lie beside each other in two
// dimensions. FFTs of a pencil's rows, block by block into pencils of the second direction, FFTs, the same into those
// of the third, FFTs. The FFT is Stockham's, the same code for all runtimes. Compared with the definition in some
// points, in double precision.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "linalg.hpp"

namespace bench {

namespace {

using number = std::complex<float>;
constexpr std::size_t n = 128;    ///< in each direction
constexpr std::size_t side = 16;  ///< of a pencil: side x side rows
constexpr std::size_t many = n / side;
constexpr std::size_t rows = side * side;

const std::array<number, n>& roots() {
  static const std::array<number, n> made = [] {
    std::array<number, n> all;
    for (std::size_t k = 0; k < n; ++k) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
      all[k] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
    return all;
  }();
  return made;
}

void transform_row(number* row, const number* root) {
  std::array<number, n> room;
  number *from = row, *to = room.data();
  for (std::size_t half = n / 2, step = 1; half >= 1; half /= 2, step *= 2) {
    for (std::size_t p = 0; p < half; ++p) {
      const float re_root = root[p * step].real(), im_root = root[p * step].imag();
      const number *a = from + step * p, *other = a + step * half;
      number *sum = to + 2 * step * p, *difference = sum + step;
      for (std::size_t q = 0; q < step; ++q) {
        const float re = a[q].real() - other[q].real(), im = a[q].imag() - other[q].imag();
        sum[q] = a[q] + other[q];
        difference[q] = {re * re_root - im * im_root, re * im_root + im * re_root};
      }
    }
    std::swap(from, to);
  }
  if (from != row) std::copy_n(from, n, row);
}

/// Cell (i, j) of a direction holds its rows one after the other: [i % side][j % side][along].
std::size_t cell_of(std::size_t i, std::size_t j) { return i * many + j; }

template <template <class> class Array>
struct fft3d {
  Array<number> by_x{many * many, rows* n};  // (z, y)
  Array<number> by_y{many * many, rows* n};  // (z, x)
  Array<number> by_z{many * many, rows* n};  // (x, y)

  void prepare() {
    inputs from;
    for (std::size_t k = 0; k < many * many; ++k)
      for (std::size_t i = 0; i < rows * n; ++i) {
        const float re = from.next();
        by_x.cell(k)[i] = {re, from.next()};
        by_y.cell(k)[i] = by_z.cell(k)[i] = 0;
      }
  }
  template <class Graph>
  void emit(Graph& g) {
    writers last(3 * many * many);
    const number* const root = roots().data();
    const auto transform = [&](Array<number>& of, std::size_t first) {
      for (std::size_t k = 0; k < many * many; ++k) {
        g.task(
            {last.of(first + k)},
            [root](number* pencil) {
              for (std::size_t r = 0; r < rows; ++r) transform_row(pencil + r * n, root);
            },
            of.updates(k));
        last.task_writes(first + k);
      }
    };
    const std::size_t second = many * many, third = 2 * second;
    transform(by_x, 0);
    for (std::size_t z = 0; z < many; ++z)
      for (std::size_t x = 0; x < many; ++x)
        for (std::size_t y = 0; y < many; ++y) {
          const std::size_t from = cell_of(z, y), to = cell_of(z, x);
          g.task(
              {last.of(from), last.of(second + to)},
              [x, y](const number* a, number* into) {
                for (std::size_t dz = 0; dz < side; ++dz)
                  for (std::size_t dx = 0; dx < side; ++dx)
                    for (std::size_t dy = 0; dy < side; ++dy)
                      into[(dz * side + dx) * n + y * side + dy] = a[(dz * side + dy) * n + x * side + dx];
              },
              by_x.reads(from), by_y.updates(to));
          last.task_writes(second + to);
        }
    transform(by_y, second);
    for (std::size_t x = 0; x < many; ++x)
      for (std::size_t y = 0; y < many; ++y)
        for (std::size_t z = 0; z < many; ++z) {
          const std::size_t from = cell_of(z, x), to = cell_of(x, y);
          g.task(
              {last.of(second + from), last.of(third + to)},
              [y, z](const number* a, number* into) {
                for (std::size_t dx = 0; dx < side; ++dx)
                  for (std::size_t dy = 0; dy < side; ++dy)
                    for (std::size_t dz = 0; dz < side; ++dz)
                      into[(dx * side + dy) * n + z * side + dz] = a[(dz * side + dx) * n + y * side + dy];
              },
              by_y.reads(from), by_z.updates(to));
          last.task_writes(third + to);
        }
    transform(by_z, third);
  }
  auto cells() {
    std::vector<number> all;
    for (std::size_t k = 0; k < many * many; ++k) all.insert(all.end(), by_z.cell(k), by_z.cell(k) + rows * n);
    return all;
  }
  /// Of some points, relative to what all of them have in the mean.
  double error() {
    double squares = 0;
    for (const number& one : cells()) squares += std::norm(one);
    const double mean = std::sqrt(squares / static_cast<double>(n * n * n));
    double worst = 0;
    for (std::size_t point = 0; point < 3; ++point) {
      const std::size_t x = 37 * point % n, y = (5 + 71 * point) % n, z = (11 + 101 * point) % n;
      const number found = by_z.cell(cell_of(x / side, y / side))[(x % side * side + y % side) * n + z];
      const double off = std::abs(std::complex<double>(found) - defined(x, y, z)) / mean;
      worst = off <= worst ? worst : off;  // what is no number stays
    }
    return worst;
  }

 private:
  static std::complex<double> defined(std::size_t x, std::size_t y, std::size_t z) {
    std::array<std::complex<double>, n> root;
    for (std::size_t k = 0; k < n; ++k)
      root[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    inputs from;
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < many * many; ++k)
      for (std::size_t i = 0; i < rows * n; ++i) {
        const std::size_t at_z = k / many * side + i / n / side, at_y = k % many * side + i / n % side, at_x = i % n;
        const double re = from.next();
        sum += std::complex<double>(re, from.next()) * root[(at_x * x + at_y * y + at_z * z) % n];
      }
    return sum;
  }
};

}  // namespace

result linalg_fft3d() { return measured<fft3d>("fft3d", 1e-4); }

}  // namespace bench
