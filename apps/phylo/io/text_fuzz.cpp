// Any bytes as a file, and the same bytes compressed by gzip in one or two members: the same text or the same
// complaint; compressed ones that are cut off or changed, which the first bytes say, an `input_error` or some text.

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"
#include "fuzz/input_file.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"

namespace {

/// Gives the bytes as one member of a file of gzip.
std::string compressed(std::string_view bytes) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  check(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  check(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Gives what was read, or the message; either is what a user may get.
std::string outcome(const std::string& bytes) {
  static input_file file;
  try {
    const std::string text = phylo::read_text(file.holding(bytes.data(), bytes.size()));
    check(text.find('\0') == text.npos && text.find('\r') == text.npos);
    return "text " + text;
  } catch (const phylo::input_error& e) {
    check_message(e);
    return e.what();
  }
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string plain = outcome(bytes);
  if (size < 3) return 0;
  // What looks compressed is read as such, so it has no plain reading to compare with.
  if (!is_gzip(bytes)) {
    check(outcome(compressed(bytes)) == plain);
    const std::size_t cut = data[0] % size;
    check(outcome(compressed(bytes.substr(0, cut)) + compressed(bytes.substr(cut))) == plain);
  }
  std::string damaged = compressed(bytes);
  damaged[2 + data[1] % (damaged.size() - 2)] ^= static_cast<char>(data[2]);
  outcome(damaged);
  outcome(damaged.substr(0, data[0] * damaged.size() / 256));
  return 0;
}
