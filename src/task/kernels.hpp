#pragma once
// The kernels of this process by name; ids count up from 0.

#include <cstdint>

namespace maslin {

std::uint32_t kernel_count();
const char* kernel_name(std::uint32_t id);
/// A fork begins or has ended, in either process.
void kernels_around_fork(bool begins) noexcept;

}  // namespace maslin
