#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "maslin/error.hpp"

namespace {
constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
}

output_file::output_file(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    fd_ = dup(STDOUT_FILENO);
  } else if (struct stat there{}; stat(path_.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const auto slash = path_.find_last_of('/') + 1;  // 0 without a slash
    partial_ = fmt::format("{}.{}.{}.partial", path_.substr(0, slash), path_.substr(slash), getpid());
    fd_ = open(partial_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  }
  if (fd_ < 0)
    throw maslin::error(fmt::format("'{}' cannot be written: {}; give the path of a file in a folder that exists",
                                    path_, std::strerror(errno)));
  buffer_.reserve(buffer_bytes);
}

output_file::~output_file() {
  if (fd_ < 0) return;
  close(fd_);
  if (!partial_.empty()) unlink(partial_.c_str());
}

void output_file::fail(int reason) {
  const std::string where = path_ == "-" ? "standard output" : fmt::format("'{}'", path_);
  throw maslin::error(fmt::format("{} cannot be written: {}; {}make room or name another place with --output", where,
                                  std::strerror(reason), partial_.empty() ? "" : "nothing of it was kept; "));
}

void output_file::flush() {
  for (std::string_view left = buffer_; !left.empty();) {
    const ssize_t written = ::write(fd_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : EIO);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void output_file::write(std::string_view text) {
  if (buffer_.size() + text.size() > buffer_bytes) flush();
  buffer_ += text;
}

void output_file::commit() {
  flush();
  if (!partial_.empty() && (fsync(fd_) != 0 || rename(partial_.c_str(), path_.c_str()) != 0)) fail(errno);
  const int fd = std::exchange(fd_, -1);
  if (close(fd) != 0) fail(errno);
}

void write_file(const std::string& path, std::string_view text) {
  output_file to(path);
  to.write(text);
  to.commit();
}

scratch_folder::scratch_folder() : path_(std::filesystem::temp_directory_path() / "maslin-XXXXXX") {
  if (!mkdtemp(path_.data()))
    throw maslin::error(
        fmt::format("the folder {} cannot be made: {}; let TMPDIR name another place", path_, std::strerror(errno)));
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

progress::progress(std::string what, std::uint64_t total)
    : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  if (shown_ >= 0) fmt::print(stderr, "\r\033[K");
}

void progress::at(std::uint64_t done) {
  constexpr int cells = 30;
  if (!terminal_ || total_ == 0) return;
  const int percent = static_cast<int>(done * 100 / total_);
  if (percent == shown_) return;
  shown_ = percent;
  const int full = percent * cells / 100;
  fmt::print(stderr, "\r{} [{:=<{}}{:<{}}] {:3} %", what_, "", full, "", cells - full, percent);
  std::fflush(stderr);
}
