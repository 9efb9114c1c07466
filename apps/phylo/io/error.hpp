#pragma once
// What a user of maslin-phylo can mend, said with the place where it was found.

#include <cstddef>
#include <string>

#include "maslin/error.hpp"

namespace phylo {

/// Thrown for bad input: a file, a model, an option. `what()` opens with file:line:column as far as they are known.
/// The program prints it and leaves with status 2.
class input_error : public maslin::error {
 public:
  using maslin::error::error;
};

/// A place in a text, counted from 1; 0 means not known. Columns count bytes.
struct position {
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Throws `input_error` with "file:line:column: message"; what is not known of the place is left out.
[[noreturn]] void fail(const std::string& file, position at, const std::string& message);
[[noreturn]] inline void fail(const std::string& file, const std::string& message) { fail(file, {}, message); }

}  // namespace phylo
