#include "model/layers/fluid.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "model/layers/equations.hpp"

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
  int running = 0;
  double seconds = 0;  // of a turn, as things are
};

double late(const delay& team_comes, std::size_t stream, int slot, double begins) {
  return team_comes ? std::max(0.0, team_comes(stream, slot, begins)) : 0;
}

/// Contexts that share a core, and the streams on them. What streams of other cores do makes no difference to them.
struct core {
  std::vector<running> all;
  double counted = 0;    // what they have done is counted until then
  double first_end = 0;  // so much later the first of them ends
  std::uint64_t looks = 0;
};

class on_hosts {
 public:
  on_hosts(std::span<const double> turns, const hosts_of& hosts, const pace& of, const delay& team_comes)
      : turns_(turns),
        hosts_(hosts),
        of_(of),
        team_comes_(team_comes),
        sharing_(static_cast<std::size_t>(hosts.contexts), 0),
        cores_(static_cast<std::size_t>((hosts.contexts + hosts.threads_per_core - 1) / hosts.threads_per_core)) {}

  ending run(std::size_t slots) {
    for (int slot = 0; next_ < turns_.size() && static_cast<std::size_t>(slot) < slots; ++slot) begin(slot);
    seen_running_ = running_;
    for (core& c : cores_) begin_together(c);
    for (core& c : cores_) look_for_end(c);
    ending last;
    // Each round ends the stream of a core that is the first to end, whatever the numbers are, and begins one at most
    // for each that it ends. A core is looked at again when one begins there or has ended.
    while (!ends_.empty()) {
      const expected_end next = ends_.top();
      ends_.pop();
      core& of = *next.where;
      if (of.all.empty() || of.looks != next.look) continue;
      const std::vector<int> freed = end_first(of, next.when);
      last = {next.when, freed.back()};
      look_for_end(of);
      for (const int slot : freed) {
        if (next_ == turns_.size()) break;
        core& to = core_of(fewest_of(slot));
        count(to, next.when - to.counted);
        to.counted = next.when;
        begin(slot);
        look_for_end(to);
      }
      if (hosts_.all_share) look_at_fewer(next.when);
    }
    return last;
  }

 private:
  struct expected_end {
    double when;
    core* where;
    std::uint64_t look;
    bool operator<(const expected_end& other) const { return when > other.when; }
  };

  core& core_of(int context) { return cores_[static_cast<std::size_t>(context / hosts_.threads_per_core)]; }

  /// Gives the context of the slot's node that fewest share.
  int fewest_of(int slot) const {
    const auto at = static_cast<std::size_t>(slot);
    const int each = hosts_.of_a_node > 0 ? hosts_.of_a_node : hosts_.contexts;
    const int first = at < hosts_.node.size() ? hosts_.node[at] * each : 0;
    int fewest = first;
    for (int c = first + 1; c < first + each; ++c)
      if (bound(c) < bound(fewest)) fewest = c;
    return fewest;
  }
  int bound(int context) const {
    return sharing_[static_cast<std::size_t>(context)] + (hosts_.has_program && context == 0 ? 1 : 0);
  }
  void begin(int slot) {
    const int context = fewest_of(slot);
    ++sharing_[static_cast<std::size_t>(context)];
    core_of(context).all.push_back({next_, slot, context, turns_[next_], 0});
    ++next_;
    ++running_;
  }

  /// Those that are left go on at another pace when noticeably fewer run.
  void look_at_fewer(double when) {
    constexpr int steps = 16;  // of many streams not each end is looked at
    if (running_ > seen_running_ - std::max(1, seen_running_ / steps)) return;
    seen_running_ = running_;
    for (core& c : cores_) {
      if (c.all.empty()) continue;
      count(c, when - c.counted);
      c.counted = when;
      look_for_end(c);
    }
  }

  /// Those that begin together come to their host one after the other, whatever the mean pace is: one turn of each is
  /// as it comes to it. That is counted at the end, where it does not matter who has ended by then.
  void begin_together(core& c) {
    std::vector<int> before(static_cast<std::size_t>(hosts_.threads_per_core), 0);
    for (running& r : c.all) {
      look_around(r);
      const turn t = of_(r.stream, r.slot, r.sharing, r.busy, seen_running_);
      const int place = ++before[static_cast<std::size_t>(r.context % hosts_.threads_per_core)];
      r.left = std::max(0.0, r.left - 1);
      const double started = hosts_.started_at(r.slot);
      const double sends = place * t.service +
                           (hosts_.has_program && r.context == 0 ? std::max(hosts_.program_until, started) : started);
      r.last = sends + t.away + late(team_comes_, r.stream, r.slot, sends);
    }
  }

