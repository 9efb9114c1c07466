#include "model/layers/fluid.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace maslin::layers {

namespace {

struct running {
  std::size_t stream;
  int slot;
  int context;
  double left;      // turns
  double last = 0;  // and so many seconds, whoever shares the host then
  int sharing = 0;
  int busy = 0;
  double seconds = 0;  // of a turn, as things are
};

double late(const delay& team_comes, std::size_t stream, int slot, double begins) {
  return team_comes ? std::max(0.0, team_comes(stream, slot, begins)) : 0;
}

class on_hosts {
 public:
  on_hosts(std::span<const double> turns, const hosts_of& hosts, const pace& of, const delay& team_comes)
      : turns_(turns),
        hosts_(hosts),
        of_(of),
        team_comes_(team_comes),
        sharing_(static_cast<std::size_t>(hosts.contexts), 0) {}

  ending run(std::size_t slots) {
    for (int slot = 0; next_ < turns_.size() && all_.size() < slots; ++slot) begin(slot);
    begin_together();
    double now = 0;
    int last_slot = 0;
    // Each round ends the stream that is the first to end, whatever the numbers are, and begins one at most for each
    // that it ends. So there are not more rounds than streams.
    while (!all_.empty()) {
      double least = std::numeric_limits<double>::infinity();
      running* first = &all_.front();
      for (running& r : all_) {
        look_around(r);
        const double ends = r.left * r.seconds + r.last;
        if (ends >= least) continue;
        least = ends;
        first = &r;
      }
      now += least;
      for (running& r : all_) pass(r, least);
      first->left = first->last = 0;
      std::vector<int> freed;
      std::erase_if(all_, [&](const running& r) {
        if (r.left > 0 || r.last > std::max(0.0, least) * 1e-12) return false;
        --sharing_[static_cast<std::size_t>(r.context)];
        freed.push_back(r.slot);
        return true;
      });
      for (const int slot : freed)
        if (next_ < turns_.size()) begin(slot);
      if (!freed.empty()) last_slot = freed.back();
    }
    return {now, last_slot};
  }

 private:
  void begin(int slot) {
    const auto at = static_cast<std::size_t>(slot);
    const int each = hosts_.of_a_node > 0 ? hosts_.of_a_node : hosts_.contexts;
    const int first = at < hosts_.node.size() ? hosts_.node[at] * each : 0;
    int fewest = first;
    for (int c = first + 1; c < first + each; ++c)
      if (bound(c) < bound(fewest)) fewest = c;
    ++sharing_[static_cast<std::size_t>(fewest)];
    all_.push_back({next_, slot, fewest, turns_[next_], 0});
    ++next_;
  }
  int bound(int context) const {
    return sharing_[static_cast<std::size_t>(context)] + (hosts_.has_program && context == 0 ? 1 : 0);
  }

  static void pass(running& r, double seconds) {
    const double turns = r.left * r.seconds;
    if (seconds < turns * (1 - 1e-12)) {
      r.left -= seconds / r.seconds;
      return;
    }
    r.left = 0;
    r.last = std::max(0.0, r.last - (seconds - turns));
  }

  /// Those that begin together come to their host one after the other, whatever the mean pace is: one turn of each is
  /// as it comes to it. That is counted at the end, where it does not matter who has ended by then.
  void begin_together() {
    std::vector<int> before(sharing_.size(), 0);
    for (running& r : all_) {
      look_around(r);
      const turn t = of_(r.stream, r.slot, r.sharing, r.busy);
      const int place = ++before[static_cast<std::size_t>(r.context)];
      r.left = std::max(0.0, r.left - 1);
      const double started = hosts_.started_at(r.slot);
      const double sends = place * t.service +
                           (hosts_.has_program && r.context == 0 ? std::max(hosts_.program_until, started) : started);
      r.last = sends + t.away + late(team_comes_, r.stream, r.slot, sends);
    }
  }

  void look_around(running& r) {
    const int core = r.context / hosts_.threads_per_core * hosts_.threads_per_core;
    int busy = 0;
    for (int c = core; c < core + hosts_.threads_per_core && c < hosts_.contexts; ++c)
      if (c != r.context && sharing_[static_cast<std::size_t>(c)] > 0) ++busy;
    const int sharing = sharing_[static_cast<std::size_t>(r.context)];
    if (r.sharing == sharing && r.busy == busy) return;
    r.sharing = sharing;
    r.busy = busy;
    r.seconds = turn_time(of_(r.stream, r.slot, sharing, busy), sharing);
  }

  std::span<const double> turns_;
  const hosts_of& hosts_;
  const pace& of_;
  const delay& team_comes_;
  std::vector<int> sharing_;  // by context
  std::vector<running> all_;
  std::size_t next_ = 0;
};

}  // namespace

ending last_end(std::span<const double> turns, int at_a_time, const hosts_of& hosts, const pace& of,
                const delay& team_comes) {
  const auto slots = static_cast<std::size_t>(std::max(1, at_a_time));
  if (turns.empty()) return {};
  if (hosts.contexts > 0) return on_hosts(turns, hosts, of, team_comes).run(slots);
  // Nobody's pace changes: who is free first takes the next.
  std::vector<double> free;
  for (std::size_t slot = 0; slot < std::min(slots, turns.size()); ++slot)
    free.push_back(hosts.started_at(static_cast<int>(slot)));
  for (std::size_t i = 0; i < turns.size(); ++i) {
    // The first ones begin together.
    const auto first =
        i < free.size() ? free.begin() + static_cast<std::ptrdiff_t>(i) : std::min_element(free.begin(), free.end());
    const auto slot = static_cast<int>(first - free.begin());
    const turn t = of(i, slot, 1, 0);
    if (i < free.size()) *first += late(team_comes, i, slot, *first);
    *first += turns[i] * turn_time(t, 1);
  }
  const auto last = std::max_element(free.begin(), free.end());
  return {*last, static_cast<int>(last - free.begin())};
}

}  // namespace maslin::layers
