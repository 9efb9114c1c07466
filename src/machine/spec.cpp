// Reads described machines. Every complaint names file, line and column.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "base/nearest_word.hpp"
#include "maslin/error.hpp"
#include "maslin/machine.hpp"

namespace maslin::machine {

namespace {

/// Bounds of a number, both inclusive.
struct bounds {
  double least;
  double most;
};
constexpr bounds a_count{1, 1e9};
constexpr bounds a_size{1, 1e18};
constexpr bounds a_speed{1e-6, 1e6};
constexpr bounds a_time{0, 1e9};   // of one step: virtual time ends after 9e12 us
constexpr bounds a_core{1, 1024};  // of hardware threads
constexpr bounds a_bandwidth{1e-6, 1e9};

class document {
 public:
  document(const std::string& path, std::string_view text) : path_(path) {
    try {
      root_ = toml::parse(text, path);
    } catch (const toml::parse_error& e) {
      fail(e.source(), fmt::format("this is not TOML: {}", e.description()));
    }
  }

  [[noreturn]] void fail(const toml::source_region& at, const std::string& what) const {
    throw error(fmt::format("{}:{}:{}: {}", path_, std::max<std::uint32_t>(at.begin.line, 1),
                            std::max<std::uint32_t>(at.begin.column, 1), what));
  }

  const toml::table& root() const { return root_; }

 private:
  std::string path_;
  toml::table root_;
};

/// One table of the document while it is read; what was not asked for is unknown.
class section {
 public:
  section(const document& in, const toml::table& table, std::string name)
      : in_(in), table_(table), name_(std::move(name)) {}

  bool has(std::string_view key) {
    known_.emplace_back(key);
    return table_.contains(key);
  }

  std::string text(std::string_view key) {
    const toml::node& node = need(key);
    const auto value = node.value_exact<std::string>();
    if (!value) wrong_type(node, key, "a text in quotes");
    if (value->empty()) in_.fail(node.source(), fmt::format("'{}' is empty; expected a text", full(key)));
    return *value;
  }

  std::string text_or(std::string_view key, std::string otherwise) {
    return has(key) ? text(key) : std::move(otherwise);
  }

  double number(std::string_view key, bounds within) {
    const toml::node& node = need(key);
    if (!node.is_number()) wrong_type(node, key, "a number");
    const double value = node.is_integer() ? static_cast<double>(*node.value<std::int64_t>()) : *node.value<double>();
    if (!(value >= within.least && value <= within.most)) out_of_range(node, key, value, within);
    return value;
  }

  std::optional<double> optional_number(std::string_view key, bounds within) {
    return has(key) ? std::optional(number(key, within)) : std::nullopt;
  }

  std::int64_t whole(std::string_view key, bounds within) {
    const toml::node& node = need(key);
    if (!node.is_integer()) wrong_type(node, key, "a whole number");
    const std::int64_t value = *node.value<std::int64_t>();
    const auto as_number = static_cast<double>(value);
    if (!(as_number >= within.least && as_number <= within.most)) out_of_range(node, key, as_number, within);
    return value;
  }

  /// At least one number.
  std::vector<double> numbers(std::string_view key, bounds within) {
    const toml::node& node = need(key);
    const toml::array* const all = node.as_array();
    if (!all || all->empty()) wrong_type(node, key, "numbers in brackets, such as [1, 2, 4]");
    std::vector<double> values;
    for (const toml::node& element : *all) {
      if (!element.is_number()) wrong_type(element, key, "numbers in brackets, such as [1, 2, 4]");
      const double value = *element.value<double>();
      if (!(value >= within.least && value <= within.most)) out_of_range(element, key, value, within);
      values.push_back(value);
    }
    return values;
  }

  int count(std::string_view key) { return static_cast<int>(whole(key, a_count)); }
  int count_or(std::string_view key, int otherwise, bounds within = a_count) {
    return has(key) ? static_cast<int>(whole(key, within)) : otherwise;
  }

