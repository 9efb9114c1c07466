#pragma once
// Runs a program as often as is wanted, checks its last answer, and says what came out.

#include <cstdint>
#include <string>
#include <vector>

#include "linalg/program.hpp"

namespace linalg {

struct wish {
  int repeat = 1;
  bool no_check = false;
  bool spoil = false;  ///< change an element of the answer before it is checked
  bool json = false;
};

struct outcome {
  std::string name, size, unit;
  std::size_t tasks = 0;  ///< of a run
  int workers = 0;
  std::vector<double> seconds;  ///< of each run, in the described machine's time where there is one
  double rate = 0;              ///< of the run in the middle, in `unit`
  std::uint64_t checksum = 0;
  std::vector<check> checks;
  bool holds() const;
};

/// Throws `maslin::error` unless there is memory for the program and its check.
void expect_memory(const program& one, const std::string& name, bool with_check);

/// Throws `std::logic_error` if two runs differ in a bit.
outcome measure(program& one, const std::string& name, const wish& how);

/// Gives the outcome as people read it, or as programs do.
std::string to_text(const outcome& found);
std::string to_json(const outcome& found);

}  // namespace linalg
