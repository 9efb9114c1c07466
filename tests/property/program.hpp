#pragma once
// A random task program, made from a seed alone: what it does and what it leaves in its memory must not depend on the
// executor.

#include <cstdint>
#include <string>
#include <vector>

/// What is left when a program has run.
struct outcome {
  std::vector<std::uint32_t> memory;
  std::string log;  ///< each wait and what it threw

  bool operator==(const outcome&) const = default;
};

struct program_options {
  std::size_t statements = ~std::size_t{0};  ///< no more than that, to find the shortest that fails
  bool show = false;                         ///< prints what it does
};

/// Runs the program of this seed on the runtime that is running.
outcome run_program(std::uint64_t seed, const program_options& options = {});
