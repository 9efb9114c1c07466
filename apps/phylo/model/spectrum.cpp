#include "phylo/model/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace phylo {
namespace {

/// Rotates the symmetric matrix `a` to diagonal form; the columns of `vectors` become its eigenvectors.
void diagonalize(Matrix4& a, Matrix4& vectors) {
  vectors = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  constexpr int most_sweeps = 64;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = p + 1; q < 4; ++q) off += std::abs(a[4 * p + q]);
    if (off == 0) return;
    for (std::size_t p = 0; p < 4; ++p) {
      for (std::size_t q = p + 1; q < 4; ++q) {
        const double apq = a[4 * p + q];
        if (apq == 0) continue;
        // Too small to change either diagonal element: as good as zero.
        if (std::abs(apq) < 1e-18 * (std::abs(a[5 * p]) + std::abs(a[5 * q]))) {
          a[4 * p + q] = a[4 * q + p] = 0;
          continue;
        }
        const double theta = (a[5 * q] - a[5 * p]) / (2 * apq);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (std::size_t k = 0; k < 4; ++k) {
          const double akp = a[4 * k + p], akq = a[4 * k + q];
          a[4 * k + p] = c * akp - s * akq;
          a[4 * k + q] = s * akp + c * akq;
        }
        for (std::size_t k = 0; k < 4; ++k) {
          const double apk = a[4 * p + k], aqk = a[4 * q + k];
          a[4 * p + k] = c * apk - s * aqk;
          a[4 * q + k] = s * apk + c * aqk;
        }
        for (std::size_t k = 0; k < 4; ++k) {
          const double vkp = vectors[4 * k + p], vkq = vectors[4 * k + q];
          vectors[4 * k + p] = c * vkp - s * vkq;
          vectors[4 * k + q] = s * vkp + c * vkq;
        }
      }
    }
  }
}

/// The index of the rate between two different bases among AC, AG, AT, CG, CT, GT.
std::size_t rate_index(std::size_t i, std::size_t j) {
  constexpr std::size_t index[4][4] = {{0, 0, 1, 2}, {0, 0, 3, 4}, {1, 3, 0, 5}, {2, 4, 5, 0}};
  return index[i][j];
}

}  // namespace

Matrix4 rate_matrix(const Model& model) {
  Matrix4 q{};
  double speed = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (i == j) continue;
      q[4 * i + j] = model.rates[rate_index(i, j)] * model.frequencies[j];
      q[5 * i] -= q[4 * i + j];
    }
    speed -= model.frequencies[i] * q[5 * i];
  }
  for (double& x : q) x /= speed;
  return q;
}

Spectrum decompose(const Model& model) {
  const Matrix4 q = rate_matrix(model);
  std::array<double, 4> root{};
  for (std::size_t i = 0; i < 4; ++i) root[i] = std::sqrt(model.frequencies[i]);
  Matrix4 symmetric{};
  for (std::size_t i = 0; i < 4; ++i) {
    symmetric[5 * i] = q[5 * i];
    for (std::size_t j = i + 1; j < 4; ++j)
      symmetric[4 * i + j] = symmetric[4 * j + i] = q[4 * i + j] * root[i] / root[j];
  }
  Matrix4 vectors{};
  diagonalize(symmetric, vectors);
  std::array<std::size_t, 4> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return symmetric[5 * a] > symmetric[5 * b]; });
  Spectrum spectrum;
  for (std::size_t k = 0; k < 4; ++k) {
    spectrum.values[k] = symmetric[5 * order[k]];
    for (std::size_t i = 0; i < 4; ++i) {
      const double u = vectors[4 * i + order[k]];
      spectrum.right[4 * i + k] = u / root[i];
      spectrum.left[4 * k + i] = u * root[i];
    }
  }
  // Known exactly, whatever the rotations left of it: the equilibrium.
  spectrum.values[0] = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    spectrum.right[4 * i] = 1;
    spectrum.left[i] = model.frequencies[i];
  }
  return spectrum;
}

Matrix4 transition_matrix(const Spectrum& spectrum, double t) {
  Matrix4 p{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      double sum = i == j ? 1 : 0;
      // 1 + sum of (e^x - 1): short branches lose no digits.
      for (std::size_t k = 1; k < 4; ++k)
        sum += spectrum.right[4 * i + k] * spectrum.left[4 * k + j] * std::expm1(spectrum.values[k] * t);
      p[4 * i + j] = std::max(sum, 0.0);
    }
  return p;
}

}  // namespace phylo
