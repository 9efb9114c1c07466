#include "rank_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "exec/ranks/eager.hpp"
#include "model/layers/loop_time.hpp"
#include "model/layers/prediction.hpp"
#include "model/links/network.hpp"
#include "output.hpp"

namespace layers = maslin::layers;
namespace links = maslin::links;

namespace {

/// Gives 1, 2, 3, 4, 6, 8, 12 and so on below `most`, and `most`.
std::set<int> counts_up_to(int most) {
  std::set<int> counts{most};
  for (int n = 1; n < most; n *= 2) {
    counts.insert(n);
    if (n > 1 && n + n / 2 < most) counts.insert(n + n / 2);
  }
  return counts;
}

std::vector<rank_layout> all_layouts(int ranks, const layers::machine& m) {
  std::vector<rank_layout> all;
  for (const int nodes : counts_up_to(std::min(m.nodes, ranks))) {
    const int each = (ranks + nodes - 1) / nodes;
    if ((ranks + each - 1) / each != nodes) continue;  // fewer nodes have as many ranks each
    for (const int width : counts_up_to(std::max(1, m.workers / each))) all.push_back({nodes, each, width});
  }
  return all;
}

/// The first worker of each rank's team.
std::vector<std::uint32_t> workers_of(const rank_layout& at, std::size_t ranks, const layers::machine& m) {
  std::vector<std::uint32_t> workers;
  for (std::size_t r = 0; r < ranks; ++r) {
    const int slot = static_cast<int>(r) % at.on_a_node, node = static_cast<int>(r) / at.on_a_node;
    const bool has_team = at.on_a_node * at.width <= m.workers;
    workers.push_back(static_cast<std::uint32_t>(
        node * m.workers +
        (has_team ? slot * at.width : static_cast<int>(std::int64_t{slot} * m.workers / at.on_a_node))));
  }
  return workers;
}

/// The loops of a recording, shared by workers.
class sharing {
 public:
  explicit sharing(const recorded_ranks& ranks) : ranks_(ranks) {
    for (const recorded_ranks::loop& l : ranks.loops) {
      alike& of = alike_[l.blocks];
      ++of.count;
      of.seconds += l.seconds;
      of.squares += l.seconds * l.seconds;
      in_loops_ += l.seconds;
    }
  }

  /// Gives the recording with the loops of each rank on a team of its own, or as those that `where.sharing` workers
  /// share.
  links::recording with_teams(int width, const links::ranks_on& where, const layers::machine& m) const {
    const bool helped = where.sharing > 0;
    links::recording program{{}, ranks_.program.messages, {}, ranks_.program.parts};
    std::map<std::pair<std::int64_t, int>, std::uint32_t> known;
    auto next = ranks_.loops.begin();
    for (std::uint32_t rank = 0; rank < ranks_.program.ranks.size(); ++rank) {
      const int to_border = m.workers / m.groups - static_cast<int>(where.workers[rank]) % (m.workers / m.groups);
      const std::vector<links::deed>& recorded = ranks_.program.ranks[rank];
      std::vector<links::deed>& deeds = program.ranks.emplace_back();
      for (std::size_t i = 0; i < recorded.size(); ++i) {
        std::int64_t done = 0;
        for (; next != ranks_.loops.end() && next->rank == rank && next->deed == i; ++next) {
          const auto [to, is_new] = known.try_emplace({next->blocks, m.groups > 1 ? to_border : 0}, known.size());
          if (is_new)
            program.speedups.push_back(
                speedup_of(next->blocks, to_border, helped ? static_cast<int>(where.sharing) : width, m));
          const std::int64_t before = std::clamp(picoseconds(next->before), done, recorded[i].ps);
          const std::int64_t ps = std::min(picoseconds(next->seconds), recorded[i].ps - before);
          if (before > done) deeds.push_back(links::deed::compute(before - done));
          if (helped)
            deeds.push_back({links::deed::kind::loop, to->second, ps});
          else
            deeds.push_back(
                links::deed::compute(std::llround(static_cast<double>(ps) / program.speedups[to->second].on(width))));
          done = before + ps;
        }
        if (done == 0)
          deeds.push_back(recorded[i]);
        else if (recorded[i].ps > done)
          deeds.push_back(links::deed::compute(recorded[i].ps - done));
      }
    }
    return program;
  }

  /// Gives the relative standard error of what a rank computed, because loops of as many blocks differ.
  double error_of_loops() const {
    double variance = 0;  // of all loops together, of which a rank has its part
    for (const auto& [blocks, of] : alike_) variance += std::max(0.0, of.squares - of.seconds * of.seconds / of.count);
    const auto ranks = static_cast<double>(ranks_.program.ranks.size());
    return ranks_.computation > 0 ? std::sqrt(variance * ranks) / ranks_.computation : 0;
  }

