#pragma once
// What goes wrong, said so that the reader knows what was found, where, what was expected and what to do.

#include <exception>
#include <stdexcept>
#include <vector>

#include "maslin/api.hpp"

namespace maslin {

/// Thrown for what a user can mend: a bad environment variable, a bad machine file, a call where it may not stand.
/// Programs report `what()` and leave with status 2.
class MASLIN_API error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Gives the other exceptions that the wait which last rethrew in this context had collected, in program order;
/// the rethrown one (the earliest) is not among them. Empty before any wait threw.
MASLIN_API std::vector<std::exception_ptr> other_exceptions();

}  // namespace maslin