  /// Gives the place of the word in `words`.
  std::size_t one_of(std::string_view key, const std::vector<std::string>& words) {
    const std::string word = text(key);
    const auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end())
      in_.fail(table_.get(key)->source(),
               fmt::format("'{}' is \"{}\"; expected one of {}", full(key), word, fmt::join(words, ", ")));
    return static_cast<std::size_t>(at - words.begin());
  }

  std::optional<section> table(std::string_view key) {
    if (!has(key)) return std::nullopt;
    const toml::node& node = *table_.get(key);
    if (!node.is_table()) wrong_type(node, key, fmt::format("a table, [{}]", full(key)));
    return section(in_, *node.as_table(), full(key));
  }

  section needed_table(std::string_view key) {
    need(key);
    return *table(key);
  }

  std::vector<section> tables(std::string_view key) {
    std::vector<section> all;
    if (!has(key)) return all;
    const toml::node& node = *table_.get(key);
    if (!node.is_array()) wrong_type(node, key, fmt::format("tables, each headed [[{}]]", full(key)));
    for (const toml::node& element : *node.as_array()) {
      if (!element.is_table()) wrong_type(element, key, fmt::format("tables, each headed [[{}]]", full(key)));
      all.emplace_back(in_, *element.as_table(), full(key));
    }
    return all;
  }

  /// Every number carries its source.
  std::string source() { return text("source"); }

  /// Complains about what `key` says together with others.
  [[noreturn]] void fail_at(std::string_view key, const std::string& what) const {
    const toml::node* node = table_.get(key);
    in_.fail(node ? node->source() : table_.source(), what);
  }

  /// Complains about the first key that nobody asked for.
  void done() const {
    for (const auto& [key, value] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
      const std::string guess = base::nearest_word(key.str(), known_);
      in_.fail(key.source(),
               fmt::format("unknown key '{}'{}; expected here: {}", full(key.str()),
                           guess.empty() ? "" : fmt::format(", did you mean '{}'?", guess), fmt::join(known_, ", ")));
    }
  }

 private:
  std::string full(std::string_view key) const {
    return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
  }

  const toml::node& need(std::string_view key) {
    if (!has(key)) {
      for (const auto& [found, value] : table_)  // a slip in the name is a likelier cause than its absence
        if (base::nearest_word(found.str(), {std::string(key)}) == key)
          in_.fail(found.source(),
                   fmt::format("unknown key '{}', did you mean '{}', which is missing?", full(found.str()), full(key)));
      in_.fail(table_.source(), fmt::format("missing key '{}'{}; specs/README.md says what it means", full(key),
                                            name_.empty() ? "" : fmt::format(" in [{}]", name_)));
    }
    return *table_.get(key);
  }

  [[noreturn]] void wrong_type(const toml::node& node, std::string_view key, std::string_view expected) const {
    static const std::map<toml::node_type, std::string_view> names = {
        {toml::node_type::table, "a table"},     {toml::node_type::array, "an array"},
        {toml::node_type::string, "a text"},     {toml::node_type::integer, "a whole number"},
        {toml::node_type::boolean, "a boolean"}, {toml::node_type::floating_point, "a number with a fraction"}};
    const auto name = names.find(node.type());
    in_.fail(node.source(), fmt::format("'{}' is {}; expected {}", full(key),
                                        name == names.end() ? "a date or time" : name->second, expected));
  }

  [[noreturn]] void out_of_range(const toml::node& node, std::string_view key, double value, bounds within) const {
    in_.fail(node.source(), fmt::format("'{}' is {}; expected {} to {}", full(key), value, within.least, within.most));
  }

