#pragma once
// The transport problem: directions, weights, cross sections, the external source. Single-group and time-independent,
// in Cartesian coordinates (K. R. Koch, R. S. Baker and R. E. Alcouffe, Trans. Am. Nucl. Soc. 65, 1992).

#include <array>
#include <cstddef>
#include <vector>

#include "sweep/deck.hpp"

namespace sweep {

/// In which direction of each axis particles of an octant fly: -1 or 1.
struct octant {
  int i, j, k;
};

/// Those against an axis come before those along it, because mirrors stand where axes begin.
constexpr std::array<octant, 8> octants = {
    {{-1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, -1, -1}, {1, -1, 1}, {1, 1, -1}, {1, 1, 1}}};

/// Gives the number of the octant in which i, j or k (bits 4, 2, 1) is turned round.
constexpr int mirrored(int number, int bit) { return number ^ bit; }

/// An angle of an octant: cosines with the axes, and its weight.
struct angle {
  double mu, eta, xi, weight;
};

/// Gives the S4 or S6 quadrature: 3 or 6 angles, whose weights in all octants add up to 1.
std::vector<angle> quadrature(int angles);

/// What a cell is made of.
struct material {
  double total;       ///< cross section
  double scatter[2];  ///< of it, scattering: isotropic, and three times its first moment
  double external;    ///< source
};

struct problem {
  deck with;
  std::vector<angle> angles;
  std::array<int, 3> source_first, source_last;  ///< cells with an external source: [first, last) of each axis

  explicit problem(const deck& of);
  material at(int i, int j, int k) const;
  /// Gives the coefficient of a moment of the flux in the scattering: 1, or a cosine.
  double harmonic(int moment, const octant& in, const angle& of) const {
    return moment == 0 ? 1 : moment == 1 ? in.i * of.mu : moment == 2 ? in.j * of.eta : in.k * of.xi;
  }
  std::size_t cells() const {
    return static_cast<std::size_t>(with.cells[0]) * static_cast<std::size_t>(with.cells[1]) *
           static_cast<std::size_t>(with.cells[2]);
  }
};

}  // namespace sweep
