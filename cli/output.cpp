#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cli/shared/stopping.hpp"
#include "cli/shared/terminal.hpp"
#include "maslin/error.hpp"

output_file::output_file(std::string path) : path_(std::move(path)) {
  constexpr maslin::files::terms as_a_shell_does{.streams = maslin::files::terms::stream::awaited};
  if (!(path_ == "-" ? file_.open(STDOUT_FILENO) : file_.open(path_, as_a_shell_does)))
    throw maslin::error(fmt::format("'{}' cannot be written: {}; give the path of a file in a folder that exists",
                                    path_, file_.problem()));
}

void output_file::fail() {
  if (file_.error() == EPIPE) command::end_unread();
  const std::string where = path_ == "-" ? "standard output" : fmt::format("'{}'", path_);
  throw maslin::error(fmt::format("{} cannot be written: {}; {}make room or name another place", where, file_.problem(),
                                  file_.is_stream() ? "" : "nothing of it was kept; "));
}

void output_file::write(std::string_view text) {
  if (!file_.write(text)) fail();
}

void output_file::commit() {
  if (!file_.commit()) fail();
}

void write_file(const std::string& path, std::string_view text) {
  output_file to(path);
  to.write(text);
  to.commit();
}

progress::progress(std::string what, std::uint64_t total)
    : what_(std::move(what)), total_(total), terminal_(command::stderr_can_be_redrawn()) {}

progress::~progress() {
  if (shown_ < 0) return;
  fmt::print(stderr, "\r\033[K");
  command::line_is_shown(false);
}

void progress::at(std::uint64_t done, const std::string& next) {
  constexpr int cells = 30;
  if (!terminal_ || total_ == 0) return;
  const int percent = static_cast<int>(std::min(done, total_) * 100 / total_);
  if (percent == shown_ && next == next_) return;
  shown_ = percent;
  next_ = next;
  const int full = percent * cells / 100;
  command::line_is_shown(true);
  fmt::print(stderr, "\r{} [{:=<{}}{:<{}}] {:3} %{}{}\033[K", what_, "", full, "", cells - full, percent,
             next.empty() ? "" : " ", next);
  std::fflush(stderr);
}
