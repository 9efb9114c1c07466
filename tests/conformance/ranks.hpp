#pragma once
// What tests of ranks share.

#include <cstdlib>
#include <optional>
#include <string>

#include "complaint.hpp"
#include "executors.hpp"

/// Sets a variable of the environment, or unsets it (nullptr), before the runtime begins and until it has ended.
class setting_is {
 protected:
  setting_is(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~setting_is() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* const name_;
  std::optional<std::string> before_;
};
