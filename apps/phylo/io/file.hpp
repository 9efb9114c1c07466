#pragma once
// Writing so that a file is either whole or not there: a power cut, a full disk or a kill leaves nothing half-written
// under its name.

#include <cstdint>
#include <string>
#include <string_view>

namespace phylo {

/// Replaces the file's content and brings it to the disk (files/replacement.hpp). Throws `input_error` when that fails
/// (a full disk, a missing folder, no permission, no regular file).
void write_file(const std::string& path, std::string_view content);

/// Throws `input_error` unless `write_file` can begin there; changes nothing.
void check_replaceable(const std::string& path);

/// Makes the folder and those above it, and throws `input_error` when that can't be: a regular file stands in the way,
/// no permission. An existing folder is fine.
void make_folder(const std::string& path);

/// Throws `input_error` unless files can be created in the folder.
void check_writable(const std::string& folder);

/// Takes a regular file away if it is there; of a link, its target. Throws `input_error` when it can't.
void remove_file(const std::string& path);

/// Writes all of it to an open file. Gives 0, or the system's number of the write that failed.
int write_all(int fd, std::string_view content);

/// Writes to the process's standard output past all buffers. Throws `input_error` when not every byte could be written.
void write_standard_output(std::string_view content);

/// An advisory lock on a file, held until destroyed or the process ends, however it ends.
class FileLock {
 public:
  FileLock() = default;
  /// Creates the file if need be. Throws `input_error` with `busy` when another process holds the lock.
  FileLock(const std::string& path, const std::string& busy);
  ~FileLock();
  FileLock(FileLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileLock& operator=(FileLock&& other) noexcept;

  bool held() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace phylo