  const document& in_;
  const toml::table& table_;
  std::string name_;
  std::vector<std::string> known_;
};

worker_spec read_workers(section s) {
  worker_spec w;
  w.count = s.count("count");
  w.kind = s.one_of("kind", {"cpu", "accelerator"}) == 0 ? worker_kind::cpu : worker_kind::accelerator;
  if (s.has("speed")) w.speed = s.number("speed", a_speed);
  w.groups = s.count_or("groups", 1);
  if (w.count % w.groups != 0)
    s.fail_at("groups",
              fmt::format("'workers.groups' is {}, which does not divide the {} workers evenly", w.groups, w.count));
  w.source = s.source();
  s.done();
  return w;
}

host_spec read_hosts(section s) {
  host_spec h;
  h.contexts = s.count("contexts");
  h.speed = s.optional_number("speed", a_speed);
  h.contention = s.optional_number("contention", {0, 1000});
  h.threads_per_core = s.count_or("threads_per_core", 1, a_core);
  if (h.contexts % h.threads_per_core != 0)
    s.fail_at("threads_per_core",
              fmt::format("'hosts.threads_per_core' is {}, which does not divide the {} contexts evenly",
                          h.threads_per_core, h.contexts));
  h.smt = s.optional_number("smt", {0, 1000});
  h.quantum_us = s.optional_number("quantum_us", {1e-3, a_time.most});
  h.switch_us = s.optional_number("switch_us", a_time);
  h.source = s.source();
  s.done();
  return h;
}

dispatch_spec read_dispatch(section s) {
  dispatch_spec d;
  d.task_us = s.optional_number("task_us", a_time);
  d.handover_us = s.optional_number("handover_us", a_time);
  d.wake_us = s.optional_number("wake_us", a_time);
  d.spin_us = s.optional_number("spin_us", a_time);
  d.source = s.source();
  s.done();
  return d;
}

local_store_spec read_local_store(section s) {
  local_store_spec l;
  l.bytes = s.whole("bytes", a_size);
  l.source = s.source();
  s.done();
  return l;
}

transfer_spec read_transfer(section s) {
  transfer_spec t;
  t.signal_us = s.optional_number("signal_us", a_time);
  t.latency_us = s.optional_number("latency_us", a_time);
  t.bandwidth_gb_per_s = s.number("bandwidth_gb_per_s", a_bandwidth);
  t.total_gb_per_s = s.optional_number("total_gb_per_s", a_bandwidth);
  if (s.has("packet_bytes")) t.packet_bytes = s.whole("packet_bytes", a_size);
  t.source = s.source();
  s.done();
  return t;
}

memory_spec read_memory(section s, int workers) {
  memory_spec m;
  m.level = s.text("level");
  m.bytes = s.whole("bytes", a_size);
  m.shared_by = s.count("shared_by");
  if (m.shared_by > workers)
    s.fail_at("shared_by",
              fmt::format("'memory.shared_by' is {}; expected no more than the {} workers", m.shared_by, workers));
  m.latency_ns = s.optional_number("latency_ns", a_time);
  m.bandwidth_gb_per_s = s.optional_number("bandwidth_gb_per_s", a_bandwidth);
  m.source = s.source();
  s.done();
  return m;
}

/// `others`: what was read before it.
link_spec read_link(section s, const std::vector<link_spec>& others) {
  link_spec l;
  l.between = s.one_of("between", {"groups", "nodes"}) == 0 ? link_spec::ends::groups : link_spec::ends::nodes;
  if (std::any_of(others.begin(), others.end(), [&](const link_spec& o) { return o.between == l.between; }))
    s.fail_at("between",
              fmt::format("a second [[link]] between \"{}\"; expected one at most: put into one what both say",
                          s.text("between")));
  l.bandwidth_gb_per_s = s.number("bandwidth_gb_per_s", a_bandwidth);
  l.latency_us = s.optional_number("latency_us", a_time);
  l.source = s.source();
  s.done();
  return l;
}

/// Checks a curve: two arrays of as many numbers, the first ascending; and, if it is there, their errors.
void check_curve(section& s, const char* at, bounds places, const char* is, bounds values, const char* error) {
  const std::vector<double> points = s.numbers(at, places);
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i] <= points[i - 1])
      s.fail_at(at, fmt::format("'{}' does not ascend: {} is followed by {}", at, points[i - 1], points[i]));
  const auto expect_as_many = [&](const char* key, std::size_t count) {
    if (count != points.size())
      s.fail_at(key,
                fmt::format("'{}' has {} numbers and '{}' has {}; expected as many", key, count, at, points.size()));
  };
  expect_as_many(is, s.numbers(is, values).size());
  if (s.has(error)) expect_as_many(error, s.numbers(error, {0, values.most}).size());
}

