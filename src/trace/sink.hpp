#pragma once
// Where a trace's bytes go: a file without a name that takes its name only when it is whole.

#include <cstddef>
#include <cstdint>
#include <string>

namespace maslin::trace::internal {

/// A file that is written from front to back. Until `commit` nothing stands under its path, and if the process dies
/// nothing is left, where the file system knows unnamed files (O_TMPFILE); elsewhere a hidden name is used meanwhile.
/// A path that names a device or a pipe is written directly.
class file_sink {
 public:
  file_sink() = default;
  ~file_sink() { abandon(); }
  file_sink(const file_sink&) = delete;
  file_sink& operator=(const file_sink&) = delete;

  /// Throws `error` when no file can be made there.
  void open(const std::string& path);
  /// Gives whether all bytes so far were written; after a failure further writes do nothing.
  bool write(const void* data, std::size_t bytes) noexcept;
  /// Writes what is buffered, flushes it to the disk, and puts the file under its path. Gives whether that succeeded;
  /// if not, nothing is left.
  bool commit() noexcept;
  void abandon() noexcept;
  /// Closes the file without touching its name, which belongs to the process that forked this one.
  void abandon_inherited() noexcept;

  /// The system's error number of the first failure; 0 when there was none.
  int failure() const { return failure_; }
  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  bool flush() noexcept;
  bool fail() noexcept;

  int fd_ = -1;
  int failure_ = 0;
  bool unnamed_ = false;   // opened with O_TMPFILE: has no name yet
  bool in_place_ = false;  // a device or a pipe
  std::string path_;
  std::string partial_;  // the name it has, or takes for a moment before it is renamed
  std::string buffer_;
  std::uint64_t bytes_ = 0;
};

}  // namespace maslin::trace::internal
