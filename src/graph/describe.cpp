#include "graph/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "graph/edges.hpp"
#include "graph/recording.hpp"
#include "graph/version.hpp"

namespace maslin::graph {

using detail::declared;
using detail::edge;
using detail::task_node;

namespace {

/// Asks the task itself: only its callable knows.
detail::task_facts ask(const task_node& task, declared* accesses) {
  detail::task_facts facts{task.callable, accesses};
  task.run(&facts, const_cast<task_node&>(task).records(), detail::body_use::describe);
  return facts;
}
detail::task_facts facts_of(const task_node& task, std::vector<declared>& accesses) {
  accesses.resize(task.accesses);
  const detail::task_facts facts = ask(task, accesses.data());
  accesses.resize(facts.described);
  return facts;
}

/// Cuts the type out of the text in which a compiler names it.
std::string_view type_in(std::string_view text) {
  constexpr std::string_view before = "F = ";
  const std::size_t from = text.find(before);
  if (from == std::string_view::npos) return text;
  text.remove_prefix(from + before.size());
  if (!text.empty() && text.back() == ']') text.remove_suffix(1);
  return text;
}

const char* name_of(access_mode mode) {
  switch (mode) {
    case access_mode::in:
      return "in";
    case access_mode::out:
      return "out";
    case access_mode::inout:
      return "inout";
    case access_mode::concurrent:
      return "concurrent";
    default:
      return "reduction";
  }
}

std::string description(const declared& a) {
  return a.columns == 1 ? fmt::format("{} {} bytes at {}", name_of(a.mode), a.bytes, a.data)
                        : fmt::format("{} {} columns of {} bytes at {}", name_of(a.mode), a.columns, a.bytes, a.data);
}

}  // namespace

std::vector<declared> accesses_of(const task_node& task) {
  std::vector<declared> all;
  facts_of(task, all);
  return all;
}

std::span<declared> accesses_of(const task_node& task, std::span<declared> room) {
  return room.first(ask(task, room.data()).described);
}

std::string description(const task_node& task) {
  constexpr std::size_t most = 8;
  std::vector<declared> accesses;
  const detail::task_facts facts = facts_of(task, accesses);
  std::string line = "task ";
  if (facts.body) fmt::format_to(std::back_inserter(line), "{} ", type_in(facts.body));
  if (task.is_internal) line += "of the graph's own (moves or combines data, or waits for a group's tasks) ";
  fmt::format_to(std::back_inserter(line), "created at {}:{}", task.where.file_name(), task.where.line());
  for (std::size_t i = 0; i < accesses.size() && i < most; ++i)
    fmt::format_to(std::back_inserter(line), "{}{}", i == 0 ? ": " : ", ", description(accesses[i]));
  if (accesses.size() > most) fmt::format_to(std::back_inserter(line), " and {} more", accesses.size() - most);
  return line;
}

std::vector<task_node*> waiting_for(task_node& task) {
  std::vector<task_node*> all;
  if (task.is_recorded) {
    for (const std::uintptr_t follower : part_of(task).followers) all.push_back(node_of(follower));
  } else if (!is_done(task)) {
    for (const edge* e = edges_of(task); e; e = e->next) all.push_back(target(*e));
    std::reverse(all.begin(), all.end());  // the latest stands first
  }
  for (int i = 0; i < task.accesses; ++i)
    if (detail::version* v = task.records()[i].of; v && v->has_turns()) {
      const base::locked held(v->lock);
      for (task_node* next = v->waiting; next; next = next_in_queue(next)) all.push_back(next);
    }
  return all;
}

}  // namespace maslin::graph
