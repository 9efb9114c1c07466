// The 3-D FFT of a cube of complex numbers of single precision: FFTs of all rows, a transposition, FFTs, another
// transposition, FFTs (CellSs, Scientific Programming 17, section 6). FFTs are made on slices of some rows of a plane,
// transpositions on square blocks.
//
//     cc -O3 fft3d.c -o fft3d -lm            the serial program
//     maslin-cc -O3 fft3d.c -o fft3d -lm     each call of `fft_rows` and `transpose` is a task
//
// The program needs no library, so it has an FFT of its own: Stockham's, for rows of 2^k numbers. The C++ form uses
// FFTW.
//
// A transposition reads a block whose rows lie apart, and an annotation names what lies in one piece. So its tasks name
// all between the first and the last element of a block, and wait for whoever writes any of that. The order of the
// planes in memory is such that these are slices of which most are waited for anyway. Tasks that write blocks of the
// same rows run one after the other. The C++ form names the blocks themselves.

#include "program.h"

typedef struct {
  float re, im;
} complex_number;

/// Transforms so many rows of n numbers. `roots` are exp(-2 pi i k / n).
#pragma css task input(roots[n]) inout(slice[rows * n])
void fft_rows(complex_number* slice, const complex_number* roots, int n, int rows) {
  complex_number other[n];
  for (int row = 0; row < rows; ++row) {
    complex_number *from = slice + row * n, *to = other;
    for (int half = n / 2, apart = 1; half >= 1; half /= 2, apart *= 2) {
      for (int p = 0; p < half; ++p) {
        const complex_number w = roots[p * apart];
        const complex_number* restrict a = from + apart * p, * restrict b = a + apart * half;
        complex_number* restrict sum = to + 2 * apart * p, * restrict difference = sum + apart;
        for (int q = 0; q < apart; ++q) {
          const float re = a[q].re - b[q].re, im = a[q].im - b[q].im;
          sum[q].re = a[q].re + b[q].re, sum[q].im = a[q].im + b[q].im;
          difference[q].re = re * w.re - im * w.im, difference[q].im = re * w.im + im * w.re;
        }
      }
      complex_number* const swapped = from;
      from = to, to = swapped;
    }
    if (from == other) memcpy(slice + row * n, other, sizeof other);
  }
}

/// Writes a block of n x n numbers, whose rows begin `from_apart` numbers apart, to where they begin `to_apart` apart,
/// with rows and columns exchanged.
#pragma css task input(from[(n - 1) * from_apart + n]) inout(to[(n - 1) * to_apart + n])
void transpose(const complex_number* from, int from_apart, complex_number* to, int to_apart, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) to[i * to_apart + j] = from[j * from_apart + i];
}

static const double turn = 6.283185307179586;
static int n = 64, rows = 8, block = 16;

static void fft_all(complex_number* cube, const complex_number* roots) {
  for (int first = 0; first < n * n; first += rows) fft_rows(cube + (size_t)first * n, roots, n, rows);
}

/// Transforms the cube [z][y][x]; the result is [x][y][z]. In between, `middle` has it in panels of as many x as a
/// block has: [x / block][z][x % block][y].
static void fft3d(complex_number* cube, complex_number* middle, const complex_number* roots) {
  const size_t panel = (size_t)block * n, plane = (size_t)n * n;
  fft_all(cube, roots);
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; y += block)
      for (int x = 0; x < n; x += block)
        transpose(cube + z * plane + y * n + x, n, middle + (x / block * n + z) * panel + y, n, block);
  fft_all(middle, roots);
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; y += block)
      for (int z = 0; z < n; z += block)
        transpose(middle + (x / block * n + z) * panel + x % block * n + y, block * n, cube + x * plane + y * n + z, n,
                  block);
  fft_all(cube, roots);
}

