#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "maslin/trace.hpp"

namespace maslin::trace {

std::string_view to_string(event_kind kind) {
  static constexpr std::array<std::string_view, event_kinds> names{
      "unknown",       "worker_start", "worker_stop",   "stream_begin",  "stream_end",    "stream_suspend",
      "stream_resume", "task_create",  "task_begin",    "task_end",      "task_suspend",  "task_resume",
      "loop_begin",    "loop_end",     "chunk_begin",   "chunk_end",     "offload_begin", "offload_end",
      "wait_begin",    "wait_end",     "park",          "unpark",        "phase_begin",   "phase_end",
      "decision",      "steal",        "kernel_total",  "kernel_count",  "help_begin",    "help_end",
      "suspend",       "resume",       "accessed",      "member",        "group_end",     "foreign_caller",
      "piece",         "waiting",      "cpu_time",      "library",       "sized",         "teams",
      "choice",        "estimate",     "rank_begin",    "rank_end",      "sends",         "receives",
      "channel",       "starts",       "completes",     "gets",          "meets",         "moves",
      "held",          "traffic",      "transfer_task", "transfer_time", "transfer",      "awaits",
      "gives"};
  static_assert(!names.back().empty());
  const auto at = static_cast<std::size_t>(kind);
  return at < names.size() ? names[at] : names[0];
}

namespace {
constexpr std::array<std::string_view, 5> modes{"in", "out", "inout", "concurrent", "reduction"};
}

std::string to_string(const access_form& form) {
  std::string text(modes[static_cast<std::size_t>(form.mode)]);
  if (form.mode == access_mode::out && !form.renames) text += " there";
  text += ' ' + std::to_string(form.bytes);
  if (form.columns > 1) text += " x " + std::to_string(form.columns) + " / " + std::to_string(form.stride);
  return text;
}

std::optional<access_form> parse_access_form(std::string_view text) {
  const auto skip = [&](std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  };
  const auto number = [&](std::uint64_t& into) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (problem != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  const auto mode = std::find(modes.begin(), modes.end(), text.substr(0, text.find(' ')));
  if (mode == modes.end()) return std::nullopt;
  text.remove_prefix(mode->size());
  access_form form{static_cast<access_mode>(mode - modes.begin()), false, 0, 1, 0};
  form.renames = !skip(" there") && form.mode == access_mode::out;
  if (!skip(" ") || !number(form.bytes)) return std::nullopt;
  form.stride = form.bytes;
  if (text.empty()) return form;
  if (!skip(" x ") || !number(form.columns) || !skip(" / ") || !number(form.stride) || !text.empty())
    return std::nullopt;
  return form;
}

// Bits of a decision: 63..32 throughput (IEEE 754 single), 31..30 stage, 29..15 streams, 14..0 width.
std::uint64_t pack(const decision_of& d) {
  constexpr int most = 0x7fff;
  const auto streams = static_cast<std::uint64_t>(std::clamp(d.under.streams, 0, most));
  const auto width = static_cast<std::uint64_t>(std::clamp(d.under.width, 0, most));
  return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(d.throughput)) << 32 |
         static_cast<std::uint64_t>(d.stage) << 30 | streams << 15 | width;
}

template <>
decision_of unpack<decision_of>(std::uint64_t a) {
  return {{static_cast<int>(a >> 15 & 0x7fff), static_cast<int>(a & 0x7fff)},
          static_cast<decision_stage>(a >> 30 & 3),
          std::bit_cast<float>(static_cast<std::uint32_t>(a >> 32))};
}

}  // namespace maslin::trace
