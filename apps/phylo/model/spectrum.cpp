#include "phylo/model/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace phylo {
namespace {

/// Rotates the symmetric matrix `a` to diagonal form; the columns of `vectors` become its eigenvectors.
void diagonalize(Matrix& a, Matrix& vectors, std::size_t n) {
  vectors.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) vectors[(n + 1) * i] = 1;
  constexpr int most_sweeps = 64;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) off += std::abs(a[n * p + q]);
    if (off == 0) return;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double apq = a[n * p + q];
        if (apq == 0) continue;
        // Too small to change either diagonal element: as good as zero.
        if (std::abs(apq) < 1e-18 * (std::abs(a[(n + 1) * p]) + std::abs(a[(n + 1) * q]))) {
          a[n * p + q] = a[n * q + p] = 0;
          continue;
        }
        const double theta = (a[(n + 1) * q] - a[(n + 1) * p]) / (2 * apq);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double akp = a[n * k + p], akq = a[n * k + q];
          a[n * k + p] = c * akp - s * akq;
          a[n * k + q] = s * akp + c * akq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double apk = a[n * p + k], aqk = a[n * q + k];
          a[n * p + k] = c * apk - s * aqk;
          a[n * q + k] = s * apk + c * aqk;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double vkp = vectors[n * k + p], vkq = vectors[n * k + q];
          vectors[n * k + p] = c * vkp - s * vkq;
          vectors[n * k + q] = s * vkp + c * vkq;
        }
      }
    }
  }
}

/// The index of the rate between states i < j.
std::size_t rate_index(std::size_t i, std::size_t j, std::size_t n) { return i * (2 * n - i - 1) / 2 + j - i - 1; }

}  // namespace

Matrix rate_matrix(const Model& model) {
  const auto n = static_cast<std::size_t>(model.states());
  Matrix q(n * n, 0.0);
  double speed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      q[n * i + j] = model.rates[i < j ? rate_index(i, j, n) : rate_index(j, i, n)] * model.frequencies[j];
      q[(n + 1) * i] -= q[n * i + j];
    }
    speed -= model.frequencies[i] * q[(n + 1) * i];
  }
  for (double& x : q) x /= speed;
  return q;
}

Spectrum decompose(const Model& model) {
  const auto n = static_cast<std::size_t>(model.states());
  const Matrix q = rate_matrix(model);
  std::vector<double> root(n);
  for (std::size_t i = 0; i < n; ++i) root[i] = std::sqrt(model.frequencies[i]);
  Matrix symmetric(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    symmetric[(n + 1) * i] = q[(n + 1) * i];
    for (std::size_t j = i + 1; j < n; ++j)
      symmetric[n * i + j] = symmetric[n * j + i] = q[n * i + j] * root[i] / root[j];
  }
  Matrix vectors;
  diagonalize(symmetric, vectors, n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return symmetric[(n + 1) * a] > symmetric[(n + 1) * b]; });
  Spectrum spectrum{std::vector<double>(n), Matrix(n * n), Matrix(n * n)};
  for (std::size_t k = 0; k < n; ++k) {
    spectrum.values[k] = symmetric[(n + 1) * order[k]];
    for (std::size_t i = 0; i < n; ++i) {
      const double u = vectors[n * i + order[k]];
      spectrum.right[n * i + k] = u / root[i];
      spectrum.left[n * k + i] = u * root[i];
    }
  }
  // Known exactly, whatever the rotations left of it: the equilibrium.
  spectrum.values[0] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    spectrum.right[n * i] = 1;
    spectrum.left[i] = model.frequencies[i];
  }
  return spectrum;
}

std::vector<Spectrum> spectra(const Model& model) {
  if (model.mixture == nullptr) return {decompose(model)};
  std::vector<Spectrum> all;
  for (const ProteinMatrix& matrix : model.mixture->matrices) all.push_back(decompose(model_of(matrix)));
  return all;
}

Matrix transition_matrix(const Spectrum& spectrum, double t) {
  const std::size_t n = spectrum.values.size();
  Matrix p(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = i == j ? 1 : 0;
      // 1 + sum of (e^x - 1): short branches lose no digits.
      for (std::size_t k = 1; k < n; ++k)
        sum += spectrum.right[n * i + k] * spectrum.left[n * k + j] * std::expm1(spectrum.values[k] * t);
      p[n * i + j] = std::max(sum, 0.0);
    }
  return p;
}

}  // namespace phylo
