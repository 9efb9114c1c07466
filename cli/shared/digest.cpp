#include "cli/shared/digest.hpp"

#include <fmt/format.h>

namespace command {

std::uint64_t digest(std::string_view bytes, std::uint64_t seed) {
  for (const char byte : bytes) seed = (seed ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return seed;
}

std::string hex(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

}  // namespace command
