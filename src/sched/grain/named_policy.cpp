#include "sched/grain/named_policy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "base/nearest_word.hpp"
#include "base/settings.hpp"
#include "sched/grain/automatic.hpp"
#include "sched/grain/edtlp_llp.hpp"
#include "sched/grain/mgps.hpp"
#include "sched/grain/s_mgps.hpp"

namespace maslin::grain {

namespace {

/// Some are followed by a width.
struct named {
  explicit named(const setting_word& one)
      : name(one.word.substr(0, one.word.find(wide))), has_width(name.size() < one.word.size()) {}
  static constexpr std::string_view wide = ":WIDTH";

  std::string_view name;
  bool has_width;
};

constexpr base::known_setting row = "MASLIN_GRAIN";

[[noreturn]] void fail(std::string_view text, const std::string& what) { base::fail(row, text, what); }

int read_width(std::string_view text, std::string_view width) {
  int value = 0;
  const char* behind = width.data() + width.size();
  const auto [end, failure] = std::from_chars(width.data(), behind, value);
  if (failure != std::errc{} || end != behind || value < 1)
    fail(text, fmt::format("column {}: expected a width, 1 or more", text.size() - width.size() + 1));
  return value;
}

}  // namespace

policy parse_policy(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::vector<std::string> names;
  for (const setting_word& word : base::words_of(row.row())) {
    const named one(word);
    const auto by = static_cast<policy::rule>(names.size());
    names.emplace_back(one.name);
    if (one.name == text && !one.has_width) return {by};  // "s-mgps:work" is a name, too
    if (one.name != name) continue;
    if (one.has_width) {
      if (colon == std::string_view::npos) fail(text, fmt::format("expected ':' and a width after {}", name));
      return {by, read_width(text, text.substr(colon + 1))};
    }
    if (by != policy::rule::s_mgps) fail(text, fmt::format("{} takes no width", name));
  }
  for (const further_policy& one : further_policies()) {
    if (one.name == text) return {.further = &one};
    names.emplace_back(one.name);
  }
  const std::string guess = base::nearest_word(name == "s-mgps" ? text : name, names);
  fail(text, guess.empty() ? "unknown policy" : fmt::format("unknown policy, did you mean '{}'?", guess));
}

std::string name_of(policy p) {
  if (p.further) return std::string(p.further->name);
  const named one(row->words[static_cast<std::size_t>(p.by)]);
  return one.has_width ? fmt::format("{}:{}", one.name, p.width) : std::string(one.name);
}

std::unique_ptr<controller> make_controller(policy p, const situation& begin) {
  if (p.further) return p.further->make(begin);
  switch (p.by) {
    case policy::rule::edtlp:
      return std::make_unique<edtlp_llp>(begin, 1);
    case policy::rule::edtlp_llp:
      return std::make_unique<edtlp_llp>(begin, p.width);
    case policy::rule::mgps:
      return std::make_unique<mgps>(begin);
    case policy::rule::s_mgps:
      return std::make_unique<s_mgps>(begin, count::off_loads);
    case policy::rule::s_mgps_by_work:
      return std::make_unique<s_mgps>(begin, count::work);
    case policy::rule::automatic:
      break;
  }
  return std::make_unique<automatic>(begin);
}

}  // namespace maslin::grain
