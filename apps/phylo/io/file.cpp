#include "phylo/io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/shared/terminal.hpp"
#include "files/replacement.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

namespace {

[[noreturn]] void fail_write(const std::string& path, int error, const char* what, const std::string& problem = "") {
  const char* advice = error == ENOSPC || error == EDQUOT || error == EFBIG
                           ? "free some space or choose another --prefix"
                       : error == EACCES || error == EPERM || error == EROFS ? "choose a --prefix where you may write"
                                                                             : "check the path that --prefix names";
  fail(path, fmt::format("{}: {}; {}", what, problem.empty() ? std::strerror(error) : problem, advice));
}

}  // namespace

int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t wrote = ::write(fd, content.data(), content.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    if (wrote == 0) return ENOSPC;
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

void write_file(const std::string& path, std::string_view content) {
  maslin::files::replacement file;
  if (!file.open(path, {}) || !file.write(content) || !file.commit())
    fail_write(path, file.error(), "can't be written", file.problem());
}

void check_replaceable(const std::string& path) {
  maslin::files::replacement file;
  if (!file.open(path, {})) fail_write(path, file.error(), "can't be written", file.problem());
}

void make_folder(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  std::error_code unknown;
  if (!problem && std::filesystem::is_directory(path, unknown)) return;
  // Names the part of the path that is in the way.
  std::filesystem::path obstacle;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    obstacle /= part;
    if (std::filesystem::exists(obstacle, unknown) && !std::filesystem::is_directory(obstacle, unknown))
      fail(path, fmt::format("this folder can't be made: {} is a file, not a folder; choose another --prefix",
                             shown_path(obstacle.string())));
  }
  fail_write(path, problem ? problem.value() : ENOTDIR, "this folder can't be made");
}

void check_writable(const std::string& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail_write(folder, errno, "no file can be created in this folder");
}

void remove_file(const std::string& path) {
  std::error_code none;
  const std::string target = std::filesystem::canonical(path, none);
  if (none == std::errc::no_such_file_or_directory) return;
  if (none || !std::filesystem::is_regular_file(target, none))
    fail(path, "is no regular file, so it is not removed; move it away or choose another --prefix");
  if (::unlink(target.c_str()) != 0 && errno != ENOENT) fail_write(path, errno, "can't be removed");
}

void write_standard_output(std::string_view content) {
  const int error = write_all(STDOUT_FILENO, content);
  if (error == EPIPE) command::end_unread();
  if (error != 0)
    throw input_error(fmt::format("standard output can't be written: {}; {}", std::strerror(error),
                                  error == ENOSPC ? "free some space there" : "check where it is redirected to"));
}

FileLock::FileLock(const std::string& path, const std::string& busy) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) fail_write(path, errno, "can't be opened");
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EINTR) continue;
    ::close(std::exchange(fd_, -1));
    if (error == EWOULDBLOCK) throw input_error(busy);
    fail_write(path, error, "can't be locked");
  }
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

}  // namespace phylo
