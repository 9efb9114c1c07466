#include "trace/sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "maslin/error.hpp"

namespace maslin::trace::internal {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

[[noreturn]] void refuse(const std::string& path, int reason, const char* advice) {
  throw error(fmt::format("the trace cannot be written to '{}': {}; {}", path, std::strerror(reason), advice));
}

}  // namespace

void file_sink::open(const std::string& path) {
  abandon();
  failure_ = 0;
  bytes_ = 0;
  unnamed_ = in_place_ = false;
  path_ = path;
  buffer_.clear();
  buffer_.reserve(buffer_bytes);

  struct stat there {};
  const bool exists = stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) refuse(path, EISDIR, "give the path of a file, e.g. MASLIN_TRACE=run.mtrace");
  if (exists && !S_ISREG(there.st_mode)) {
    in_place_ = true;
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ < 0) refuse(path, errno, "give the path of a file");
    const int flags = fcntl(fd_, F_GETFL);
    if (flags >= 0) fcntl(fd_, F_SETFL, flags & ~O_NONBLOCK);
    return;
  }

  const auto slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty()) refuse(path, EISDIR, "give the path of a file, e.g. MASLIN_TRACE=run.mtrace");
  partial_ = fmt::format("{}/.{}.{}.partial", folder, name, getpid());
#ifdef O_TMPFILE
  if (access("/proc/self/fd", X_OK) == 0) {  // needed to give the file its name at the end
    fd_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    unnamed_ = fd_ >= 0;
  }
#endif
  if (fd_ < 0) {
    unlink(partial_.c_str());  // a leftover of an earlier process of our number
    fd_ = ::open(partial_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  }
  if (fd_ < 0) refuse(path, errno, "its folder must exist and be writable");
}

bool file_sink::fail() noexcept {
  if (failure_ == 0) failure_ = errno != 0 ? errno : EIO;
  return false;
}

bool file_sink::flush() noexcept {
  const char* at = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0 && failure_ == 0) {
    const ssize_t written = ::write(fd_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail();
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
  return failure_ == 0;
}

bool file_sink::write(const void* data, std::size_t bytes) noexcept {
  if (failure_ != 0 || fd_ < 0) return false;
  bytes_ += bytes;
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    if (buffer_.size() == buffer_bytes && !flush()) return false;
    const std::size_t part = std::min(bytes, buffer_bytes - buffer_.size());
    buffer_.append(at, part);  // within what open reserved
    at += part;
    bytes -= part;
  }
  return true;
}

bool file_sink::commit() noexcept {
  if (fd_ < 0) return false;
  flush();
  if (failure_ == 0 && !in_place_) {
    if (fsync(fd_) != 0) fail();
    if (failure_ == 0 && unnamed_) {
      char self[64];
      std::snprintf(self, sizeof self, "/proc/self/fd/%d", fd_);
      unlink(partial_.c_str());  // a leftover of an earlier process of our number
      if (linkat(AT_FDCWD, self, AT_FDCWD, partial_.c_str(), AT_SYMLINK_FOLLOW) != 0)
        fail();
      else
        unnamed_ = false;
    }
    if (failure_ == 0 && rename(partial_.c_str(), path_.c_str()) != 0) fail();
  }
  if (failure_ != 0) {
    abandon();
    return false;
  }
  const bool closed = ::close(fd_) == 0;
  fd_ = -1;
  return closed || fail();
}

void file_sink::abandon() noexcept {
  if (fd_ < 0) return;
  ::close(fd_);
  fd_ = -1;
  if (!unnamed_ && !in_place_) unlink(partial_.c_str());
}

void file_sink::abandon_inherited() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace maslin::trace::internal
