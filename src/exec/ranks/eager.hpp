#pragma once
// MASLIN_EAGER: up to how many bytes a message is kept for its receiver, so that its sender goes on.

#include <cstddef>
#include <optional>

namespace maslin {

/// Called when the runtime starts; nothing: it is not set.
void set_eager_bytes(std::optional<std::size_t> bytes) noexcept;
std::optional<std::size_t> eager_bytes_of_the_run() noexcept;

}  // namespace maslin
