#include "exec/stall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_set>

#include "base/settings.hpp"
#include "graph/describe.hpp"
#include "task/context.hpp"
#include "task/node.hpp"

namespace maslin {

using detail::task_node;

patience patience_from_environment() {
  const char* text = base::text_of("MASLIN_WATCHDOG");
  return text ? parse_patience(text) : patience{};
}

patience parse_patience(std::string_view text) {
  const auto number = [&](std::string_view from) {
    double seconds = 0;
    const auto [end, failed] = std::from_chars(from.data(), from.data() + from.size(), seconds);
    if (failed != std::errc() || end != from.data() + from.size() || !(seconds > 0))
      base::fail("MASLIN_WATCHDOG", text);
    return seconds;
  };
  const std::size_t comma = text.find(',');
  patience given;
  given.idle_seconds = number(text.substr(0, comma));
  if (comma != std::string_view::npos) given.busy_seconds = number(text.substr(comma + 1));
  return given;
}

namespace {

/// Code that waits, with the scopes that enclose it.
struct sleeper {
  suspended_code code;
  std::vector<const scope*> scopes;  ///< of the code that waits, of whose member that is, and so on
  std::vector<task_node*> tasks;     ///< whose code it is: the innermost, its creator, and so on
  std::vector<task_node*> behind;    ///< what cannot run before they are done
  std::vector<std::size_t> needs;    ///< the numbers of those that it waits for
};

/// The tasks that cannot run before one of these is done, near ones first.
std::vector<task_node*> everything_behind(const std::vector<task_node*>& tasks) {
  std::vector<task_node*> all;
  std::unordered_set<const task_node*> seen(tasks.begin(), tasks.end());
  const auto add = [&](task_node& task) {
    for (task_node* next : graph::waiting_for(task))
      if (seen.insert(next).second) all.push_back(next);
  };
  for (task_node* task : tasks) add(*task);
  for (std::size_t i = 0; i < all.size(); ++i) add(*all[i]);
  return all;
}

sleeper look_at(const suspended_code& code) {
  sleeper s{code, {}, {}, {}, {}};
  for (const scope* at = code.in->children; at; at = at->outer()) {
    s.scopes.push_back(at);
    if (task_node* task = at->owner()) s.tasks.push_back(task);
  }
  s.behind = everything_behind(s.tasks);
  return s;
}

bool is_within(const sleeper& s, const scope* enclosing) {
  return std::find(s.scopes.begin(), s.scopes.end(), enclosing) != s.scopes.end();
}

/// Is it a stream that is suspended at an off-load?
bool waits_for_place(const sleeper& s) {
  const awaited_end& what = s.code.waits_for;
  return !what.holder && !what.members && !what.is_message;
}

/// Does what `waiter` waits for need something that `other` stands in the way of?
bool needs(const sleeper& waiter, const sleeper& other) {
  const awaited_end& what = waiter.code.waits_for;
  if (what.holder)
    return std::any_of(other.scopes.begin(), other.scopes.end(),
                       [holder = what.holder->load()](const scope* s) { return s->identity() == holder; });
  if (what.is_message) return false;  // ms::ranks itself finds ranks that wait for each other
  if (!what.members) return !waits_for_place(other) && is_within(other, waiter.scopes[1]);  // its phase
  // The innermost scope is where the sleeper itself may wait; it is a member of the others.
  const bool member = std::find(other.scopes.begin() + 1, other.scopes.end(), what.members) != other.scopes.end();
  return member || std::any_of(other.behind.begin(), other.behind.end(),
                               [&](const task_node* task) { return task->in->within(what.members); });
}

/// Gives the sleepers of a cycle, in its order; none if there is none.
std::vector<std::size_t> cycle_in(const std::vector<sleeper>& all) {
  enum class colour { white, grey, black };
  std::vector<colour> is(all.size(), colour::white);
  std::vector<std::size_t> path;
  const auto visit = [&](const auto& self, std::size_t at) -> bool {
    is[at] = colour::grey;
    path.push_back(at);
    for (const std::size_t next : all[at].needs) {
      if (is[next] == colour::grey) {
        path.erase(path.begin(), std::find(path.begin(), path.end(), next));
        return true;
      }
      if (is[next] == colour::white && self(self, next)) return true;
    }
    is[at] = colour::black;
    path.pop_back();
    return false;
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is[i] == colour::white && visit(visit, i)) return path;
  return {};
}

std::string numbers(const std::vector<std::size_t>& all, const char* between) {
  std::string text;
  for (const std::size_t i : all)
    fmt::format_to(std::back_inserter(text), "{}[{}]", text.empty() ? "" : between, i + 1);
  return text;
}

void print(std::string& out, std::size_t number, const sleeper& s) {
  const auto line = [&]<class... A>(fmt::format_string<A...> format, A&&... arguments) {
    fmt::format_to(std::back_inserter(out), format, std::forward<A>(arguments)...);
    out += '\n';
  };
  constexpr std::size_t most = 6;
  const std::string what_runs = s.tasks.empty() ? "code outside tasks (a thread's own, a stream or a loop)"
                                                : graph::description(*s.tasks.front());
  const bool on_host = s.code.worker == suspended_code::on_host;
  line("  [{}] {}, on {}", number, what_runs, on_host ? "a host" : fmt::format("worker {}", s.code.worker));
  for (std::size_t i = 1; i < s.tasks.size() && i < most; ++i)
    line("      called by the {}", graph::description(*s.tasks[i]));

  const awaited_end& what = s.code.waits_for;
  const std::string by = s.needs.empty() ? "" : ": " + numbers(s.needs, ", ");
  if (what.holder)
    line("      waits for an ms::mutex{}",
         by.empty() ? ", held by code that does not wait, or that ended without unlocking it" : by);
  else if (what.is_message)
    line("      a rank that waits for others of its ms::ranks");
  else if (waits_for_place(s))
    line("      waits at an off-load until another stream of its phase ends or is suspended{}", by);
  else
    line("      waits for {} {}{}", what.members->in_flight(),
         what.members == s.scopes.front() ? "children (tasks, streams, blocks of a loop)"
                                          : "members of a group or phase",
         by);
  if (s.behind.empty()) return;
  line("      {} tasks wait behind it:", s.behind.size());
  for (std::size_t i = 0; i < s.behind.size() && i < most; ++i) line("        {}", graph::description(*s.behind[i]));
  if (s.behind.size() > most) line("        and {} more", s.behind.size() - most);
}

}  // namespace

std::string who_waits_for_whom(const std::vector<suspended_code>& sleepers) {
  constexpr std::size_t most = 20;
  std::vector<sleeper> all;
  all.reserve(sleepers.size());
  for (const suspended_code& code : sleepers) all.push_back(look_at(code));
  for (sleeper& s : all)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (needs(s, all[i])) s.needs.push_back(i);
  std::string out;
  for (std::size_t i = 0; i < all.size() && i < most; ++i) print(out, i + 1, all[i]);
  if (all.size() > most) fmt::format_to(std::back_inserter(out), "  and {} more that wait\n", all.size() - most);
  if (std::vector<std::size_t> cycle = cycle_in(all); !cycle.empty()) {
    cycle.push_back(cycle.front());
    fmt::format_to(std::back_inserter(out), "  a cycle: {}\n", numbers(cycle, " waits for "));
  }
  return out;
}

}  // namespace maslin
