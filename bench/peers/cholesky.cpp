// Tiled Cholesky decomposition A = L Lᵀ of a dense matrix; the kernels are OpenBLAS's on one thread for all runtimes.

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "figures.hpp"
#include "peer.hpp"

extern "C" void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t uplo_length);

namespace bench {

namespace {

/// A symmetric matrix, column-major, that is positive definite because its diagonal dominates.
std::vector<double> symmetric(int n) {
  std::vector<double> a(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  std::uint64_t random = 1;
  const auto at = [n](int row, int col) {
    return static_cast<std::size_t>(row) + static_cast<std::size_t>(col) * static_cast<std::size_t>(n);
  };
  for (int col = 0; col < n; ++col)
    for (int row = col; row < n; ++row) {
      random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      a[at(row, col)] = a[at(col, row)] = static_cast<double>(random >> 11) * 0x1p-53 + (row == col ? n : 0);
    }
  return a;
}

/// Whether the lower triangle of `l` is the factor of `a`: |A - L Lᵀ| / (n eps |A|), Frobenius, as LAPACK's tests bound
/// it.
bool is_factor(const std::vector<double>& a, std::vector<double> l, int n) {
  for (int col = 0; col < n; ++col) std::fill_n(l.begin() + static_cast<std::ptrdiff_t>(col) * n, col, 0.0);
  std::vector<double> rest = a;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, -1, l.data(), n, l.data(), n, 1, rest.data(), n);
  const auto length = static_cast<int>(a.size());
  const double residual = cblas_dnrm2(length, rest.data(), 1) / cblas_dnrm2(length, a.data(), 1);
  return residual / (n * 0x1p-52) < 1;  // false for NaN, too
}

bool decompose(double* a, int n) {
  int info = 0;
  dpotrf_("L", &n, a, &n, &info, 1);
  return info == 0;
}

/// The lower triangle in tiles of b×b, each in one piece.
struct tiled {
  int b, tiles;
  peer::array<double> data;

  tiled(int n, int size)
      : b(size), tiles(n / size), data(static_cast<std::size_t>(tiles * tiles), static_cast<std::size_t>(b * b)) {}

  std::size_t at(int row, int col) const { return static_cast<std::size_t>(row + col * tiles); }

  /// Copies between the tiles and a whole matrix.
  template <class Copy>
  void each_column(std::vector<double>& whole, Copy copy) {
    const int n = b * tiles;
    for (int col = 0; col < tiles; ++col)
      for (int row = col; row < tiles; ++row)
        for (int j = 0; j < b; ++j)
          copy(data.cell(at(row, col)) + j * b, whole.data() + row * b + static_cast<std::ptrdiff_t>(col * b + j) * n);
  }

  void emit(peer::graph& g) {
    // last[i, j]: the newest task that wrote the tile, which is what edges made by hand start from.
    std::vector<int> last(static_cast<std::size_t>(tiles * tiles), -1);
    int next = 0;
    for (int k = 0; k < tiles; ++k) {
      g.task(
          {last[at(k, k)]}, [n = b](double* a) { decompose(a, n); }, data.updates(at(k, k)));
      last[at(k, k)] = next++;
      for (int i = k + 1; i < tiles; ++i) {
        g.task(
            {last[at(k, k)], last[at(i, k)]},
            [n = b](const double* l, double* a) {
              cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, l, n, a, n);
            },
            data.reads(at(k, k)), data.updates(at(i, k)));
        last[at(i, k)] = next++;
      }
      for (int j = k + 1; j < tiles; ++j) {
        g.task(
            {last[at(j, k)], last[at(j, j)]},
            [n = b](const double* l, double* a) {
              cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, -1, l, n, 1, a, n);
            },
            data.reads(at(j, k)), data.updates(at(j, j)));
        last[at(j, j)] = next++;
        for (int i = j + 1; i < tiles; ++i) {
          g.task(
              {last[at(i, k)], last[at(j, k)], last[at(i, j)]},
              [n = b](const double* l, const double* r, double* a) {
                cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, -1, l, n, r, n, 1, a, n);
              },
              data.reads(at(i, k)), data.reads(at(j, k)), data.updates(at(i, j)));
          last[at(i, j)] = next++;
        }
      }
    }
  }
};

double giga_flops(int n, double seconds) { return std::pow(n, 3) / 3 / seconds * 1e-9; }

constexpr int n = 2048;

}  // namespace

results cholesky() {
  if (!peer::has_graphs) return {};
  openblas_set_num_threads(1);
  std::vector<double> a = symmetric(n);
  results found;
  for (const int b : {64, 128, 256}) {
    tiled matrix(n, b);
    const timing seconds = time_of([&] {
      matrix.each_column(a, [b](double* tile, const double* whole) { std::copy_n(whole, b, tile); });
      return seconds_of([&] { peer::run_graph([&](peer::graph& out) { matrix.emit(out); }); });
    });
    std::vector<double> l(a.size());
    matrix.each_column(l, [b](const double* tile, double* whole) { std::copy_n(tile, b, whole); });
    found.push_back(
        {"cholesky-" + std::to_string(b), seconds, 0, is_factor(a, l, n), {{"gflops", giga_flops(n, seconds.median)}}});
  }
  return found;
}

results cholesky_openblas() {
  openblas_set_num_threads(workers);
  const std::vector<double> a = symmetric(n);
  std::vector<double> l;
  const timing seconds = time_of([&] {
    l = a;
    return seconds_of([&] { decompose(l.data(), n); });
  });
  const std::string about = openblas_get_config();  // "OpenBLAS 0.3.21 ..."
  const std::string version = about.substr(about.find(' ') + 1);
  return {{.figure = "cholesky-openblas",
           .seconds = seconds,
           .checked = is_factor(a, l, n),
           .more = {{"gflops", giga_flops(n, seconds.median)}},
           .runtime = "OpenBLAS",
           .version = version.substr(0, version.find(' '))}};
}

}  // namespace bench
