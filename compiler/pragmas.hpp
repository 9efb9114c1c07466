#pragma once
// What a `#pragma css` line says.

#include <string>
#include <vector>

#include "source.hpp"

namespace compiler {

enum class direction { input, output, inout };  ///< as MASLIN_IN, MASLIN_OUT, MASLIN_INOUT

struct pragma {
  enum class kind { task, barrier, wait_on, start, finish };
  /// A parameter that a task names: `name[extent]...`.
  struct parameter {
    direction goes;
    std::string name;
    std::vector<std::string> extents;
  };

  kind is;
  bool is_urgent = false;                ///< highpriority
  std::vector<parameter> parameters;     ///< of a task
  std::vector<std::string> expressions;  ///< that `wait on` names
};

/// Throws `mistake`.
pragma parse(const pragma_line& line);

/// Gives the clause that says so.
const char* name_of(direction one);

}  // namespace compiler
