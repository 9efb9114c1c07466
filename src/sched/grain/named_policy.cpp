#include "sched/grain/named_policy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "base/nearest_word.hpp"
#include "maslin/error.hpp"
#include "sched/grain/automatic.hpp"
#include "sched/grain/edtlp_llp.hpp"
#include "sched/grain/hill_climbing.hpp"
#include "sched/grain/mgps.hpp"
#include "sched/grain/s_mgps.hpp"
#include "sched/grain/ucb.hpp"

namespace maslin::grain {

namespace {

struct named {
  std::string_view name;
  policy::rule by;
};
// Of two names that are as near to what was written, the first is proposed: "smgps" lacks a hyphen.
constexpr named all[] = {{"s-mgps", policy::rule::s_mgps},
                         {"s-mgps:work", policy::rule::s_mgps_by_work},
                         {"mgps", policy::rule::mgps},
                         {"auto", policy::rule::automatic},
                         {"edtlp", policy::rule::edtlp},
                         {"edtlp-llp", policy::rule::edtlp_llp},
                         {"hill-climbing", policy::rule::hill_climbing},
                         {"ucb", policy::rule::ucb}};

[[noreturn]] void fail(std::string_view text, const std::string& what) {
  throw error(fmt::format(
      "MASLIN_GRAIN=\"{}\": {}; write auto, edtlp, edtlp-llp:WIDTH (for example edtlp-llp:4), mgps, s-mgps, "
      "s-mgps:work, hill-climbing or ucb",
      text, what));
}

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
  for (const named& one : all) {
    if (one.name == text && one.by != policy::rule::edtlp_llp) return {one.by};  // "s-mgps:work" is a name, too
    if (one.name != name) continue;
    if (one.by == policy::rule::edtlp_llp) {
      if (colon == std::string_view::npos) fail(text, "expected ':' and a width after edtlp-llp");
      return {one.by, read_width(text, text.substr(colon + 1))};
    }
    if (one.by != policy::rule::s_mgps) fail(text, fmt::format("{} takes no width", name));
  }
  std::vector<std::string> words;
  for (const named& one : all) words.emplace_back(one.name);
  const std::string guess = base::nearest_word(name == "s-mgps" ? text : name, words);
  fail(text, guess.empty() ? "unknown policy" : fmt::format("unknown policy, did you mean '{}'?", guess));
}

std::string name_of(policy p) {
  for (const named& one : all)
    if (one.by == p.by)
      return p.by == policy::rule::edtlp_llp ? fmt::format("{}:{}", one.name, p.width) : std::string(one.name);
  return "";
}

std::unique_ptr<controller> make_controller(policy p, const situation& begin) {
  switch (p.by) {
    case policy::rule::edtlp:
      return std::make_unique<edtlp_llp>(begin, 1);
    case policy::rule::edtlp_llp:
      return std::make_unique<edtlp_llp>(begin, p.width);
    case policy::rule::mgps:
      return std::make_unique<mgps>(begin);
    case policy::rule::hill_climbing:
      return std::make_unique<hill_climbing>(begin);
    case policy::rule::ucb:
      return std::make_unique<ucb>(begin);
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
