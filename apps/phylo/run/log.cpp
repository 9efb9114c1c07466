#include "phylo/run/log.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "cli/shared/terminal.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

Log::Log(const std::string& path, std::string_view command_line)
    : path_(path), begin_(std::chrono::steady_clock::now()) {
  check_replaceable(path);  // a FIFO would be waited for
  file_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0)
    fail(path, fmt::format("can't be written: {}; choose a --prefix where you may write", std::strerror(errno)));
  struct stat there {};
  const bool goes_on = fstat(file_, &there) == 0 && there.st_size > 0;
  write(
      fmt::format("{}{:%Y-%m-%dT%H:%M:%SZ} {}\n", goes_on ? "\n" : "", fmt::gmtime(std::time(nullptr)), command_line));
}

Log::~Log() {
  if (file_ >= 0) close(file_);
}

void Log::add(std::string_view text) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::lock_guard guard(mutex_);
  write(fmt::format("{:9.2f} s  {}\n", seconds, text));
}

void Log::write(const std::string& text) {
  if (file_ < 0) return;
  const int problem = write_all(file_, text);
  if (problem == 0) return;
  command::tell(fmt::format("maslin-phylo: note: {}: {}; the run goes on without its log\n", shown_path(path_),
                            std::strerror(problem)));
  close(file_);
  file_ = -1;
}

}  // namespace phylo
