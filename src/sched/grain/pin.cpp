#include "sched/grain/pin.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/settings.hpp"
#include "maslin/error.hpp"

namespace maslin::grain {

namespace {

[[noreturn]] void fail(std::string_view text, std::size_t at, std::string_view found) {
  base::fail("MASLIN_PIN", text, fmt::format("column {}: {}", at + 1, found));
}

/// Reads a positive count at `at` and moves behind it.
std::optional<int> read_count(std::string_view text, std::size_t& at) {
  int value = 0;
  const char* begin = text.data() + at;
  const auto [end, failure] = std::from_chars(begin, text.data() + text.size(), value);
  if (failure != std::errc{} || value < 1) return std::nullopt;
  at += static_cast<std::size_t>(end - begin);
  return value;
}

/// Reads a waiting policy at `at`, up to the next comma, and moves behind it.
wait_policy read_wait(std::string_view text, std::size_t& at) {
  const std::string_view name = text.substr(at, text.find(',', at) - at);
  const auto word = base::find_word("MASLIN_WAIT", name);
  if (!word) fail(text, at, base::expected("MASLIN_WAIT", name));
  at += name.size();
  return static_cast<wait_policy>(*word);
}

/// Reads where a kernel runs at `at`, up to the next comma, and moves behind it; nothing if that is something else.
std::optional<kernel_place> read_place(std::string_view text, std::size_t& at) {
  const std::string_view name = text.substr(at, text.find(',', at) - at);
  if (name != "host" && name != "accelerator") return std::nullopt;
  at += name.size();
  return name == "host" ? kernel_place::host : kernel_place::accelerator;
}

configuration read_configuration(std::string_view text, std::size_t& at) {
  const auto streams = read_count(text, at);
  if (!streams) fail(text, at, "expected a number of streams, 1 or more (of a kernel: host or accelerator)");
  if (at >= text.size() || text[at] != 'x') fail(text, at, "expected 'x' between streams and width");
  ++at;
  const auto width = read_count(text, at);
  if (!width) fail(text, at, "expected a width, 1 or more");
  return {*streams, *width};
}

}  // namespace

pinned parse_pins(std::string_view text) {
  pinned all;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    const std::size_t equals = text.find_first_of("=,", at);
    if (equals == start) fail(text, start, "expected the name of a phase");
    if (equals == std::string_view::npos) fail(text, text.size(), "expected '=' after the name of a phase");
    if (text[equals] == ',') fail(text, equals, "expected '=' after the name of a phase");
    std::string name(text.substr(start, equals - start));
    at = equals + 1;
    bool first = true;
    if (name == "wait")
      first = !std::exchange(all.wait, read_wait(text, at));
    else if (const auto place = read_place(text, at))
      first = all.kernels.emplace(name, *place).second;
    else
      first = all.phases.emplace(name, read_configuration(text, at)).second;
    if (!first) fail(text, start, fmt::format("expected each name once, but '{}' is pinned twice", name));
    if (at == text.size()) break;
    if (text[at] != ',') fail(text, at, "expected ',' or the end after a configuration");
    if (++at == text.size()) fail(text, at, "expected another entry after ','");
  }
  return all;
}

configuration fit_pin(std::string_view name, configuration pinned, int workers) {
  const std::int64_t needed = std::int64_t{pinned.streams} * pinned.width;
  if (needed > workers)
    throw error(
        fmt::format("MASLIN_PIN: phase '{}' is pinned to {}x{} (streams x width), which needs {} workers, but it has "
                    "{}; pin fewer or narrower streams, or set MASLIN_WORKERS={}",
                    name, pinned.streams, pinned.width, needed, workers, needed));
  return pinned;
}

}  // namespace maslin::grain
