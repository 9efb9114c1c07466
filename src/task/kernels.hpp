#pragma once
// The kernels of this process by name; ids count up from 0.

#include <cstdint>

namespace maslin {

std::uint32_t kernel_count();
const char* kernel_name(std::uint32_t id);

}  // namespace maslin
