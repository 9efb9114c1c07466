// Reads described machines. Every complaint names file, line and column.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "machine/routes.hpp"
#include "machine/section.hpp"
#include "maslin/error.hpp"
#include "maslin/machine.hpp"

namespace maslin::machine {

namespace {

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
  l.bytes = s.whole("bytes", a_store);
  if (s.has("code_bytes")) l.code_bytes = s.whole("code_bytes", a_size);
  const auto least = static_cast<std::int64_t>(a_store.least);
  if (l.code_bytes && *l.code_bytes > l.bytes - least)
    s.fail_at("code_bytes", fmt::format("'local_store.code_bytes' is {} of {}; expected to leave {} for data",
                                        *l.code_bytes, l.bytes, least));
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
    const bool on_nodes = one.one_of("placement", {"worker", "workers", "processes", "nodes"}) == 3;
    const int ranks = one.count("ranks");
    if (ranks < 2) one.fail_at("ranks", "'messages.ranks' is 1; expected 2 or more");
    if (one.has("on_a_node")) {
      const int each = one.count("on_a_node");
      if (!on_nodes) one.fail_at("on_a_node", "'messages.on_a_node' is for placement \"nodes\"; leave it out");
      if (ranks % each != 0 || ranks == each)
        one.fail_at("on_a_node", fmt::format("'messages.on_a_node' is {}; expected that {} ranks divide among two "
                                             "nodes or more, as many on each",
                                             each, ranks));
    }
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
  if (spec.local_store && spec.local_store->code_bytes && !spec.hosts)
    s.fail_at(
        "local_store",
        "'local_store.code_bytes' is said for workers.kind = \"cpu\", which have one version of the code and do not "
        "wait for it; leave it out, or make the workers \"accelerator\"");
  if (auto transfer = s.table("transfer")) spec.transfer = read_transfer(*transfer);
  if (spec.local_store && spec.local_store->code_bytes && !spec.transfer)
    s.fail_at("local_store",
              "'local_store.code_bytes' is said, and nothing says how fast code comes to a worker; add [transfer] with "
              "bandwidth_gb_per_s, or leave it out");
  for (section& level : s.tables("memory")) spec.memory.push_back(read_memory(level, spec.workers.count));
  for (section& link : s.tables("link")) spec.links.push_back(read_link(link, spec.links));
  check_curves(s, spec.workers.count);
  check_routes(s, spec.nodes, spec.workers.count);
  s.done();
  return spec;
}

}  // namespace maslin::machine
