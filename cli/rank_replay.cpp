#include "rank_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "maslin/error.hpp"
#include "maslin/machine.hpp"
#include "model/links/deeds.hpp"
#include "model/links/network.hpp"
#include "output.hpp"
#include "replay.hpp"

using namespace maslin::links;

namespace {

struct room {
  std::uint32_t nodes, workers;  ///< of a node
};

/// Gives the ranks in an order in which those that exchange most bytes are near each other: a node is filled with the
/// rank that exchanges most with those that are there, and begun with the one that exchanges most in all.
std::vector<std::uint32_t> by_traffic(const recording& program, std::size_t of_a_node) {
  const std::size_t n = program.ranks.size();
  std::vector<std::unordered_map<std::uint32_t, std::int64_t>> with(n);
  std::vector<std::int64_t> all(n);
  for (const sent_message& m : program.messages) {
    if (m.from == m.to) continue;
    const std::int64_t weighs = m.bytes + 64;  // an empty message counts, too
    with[m.from][m.to] += weighs;
    with[m.to][m.from] += weighs;
    all[m.from] += weighs;
    all[m.to] += weighs;
  }
  std::vector<std::uint32_t> order;
  std::vector<bool> is_placed(n);
  std::vector<std::int64_t> pull(n);  // of the node that is being filled
  while (order.size() < n) {
    if (order.size() % of_a_node == 0) std::fill(pull.begin(), pull.end(), 0);
    std::size_t best = n;
    for (std::size_t r = 0; r < n; ++r)
      if (!is_placed[r] && (best == n || std::pair(pull[r], all[r]) > std::pair(pull[best], all[best]))) best = r;
    is_placed[best] = true;
    order.push_back(static_cast<std::uint32_t>(best));
    for (const auto& [other, weighs] : with[best]) pull[other] += weighs;
  }
  return order;
}

/// Gives each rank its worker. Nodes are filled one after another, or dealt to in turn (`cyclic`).
std::vector<std::uint32_t> placed(const recording& program, const room& on, const std::string& how) {
  const std::size_t n = program.ranks.size(), workers = std::size_t{on.nodes} * on.workers;
  std::vector<std::uint32_t> order(n), all(n);
  std::iota(order.begin(), order.end(), 0U);
  if (how == "traffic") order = by_traffic(program, n <= workers ? on.workers : (n + on.nodes - 1) / on.nodes);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t turn = i % workers;
    const std::size_t dealt = turn / on.nodes + turn % on.nodes * on.workers;
    all[order[i]] = static_cast<std::uint32_t>(how == "cyclic" ? dealt : n <= workers ? i : i * workers / n);
  }
  return all;
}

}  // namespace

rank_times times_of(const recorded_ranks& ranks, const rank_wishes& how) {
  const auto spec = maslin::machine::read_spec(how.machine);
  expect_workers(how.workers, spec);
  const network on = network_of(how.machine);
  const auto workers = how.workers > 0 ? static_cast<std::uint32_t>(how.workers) : on.workers;
  const bool all_nodes = workers == on.workers;
  if (how.place != "block" && !all_nodes)
    throw maslin::error(fmt::format("--place {} is for all nodes of the machine; leave --workers out", how.place));
  const std::uint32_t nodes = all_nodes ? static_cast<std::uint32_t>(spec.nodes) : 1;
  const ranks_on where{placed(ranks.program, {nodes, workers / nodes}, how.place), spec.workers.speed, how.eager_bytes};
  if (!how.placement.empty()) {
    std::string lines;
    for (const std::uint32_t worker : where.workers) lines += fmt::format("{}\n", worker / (workers / nodes));
    write_file(how.placement, lines);
  }
  const auto seconds = [&](const network& one) {
    return 1e-12 * static_cast<double>(take_on(one, ranks.program, where));
  };
  return {on.name, seconds(on), seconds(with_other_links(on, 2, 1)), seconds(with_other_links(on, 1, 0.5)),
          seconds(without_links(on.workers))};
}

nlohmann::json as_json(const recorded_ranks& ranks, const rank_wishes& how, const rank_times& times) {
  return {{"program", ranks.name},
          {"recorded_workers", ranks.workers},
          {"recorded_s", ranks.seconds},
          {"ranks", ranks.program.ranks.size()},
          {"messages", ranks.messages},
          {"message_bytes", ranks.bytes},
          {"calls_of_all", ranks.calls},
          {"longest_computation_s", ranks.longest_computation},
          {"machine", how.machine},
          {"workers", how.workers},
          {"place", how.place},
          {"eager_bytes", how.eager_bytes},
          {"seconds", times.seconds},
          {"twice_bandwidth_s", times.twice_bandwidth},
          {"half_startup_s", times.half_startup},
          {"no_links_s", times.no_links}};
}

void print(const recorded_ranks& ranks, const rank_times& times) {
  fmt::print(
      "{}: {} ranks, {} messages of {:.6g} MB in all, {} calls of all ranks; recorded on {} workers in {:.6g} s\n",
      ranks.name, ranks.program.ranks.size(), ranks.messages, static_cast<double>(ranks.bytes) * 1e-6, ranks.calls,
      ranks.workers, ranks.seconds);
  fmt::print("would take {:.6g} s on '{}'\n", times.seconds, times.machine);
  fmt::print("  {:.6g} s with links of twice the bandwidth\n", times.twice_bandwidth);
  fmt::print("  {:.6g} s with links that begin in half the time\n", times.half_startup);
  fmt::print("  {:.6g} s if messages took no time\n", times.no_links);
  fmt::print("  {:.6g} s is what the rank computes that computes most\n", ranks.longest_computation);
}
