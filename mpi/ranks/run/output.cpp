// Programs print through stdio, C++ streams and Fortran's units. The first two use the C library's `stdout`, which is
// replaced here; Fortran calls `write`, which this program defines in front of the C library's.

#include "output.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "processes.hpp"
#include "table.hpp"

namespace mpi {

namespace {

bool is_tagged = false;
std::atomic<bool> is_taken{false};  // then all ranks are there
shared_by_processes* others = nullptr;
std::mutex lock;

ssize_t put(int file, const void* data, std::size_t bytes) noexcept { return syscall(SYS_write, file, data, bytes); }

void put_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t some = put(file, text.data(), text.size());
    if (some < 0 && errno != EINTR) return;
    if (some > 0) text.remove_prefix(static_cast<std::size_t>(some));
  }
}

/// Prints the lines that have an end, or everything.
void print(const rank_of_process& of, int file, std::string& said, bool everything) {
  const std::size_t end = everything ? said.size() : said.rfind('\n') + 1;
  if (end == 0) return;
  if (others) others->lock_output();
  if (!is_tagged) {
    put_all(file, std::string_view(said).substr(0, end));
  } else {
    std::string all;
    for (std::size_t at = 0; at < end;) {
      const std::size_t next = std::min(said.find('\n', at), end - 1) + 1;
      all += "[" + name_of(of) + "] ";
      all.append(said, at, next - at);
      at = next;
    }
    if (all.back() != '\n') all += '\n';
    put_all(file, all);
  }
  if (others) others->unlock_output();
  said.erase(0, end);
}

/// What a rank writes; false where it is none's.
bool take(int file, std::string_view text) {
  if (!is_taken.load(std::memory_order_relaxed) || (file != STDOUT_FILENO && file != STDERR_FILENO)) return false;
  rank_of_process* const mine = rank_here();
  if (!mine) return false;
  // Somebody who looks at a terminal wants to see a question that has no end of line.
  static const bool is_seen[] = {isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1};
  const int which = file - STDOUT_FILENO;
  const std::lock_guard held(lock);
  mine->unfinished[which] += text;
  print(*mine, file, mine->unfinished[which], is_seen[which] && !is_tagged);
  return true;
}

template <int file>
ssize_t write_stream(void*, const char* text, std::size_t bytes) {
  if (!take(file, {text, bytes})) put_all(file, {text, bytes});
  return static_cast<ssize_t>(bytes);
}

template <int file>
std::FILE* stream() {
  cookie_io_functions_t with{};
  with.write = write_stream<file>;
  std::FILE* const made = fopencookie(nullptr, "w", with);
  if (made) setvbuf(made, nullptr, _IONBF, 0);  // whose it is is known only while it is printed
  return made;
}

}  // namespace

void take_output(bool tagged, shared_by_processes* shared) {
  is_tagged = tagged;
  others = shared;
  if (std::FILE* const out = stream<STDOUT_FILENO>()) stdout = out;
  if (std::FILE* const error = stream<STDERR_FILENO>()) stderr = error;
  is_taken.store(true, std::memory_order_release);  // pairs with `flush_output`
}

void flush_output() noexcept {
  if (!is_taken.load(std::memory_order_acquire)) return;  // another process ends the job while this one begins
  const std::lock_guard held(lock);
  for (auto* const all : {&ranks(), &hosts()})
    for (rank_of_process& one : *all) {
      print(one, STDOUT_FILENO, one.unfinished[0], true);
      print(one, STDERR_FILENO, one.unfinished[1], true);
    }
}

}  // namespace mpi

// What is compiled here is hidden, unless it says that it is not.
#pragma GCC visibility push(default)
extern "C" {
ssize_t write(int file, const void* data, std::size_t bytes) {
  if (mpi::take(file, {static_cast<const char*>(data), bytes})) return static_cast<ssize_t>(bytes);
  return mpi::put(file, data, bytes);
}
// A buffer of `stdout` would be one for all ranks: what asks for one is not heard.
int setvbuf(std::FILE* stream, char* buffer, int kind, std::size_t bytes) {
  if (mpi::is_taken && (stream == stdout || stream == stderr)) return 0;
  static const auto real = reinterpret_cast<decltype(&setvbuf)>(dlsym(RTLD_NEXT, "setvbuf"));
  return real(stream, buffer, kind, bytes);
}
void setbuf(std::FILE* stream, char* buffer) { setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ); }
void setbuffer(std::FILE* stream, char* buffer, std::size_t bytes) {
  setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, bytes);
}
void setlinebuf(std::FILE* stream) { setvbuf(stream, nullptr, _IOLBF, 0); }
ssize_t writev(int file, const iovec* parts, int count) {
  if (file != STDOUT_FILENO && file != STDERR_FILENO) return syscall(SYS_writev, file, parts, count);
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t some = write(file, parts[i].iov_base, parts[i].iov_len);
    if (some < 0) return all > 0 ? all : some;
    all += some;
  }
  return all;
}
}
#pragma GCC visibility pop
