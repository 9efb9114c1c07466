#include "files/replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "files/marked.hpp"

namespace maslin::files {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr std::size_t suffix_digits = 8;
constexpr std::string_view suffix_end = ".part";

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// Gives which open file of this process a path names that the kernel made up, as /proc/self/fd/1; -1 for others.
int own_descriptor(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> folder(realpath(folder_of(path).c_str(), nullptr), std::free);
  if (!folder || folder.get() != fmt::format("/proc/{}/fd", getpid())) return -1;
  return std::atoi(name_of(path).c_str());
}

/// While it lives, a write beyond the limit on file sizes gives EFBIG and sends no signal.
class no_size_signal {
 public:
  no_size_signal() noexcept {
    sigemptyset(&size_);
    sigaddset(&size_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &size_, &before_);
  }
  ~no_size_signal() {
    if (sigismember(&before_, SIGXFSZ) == 1) return;
    const int kept = errno;
    const timespec at_once{};
    sigtimedwait(&size_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = kept;
  }
  no_size_signal(const no_size_signal&) = delete;
  no_size_signal& operator=(const no_size_signal&) = delete;

 private:
  sigset_t size_, before_;
};

}  // namespace

std::string_view replacement::name_without_part(std::string_view name) {
  constexpr std::size_t added = 1 + suffix_digits + suffix_end.size();
  if (name.size() <= 1 + added || !name.starts_with('.') || !name.ends_with(suffix_end)) return {};
  name.remove_prefix(1);
  name.remove_suffix(suffix_end.size());
  const auto digits = name.size() - suffix_digits;
  if (name[digits - 1] != '.' || name.find_first_not_of("0123456789abcdef", digits) != name.npos) return {};
  return name.substr(0, digits - 1);
}

bool replacement::fail(int error, found what) noexcept {
  if (error_ == 0) {
    error_ = error != 0 ? error : EIO;
    found_ = what;
  }
  abandon();
  return false;
}

void replacement::begin() {
  abandon();
  error_ = 0;
  bytes_ = 0;
  found_ = found::nothing_wrong;
  in_place_ = named_ = replaces_ = false;
  buffer_.clear();
  buffer_.reserve(buffer_bytes);
}

bool replacement::open(const std::string& path, const terms& how) {
  begin();
  how_ = how;
  std::error_code lost;                             // where the process's folder has been removed
  target_ = std::filesystem::absolute(path, lost);  // the program may change its folder meanwhile
  if (lost) target_ = path;
  constexpr int most_links = 40;  // as the kernel has it
  for (int links = 0;; ++links) {
    char to[PATH_MAX];
    const ssize_t length = readlink(target_.c_str(), to, sizeof to);
    if (length < 0) break;
    if (links == most_links) return fail(ELOOP);
    if (const int number = own_descriptor(target_); number >= 0)
      return how.streams == terms::stream::refused ? fail(EEXIST, found::device) : open(number);
    const std::string_view next(to, static_cast<std::size_t>(length));
    target_ = next.starts_with('/') ? std::string(next) : fmt::format("{}/{}", folder_of(target_), next);
  }

  struct stat there {};
  if (stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return fail(EISDIR, found::folder);
    if (S_ISBLK(there.st_mode)) return fail(EEXIST, found::disk);
    if (S_ISSOCK(there.st_mode)) return fail(EEXIST, found::socket);
    if (!S_ISREG(there.st_mode)) return open_stream(path, S_ISFIFO(there.st_mode) ? found::fifo : found::device);
  } else if (errno != ENOENT) {
    return fail(errno);
  }
  return open_file();
}

bool replacement::open_stream(const std::string& path, found what) {
  if (how_.streams == terms::stream::refused) return fail(EEXIST, what);
  in_place_ = true;
  const bool waits = how_.streams == terms::stream::awaited;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK));
  if (fd_ < 0) return fail(errno, errno == ENXIO && what == found::fifo ? found::unread_fifo : found::nothing_wrong);
  if (const int flags = fcntl(fd_, F_GETFL); !waits && flags >= 0) fcntl(fd_, F_SETFL, flags & ~O_NONBLOCK);
  return true;
}

bool replacement::open(int descriptor) {
  begin();
  in_place_ = true;
  fd_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return fd_ >= 0 || fail(errno);
}

