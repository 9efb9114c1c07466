// The Lyapunov exponents of the logistic map x -> r x (1 - x) at many r: an ensemble whose finished streams are kept
// in a file. If the program is killed and started again, it computes those that are missing.
//
//   checkpointed-ensemble FILE [STREAMS]       with a number, kills itself when the file holds so many

#include <maslin/maslin.hpp>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace ms = maslin;

constexpr std::int64_t streams = 60;

double parameter_of(std::int64_t stream) { return 4 - 0.01 * static_cast<double>(stream); }

/// Gives the sum of log |f'(x)| along many orbits.
double follow(double r, std::int64_t many, int steps) {
  return ms::parallel_reduce(0, many, 0.0, std::plus{}, [=](ms::range some) {
    double sum = 0;
    for (const auto i : some) {
      double x = (static_cast<double>(i) + 0.5) / static_cast<double>(many);
      for (int step = 0; step < steps; ++step) {
        x = r * x * (1 - x);
        if (step >= steps / 2) sum += std::log(std::fabs(r * (1 - 2 * x)) + 1e-300);
      }
    }
    return sum;
  });
}

const ms::kernel orbits{"orbits", follow};  // what streams off-load, and what Maslin times

double exponent(std::int64_t stream) {
  constexpr std::int64_t many = 500;
  constexpr int steps = 200, repetitions = 4;
  double sum = 0;
  for (int i = 0; i < repetitions; ++i)
    sum += ms::offload(orbits, parameter_of(stream), many + i, steps) / static_cast<double>((many + i) * steps / 2);
  return sum / repetitions;
}

using results = std::map<std::int64_t, double>;

results load(const std::string& name) {
  results found;
  std::ifstream file(name);
  std::string stream, value;  // hexadecimal: the same to the last bit, which `file >> double` does not read
  while (file >> stream >> value) found[std::stoll(stream)] = std::strtod(value.c_str(), nullptr);
  return found;
}

/// Writes the whole file under another name and renames it: a reader finds the old file or the new one. (A program
/// whose results must survive a power failure calls fsync before it renames.)
void save(const results& done, const std::string& name) {
  {
    std::ofstream file(name + ".new");
    for (const auto& [stream, value] : done) file << stream << ' ' << std::hexfloat << value << '\n';
    if (!file.flush()) throw std::runtime_error("cannot write " + name + ".new");
  }
  std::filesystem::rename(name + ".new", name);
}

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("checkpointed-ensemble FILE [STREAMS]"), 2;
  const std::string name = argv[1];
  const std::size_t kill_at = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;

  results done = load(name);
  const std::size_t before = done.size();
  std::vector<std::int64_t> missing;
  for (std::int64_t i = 0; i < streams; ++i)
    if (!done.contains(i)) missing.push_back(i);

  ms::mutex finished;  // of `done` and of the file. A stream that waits for it lets its worker go on.
  ms::phase("exponents", static_cast<std::int64_t>(missing.size()), [&](std::int64_t i) {
    const std::int64_t stream = missing[i];
    const double value = exponent(stream);
    const std::scoped_lock lock(finished);
    done[stream] = value;
    save(done, name);
    if (done.size() == kill_at) std::raise(SIGKILL);
  });

  // What came from the file and what was computed now are the same, to the last bit, as in one run.
  std::atomic<int> wrong{0};
  ms::phase("check", streams, [&](std::int64_t i) { wrong += done.at(i) != exponent(i); });
  if (wrong > 0 || std::fabs(done[0] - std::log(2)) > 0.01) {
    std::printf("wrong: %d exponents differ from a run in one go; at r = 4 it is %f\n", wrong.load(), done[0]);
    return 1;
  }
  std::printf("%zu exponents from the file, %zu computed; at r = 4 it is %.3f\n", before, missing.size(), done[0]);
}
