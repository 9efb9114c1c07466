#pragma once
// What a fuzzer made up, as a file: the readers take paths.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

class input_file {
 public:
  input_file() : fd_(memfd_create("input", 0)) {
    if (fd_ < 0) std::abort();
  }
  ~input_file() { close(fd_); }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  /// Gives the path of a file with that content; valid until the next call.
  std::string holding(const void* data, std::size_t bytes) {
    if (ftruncate(fd_, 0) != 0 || pwrite(fd_, data, bytes, 0) != static_cast<ssize_t>(bytes)) std::abort();
    return "/proc/self/fd/" + std::to_string(fd_);
  }

 private:
  int fd_;
};
