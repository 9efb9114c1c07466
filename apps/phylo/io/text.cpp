#include "phylo/io/text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "cli/shared/printable.hpp"

namespace phylo {

void fail(const std::string& file, position at, const std::string& message) {
  std::string place = file.empty() ? "input" : shown_path(file);
  if (at.line > 0) place += fmt::format(":{}", at.line);
  if (at.line > 0 && at.column > 0) place += fmt::format(":{}", at.column);
  throw input_error(place + ": " + message);
}

namespace {

/// Opens the file; "-" is standard input.
int open_input(const std::string& file) {
  const int fd = file == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) fail(file, "there is no such file; check the path");
  if (fd < 0) fail(file, fmt::format("can't be opened: {}", std::strerror(errno)));
  return fd;
}

/// Reads a file, which may be compressed by gzip.
class input {
 public:
  explicit input(const std::string& file) : name_(file) {
    const int fd = open_input(file);
    file_ = gzdopen(fd, "r");
    if (!file_) {
      ::close(fd);
      throw std::bad_alloc();
    }
    struct stat facts {};
    if (::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) {
      gzclose(file_);
      fail(file, "is a folder; give the path of a file");
    }
  }
  ~input() { gzclose(file_); }
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  /// Adds the next bytes to the text; gives whether there were any.
  bool read(std::string& text) {
    const int got = gzread(file_, piece_.data(), static_cast<unsigned>(piece_.size()));
    const std::string_view piece(piece_.data(), static_cast<std::size_t>(std::max(got, 0)));
    const std::size_t nul = std::min(piece.find('\0'), piece.size());
    text.append(piece.substr(0, nul));
    // Looked for piece by piece, so that /dev/zero ends here and not in exhausted memory.
    if (nul < piece.size())
      fail_behind(text, "is no text: this byte is NUL; expected an alignment, tree or model as text");
    int error = Z_OK;
    const char* const problem = gzerror(file_, &error);
    if (error == Z_ERRNO) fail(name_, fmt::format("can't be read: {}", std::strerror(errno)));
    if (error == Z_MEM_ERROR) throw std::bad_alloc();
    if (error != Z_OK) {
      const char* const behind_number = std::strchr(problem, ' ');  // zlib puts the descriptor's number first
      fail_behind(text, fmt::format("is compressed (gzip) and damaged:{}; copy or download it anew",
                                    behind_number ? behind_number : problem));
    }
    return got > 0;
  }

 private:
  [[noreturn]] void fail_behind(const std::string& text, const std::string& message) const {
    const std::string before = normalize_text(text);
    fail(name_, position_of(before, before.size()), message);
  }

  const std::string& name_;
  gzFile file_;
  std::array<char, 1 << 16> piece_;
};

}  // namespace

std::string read_text(const std::string& file) {
  if (file.empty()) throw input_error("the name of an input file is empty; give the path of a file");
  static bool standard_input_was_read = false;
  if (file == "-" && std::exchange(standard_input_was_read, true))
    fail(file, "two options say -, and the first has read all of it; give one of them the path of a file");
  input in(file);
  std::string text;
  while (in.read(text)) continue;
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

bool is_printable_utf8(std::string_view text) { return command::printable(text) == text; }

std::string complaint_about(std::string_view name) {
  const auto found = std::find_if(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (found == name.end()) return {};
  return fmt::format("taxon {} has {} in its name; expected characters that can be printed", shown(name),
                     shown(*found));
}

std::string shown_path(const std::string& file) {
  if (file == "-") return "standard input";
  constexpr std::size_t longest = 300;
  const bool cut = file.size() > longest;
  return (cut ? "..." : "") + command::printable(cut ? file.substr(file.size() - longest) : file);
}

std::string shown(char byte) {
  if (command::printable_bytes({&byte, 1}) > 0) return fmt::format("'{}'", byte);
  if (byte == '\n') return "the end of the line";
  if (byte == '\t') return "a tab";
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(byte));
}

std::string shown(std::string_view word) {
  constexpr std::size_t longest = 60;
  std::size_t kept = 0;
  while (kept < std::min(word.size(), longest))
    kept += std::max(command::printable_bytes(word.substr(kept)), std::size_t{1});
  return fmt::format("'{}{}'", command::printable(word.substr(0, kept)), kept < word.size() ? "..." : "");
}

std::string nearest_name(std::string_view written, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t most = std::max<std::size_t>(1, written.size() / 3);
  for (const std::string& name : names) {
    const auto [shorter, longer] = std::minmax({written.size(), name.size()});
    if (longer - shorter > most) continue;  // so many edits are needed at least
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

std::string first_few(const std::vector<std::string>& words) {
  constexpr std::size_t most = 5;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, words.size()); ++i) out += (i == 0 ? "" : ", ") + shown(words[i]);
  if (words.size() > most) out += fmt::format(" and {} more", words.size() - most);
  return out;
}

}  // namespace phylo
