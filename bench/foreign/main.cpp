// Dense systems of equations by OpenBLAS, which brings threads of its own: in the streams of a phase, or in tasks.
// foreign_blas streams|tasks [systems] prints one line of JSON: seconds, the configuration that was chosen, whether
// every answer is right.

#include <cblas.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

extern "C" void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t uplo_length);
extern "C" void dpotrs_(const char* uplo, const int* n, const int* columns, const double* a, const int* lda, double* b,
                        const int* ldb, int* info, std::size_t uplo_length);

namespace {

constexpr int n = 320;
constexpr int products = 6;  ///< for each system

/// Makes a symmetric matrix whose diagonal dominates, and a right side; solves; gives whether |A x - b| is small.
bool solve(std::int64_t seed) {
  const auto elements = static_cast<std::size_t>(n) * n;
  std::vector<double> m(elements), a(elements);
  std::uint64_t random = static_cast<std::uint64_t>(seed) + 1;
  for (double& x : m) {
    random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    x = static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
  }
  bool right = true;
  for (int product = 0; product < products; ++product) {
    for (int i = 0; i < n; ++i) a[static_cast<std::size_t>(i) * (n + 1)] = n;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, m.data(), n, m.data(), n, product == 0, a.data(),
                n);
    for (int i = 0; i < n; ++i) a[static_cast<std::size_t>(i) * (n + 1)] += n;
    std::vector<double> factor = a, x(n, 1.0), rest(n, 1.0);
    int info = 0;
    const int one = 1;
    dpotrf_("L", &n, factor.data(), &n, &info, 1);
    if (info != 0) return false;
    dpotrs_("L", &n, &one, factor.data(), &n, x.data(), &n, &info, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1, a.data(), n, x.data(), 1, -1, rest.data(), 1);
    right = right && info == 0 && cblas_dnrm2(n, rest.data(), 1) < 1e-9;
  }
  return right;
}

const ms::kernel solving{"solve", solve};

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int systems = argc > 2 ? std::atoi(argv[2]) : 64;
  if ((how != "streams" && how != "tasks") || systems < 1) {
    std::fputs("foreign_blas streams|tasks [systems]\n", stderr);
    return 2;
  }
  ms::Runtime runtime;
  std::vector<char> right(static_cast<std::size_t>(systems));
  const auto begin = std::chrono::steady_clock::now();
  if (how == "streams") {
    ms::phase("systems", systems,
              [&](std::int64_t i) { right[static_cast<std::size_t>(i)] = ms::offload(solving, i); });
  } else {
    for (std::int64_t i = 0; i < systems; ++i) ms::task([&right, i] { right[static_cast<std::size_t>(i)] = solve(i); });
    ms::wait();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  bool checked = true;
  for (const char one : right) checked = checked && one;
  const auto report = ms::report("systems");
  const ms::configuration ran = report ? report->chosen.value_or(report->current) : ms::configuration{};
  std::printf("{\"seconds\": %.6f, \"checked\": %s, \"streams\": %d, \"width\": %d}\n", seconds,
              checked ? "true" : "false", ran.streams, ran.width);
}
