#pragma once
// Files of ours are told from others by how they begin. To look never waits: nobody's FIFO or device is read.

#include <optional>
#include <string>
#include <string_view>

namespace maslin::files {

enum class beginning {
  empty,   ///< a regular file without a byte
  marked,  ///< one that begins with the mark
  other,   ///< one that does not, or no regular file
  unknown  ///< nothing can be read there; `errno` says why
};

/// Gives how the file begins. `folder` is the descriptor of the folder that a relative path starts from, or AT_FDCWD; a
/// symbolic link counts as no regular file.
beginning look_at(int folder, const char* path, std::string_view mark) noexcept;

/// Gives the content of a regular file that begins with the mark, links followed; nothing for whatever else is there.
std::optional<std::string> read_marked(const std::string& path, std::string_view mark);

}  // namespace maslin::files