  void look_for_end(core& c) {
    ++c.looks;
    if (c.all.empty()) return;
    c.first_end = std::numeric_limits<double>::infinity();
    for (running& r : c.all) {
      look_around(r);
      if (const double ends = ends_in(r); ends < c.first_end) c.first_end = ends;
    }
    ends_.push({c.counted + c.first_end, &c, c.looks});
  }
  static double ends_in(const running& r) { return r.left * r.seconds + r.last; }

  /// Gives the slots of those that end then: one at least.
  std::vector<int> end_first(core& c, double when) {
    running* first = &c.all.front();
    for (running& r : c.all)
      if (ends_in(r) < ends_in(*first)) first = &r;
    count(c, c.first_end);
    c.counted = when;
    first->left = first->last = 0;
    std::vector<int> freed;
    std::erase_if(c.all, [&](const running& r) {
      if (r.left > 0 || r.last > std::max(0.0, c.first_end) * 1e-12) return false;
      --sharing_[static_cast<std::size_t>(r.context)];
      --running_;
      freed.push_back(r.slot);
      return true;
    });
    return freed;
  }

  /// The streams of a core go on for so long.
  static void count(core& c, double seconds) {
    if (seconds == 0) return;
    for (running& r : c.all) {
      const double turns = r.left * r.seconds;
      if (seconds < turns * (1 - 1e-12)) {
        r.left -= seconds / r.seconds;
        continue;
      }
      r.left = 0;
      r.last = std::max(0.0, r.last - (seconds - turns));
    }
  }

  void look_around(running& r) {
    const int core = r.context / hosts_.threads_per_core * hosts_.threads_per_core;
    int busy = 0;
    for (int c = core; c < core + hosts_.threads_per_core && c < hosts_.contexts; ++c)
      if (c != r.context && sharing_[static_cast<std::size_t>(c)] > 0) ++busy;
    const int sharing = sharing_[static_cast<std::size_t>(r.context)];
    if (r.sharing == sharing && r.busy == busy && r.running == seen_running_) return;
    r.sharing = sharing;
    r.busy = busy;
    r.running = seen_running_;
    r.seconds = turn_time(of_(r.stream, r.slot, sharing, busy, seen_running_), sharing);
  }

  std::span<const double> turns_;
  const hosts_of& hosts_;
  const pace& of_;
  const delay& team_comes_;
  std::vector<int> sharing_;  // by context
  std::vector<core> cores_;
  std::priority_queue<expected_end> ends_;
  std::size_t next_ = 0;
  int running_ = 0;
  int seen_running_ = 0;  // when all were looked at last
};

}  // namespace

ending last_end(std::span<const double> turns, int at_a_time, const hosts_of& hosts, const pace& of,
                const delay& team_comes) {
  const auto slots = static_cast<std::size_t>(std::max(1, at_a_time));
  if (turns.empty()) return {};
  if (hosts.contexts > 0) return on_hosts(turns, hosts, of, team_comes).run(slots);
  // All go on at one pace, so who is free first takes the next, whatever the pace is.
  std::vector<double> free(std::min(slots, turns.size()));
  using slot_is_free = std::pair<double, int>;
  std::priority_queue<slot_is_free, std::vector<slot_is_free>, std::greater<>> first;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const bool begins_together = i < free.size();
    const int slot = begins_together ? static_cast<int>(i) : first.top().second;
    if (!begins_together) first.pop();
    double& here = free[static_cast<std::size_t>(slot)];
    if (begins_together) {
      here = hosts.started_at(slot);
      here += late(team_comes, i, slot, here);
    }
    here += turns[i] * turn_time(of(i, slot, 1, 0, static_cast<int>(free.size())), 1);
    first.push({here, slot});
  }
  const auto last = std::max_element(free.begin(), free.end());
  const int slot = static_cast<int>(last - free.begin());
  if (hosts.slowed_by_each <= 0) return {*last, slot};
  // The pace is that of as many as still run.
  std::sort(free.begin(), free.end());
  double when = 0, before = 0;
  auto run = static_cast<double>(free.size());
  for (const double end : free) {
    when += (end - before) * slow_down(hosts.slowed_by_each, run--);
    before = end;
  }
  return {when, slot};
}

}  // namespace maslin::layers
