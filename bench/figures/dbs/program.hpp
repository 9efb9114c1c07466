#pragma once
// The paper's programs (dynamic-bisectioning, section 4.1) as the driver sees them.

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "execution.hpp"

namespace figures {

/// One instance of a program, with its data.
class problem {
 public:
  problem() = default;
  virtual ~problem() = default;
  problem(const problem&) = delete;
  problem& operator=(const problem&) = delete;

  /// Puts the data back to where every run begins.
  virtual void reset() = 0;
  virtual void run(const execution& how) = 0;
  /// Gives everything that the run computed, for the comparison with the serial one.
  virtual std::vector<double> answer() const = 0;
  /// Gives how far the answer is from what the mathematics asks for, relative.
  virtual double defect() const = 0;
};

struct program {
  struct extent {
    int usual;
    int quick;
    int least;
  };
  const char* name;
  const char* what;
  const char* size_of;  ///< what --size counts
  extent size;
  const char* step;  ///< what --steps counts
  extent steps;
  double defect_below;
  std::unique_ptr<problem> (*make)(int size, int steps);
};

extern const program mta, cmm, slu, sac, cfd, mdj;

/// Gives all programs, in the paper's order.
std::span<const program* const> programs();

/// Gives `count` numbers in [-0.5, 0.5), the same for the same seed everywhere.
inline std::vector<double> noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = static_cast<double>(generator() >> 11) * 0x1p-53 - 0.5;
  return numbers;
}

}  // namespace figures