/// The groups that only the model of layered parallelism reads (model/layers); here they are checked.
void check_curves(section& s, int workers) {
  for (section& one : s.tables("messages")) {
    one.one_of("call", {"send", "all_reduce"});
    one.one_of("placement", {"worker", "workers", "nodes"});
    if (one.count("ranks") < 2) one.fail_at("ranks", "'messages.ranks' is 1; expected 2 or more");
    check_curve(one, "bytes", a_size, "us", a_time, "error_us");
    one.source();
    one.done();
  }
  if (auto one = s.table("saturation")) {
    check_curve(*one, "workers", {1, static_cast<double>(workers)}, "gb_per_s", a_bandwidth, "error_gb_per_s");
    one->source();
    one->done();
  }
  if (auto one = s.table("sharing")) {
    check_curve(*one, "threads", a_count, "slow_down", {1e-3, 1e3}, "error");
    one->source();
    one->done();
  }
}

std::string read_text(const std::string& path) {
  constexpr std::size_t most_bytes = 1 << 20;  // a description is a page long; this is another file
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw error(fmt::format(
        "{}: this is a folder; expected a machine's description (TOML), for example specs/cell-qs20.toml", path));
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw error(fmt::format(
        "{}: cannot be opened: {}; expected a machine's description (TOML), for example specs/cell-qs20.toml", path,
        std::strerror(errno)));
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_bytes)
    throw error(fmt::format("{}: larger than {} bytes; expected a machine's description (TOML)", path, most_bytes));
  return text;
}

}  // namespace

machine_spec read_spec(const std::string& path) {
  const document file(path, read_text(path));
  section s(file, file.root(), "");
  machine_spec spec;
  spec.file = path;
  spec.name = s.text("name");
  spec.about = s.text_or("about", "");
  spec.nodes = s.count_or("nodes", 1);
  spec.workers = read_workers(s.needed_table("workers"));
  const auto expect_few = [&](int on_each, const char* what) {
    constexpr std::int64_t most = 1'000'000;
    if (std::int64_t{on_each} * spec.nodes > most)
      s.fail_at("nodes", fmt::format("'nodes' is {}, and each has {} {}: expected at most {} in all", spec.nodes,
                                     on_each, what, most));
  };
  expect_few(spec.workers.count, "workers");
  if (auto hosts = s.table("hosts")) {
    if (spec.workers.kind == worker_kind::cpu)
      s.fail_at(
          "hosts",
          "[hosts] stands beside workers.kind = \"cpu\", which are hosts themselves; leave it out, or make the workers "
          "\"accelerator\"");
    spec.hosts = read_hosts(*hosts);
    expect_few(spec.hosts->contexts, "host contexts");
  } else if (spec.workers.kind == worker_kind::accelerator) {
    s.needed_table("hosts");
  }
  if (auto dispatch = s.table("dispatch")) {
    if (spec.hosts)
      s.fail_at(
          "dispatch",
          "[dispatch] stands beside [hosts]; it is for workers.kind = \"cpu\": what reaching an accelerator takes "
          "is transfer.signal_us, what changing a host's thread takes is hosts.switch_us");
    spec.dispatch = read_dispatch(*dispatch);
  }
  if (auto store = s.table("local_store")) spec.local_store = read_local_store(*store);
  if (auto transfer = s.table("transfer")) spec.transfer = read_transfer(*transfer);
  for (section& level : s.tables("memory")) spec.memory.push_back(read_memory(level, spec.workers.count));
  for (section& link : s.tables("link")) spec.links.push_back(read_link(link, spec.links));
  check_curves(s, spec.workers.count);
  s.done();
  return spec;
}

}  // namespace maslin::machine
