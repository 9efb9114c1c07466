// The two-dimensional Ising model at many temperatures. Each temperature is a stream of its own, whose steps are a
// loop over the rows of its lattice. The program says both kinds of parallelism. How many streams run at a time, and
// how many workers share each one's loops, Maslin decides from what it measures.

#include <maslin/maslin.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

namespace ms = maslin;

constexpr std::int64_t extent = 128;  // rows and columns of a lattice
constexpr int sweeps = 100;
constexpr int temperatures = 48;

struct lattice {
  explicit lattice(double temperature) : spins(extent * extent, 1) {
    for (int field = -4; field <= 4; field += 2)  // the chance that a spin is up among such neighbours (heat bath)
      chance_of_up[field / 2 + 2] = 1 / (1 + std::exp(-2 * field / temperature));
  }
  int& at(std::int64_t row, std::int64_t column) {
    return spins[(row + extent) % extent * extent + (column + extent) % extent];
  }

  std::vector<int> spins;  // 1 or -1
  std::array<double, 5> chance_of_up;
};

/// Gives a number in [0, 1) that depends on its arguments alone: so the results do not depend on who computes what.
double chance(int sweep, std::int64_t row, std::int64_t column) {
  std::uint64_t x = (static_cast<std::uint64_t>(sweep) << 32) + static_cast<std::uint64_t>(row * extent + column) +
                    0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/// One sweep; spins of one colour of the chessboard do not depend on each other. Gives the magnetization.
double sweep_once(lattice& l, int number) {
  for (const int colour : {0, 1})
    ms::parallel_for(0, extent, [&](ms::range rows) {
      for (const auto row : rows)
        for (std::int64_t column = (row + colour) % 2; column < extent; column += 2) {
          const int field =
              l.at(row - 1, column) + l.at(row + 1, column) + l.at(row, column - 1) + l.at(row, column + 1);
          l.at(row, column) = chance(number, row, column) < l.chance_of_up[field / 2 + 2] ? 1 : -1;
        }
    });
  const auto sum = ms::parallel_reduce(0, extent, std::int64_t{0}, std::plus{}, [&](ms::range rows) {
    std::int64_t part = 0;
    for (const auto row : rows)
      for (std::int64_t column = 0; column < extent; ++column) part += l.at(row, column);
    return part;
  });
  return static_cast<double>(sum) / (extent * extent);
}

const ms::kernel sweep{"sweep", sweep_once};  // what streams off-load, and what Maslin times

double temperature_of(std::int64_t stream) { return 1.5 + 0.05 * static_cast<double>(stream); }

/// Gives the mean magnetization at a temperature. Onsager's critical temperature is 2.269.
double magnetization(double temperature) {
  lattice l(temperature);
  double sum = 0;
  for (int i = 0; i < sweeps; ++i) {
    const double now = ms::offload(sweep, std::ref(l), i);
    if (i >= sweeps / 2) sum += now;  // the first half leads to the equilibrium
  }
  return sum / (sweeps - sweeps / 2);
}

int main() {
  std::vector<double> found(temperatures);
  ms::phase("temperatures", temperatures,
            [&](std::int64_t stream) { found[stream] = magnetization(temperature_of(stream)); });

  for (int i = 0; i < temperatures; ++i) {
    const double t = temperature_of(i), m = found[i];
    const double exact = t < 2.269 ? std::pow(1 - std::pow(std::sinh(2 / t), -4), 0.125) : 0;  // Onsager and Yang
    if ((t < 2.1 && std::fabs(m - exact) > 0.02) || (t > 3.4 && std::fabs(m) > 0.1)) {
      std::printf("wrong: the magnetization at %.2f is %.3f, and not %.3f\n", t, m, exact);
      return 1;
    }
  }
  std::printf("magnetization %.3f at %.2f, %.3f at %.2f, %.3f at %.2f\n", found[0], temperature_of(0), found[10],
              temperature_of(10), found[40], temperature_of(40));
  const auto report = ms::report("temperatures");
  const ms::configuration best = report->estimates.empty() ? report->current : report->estimates.front().under;
  std::printf("%zu measurements; %d streams at a time with %d workers each are best\n", report->samples.size(),
              best.streams, best.width);
}
