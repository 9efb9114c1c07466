#include "files/marked.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace maslin::files {

namespace {

class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    const int kept = errno;
    if (fd_ >= 0) close(fd_);
    errno = kept;
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Opens without waiting for a FIFO's writer and without making a terminal this process's own.
int open_to_look(int folder, const char* path, int more) {
  return openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more);
}

bool is_regular(int fd) {
  struct stat about {};
  return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

/// Reads up to `most` bytes; gives how many, -1 with `errno` where reading fails.
ssize_t read_up_to(int fd, char* into, std::size_t most) {
  std::size_t got = 0;
  while (got < most) {
    const ssize_t n = read(fd, into + got, most - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(got);
}

beginning look_at(int fd, std::string_view mark) noexcept {
  std::array<char, 64> first;
  const ssize_t got = read_up_to(fd, first.data(), std::min(mark.size(), first.size()));
  if (got < 0) return beginning::unknown;
  if (got == 0) return beginning::empty;
  return std::string_view(first.data(), static_cast<std::size_t>(got)) == mark ? beginning::marked : beginning::other;
}

}  // namespace

beginning look_at(int folder, const char* path, std::string_view mark) noexcept {
  const descriptor file(open_to_look(folder, path, O_NOFOLLOW));
  if (file.get() < 0) return errno == ELOOP ? beginning::other : beginning::unknown;
  return is_regular(file.get()) ? look_at(file.get(), mark) : beginning::other;
}

std::optional<std::string> read_marked(const std::string& path, std::string_view mark) {
  const descriptor file(open_to_look(AT_FDCWD, path.c_str(), 0));
  if (file.get() < 0 || !is_regular(file.get()) || look_at(file.get(), mark) != beginning::marked) return std::nullopt;
  std::string text(mark);
  constexpr std::size_t piece = std::size_t{1} << 16;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    const ssize_t got = read_up_to(file.get(), text.data() + before, piece);
    if (got < 0) return std::nullopt;
    text.resize(before + static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < piece) return text;
  }
}

}  // namespace maslin::files
