#pragma once
// What code runs, in words, for a message that a signal handler writes.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace maslin {

struct context;

/// Text in a buffer of its own: what has no room is left out, nothing is allocated.
class fixed_text {
 public:
  fixed_text& operator<<(std::string_view more) noexcept;
  fixed_text& operator<<(std::uint64_t number) noexcept;
  std::string_view view() const noexcept { return {text_, length_}; }

 private:
  char text_[2048];
  std::size_t length_ = 0;
};

/// Writes whose body `here` belongs to: the loop, the tasks and the stream, each with its line, the innermost first.
void say_what_runs(const context* here, fixed_text& out) noexcept;

}  // namespace maslin