bool replacement::open_file() {
  const std::string name = name_of(target_);
  if (name.empty()) return fail(EISDIR, found::folder);
  if (!may_replace()) return false;
  folder_ = folder_of(target_);
  constexpr std::size_t longest = NAME_MAX - 2 - suffix_digits - suffix_end.size();
  partial_ = fmt::format("{}/.{}.{:0>{}}{}", folder_, name.substr(0, longest), 0, suffix_digits, suffix_end);
#ifdef O_TMPFILE
  if (access("/proc/self/fd", X_OK) == 0)  // needed to give the file its name at the end
    fd_ = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
  while (fd_ < 0) {
    new_partial_name();
    fd_ = ::open(partial_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    named_ = fd_ >= 0;
    if (fd_ < 0 && errno != EEXIST) return fail(errno);
  }
  return true;
}

void replacement::new_partial_name() noexcept {
  static std::atomic<std::uint64_t> count{0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::uint64_t mix = static_cast<std::uint64_t>(now.tv_nsec) + count.fetch_add(1, std::memory_order_relaxed);
  mix = (mix ^ static_cast<std::uint64_t>(getpid()) << 32) * 0x9e3779b97f4a7c15u;
  char* at = partial_.data() + partial_.size() - suffix_end.size() - suffix_digits;
  for (std::size_t i = 0; i < suffix_digits; ++i) at[i] = "0123456789abcdef"[mix >> (60 - 4 * i) & 15];
}

/// Looks at what stands there now.
bool replacement::may_replace() noexcept {
  struct stat there {};
  replaces_ = lstat(target_.c_str(), &there) == 0;
  if (!replaces_) return errno == ENOENT || fail(errno);
  if (S_ISDIR(there.st_mode)) return fail(EISDIR, found::folder);
  if (S_ISLNK(there.st_mode)) return fail(EEXIST, found::link);
  if (!S_ISREG(there.st_mode)) return fail(EEXIST, S_ISFIFO(there.st_mode) ? found::fifo : found::device);
  if (faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) return fail(errno);
  if (how_.mark.empty()) return true;
  switch (look_at(AT_FDCWD, target_.c_str(), how_.mark)) {
    case beginning::empty:
    case beginning::marked:
      return true;
    case beginning::other:
      return fail(EEXIST, found::others);
    case beginning::unknown:
      replaces_ = errno != ENOENT;  // it has just been removed
      return !replaces_ || fail(errno);
  }
  return true;
}

bool replacement::flush() noexcept {
  const no_size_signal guard;
  for (std::string_view left = buffer_; !left.empty();) {
    const ssize_t written = ::write(fd_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // a descriptor that its owner made so
      pollfd wait{fd_, POLLOUT, 0};
      poll(&wait, 1, -1);
      continue;
    }
    if (written <= 0) return fail(written < 0 ? errno : EIO);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return true;
}

bool replacement::write(std::string_view bytes) noexcept {
  if (fd_ < 0) return false;
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (buffer_.size() == buffer_bytes && !flush()) return false;
    const std::size_t part = std::min(bytes.size(), buffer_bytes - buffer_.size());
    buffer_.append(bytes.data(), part);  // within what open reserved
    bytes.remove_prefix(part);
  }
  return true;
}

bool replacement::inherit_mode() noexcept {
  struct stat old {
  }, made{};
  if (stat(target_.c_str(), &old) != 0 || fstat(fd_, &made) != 0) return true;  // it has just been removed
  mode_t mode = old.st_mode & 0777;
  const bool same = old.st_uid == made.st_uid && old.st_gid == made.st_gid;
  if (!same && fchown(fd_, old.st_uid, old.st_gid) != 0 && old.st_gid != made.st_gid &&
      fchown(fd_, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode = (mode & 0707) | (mode & 07) << 3;                       // another group gets no more than anybody
  return fchmod(fd_, mode) == 0 || errno == EPERM || fail(errno);  // EPERM: a file system without modes
}

/// A new file takes its name at once; to replace one, it needs a name to be renamed from.
bool replacement::take_name() noexcept {
  if (!named_) {
    char self[64];
    std::snprintf(self, sizeof self, "/proc/self/fd/%d", fd_);
    const auto link_to = [&](const std::string& name) {
      return linkat(AT_FDCWD, self, AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    const bool done = !replaces_ && link_to(target_);
    if (!done && !replaces_ && errno == EEXIST && !may_replace()) return false;
    while (!done && !named_) {
      new_partial_name();
      named_ = link_to(partial_);
      if (!named_ && errno != EEXIST) return fail(errno);
    }
  }
  if (::close(std::exchange(fd_, -1)) != 0) return fail(errno);
  if (named_ && rename(partial_.c_str(), target_.c_str()) != 0) return fail(errno);
  named_ = false;
  return true;
}

/// The new name is safe only once the folder is on the disk.
bool replacement::bring_folder_to_disk() noexcept {
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return true;                              // one that may be written and not read
  const bool done = fsync(folder) == 0 || errno == EINVAL;  // EINVAL: nothing there reaches a disk
  const int reason = errno;
  ::close(folder);
  return done || fail(reason);
}

bool replacement::commit() noexcept {
  if (fd_ < 0 || !flush()) return false;
  if (in_place_) return ::close(std::exchange(fd_, -1)) == 0 || fail(errno);
  if (!may_replace() || (replaces_ && !inherit_mode())) return false;
  if (how_.durable && fsync(fd_) != 0 && errno != EINVAL) return fail(errno);
  return take_name() && (!how_.durable || bring_folder_to_disk());
}

void replacement::abandon() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (std::exchange(named_, false)) unlink(partial_.c_str());
}

void replacement::abandon_inherited() noexcept {
  named_ = false;
  abandon();
}

std::string replacement::problem() const {
  switch (found_) {
    case found::folder:
      return "it is a folder";
    case found::disk:
      return "it is a disk, expected a file";
    case found::socket:
      return "it is a socket, expected a file";
    case found::device:
      return "it is a device, expected a regular file";
    case found::fifo:
      return "it is a FIFO, expected a regular file";
    case found::unread_fifo:
      return "it is a FIFO that nobody reads";
    case found::link:
      return "it has become a symbolic link meanwhile";
    case found::others:
      return fmt::format("the file that is there is not {} and stays as it is", how_.kind);
    case found::nothing_wrong:
      break;
  }
  return error_ == 0 ? "" : std::strerror(error_);
}

std::string replace_file(const std::string& path, std::string_view text, const terms& how) {
  replacement file;
  return file.open(path, how) && file.write(text) && file.commit() ? "" : file.problem();
}

}  // namespace maslin::files
