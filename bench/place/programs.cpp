// What the programs of apps/linalg take under locality, over what they take under dbs: medians and quartiles of pairs
// of runs by turns, in one process. Answers are compared to the bit.
//
//   place_programs PROGRAM PAIRS WORKERS SIZES...      sizes as of linalg_compare: n and block; vectors and length;
//                                                      n, slice and block

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "by_turns.hpp"
#include "linalg/program.hpp"

namespace {

std::unique_ptr<linalg::program> program_of(const std::string& name, const std::vector<int>& sizes) {
  if (sizes.size() == 3 && name == "fft3d") return linalg::make_fft3d({sizes[0], sizes[1], sizes[2]});
  if (sizes.size() != 2) return nullptr;
  if (name == "matmul") return linalg::make_matmul({sizes[0], sizes[1]});
  if (name == "sparselu") return linalg::make_sparselu({sizes[0], sizes[1]});
  if (name == "choleskyC") return linalg::make_cholesky_c({sizes[0], sizes[1]});
  if (name == "choleskyR") return linalg::make_cholesky_r({sizes[0], sizes[1]});
  if (name == "reduct") return linalg::make_reduct({sizes[0], sizes[1]});
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("MASLIN_FOREIGN", "reproducible", 0);  // as maslin-linalg does
  std::vector<int> sizes;
  for (int i = 4; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  const std::unique_ptr<linalg::program> program = argc > 4 ? program_of(argv[1], sizes) : nullptr;
  if (!program) return std::fputs("usage: place_programs PROGRAM PAIRS WORKERS SIZES...\n", stderr), 2;
  const int pairs = std::max(1, std::atoi(argv[2])), workers = std::max(1, std::atoi(argv[3]));
  std::uint64_t checksum = 0;
  bool right = true;
  std::size_t tasks = 0;
  const place::pairs all = place::by_turns(pairs, workers, [&] {
    program->prepare();
    const place::taken taken = place::time_of([&] { tasks = program->run(); });
    const std::uint64_t found = linalg::checksum_of(program->answer());
    right = right && (checksum == 0 || checksum == found);
    checksum = found;
    return taken;
  });
  const place::spread each = all.each([](place::taken d, place::taken) { return d.cpu; });
  const place::spread time = all.each([](place::taken d, place::taken l) { return l.wall / d.wall; });
  const place::spread cpu = all.each([](place::taken d, place::taken l) { return l.cpu / d.cpu; });
  std::string size;
  for (const int one : sizes) size += " " + std::to_string(one);
  std::printf(
      "%-10s%-14s %6zu tasks of %6.1f us of CPU time under dbs: time x %.3f (%.3f %.3f), CPU time x %.3f (%.3f "
      "%.3f)%s\n",
      argv[1], size.c_str(), tasks, 1e6 * each.median() / static_cast<double>(tasks), time.median(), time.at(0.25),
      time.at(0.75), cpu.median(), cpu.at(0.25), cpu.at(0.75), right ? "" : " WRONG");
  return right ? 0 : 1;
}
