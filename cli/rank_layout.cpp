#include "rank_layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/layers/loop_time.hpp"
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

/// What a team makes of loops: seconds / seconds on one worker, in the mean of those of as many blocks.
class sharing {
 public:
  sharing(const recorded_ranks& ranks, const layers::machine& m) : ranks_(ranks), m_(m) {
    for (const recorded_ranks::loop& l : ranks.loops) {
      auto& [count, seconds] = alike_[l.blocks];
      ++count;
      seconds += l.seconds;
      in_loops_ += l.seconds;
    }
  }

  /// Gives the recording with the loops of each rank on a team.
  links::recording with_teams(const rank_layout& at, const std::vector<std::uint32_t>& workers) {
    links::recording program = ranks_.program;
    if (at.width == 1) return program;
    std::map<std::pair<std::int64_t, int>, double> known;
    for (const recorded_ranks::loop& l : ranks_.loops) {
      const int near = workers_before_border(static_cast<int>(workers[l.rank]), at.width);
      const auto [to, is_new] = known.try_emplace({l.blocks, near}, 0);
      if (is_new) to->second = on_team(l.blocks, near, at.width);
      std::int64_t& ps = program.ranks[l.rank][l.deed].ps;
      ps = std::max<std::int64_t>(0, ps - std::llround(l.seconds * 1e12 * (1 - to->second)));
    }
    return program;
  }

 private:
  int workers_before_border(int first, int width) const {
    const int group = m_.workers / m_.groups;
    return std::min(width, group - first % group);
  }
  double on_team(std::int64_t blocks, int near, int width) const {
    const auto& [count, seconds] = alike_.at(blocks);
    const double each = seconds / count / m_.worker_speed;
    if (!(each > 0)) return 1;
    const double others = std::max(0.0, ranks_.computation - in_loops_) / m_.worker_speed;
    const layers::sharing_costs costs{m_.cost.signal.value,
                                      m_.cost.steal.value,
                                      m_.cost.between_groups.value,
                                      near,
                                      m_.cost.wake.value,
                                      m_.spin,
                                      others / static_cast<double>(ranks_.loops.size())};
    // One that gains nothing stays with its caller.
    return std::min(1.0, layers::loop_time({each, blocks}, width, costs) / each);
  }

  const recorded_ranks& ranks_;
  const layers::machine& m_;
  std::map<std::int64_t, std::pair<double, double>> alike_;  ///< by their blocks: how many, and their seconds
  double in_loops_ = 0;
};

}  // namespace

std::vector<rank_layout> layouts_of_ranks(const recorded_ranks& ranks, const std::string& machine,
                                          const layers::machine& m, const std::vector<rank_layout>& asked) {
  const auto workers = static_cast<std::uint32_t>(m.workers) * static_cast<std::uint32_t>(m.nodes);
  const links::network free = links::without_links(workers);
  const links::network network = m.nodes == 1 && !links::has_network(machine) ? free : links::network_of(machine);
  std::vector<rank_layout> all = asked;
  if (all.empty()) all = all_layouts(static_cast<int>(ranks.program.ranks.size()), m);
  sharing shared(ranks, m);
  progress bar("replaying", all.size());
  std::uint64_t done = 0;
  for (rank_layout& at : all) {
    const links::ranks_on where{workers_of(at, ranks.program.ranks.size(), m), m.worker_speed};
    const links::recording program = shared.with_teams(at, where.workers);
    at.seconds = 1e-12 * static_cast<double>(links::take_on(network, program, where));
    at.without_messages = 1e-12 * static_cast<double>(links::take_on(free, program, where));
    bar.at(++done);
  }
  std::sort(all.begin(), all.end(), [](const rank_layout& a, const rank_layout& b) {
    return std::tuple(a.seconds, a.nodes, a.width) < std::tuple(b.seconds, b.nodes, b.width);
  });
  return all;
}