 private:
  struct alike {
    double count = 0, seconds = 0, squares = 0;
  };

  static std::int64_t picoseconds(double seconds) { return std::llround(seconds * 1e12); }

  /// In the mean of those of as many blocks. `near`: workers up to where another group begins.
  links::speedup speedup_of(std::int64_t blocks, int near, int most, const layers::machine& m) const {
    const alike& of = alike_.at(blocks);
    const double each = of.seconds / of.count / m.worker_speed;
    const double others = std::max(0.0, ranks_.computation - in_loops_) / m.worker_speed;
    links::speedup all;
    for (const int width : counts_up_to(most)) {
      const layers::sharing_costs costs{m.cost.signal.value,
                                        m.cost.steal.value,
                                        m.cost.between_groups.value,
                                        std::min(width, near),
                                        m.cost.wake.value,
                                        m.spin,
                                        others / static_cast<double>(ranks_.loops.size())};
      // One that gains nothing stays with its caller.
      const double takes = each > 0 ? layers::loop_time({each, blocks}, width, costs) : 0;
      all.points.push_back({static_cast<double>(width), takes > 0 ? std::max(1.0, each / takes) : 1});
    }
    return all;
  }

  const recorded_ranks& ranks_;
  std::map<std::int64_t, alike> alike_;  ///< by their blocks
  double in_loops_ = 0;
};

/// The costs that a team's loops depend on.
constexpr std::array costs_of_sharing{&layers::constants::signal, &layers::constants::steal, &layers::constants::wake,
                                      &layers::constants::between_groups};

}  // namespace

std::vector<std::string> unknown_to_ranks(const layers::machine& m, const std::string& machine) {
  std::vector<std::string> names = m.unknown();
  std::erase_if(names, [](const std::string& name) { return name.starts_with("hosts."); });  // ranks run on workers
  // [[route]]s say in their own words what passes between groups and nodes.
  if (links::has_routes(machine))
    std::erase_if(names, [](const std::string& name) { return name.starts_with("link"); });
  return names;
}

std::vector<rank_layout> layouts_of_ranks(const recorded_ranks& ranks, const std::string& machine,
                                          const layers::machine& m, const std::vector<rank_layout>& asked) {
  const auto workers = static_cast<std::uint32_t>(m.workers) * static_cast<std::uint32_t>(m.nodes);
  const links::network free = links::without_links(workers);
  const links::network network = m.nodes == 1 && !links::has_network(machine) ? free : links::network_of(machine);
  std::vector<rank_layout> all = asked;
  if (all.empty()) all = all_layouts(static_cast<int>(ranks.program.ranks.size()), m);
  constexpr double off = 1 + layers::error_of_descriptions;
  const links::network slower = links::with_other_links(network, 1 / off, 1),
                       later = links::with_other_links(network, 1, off);
  const sharing shared(ranks);
  progress bar("replaying", all.size());
  std::uint64_t done = 0;
  for (rank_layout& at : all) {
    links::ranks_on where{workers_of(at, ranks.program.ranks.size(), m), m.worker_speed,
                          maslin::eager_bytes_in_a_process};
    // One process has all ranks of one node, and who waits helps the others. Those of other nodes have one each.
    if (at.nodes == 1) where.sharing = static_cast<std::uint32_t>(std::min(at.on_a_node * at.width, m.workers));
    const auto seconds = [&where](const links::network& on, const links::recording& program) {
      return 1e-12 * static_cast<double>(links::take_on(on, program, where));
    };
    const links::recording program = shared.with_teams(at.width, where, m);
    at.seconds = seconds(network, program);
    at.without_messages = seconds(free, program);
    std::vector<double> errors{layers::error_of_the_model * at.seconds, shared.error_of_loops() * at.without_messages};
    if (!network.hops.empty())
      for (const links::network* const other : {&slower, &later})
        errors.push_back(seconds(*other, program) - at.seconds);
    for (const auto cost : costs_of_sharing) {
      layers::machine moved = m;
      (moved.cost.*cost).value += (m.cost.*cost).error;
      if ((at.width > 1 || where.sharing > 1) && (m.cost.*cost).error > 0)
        errors.push_back(seconds(network, shared.with_teams(at.width, where, moved)) - at.seconds);
    }
    at.error = std::sqrt(std::inner_product(errors.begin(), errors.end(), errors.begin(), 0.0));
    bar.at(++done);
  }
  std::sort(all.begin(), all.end(), [](const rank_layout& a, const rank_layout& b) {
    return std::tuple(a.seconds, a.nodes, a.width) < std::tuple(b.seconds, b.nodes, b.width);
  });
  return all;
}
