#pragma once
// One cell in one direction: the balance equation, closed by diamond differences, and the fixup of negative fluxes.

namespace sweep {

/// What an equation of a cell consists of. A coefficient is 2 cos / width.
struct cell_equation {
  double source, total;
  double ci, cj, ck;  ///< coefficients
  double i, j, k;     ///< fluxes that come in through faces
};

struct cell_flux {
  double mean;     ///< in the cell
  double i, j, k;  ///< what leaves through faces
  bool fixed;
};

/// Gives the cell's flux. With `fixups`, a face through which a negative flux would leave is closed, and the balance
/// solved again without its diamond difference, until none is negative.
inline cell_flux solve_cell(const cell_equation& of, bool fixups) {
  double removal = ((of.total + of.ci) + of.cj) + of.ck;
  double gain = ((of.source + of.ci * of.i) + of.cj * of.j) + of.ck * of.k;
  cell_flux f{};
  f.mean = gain * (1.0 / removal);
  f.i = 2.0 * f.mean - of.i;
  f.j = 2.0 * f.mean - of.j;
  f.k = 2.0 * f.mean - of.k;
  if (!fixups) return f;
  const auto close = [&](double& face, double coefficient, double inflow) {
    removal = removal - coefficient;
    gain = gain - 0.5 * coefficient * inflow;
    f.mean = gain * (1.0 / removal);
    face = 0;
    f.fixed = true;
  };
  // A face that was closed stays so.
  const auto renew = [&](double& face, double inflow) {
    if (face != 0) face = 2.0 * f.mean - inflow;
  };
  for (;;) {
    if (f.i < 0) {
      close(f.i, of.ci, of.i);
      renew(f.j, of.j);
      renew(f.k, of.k);
    }
    if (f.j < 0) {
      close(f.j, of.cj, of.j);
      renew(f.k, of.k);
      renew(f.i, of.i);
    } else if (f.k < 0) {
      close(f.k, of.ck, of.k);
      renew(f.i, of.i);
      renew(f.j, of.j);
    } else {
      return f;
    }
  }
}

}  // namespace sweep
