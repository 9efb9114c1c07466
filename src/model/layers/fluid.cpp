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

class on_hosts {
 public:
  on_hosts(std::span<const double> turns, const hosts_of& hosts, const pace& of)
      : turns_(turns), hosts_(hosts), of_(of), sharing_(static_cast<std::size_t>(hosts.contexts), 0) {}

  double run(std::size_t slots) {
    for (int slot = 0; next_ < turns_.size() && all_.size() < slots; ++slot) begin(slot);
    begin_together();
    double now = 0;
    while (!all_.empty()) {
      double least = std::numeric_limits<double>::infinity();
      for (running& r : all_) {
        look_around(r);
        least = std::min(least, r.left * r.seconds + r.last);
      }
      now += least;
      for (running& r : all_) pass(r, least);
      std::vector<int> freed;
      std::erase_if(all_, [&](const running& r) {
        if (r.left > 0 || r.last > least * 1e-12) return false;
        --sharing_[static_cast<std::size_t>(r.context)];
        freed.push_back(r.slot);
        return true;
      });
      for (const int slot : freed)
        if (next_ < turns_.size()) begin(slot);
    }
    return now;
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
      const auto at = static_cast<std::size_t>(r.slot);
      const double started = at < hosts_.started.size() ? hosts_.started[at] : 0;
      r.last = place * t.service + t.away +
               (hosts_.has_program && r.context == 0 ? std::max(hosts_.program_until, started) : started);
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
  std::vector<int> sharing_;  // by context
  std::vector<running> all_;
  std::size_t next_ = 0;
};

}  // namespace

double last_end(std::span<const double> turns, int at_a_time, const hosts_of& hosts, const pace& of) {
  const auto slots = static_cast<std::size_t>(std::max(1, at_a_time));
  if (turns.empty()) return 0;
  if (hosts.contexts > 0) return on_hosts(turns, hosts, of).run(slots);
  // Nobody's pace changes: who is free first takes the next.
  std::vector<double> free(std::min(slots, turns.size()), 0.0);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto first = std::min_element(free.begin(), free.end());
    *first += turns[i] * turn_time(of(i, static_cast<int>(first - free.begin()), 1, 0), 1);
  }
  return *std::max_element(free.begin(), free.end());
}

}  // namespace maslin::layers
