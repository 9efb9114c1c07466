#pragma once
// The table of names that events speak of by number.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace maslin::trace::internal {

/// Gives the number of the name, from 1 up; the same text gives the same number in the life of the process.
std::uint32_t intern_name(std::string_view name);

/// Gives how many names there are; every number that an already published event speaks of is at most that.
std::uint32_t name_count();

/// Calls `take` for the names numbered (after, upto], in order.
void each_name(std::uint32_t after, std::uint32_t upto, const std::function<void(const std::string&)>& take);

/// A fork begins or has ended, in either process: no other thread changes the table meanwhile.
void names_around_fork(bool begins) noexcept;

}  // namespace maslin::trace::internal
