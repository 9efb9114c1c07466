#pragma once
// MASLIN_EAGER: up to how many bytes a message is kept for its receiver, so that its sender goes on.

#include <cstddef>
#include <optional>

namespace maslin {

/// Where it is not set, between ranks of one process. A rank that is not held up by its receivers runs for longer
/// before another one of its worker does, and finds its data in the core's cache.
inline constexpr std::size_t eager_bytes_in_a_process = std::size_t{16} << 10;

/// Called when the runtime starts; nothing: it is not set.
void set_eager_bytes(std::optional<std::size_t> bytes) noexcept;
std::optional<std::size_t> eager_bytes_of_the_run() noexcept;

}  // namespace maslin
