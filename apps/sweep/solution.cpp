#include "sweep/solution.hpp"

namespace sweep {

outflow::outflow(const problem& of) : angles_(of.angles.size()), cells_(of.with.cells) {
  const std::size_t all = octants.size() * angles_;
  i_.resize(all * nj() * index(cells_[2]));
  j_.resize(all * ni() * index(cells_[2]));
  k_.resize(all * ni() * nj());
}

solution::solution(const problem& of) : leaving(of) {
  for (int n = 0; n < of.with.moments(); ++n) flux[static_cast<std::size_t>(n)].resize(of.cells());
}

namespace {

/// Adds what passes through one side in an octant to the leakage of that side. `bit`: of the axis, as in `mirrored`.
/// `pass(octant, sign)` gives the current of all angles of that octant in the direction `sign` of the axis.
template <class Pass>
void add_leakage(int number, int bit, int along, bool mirror, double& at_begin, double& at_end, const Pass& pass) {
  if (along < 0) {
    at_begin += pass(number, along);
    return;
  }
  if (mirror) at_begin += pass(mirrored(number, bit), along);
  at_end += pass(number, along);
}

}  // namespace

balance balance_of(const problem& of, const solution& found) {
  const int ni = of.with.cells[0], nj = of.with.cells[1], nk = of.with.cells[2];
  const double di = of.with.width[0], dj = of.with.width[1], dk = of.with.width[2];
  balance b{};
  std::size_t cell = 0;
  for (int k = 0; k < nk; ++k)
    for (int j = 0; j < nj; ++j)
      for (int i = 0; i < ni; ++i, ++cell) {
        const material m = of.at(i, j, k);
        const double volume = di * dj * dk;
        b.source += m.external * volume;
        b.absorption += (m.total - m.scatter[0]) * found.flux[0][cell] * volume;
      }
  const int angles = static_cast<int>(of.angles.size());
  for (int number = 0; number < 8; ++number) {
    const octant& o = octants[static_cast<std::size_t>(number)];
    // In k as the octant's particles fly, which is the order of the original program on one processor.
    const auto plane = [&](int n) { return o.k > 0 ? n : nk - 1 - n; };
    const auto cosine = [&](int m) -> const angle& { return of.angles[static_cast<std::size_t>(m)]; };
    add_leakage(number, 4, o.i, of.with.reflective[0], b.leakage[0], b.leakage[1], [&](int from, int sign) {
      double sum = 0;
      for (int m = 0; m < angles; ++m)
        for (int n = 0; n < nk; ++n)
          for (int j = 0; j < nj; ++j)
            sum += sign * cosine(m).mu * cosine(m).weight * found.leaving.i(from, m, j, plane(n)) * dj * dk;
      return sum;
    });
    add_leakage(number, 2, o.j, of.with.reflective[1], b.leakage[2], b.leakage[3], [&](int from, int sign) {
      double sum = 0;
      for (int m = 0; m < angles; ++m)
        for (int n = 0; n < nk; ++n)
          for (int i = 0; i < ni; ++i)
            sum += sign * cosine(m).eta * cosine(m).weight * found.leaving.j(from, m, i, plane(n)) * di * dk;
      return sum;
    });
    add_leakage(number, 1, o.k, of.with.reflective[2], b.leakage[4], b.leakage[5], [&](int from, int sign) {
      double sum = 0;
      for (int m = 0; m < angles; ++m)
        for (int j = 0; j < nj; ++j)
          for (int i = 0; i < ni; ++i)
            sum += sign * cosine(m).xi * cosine(m).weight * found.leaving.k(from, m, i, j) * di * dj;
      return sum;
    });
  }
  return b;
}

}  // namespace sweep
