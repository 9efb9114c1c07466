#pragma once
// One program in one form: timed, and compared with its serial run bit for bit.

#include <cstdint>
#include <string>
#include <vector>

#include "program.hpp"

namespace figures {

/// What the command line asks for; 0 leaves it to the program.
struct request {
  int size = 0;
  int steps = 0;
  int repeat = 5;
  int warm_up_ms = 100;
  bool quick = false;
  double operation_ns = 0;
  std::uint64_t cache_bytes = 0;  ///< of each described processor; 0: misses are not counted
};

struct measurement {
  const program* what;
  form how;
  bool as_iterations;
  int size;
  int steps;
  std::vector<double> seconds;
  double defect;
  struct missed {
    std::uint64_t all, at_first_use;
  };
  std::vector<missed> misses = {};  ///< lines, a run each, where they are counted
};

/// An answer that is not the serial one, or not what the mathematics asks for.
class wrong_answer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Gives the times of the runs in each form. Throws `maslin::error` for a size that the program cannot have and
/// `wrong_answer` where a run differs from the serial one in a single bit.
std::vector<measurement> measure(const program& what, const std::vector<form>& forms, bool as_iterations,
                                 const request& wish);

const char* name(form how);

}  // namespace figures
