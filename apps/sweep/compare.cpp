#include "sweep/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "cli/shared/digest.hpp"

namespace sweep {

namespace {

/// Are they equal in all bits? What is no number differs from everything.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) && !std::isnan(a);
}

}  // namespace

comparison compare(const problem& of, const solution& found, const solution& expected) {
  comparison c;
  const auto ni = static_cast<std::size_t>(of.with.cells[0]), nj = static_cast<std::size_t>(of.with.cells[1]);
  for (std::size_t n = 0; n < 4; ++n) {
    double largest = 0;
    for (const double one : expected.flux[n]) largest = std::max(largest, std::abs(one));
    for (std::size_t cell = 0; cell < expected.flux[n].size(); ++cell) {
      const double ours = found.flux[n][cell], theirs = expected.flux[n][cell];
      if (same(ours, theirs)) continue;
      ++c.different;
      const double error = std::abs(ours - theirs) / largest;
      if (!c.wrong.empty() && !(error > c.error)) continue;
      c.error = error;
      c.wrong = fmt::format("moment {} of cell {}, {}, {} is {:.17g}; expected {:.17g}", n, cell % ni, cell / ni % nj,
                            cell / ni / nj, ours, theirs);
    }
  }
  if (!c.wrong.empty()) return c;
  const bool same_iterations =
      std::ranges::equal(found.iterations, expected.iterations,
                         [](const auto& a, const auto& b) { return a.fixups == b.fixups && same(a.error, b.error); });
  const balance ours = balance_of(of, found), theirs = balance_of(of, expected);
  const bool same_balance = same(ours.source, theirs.source) && same(ours.absorption, theirs.absorption) &&
                            std::ranges::equal(ours.leakage, theirs.leakage, same);
  if (!same_iterations)
    c.wrong = "errors or fixups of the iterations are not those of the serial form";
  else if (!same_balance)
    c.wrong = "the balance is not that of the serial form";
  return c;
}

std::uint64_t checksum_of(const solution& found) {
  std::uint64_t sum = command::digest("");
  for (const std::vector<double>& moment : found.flux) sum = command::digest_of(std::span(moment), sum);
  return sum;
}

}  // namespace sweep
