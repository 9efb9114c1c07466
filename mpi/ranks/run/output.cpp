// Programs print through stdio, C++ streams and Fortran's units. The C library's `stdout` and what stands in C++
// streams (streams.cpp) are replaced; Fortran calls `write`, which this program defines in front of the C library's.

#include "output.hpp"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
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
std::FILE* streams[2] = {};         // of standard output and error
shared_by_processes* others = nullptr;
std::mutex lock;

ssize_t put(int file, const void* data, std::size_t bytes) noexcept { return syscall(SYS_write, file, data, bytes); }

/// Gives how many bytes were written: all, or what went before an error.
std::size_t put_all(int file, std::string_view text) noexcept {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t some = put(file, text.data() + done, text.size() - done);
    if (some < 0 && errno != EINTR) break;
    if (some > 0) done += static_cast<std::size_t>(some);
  }
  return done;
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

bool is_output(int file) noexcept {
  return is_taken.load(std::memory_order_relaxed) && (file == STDOUT_FILENO || file == STDERR_FILENO);
}

/// Keeps it until there is a whole line.
void keep(rank_of_process& of, int file, std::string_view text) {
  // Somebody who looks at a terminal wants to see a question that has no end of line.
  static const bool is_seen[] = {isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1};
  const int which = file - STDOUT_FILENO;
  const std::lock_guard held(lock);
  of.unfinished[which] += text;
  print(of, file, of.unfinished[which], is_seen[which] && !is_tagged);
}

template <int file>
ssize_t write_stream(void*, const char* text, std::size_t bytes) {
  return std::max<ssize_t>(write_output(file, {text, bytes}), 0);
}

template <int file>
std::FILE* stream() {
  cookie_io_functions_t with{};
  with.write = write_stream<file>;
  std::FILE* const made = fopencookie(nullptr, "w", with);
  if (!made) return nullptr;
  setvbuf(made, nullptr, _IONBF, 0);  // whose it is is known only while it is printed
  made->_fileno = file;               // for `fileno`
  return made;
}

}  // namespace

void replace_streams() {
  if (std::FILE* const out = stream<STDOUT_FILENO>()) stdout = streams[0] = out;
  if (std::FILE* const error = stream<STDERR_FILENO>()) stderr = streams[1] = error;
  replace_cpp_streams();
}

int file_of_output(const std::FILE* stream) noexcept {
  if (!stream) return -1;
  return stream == streams[0] ? STDOUT_FILENO : stream == streams[1] ? STDERR_FILENO : -1;
}

ssize_t write_output(int file, std::string_view text) {
  if (rank_of_process* const mine = is_output(file) ? rank_here() : nullptr) {
    const int own = mine->own_output[file - STDOUT_FILENO].load(std::memory_order_relaxed);
    if (own == rank_of_process::of_job) return keep(*mine, file, text), static_cast<ssize_t>(text.size());
    file = own;
  }
  const std::size_t done = put_all(file, text);
  return done == 0 && !text.empty() ? -1 : static_cast<ssize_t>(done);
}

void take_output(bool tagged, shared_by_processes* shared) {
  is_tagged = tagged;
  others = shared;
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
  if (mpi::is_output(file)) return mpi::write_output(file, {static_cast<const char*>(data), bytes});
  return mpi::put(file, data, bytes);
}
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