/// Transforms the rows of a cube [z][y][x] along one index, whose numbers lie so far apart, as the definition says.
static void transform(double (*cube)[2], size_t apart) {
  double(*const root)[2] = allocate((size_t)n, sizeof *root);
  double(*const row)[2] = allocate((size_t)n, sizeof *row);
  for (int k = 0; k < n; ++k) root[k][0] = cos(turn * k / n), root[k][1] = -sin(turn * k / n);
  const size_t all = (size_t)n * n * n;
  for (size_t first = 0; first < all; ++first) {
    if (first / apart % n != 0) continue;
    for (int j = 0; j < n; ++j) memcpy(row[j], cube[first + j * apart], sizeof *row);
    for (int k = 0; k < n; ++k) {
      double re = 0, im = 0;
      for (int j = 0, at = 0; j < n; ++j, at = (at + k) % n) {
        re += row[j][0] * root[at][0] - row[j][1] * root[at][1];
        im += row[j][0] * root[at][1] + row[j][1] * root[at][0];
      }
      cube[first + k * apart][0] = re, cube[first + k * apart][1] = im;
    }
  }
  free(root), free(row);
}

/// Gives the norm of what the result, [x][y][z], is off, relative to its own norm; and the element that is off most.
static struct worst check(const complex_number* result) {
  struct worst worst = {0};
  const size_t all = (size_t)n * n * n;
  double(*const exact)[2] = allocate(all, sizeof *exact);
  for (size_t i = 0; i < all; ++i) exact[i][0] = input_element(0, 0, i), exact[i][1] = input_element(1, 0, i);
  for (size_t apart = 1; apart < all; apart *= n) transform(exact, apart);
  double squares = 0, off = 0;
  for (size_t i = 0; i < all; ++i) squares += exact[i][0] * exact[i][0] + exact[i][1] * exact[i][1];
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; ++y)
      for (int z = 0; z < n; ++z) {
        const complex_number found = result[((size_t)x * n + y) * n + z];
        const double* const expected = exact[((size_t)z * n + y) * n + x];
        off += pow(found.re - expected[0], 2) + pow(found.im - expected[1], 2);
        compare(&worst, (long)x * n + y, 2 * z, found.re, expected[0], sqrt(squares));
        compare(&worst, (long)x * n + y, 2 * z + 1, found.im, expected[1], sqrt(squares));
      }
  worst.error = off >= 0 ? sqrt(off / squares) : INFINITY;
  free(exact);
  return worst;
}

int main(int argc, char** argv) {
  read_options("fft3d", argc, argv, (struct number[]){{"--n", &n}, {"--slice", &rows}, {"--block", &block}}, 3);
  if (n & (n - 1)) refuse("--n is no power of two", "1, 2, 4, 8, ...");
  if (n % rows) refuse("the rows of a slice (--slice) do not divide --n", "a divisor of it");
  if (n % block) refuse("the rows of a block (--block) do not divide --n", "a divisor of it");
  const size_t all = (size_t)n * n * n;
  complex_number* const cube = allocate(all, sizeof *cube);
  complex_number* const middle = allocate(all, sizeof *middle);
  complex_number* const roots = allocate((size_t)n, sizeof *roots);
  for (size_t i = 0; i < all; ++i) cube[i] = (complex_number){input_element(0, 0, i), input_element(1, 0, i)};
  for (int k = 0; k < n; ++k) roots[k] = (complex_number){(float)cos(turn * k / n), (float)-sin(turn * k / n)};

#pragma css start
  start_clock();
  fft3d(cube, middle, roots);
#pragma css barrier
  stop_clock();

  if (program.spoil) cube[all / 2].re = -cube[all / 2].re;
  printf("fft3d: %d x %d x %d, slices of %d rows, blocks of %d x %d\n", n, n, n, rows, block, block);
  struct result result = begin_result();
  for (size_t i = 0; i < all; ++i) add_to_result(&result, cube[i].re), add_to_result(&result, cube[i].im);
  end_result(&result);
  return report(program.check ? check(cube) : (struct worst){0}, fft_bound(all));
}
