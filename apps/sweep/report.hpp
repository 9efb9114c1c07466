#pragma once
// What the command prints.

#include <optional>
#include <string>

#include "sweep/compare.hpp"

namespace sweep {

struct report {
  const problem& of;
  std::string form;
  int workers;
  solution found;
  std::optional<comparison> with_reference = {};
};

std::string to_text(const report& of);
std::string to_json(const report& of);

}  // namespace sweep
