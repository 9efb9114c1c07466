#pragma once
// The cases of the six programs: working sets from twice a core's L2 to four times the L3 of this machine, blocks of 32
// to 128.

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "linalg/program.hpp"
#include "maslin/machine.hpp"

namespace place {

struct chosen_case {
  std::string program;
  std::string working_set;  ///< "2 L2", "1/2 L3", "4 L3"
  int block;
  std::vector<int> sizes;  ///< n and block; vectors and length; n, slice and block
};

/// Gives the sizes at which the program uses about so many bytes, in whole blocks.
inline std::vector<int> sizes_of(const std::string& program, double bytes, int block) {
  const auto blocks = [&](double rows) { return block * std::max(1, static_cast<int>(std::lround(rows / block))); };
  if (program == "matmul") return {blocks(std::sqrt(bytes / 4 / 3)), block};  // three squares
  if (program == "sparselu") return {blocks(std::sqrt(bytes / 4)), block};    // a square, if all blocks are there
  if (program == "reduct") return {static_cast<int>(bytes / 4 / block / block), block * block};
  if (program == "fft3d") {  // a cube of complex numbers; FFTW is fast with powers of two
    const int n = 1 << std::lround(std::log2(bytes / 8) / 3);
    return {std::max(n, block), 32, block};
  }
  return {blocks(std::sqrt(bytes / 4 * 2)), block};  // the lower half of a square
}

/// Gives the cases of this machine; of one without a known L2 or L3 those of 1 and 32 MiB.
inline std::vector<chosen_case> cases_of_this_machine() {
  double l2 = 1 << 20, l3 = 32 << 20;
  for (const maslin::machine::cache& one : maslin::machine::detect_topology().caches) {
    if (one.level == 2) l2 = static_cast<double>(one.bytes);
    if (one.level == 3) l3 = static_cast<double>(one.bytes);
  }
  struct size {
    const char* name;
    double bytes;
    int block;
  };
  const std::array<size, 5> all{{{"2 L2", 2 * l2, 32},
                                 {"2 L2", 2 * l2, 64},
                                 {"1/2 L3", l3 / 2, 64},
                                 {"1/2 L3", l3 / 2, 128},
                                 {"4 L3", 4 * l3, 128}}};
  std::vector<chosen_case> made;
  for (const char* program : {"matmul", "sparselu", "choleskyC", "choleskyR", "reduct", "fft3d"})
    for (const size& one : all) made.push_back({program, one.name, one.block, sizes_of(program, one.bytes, one.block)});
  return made;
}

}  // namespace place
