#include "exec/phase/learned.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <numbers>
#include <optional>
#include <utility>

#include "base/settings.hpp"
#include "files/fields.hpp"
#include "files/marked.hpp"
#include "files/replacement.hpp"

namespace maslin {

using files::field;
using files::split;

namespace {

constexpr std::string_view mark = "maslin learned ";  // a file of any version is ours
constexpr std::string_view first_line = "maslin learned 1";
constexpr std::size_t entries_a_phase = 8;
constexpr std::size_t most_entries = 2000;
/// Inputs are the same size if kernels and streams are, to so many octaves.
constexpr double same_octaves = 0.5;

/// Reads "4x2+1:7.53".
std::optional<grain::knowledge::known> read_known(std::string_view text) {
  const std::size_t x = text.find('x');
  const std::size_t plus = text.find('+');
  const std::size_t colon = text.find(':');
  if (x >= plus || plus >= colon || colon == std::string_view::npos) return std::nullopt;
  grain::knowledge::known k;
  const bool whole = files::read(text.substr(0, x), k.under.streams) &&
                     files::read(text.substr(x + 1, plus - x - 1), k.under.width) &&
                     files::read(text.substr(plus + 1, colon - plus - 1), k.under.wider) &&
                     files::read(text.substr(colon + 1), k.throughput);
  if (!whole || k.under.streams < 1 || k.under.width < 1 || k.under.wider < 0 || k.under.wider >= k.under.streams ||
      !(k.throughput > 0) || !std::isfinite(k.throughput))
    return std::nullopt;
  return k;
}

bool same_size(const grain::knowledge& a, std::int64_t streams_a, const grain::knowledge& b, std::int64_t streams_b) {
  const auto near = [](double log_ratio) { return std::abs(log_ratio) <= same_octaves * std::numbers::ln2; };
  const bool kernels =
      a.kernel_seconds > 0 && b.kernel_seconds > 0 ? near(log_size_ratio(a, b)) : a.kernel_seconds == b.kernel_seconds;
  const bool streams = streams_a > 0 && streams_b > 0
                           ? near(std::log(static_cast<double>(streams_a) / static_cast<double>(streams_b)))
                           : streams_a == streams_b;
  return kernels && streams;
}

}  // namespace

learned_phases::learned_phases(const std::string& machine, std::string file)
    : machine_(field(machine)), file_(std::move(file)) {
  if (!file_.empty()) read(file_, all_);
}

void learned_phases::insert(table& into, const key& of, entry e) {
  std::vector<entry>& known = into[of];
  std::erase_if(known, [&](const entry& old) { return same_size(old.what, old.streams, e.what, e.streams); });
  known.insert(known.begin(), std::move(e));
  if (known.size() > entries_a_phase) known.pop_back();
}

void learned_phases::read(const std::string& file, table& into) {
  const std::optional<std::string> content = files::read_marked(file, mark);
  if (!content) return;
  const auto lines = split(*content, '\n');
  if (lines.front() != first_line) return;
  for (const std::string_view line : lines) {
    const auto parts = split(line, '\t');
    if (parts.size() != 8) continue;
    entry e{.is_new = false};
    if (!files::read(parts[4], e.streams) || !files::read(parts[5], e.when) ||
        !files::read(parts[6], e.what.kernel_seconds) || !(e.what.kernel_seconds >= 0))
      continue;
    for (const std::string_view text : split(parts[7], ' '))
      if (const auto known = read_known(text)) e.what.best.push_back(*known);
    if (!e.what.best.empty()) insert(into, key(parts.begin(), parts.begin() + 4), std::move(e));
  }
}

learned_phases::key learned_phases::key_of(std::string_view phase, int workers) const {
  return {field(program_invocation_short_name), machine_, field(phase), fmt::format("{}", workers)};
}

std::vector<grain::knowledge> learned_phases::of(std::string_view phase, int workers, std::int64_t streams) const {
  std::vector<grain::knowledge> found;
  const auto at = all_.find(key_of(phase, workers));
  if (at == all_.end()) return found;
  std::vector<entry> entries = at->second;
  std::stable_partition(entries.begin(), entries.end(), [&](const entry& e) { return e.streams == streams; });
  for (entry& e : entries) found.push_back(std::move(e.what));
  return found;
}

void learned_phases::keep(std::string_view phase, int workers, std::int64_t streams, grain::knowledge what) {
  if (what.best.empty()) return;
  insert(all_, key_of(phase, workers), {streams, static_cast<std::int64_t>(std::time(nullptr)), std::move(what)});
}

void learned_phases::save() noexcept try {
  const auto has_new = [](const auto& known) { return std::ranges::any_of(known.second, &entry::is_new); };
  if (file_.empty() || std::ranges::none_of(all_, has_new)) return;
  // Others may have written since: theirs stays, apart from what is newer here.
  table whole;
  read(file_, whole);
  for (auto& [of, entries] : all_)
    for (auto e = entries.rbegin(); e != entries.rend(); ++e)
      if (std::exchange(e->is_new, false)) insert(whole, of, *e);

  std::vector<std::pair<std::int64_t, std::string>> lines;
  for (const auto& [of, entries] : whole) {
    for (std::size_t i = entries.size(); i-- > 0;) {  // as they are read: the latest last
      const entry& e = entries[i];
      std::string line = fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t", of[0], of[1], of[2], of[3], e.streams, e.when,
                                     e.what.kernel_seconds);
      for (const grain::knowledge::known& k : e.what.best)
        line += fmt::format("{}{}x{}+{}:{:.6g}", line.ends_with('\t') ? "" : " ", k.under.streams, k.under.width,
                            k.under.wider, k.throughput);
      lines.emplace_back(e.when, std::move(line));
    }
  }
  if (lines.size() > most_entries) {
    std::stable_sort(lines.begin(), lines.end(), [](auto& a, auto& b) { return a.first < b.first; });
    lines.erase(lines.begin(), lines.end() - most_entries);
  }
  const std::filesystem::path to(file_);
  std::error_code ignored;
  if (to.has_parent_path()) std::filesystem::create_directories(to.parent_path(), ignored);
  std::string text(first_line);
  text += '\n';
  for (const auto& [when, line] : lines) text.append(line) += '\n';
  files::replace_file(file_, text, {.mark = mark, .durable = false});
} catch (...) {  // it is only kept to save time
}

std::string learned_file(std::string otherwise) {
  const char* text = base::text_of("MASLIN_LEARNED");
  if (!text) return otherwise;
  return std::string_view(text) == "off" ? "" : text;
}

}  // namespace maslin
