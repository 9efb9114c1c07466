#include "phylo/io/text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

namespace phylo {

void fail(const std::string& file, position at, const std::string& message) {
  std::string place = file.empty() ? "input" : file;
  if (at.line > 0) place += fmt::format(":{}", at.line);
  if (at.line > 0 && at.column > 0) place += fmt::format(":{}", at.column);
  throw input_error(place + ": " + message);
}

namespace {

struct descriptor {
  int fd;
  ~descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::string read_text(const std::string& file) {
  if (file.empty()) throw input_error("the name of an input file is empty; give the path of a file");
  const descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (in.fd < 0) {
    if (errno == ENOENT) fail(file, "there is no such file; check the path");
    fail(file, fmt::format("can't be opened: {}", std::strerror(errno)));
  }
  struct stat facts {};
  if (::fstat(in.fd, &facts) != 0) fail(file, fmt::format("can't be examined: {}", std::strerror(errno)));
  if (S_ISDIR(facts.st_mode)) fail(file, "is a folder; give the path of a file");

  std::string text;
  std::array<char, 1 << 16> piece;
  for (;;) {
    const ssize_t got = ::read(in.fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(file, fmt::format("can't be read: {}", std::strerror(errno)));
    if (got == 0) break;
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    if (text.empty() && bytes.substr(0, 2) == "\x1f\x8b")
      fail(file, "is compressed (gzip); unpack it first, with gunzip");
    // Looked for piece by piece, so that /dev/zero ends here and not in exhausted memory.
    if (const std::size_t nul = bytes.find('\0'); nul != bytes.npos)
      fail(file,
           fmt::format("is no text: byte {} is NUL; expected an alignment, tree or model as text", text.size() + nul));
    text.append(bytes);
  }
  return normalize_text(std::move(text));
}

std::string normalize_text(std::string text) {
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
  if (text.find('\r') == std::string::npos) return text;
  std::size_t to = 0;
  for (std::size_t from = 0; from < text.size(); ++from) {
    if (text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n') continue;
    text[to++] = text[from] == '\r' ? '\n' : text[from];
  }
  text.resize(to);
  return text;
}

position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column = line_start == before.npos ? before.size() + 1 : before.size() - line_start;
  return {lines + 1, column};
}

namespace {
bool is_printable(char byte) { return byte >= 0x20 && byte < 0x7f; }
}  // namespace

std::string shown(char byte) {
  if (is_printable(byte)) return fmt::format("'{}'", byte);
  if (byte == '\n') return "the end of the line";
  if (byte == '\t') return "a tab";
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(byte));
}

std::string shown(std::string_view word) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  for (const char byte : word.substr(0, longest)) {
    if (is_printable(byte) || static_cast<unsigned char>(byte) >= 0x80)
      out += byte;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  out += word.size() > longest ? "...'" : "'";
  return out;
}

std::string nearest_name(std::string_view written, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t most = std::max<std::size_t>(1, written.size() / 3);
  for (const std::string& name : names) {
    // distance[j]: edits from the letters of `written` so far to the first j of the name.
    std::vector<std::size_t> distance(name.size() + 1);
    std::iota(distance.begin(), distance.end(), std::size_t{0});
    for (std::size_t i = 0; i < written.size(); ++i) {
      std::size_t diagonal = std::exchange(distance[0], i + 1);
      for (std::size_t j = 0; j < name.size(); ++j) {
        const std::size_t replaced = diagonal + (written[i] != name[j]);
        diagonal = distance[j + 1];
        distance[j + 1] = std::min({replaced, diagonal + 1, distance[j] + 1});
      }
    }
    const std::size_t edits = distance.back();
    if (edits >= written.size() || edits > most || (edits == most && !nearest.empty())) continue;
    most = edits;
    nearest = name;
  }
  return nearest;
}

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace phylo
