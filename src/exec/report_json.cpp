#include "exec/report_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace maslin {

namespace {

/// Gives how many bytes the character has that begins there; 0 where none does.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return too_long || no_character ? 0 : bytes;
}

/// Numbers that JSON has no word for are none.
std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : "null"; }

std::string text_of(configuration c) {
  return fmt::format(R"({{"streams": {}, "width": {}, "wider": {}}})", c.streams, c.width, c.wider);
}

template <class All, class Text>
std::string list(const All& all, const char* indent, Text&& text) {
  std::string out = "[";
  for (const auto& one : all)
    fmt::format_to(std::back_inserter(out), "{}\n{}{}", &one == &*all.begin() ? "" : ",", indent, text(one));
  return out + "]";
}

std::string text_of(const told_phase& told) {
  const phase_report& p = told.last;
  std::string out = fmt::format(R"({{"name": {}, "times": {}, "streams": {}, "done": {}, "running": {}, )",
                                json_text(p.name), told.times, p.streams, p.done, p.running);
  auto to = std::back_inserter(out);
  fmt::format_to(to, R"("seconds": {}, "cpu_seconds": {}, )", number(p.seconds),
                 p.cpu_seconds ? number(*p.cpu_seconds) : "null");
  fmt::format_to(to, R"("current": {}, "chosen": {}, "policy": {}, "pinned_by": {}, )", text_of(p.current),
                 p.chosen ? text_of(*p.chosen) : "null", json_text(p.policy), json_text(p.pinned_by));
  fmt::format_to(to, R"("waiting": {}, "waiting_reason": {}, )", json_text(p.waiting), json_text(p.waiting_reason));
  fmt::format_to(to, R"("loop_master": {}, )", json_text(told.loop_master));
  fmt::format_to(to, R"("choices": {}, )", list(told.choices, "    ", [](const choice& c) {
                   return fmt::format(R"({{"what": {}, "expected": {}}})", text_of(c.what), number(c.expected));
                 }));
  fmt::format_to(
      to, R"("unit": {}, "estimates": {}}})", json_text(p.unit), list(p.estimates, "    ", [](const phase_estimate& e) {
        return fmt::format(R"({{"under": {}, "throughput": {}, "error": {}, "samples": {}}})", text_of(e.under),
                           number(e.throughput), e.error ? number(*e.error) : "null", e.samples);
      }));
  return out;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = character(text);
    const char c = text.front();
    if (bytes == 0)
      out += '?';
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < ' ')
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + '"';
}

std::string report_json(const run_about& run, const std::vector<told_phase>& phases) {
  std::string out = fmt::format("{} 2,\n", report_mark);
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\"program\": {}, \"process\": {}, \"process_start\": {}, \"host\": {}, \"numbers\": {},\n",
                 json_text(run.program), run.process, run.process_start, json_text(run.where.host),
                 json_text(run.where.numbers));
  fmt::format_to(to, "\"machine\": {}, \"described\": {}, \"workers\": {},\n", json_text(run.machine), run.described,
                 run.workers);
  fmt::format_to(to, "\"began\": {:.3f}, \"written\": {:.3f}, \"seconds\": {}, \"ended\": {}, \"signal\": {},\n",
                 run.began, run.written, number(run.seconds), run.ended, run.signal);
  fmt::format_to(to, "\"libraries\": {},\n", list(run.libraries, "  ", [](const run_about::library& l) {
                   return fmt::format(R"({{"name": {}, "process_wide": {}}})", json_text(l.name), l.process_wide);
                 }));
  if (const auto& s = run.stores)
    fmt::format_to(to,
                   "\"stores\": {{\"tasks\": {}, \"on_memory\": {}, \"bytes_in\": {}, \"bytes_out\": {}, "
                   "\"most_bytes\": {}, \"hits\": {}, \"bytes_kept\": {}, \"evictions\": {}, "
                   "\"puts_saved\": {}, \"bytes_saved\": {}, \"bytes_from_peers\": {}, \"early\": {}{}}},\n",
                   s->tasks, s->on_memory, s->bytes_in, s->bytes_out, s->most_bytes, s->hits, s->bytes_kept,
                   s->evictions, s->puts_saved, s->bytes_saved, s->bytes_from_peers, s->early,
                   s->waited_s ? ", \"waited_s\": " + number(*s->waited_s) : "");
  if (const auto& p = run.place)
    fmt::format_to(to,
                   "\"place\": {{\"now\": \"{}\", \"decided\": {}, \"pairs\": {}, \"ratio\": {}, \"error\": {}}},\n",
                   p->is_near ? "locality" : "dbs", p->is_decided, p->pairs, p->pairs > 0 ? number(p->ratio) : "null",
                   p->pairs > 1 ? number(p->error) : "null");
  fmt::format_to(to, "\"phases\": {}}}\n", list(phases, "  ", [](const told_phase& p) { return text_of(p); }));
  return out;
}

}  // namespace maslin
