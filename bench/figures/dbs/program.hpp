#pragma once
// The paper's programs (dynamic-bisectioning, section 4.1) as the driver sees them.

#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <vector>

#include "execution.hpp"

namespace figures {

inline constexpr std::size_t line_bytes = 128;  ///< of a second-level cache of the Origin 2000

/// Allocates whole cache lines: no two arrays share one, so that how many are missed depends on the program alone.
template <class T>
struct in_whole_lines {
  using value_type = T;

  in_whole_lines() = default;
  template <class U>
  explicit in_whole_lines(const in_whole_lines<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t lines = (count * sizeof(T) + line_bytes - 1) / line_bytes;
    return static_cast<T*>(::operator new (lines* line_bytes, std::align_val_t{line_bytes}));
  }
  void deallocate(T* what, std::size_t) { ::operator delete (what, std::align_val_t{line_bytes}); }
  bool operator==(const in_whole_lines&) const = default;
};
template <class T>
using array_of = std::vector<T, in_whole_lines<T>>;

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
inline array_of<double> noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  array_of<double> numbers(count);
  for (double& number : numbers) number = static_cast<double>(generator() >> 11) * 0x1p-53 - 0.5;
  return numbers;
}

}  // namespace figures
