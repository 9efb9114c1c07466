// Dense systems of equations, solved by OpenBLAS in streams. OpenBLAS has threads of its own; Maslin lets it use as
// many as the stream has workers: all of them for a large system that is alone, few where many systems are solved at a
// time. Nobody sets OPENBLAS_NUM_THREADS.

#include <maslin/maslin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace ms = maslin;

extern "C" {
void dposv_(const char* uplo, const int* n, const int* columns, double* a, const int* lda, double* b, const int* ldb,
            int* info, std::size_t uplo_length);
int openblas_get_num_threads();
}

/// Makes a symmetric system whose solution is (1, ..., 1), solves it, and gives how far the result is off.
double solve(int n) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> a(size * size), b(size, 0.0);
  unsigned seed = static_cast<unsigned>(n);
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = j; i < size; ++i) {
      seed = seed * 1664525U + 1013904223U;
      a[i + j * size] = a[j + i * size] = i == j ? 2.0 * n : static_cast<double>(seed) / 4294967296.0;
    }
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = 0; i < size; ++i) b[i] += a[i + j * size];

  const int one = 1;
  int info = 0;
  dposv_("L", &n, &one, a.data(), &n, b.data(), &n, &info, 1);
  double error = info == 0 ? 0 : 1;
  for (const double x : b) error = std::max(error, std::fabs(x - 1));
  return error;
}

/// One element for each system.
struct outcome {
  std::vector<double> errors;
  std::vector<int> threads;  // that OpenBLAS could use
};

/// Solves so many systems, each in a stream.
outcome solve_all(const char* phase, int systems, int least, int step) {
  outcome o{std::vector<double>(systems), std::vector<int>(systems)};
  ms::phase(phase, systems, [&](std::int64_t i) {
    o.threads[i] = openblas_get_num_threads();
    o.errors[i] = solve(least + step * static_cast<int>(i % 8));
  });
  return o;
}

template <class T>
T largest(const std::vector<T>& values) {
  return *std::max_element(values.begin(), values.end());
}

int main() {
  const outcome large = solve_all("large", 1, 1200, 0);
  const outcome small = solve_all("small", 48, 100, 60);
  const double error = std::max(largest(large.errors), largest(small.errors));
  if (!(error < 1e-10)) {
    std::printf("wrong: a result is off by %g\n", error);
    return 1;
  }
  std::printf("%zu large system and %zu small ones solved\n", large.errors.size(), small.errors.size());
  std::printf("OpenBLAS used %d threads for the large one, and at most %d for a small one\n", large.threads[0],
              largest(small.threads));
}
