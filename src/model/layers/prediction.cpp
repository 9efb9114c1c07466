#include "model/layers/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "model/layers/communication.hpp"
#include "model/layers/fluid.hpp"
#include "model/layers/phase_word.hpp"

namespace maslin::layers {

namespace {

/// The workers, contexts and streams of one node, or of all nodes where one process spans them.
struct place {
  int slots = 1;  ///< streams at a time
  int contexts = 0;
  int told = 1;      ///< workers of a process
  int team_stride;   ///< workers from the first of one process to that of the next
  int streams_each;  ///< at a time, of a process
};

place place_of(const machine& m, const layout& at, ranks_are ranks) {
  if (ranks == ranks_are::processes) {
    const int each = m.workers / at.on_a_node;
    return {at.on_a_node * at.streams, m.contexts, each, each, at.streams};
  }
  return {at.streams, m.contexts * m.nodes, m.workers * m.nodes, 0, at.streams};
}

alike_loops part_of(alike_loops l, int parts) {
  l.blocks = std::max<std::int64_t>(1, (l.blocks + parts - 1) / parts);
  for (double* of_all : {&l.seconds, &l.bytes_in, &l.bytes_out, &l.bytes_moved}) *of_all /= parts;
  return l;
}

/// One of `parts` ranks that divide the loops of a stream.
stream divided(stream s, int parts) {
  for (auto* all : {&s.in_kernel, &s.own})
    for (alike_loops& l : *all) l = part_of(l, parts);
  return s;
}

/// Streams, of which all may be alike: then one stands for all.
struct streams_here {
  std::vector<stream> kinds;
  std::size_t count = 0;

  std::size_t kind(std::size_t of) const { return kinds.size() == count ? of : 0; }
  double alike() const { return static_cast<double>(count) / static_cast<double>(kinds.size()); }
};

/// Gives the streams that run at the place.
streams_here streams_at(const phase_run& run, const layout& at, ranks_are ranks) {
  const auto count = static_cast<int>(run.streams.size());
  if (ranks == ranks_are::streams && count == 1)
    return {{divided(run.streams.front(), at.streams)}, static_cast<std::size_t>(at.streams)};
  if (ranks != ranks_are::processes || at.ranks == 1) return {run.streams, run.streams.size()};
  std::vector<stream> here;
  if (count < at.ranks) {  // several ranks to a stream
    const int parts = std::max(1, at.ranks / std::max(1, count));
    for (int r = 0; r < at.on_a_node; ++r)
      here.push_back(divided(run.streams[static_cast<std::size_t>(r % std::max(1, count))], parts));
    return {here, here.size()};
  }
  // The ranks of one node, the first of which have one more where that does not come out even; dealt in turn.
  for (int i = 0; i < count; ++i)
    if (i % at.ranks < at.on_a_node) here.push_back(run.streams[static_cast<std::size_t>(i)]);
  return {here, here.size()};
}

terms scaled(terms t, double by) {
  for (double* one :
       {&t.host, &t.host_overhead, &t.parallel, &t.serial, &t.accelerator_overhead, &t.waiting, &t.communication})
    *one *= by;
  return t;
}

/// Gives how many workers have something to do in such a loop.
int takers_of(const alike_loops& l, int width) { return static_cast<int>(std::min<std::int64_t>(width, l.blocks)); }

/// Gives how long such loops, which compute so long, take each of `takers` workers for a block, if they say what they
/// move: they compute, or move. So many `others` move for that share of their time.
std::optional<paced_blocks> paced_by(const copy_engines& e, const alike_loops& l, double computes, int takers,
                                     int others = 0, double share = 0) {
  if (e.worker <= 0 || l.bytes_moved <= 0) return std::nullopt;
  const double blocks = static_cast<double>(l.count) * static_cast<double>(l.blocks);
  return paced(e, {computes / blocks, l.bytes_moved / blocks}, e.rate(takers, others, share));
}

/// Gives what such loops take on one worker, or together on several, of which each waits for its last block.
double taken_by(const alike_loops& l, const paced_blocks& each, int takers) {
  return static_cast<double>(l.count) * (static_cast<double>(l.blocks) * each.each + takers * each.last);
}

/// What one stream takes on a team, in all its turns. A turn is an off-load; or a loop, where the host is the master.
struct worked {
  double turns = 1;
  double host = 0;      // before α
  double telling = 0;   // the team, by a host
  double kernel = 0;    // on the team: Tp/l + Ts with what sharing costs
  double parallel = 0;  // Tp/l
  double serial = 0;    // before α, where it is a host's
  double overhead = 0;  // of the team
  double moves = 0;     // for so long a worker's engine moves what loops say
  double variation = 0;
};

class one_run {
 public:
  one_run(const machine& m, const layout& at, const neighbours& slowed_by, const wishes& w, loop_master master)
      : m_(m),
        at_(at),
        slowed_by_(slowed_by),
        w_(w),
        is_hosts_(master == loop_master::host),
        at_place_(place_of(m, at, w.ranks)),
        hosts_{.contexts = at_place_.contexts,
               .of_a_node = m.contexts,
               .threads_per_core = m.threads_per_core,
               .has_program = w.ranks != ranks_are::processes} {}

  terms of(const phase_run& run) const {
    const streams_here streams = streams_at(run, at_, w_.ranks);
    if (streams.count == 0) return {};
    const int at_a_time = std::min<int>(at_place_.slots, static_cast<int>(streams.count));
    const load memory = memory_of(streams, at_a_time);
    std::map<int, load> loads;  // by how many streams run
    const auto load_at = [&](int running) {
      const auto [at, is_new] = loads.try_emplace(running);
      if (is_new) at->second = load_of(streams, memory, running);
      return at->second;
    };
    // What streams take, by how many run and where teams are divided.
    std::map<std::pair<int, border>, std::vector<std::optional<worked>>> known;
    const auto work_at = [&](std::size_t kind, border where, int running) -> const worked& {
      auto& all = known[{running, where}];
      all.resize(streams.kinds.size());
      if (!all[kind]) all[kind] = work_of(streams.kinds[kind], where, load_at(running));
      return *all[kind];
    };
    border widest = border_of(0);
    for (int slot = 1; slot < at_a_time; ++slot) widest = std::max(widest, border_of(slot));
    std::vector<worked> usual;
    for (std::size_t kind = 0; kind < streams.kinds.size(); ++kind) usual.push_back(work_at(kind, widest, at_a_time));
    const double slowed_by_each = slowed_by_each_stream(usual);
    std::vector<double> turns;
    for (std::size_t i = 0; i < streams.count; ++i) turns.push_back(usual[streams.kind(i)].turns);
    const bool hosts = m_.has_hosts();
    const auto of_slot = [&](std::size_t i, int slot, int running) -> const worked& {
      return work_at(streams.kind(i), border_of(slot), running);
    };
    const auto turn_there = [&](std::size_t i, int slot, int sharing, int busy, int running) {
      return turn_of(of_slot(i, slot, running), sharing, busy);
    };
    const phase_word word(m_, at_place_.told, std::min(at_a_time, at_place_.streams_each), at_.width);
    const double all_told = word.all();
    hosts_of where = hosts_;
    where.program_until = all_told;
    where.slowed_by_each = slowed_by_each;
    where.all_share = copies_something(streams);
    for (int slot = 0; slot < at_a_time; ++slot) {
      const int leader = first_of_process(slot);
      where.node.push_back(node_of(slot));
      where.started.push_back(!hosts && leader == 0 ? all_told : word.at(leader));
    }
    const auto team_comes = [&](std::size_t i, int slot, double kernel_begins) {
      return at_.width == 1 ? 0
                            : waits_for_team(streams.kinds[streams.kind(i)], of_slot(i, slot, at_a_time), slot,
                                             load_at(at_a_time), kernel_begins, word);
    };
    const ending last = last_end(turns, at_a_time, where, turn_there, team_comes);
    const double over = word.that_it_is_over(first_of_process(last.slot), last.when);
    const double end = std::max(all_told, last.when + over + word_to_program(word, last.slot));
    terms by = scaled(spent(usual, at_a_time), streams.alike() * slow_down(slowed_by_each, at_a_time));
    by.host_overhead += (hosts ? 0 : all_told) + over;
    by.waiting = std::max(0.0, end - by.sum());
    if (by.sum() > end) by = scaled(by, end / by.sum());
    by.communication += communication();
    return by;
  }

  /// Gives what the equations alone say.
  double idealised(const phase_run& run) const {
    const streams_here streams = streams_at(run, at_, w_.ranks);
    const int at_a_time = std::min<int>(at_place_.slots, static_cast<int>(streams.count));
    double sum = 0;
    for (const stream& s : streams.kinds) {
      const auto kernels = static_cast<double>(std::max<std::int64_t>(1, s.kernels));
      const double compute = kernel_time(s.parallel(), s.serial, at_.width) / m_.worker_speed;
      if (!m_.has_hosts()) {
        sum += s.host / m_.worker_speed + compute;
        continue;
      }
      const double sharing = static_cast<double>(at_a_time) / at_place_.contexts;
      terms t;
      t.host = slow_down(m_.cost.contention.value, sharing) * s.host / m_.host_speed;
      t.host_overhead = kernels * host_overhead(at_.width, m_.cost.signal.value, at_a_time, at_place_.contexts,
                                                m_.cost.context_switch.value);
      t.parallel = compute;
      double transfers = 0;
      const load all_move{1, 1, at_a_time, 1};
      for (const alike_loops& l : s.in_kernel)
        if (l.count > 0)
          transfers += static_cast<double>(l.count) * copies_of(l, l.seconds / m_.worker_speed, all_move) +
                       (taken(l, all_move) - computed(l, all_move)) / takers_of(l, at_.width);
      t.accelerator_overhead = kernels * accelerator_overhead(0, m_.cost.signal.value, 0, transfers / kernels);
      sum += t.sum();
    }
    return (streams.count == 0 ? 0 : sum * streams.alike() / at_a_time) + communication();
  }

 private:
  /// What teams share with each other at the time.
  struct load {
    double loops = 1, serial = 1;  // memory makes these take so many times as long (a saturation curve)
    int teams = 1;                 // that run
    double others_move = 0;        // a part of their time, what their loops say
  };
  load memory_of(const streams_here& streams, int teams) const {
    const auto& curve = m_.measured_curves.saturation;
    const double alone = curve.empty() ? 0 : interpolate(curve, 1).value;
    if (w_.memory_traffic <= 0 || !(alone > 0) || teams * at_.width <= 1) return {};
    const double part = std::min(1.0, w_.memory_traffic / alone);
    const auto slower_by = [&](double workers) {
      const double all = interpolate(curve, workers).value;
      return all > 0 ? 1 + part * (std::max(1.0, workers * alone / all) - 1) : 1;
    };
    if (w_.loops_share <= 0) {
      const double all_busy = slower_by(teams * at_.width);
      return {all_busy, all_busy};
    }
    // A team that is in a loop meets those others that are in theirs, for so much of their time as these take.
    const double in_loops = w_.loops_share / at_.width, others = 1 - w_.loops_share;
    double slower = 1;
    constexpr int enough = 50;
    for (int i = 0; i < enough; ++i)
      slower = slower_by(at_.width * (1 + (teams - 1) * in_loops * slower / (others + in_loops * slower)));
    double loops = 0, all = 0;
    for (const stream& s : streams.kinds) {
      loops += s.parallel();
      all += s.seconds();
    }
    // Some loops may move nothing.
    const double moving = loops > 0 ? std::min(1.0, w_.loops_share * all / loops) : 0;
    return {1 + moving * (slower - 1), 1};
  }

  bool copies_something(const streams_here& streams) const {
    const auto copies = [](const alike_loops& l) { return l.bytes_in + l.bytes_out + l.bytes_moved > 0; };
    return m_.engines.worker > 0 && std::any_of(streams.kinds.begin(), streams.kinds.end(), [&](const stream& s) {
             return std::any_of(s.in_kernel.begin(), s.in_kernel.end(), copies) ||
                    std::any_of(s.own.begin(), s.own.end(), copies);
           });
  }

  /// Gives the load where so many streams run: the more of its time a team moves, the longer others take to do so.
  load load_of(const streams_here& streams, load memory, int running) const {
    load with = memory;
    with.teams = running;
    if (running <= 1 || !copies_something(streams)) return with;
    const bool hosts = m_.has_hosts();
    const int sharing = hosts ? (running + at_place_.contexts - 1) / at_place_.contexts : 1;
    const int busy = hosts ? m_.threads_per_core - 1 : 0;
    with.others_move = 1;
    constexpr int enough = 10;
    constexpr std::size_t looked_at = 16;
    const std::size_t apart = (streams.kinds.size() + looked_at - 1) / looked_at;
    for (int i = 0; i < enough; ++i) {
      double moves = 0, takes = 0;
      for (std::size_t kind = 0; kind < streams.kinds.size(); kind += apart) {
        const worked one = work_of(streams.kinds[kind], {at_.width, false}, with);
        moves += one.moves;
        takes += one.turns * turn_time(turn_of(one, sharing, busy), sharing);
      }
      with.others_move = (with.others_move + (takes > 0 ? std::min(1.0, moves / takes) : 0)) / 2;
    }
    return with;
  }

  std::optional<paced_blocks> paced_in(const alike_loops& l, load with) const {
    const int takers = takers_of(l, at_.width);
    return paced_by(m_.engines, l, computed(l, with), takers, (with.teams - 1) * takers, with.others_move);
  }

  /// Gives what loops of that kind take on one worker, or together on several: they compute, or move.
  double taken(const alike_loops& l, load with) const {
    const std::optional<paced_blocks> each = paced_in(l, with);
    return each ? taken_by(l, *each, takers_of(l, at_.width)) : computed(l, with);
  }

  /// Gives what loops of that kind compute, on one worker or together on several, each of which slows the others.
  double computed(const alike_loops& l, load with) const {
    return l.seconds * with.loops * slow_down(slowed_by_.loops, takers_of(l, at_.width)) / m_.worker_speed;
  }

  /// Gives how much longer streams take for each other that runs at the time, as a part of what they take: so many of
  /// its team compute in the mean.
  double slowed_by_each_stream(const std::vector<worked>& all) const {
    double code = 0, loops = 0, busy = 0;
    for (const worked& one : all) {
      code += one.host + one.serial;
      loops += one.kernel - one.serial;
      busy += one.host + one.serial + one.parallel * at_.width;
    }
    if (code + loops <= 0) return 0;
    const double in_loops = loops / slow_down(slowed_by_.loops, at_.width);
    return busy * (slowed_by_.code * code + slowed_by_.loops * in_loops) / ((code + loops) * (code + loops));
  }

  int process_of(int slot) const { return slot / std::max(1, at_place_.streams_each); }
  int first_of_process(int slot) const { return (slot - process_of(slot) * at_place_.streams_each) * at_.width; }
  int first_worker(int slot) const { return process_of(slot) * at_place_.team_stride + first_of_process(slot); }
  /// Gives the node of a slot, among those that a process spans.
  int node_of(int slot) const { return w_.ranks == ranks_are::processes ? 0 : first_worker(slot) / m_.workers; }
  /// Where a team comes to the end of a group, or of a node: its workers before that (all, if it does not), and whether
  /// it is the end of a node.
  using border = std::pair<int, bool>;
  border border_of(int slot) const {
    const int first = first_worker(slot);
    const int group = m_.workers / m_.groups;
    const int left = group - first % group;
    if (left >= at_.width) return {at_.width, false};
    return {left, (first + left) % m_.workers == 0};
  }

  sharing_costs costs_at(border where, const stream& of) const {
    double crossing = (where.second ? m_.cost.between_nodes : m_.cost.between_groups).value;
    if (is_hosts_ && !where.second) crossing = 0;  // a host is near all groups of its node
    return {m_.cost.signal.value, m_.cost.steal.value, crossing, where.first, m_.cost.wake.value, m_.spin,
            between_loops(of)};
  }

  /// How long a team has no work between two loops of the stream.
  double between_loops(const stream& s) const {
    const bool hosts = m_.has_hosts();
    std::int64_t loops = 0;
    double others =
        s.host / (hosts ? m_.host_speed : m_.worker_speed) + s.serial / (is_hosts_ ? m_.host_speed : m_.worker_speed);
    for (const alike_loops& l : s.in_kernel) loops += l.count;
    for (const alike_loops& l : s.own) {
      if (hosts)
        others += l.seconds / m_.host_speed;
      else
        loops += l.count;
    }
    return loops > 0 ? others / static_cast<double>(loops) : 0;
  }

  /// What it takes to tell the program that the last stream has ended in that slot.
  double word_to_program(const phase_word& word, int slot) const {
    const int worker = first_of_process(slot);
    if (m_.has_hosts()) return word.between(worker, 0);
    return worker == 0 ? 0 : m_.cost.signal.value + word.between(worker, 0) + m_.cost.wake.value;
  }

  /// Gives how much longer a stream takes whose first kernel (without hosts: itself) begins then, because workers of
  /// its team have no word yet that the phase has begun. As long as word is on its way to a worker its team does not
  /// wake it. Less than 0 where sharing does not pay: then a team that is smaller for a while is faster.
  double waits_for_team(const stream& s, const worked& usual, int slot, load with, double begins,
                        const phase_word& word) const {
    const int leader = first_of_process(slot), end = leader + at_.width;
    const double all_know = word.at(end - 1);
    if (all_know <= begins) return 0;
    const sharing_costs costs = costs_at(border_of(slot), s);
    struct loops_of_turn {
      shared_loop each;
      double count;   // of a turn
      double of_all;  // what one takes when all know
    };
    std::int64_t most = 1;
    for (const alike_loops& l : s.in_kernel) most = std::max(most, l.count);
    if (!m_.has_hosts())
      for (const alike_loops& l : s.own) most = std::max(most, l.count);
    const auto turns = static_cast<double>(s.kernels > 0 ? s.kernels : most);
    std::vector<loops_of_turn> loops;
    const auto add = [&](const std::vector<alike_loops>& all) {
      for (const alike_loops& l : all) {
        if (l.count == 0) continue;
        const auto count = static_cast<double>(l.count);
        if (is_hosts_ && l.blocks == 1) continue;
        const shared_loop each{taken(l, with) / count, l.blocks};
        loops.push_back({each, count / turns, takes_team(each, costs)});
      }
    };
    add(s.in_kernel);
    if (!m_.has_hosts()) add(s.own);
    // A host has told the team by then.
    if (is_hosts_) begins = std::max(0.0, begins - usual.telling / usual.turns);
    const auto turn_from = [&](double begin) {
      double now = begin + (is_hosts_ ? 0 : usual.serial / turns);
      for (const loops_of_turn& l : loops) {
        constexpr double enough = 16;
        const auto looked_at = static_cast<int>(std::clamp(std::round(l.count), 1.0, enough));
        for (int k = 0; k < looked_at; ++k) {
          double takes = l.of_all;
          if (now < all_know)
            takes = takes_team(l.each, costs, {word.first_without(leader + 1, end, now) - leader, [&](int i) {
                                                 return word.at(leader + i) - now;
                                               }});
          now += l.count / looked_at * takes;
        }
      }
      return now - begin;
    };
    const double of_all = turn_from(all_know);
    const double signals = m_.has_hosts() && !is_hosts_ ? 2 * m_.cost.signal.value : 0;
    const double between = on_host(usual) / turns + signals;
    double now = m_.has_hosts() ? begins : begins + between, longer = 0, left = turns;
    // Turns that end before the next worker comes are alike. After them less than a turn is left until then, so the
    // turn that follows has it: there are two rounds at most for each worker. Each takes one of the turns at least.
    // One worker more in a team of many is not looked at by itself: each step adds a sixteenth.
    constexpr int steps_a_team = 16;
    while (left >= 1 && now < all_know) {
      const double takes = turn_from(now);
      const int without = word.first_without(leader + 1, end, now);
      const double next = word.at(std::min(end - 1, without + (without - leader) / steps_a_team));
      if (takes + between <= 0) break;
      const double alike = std::clamp(std::floor((next - now) / (takes + between)), 1.0, left);
      longer += alike * (takes - of_all);
      now += alike * (takes + between);
      left -= alike;
    }
    return longer;
  }

  /// Gives what a stream computes on its host, before α.
  double on_host(const worked& one) const { return one.host + (is_hosts_ ? one.serial : 0); }

  /// Gives the seconds from a loop's call to its end.
  double takes_team(const shared_loop& l, const sharing_costs& costs, const coming_workers& comes = {}) const {
    return is_hosts_ ? host_gives_out(l, at_.width, costs, comes).done : loop_time(l, at_.width, costs, comes);
  }

  worked work_of(const stream& s, border where, load with) const {
    worked all;
    double given = 0;
    const bool hosts = m_.has_hosts();
    const sharing_costs costs = costs_at(where, s);
    const auto run = [&](const std::vector<alike_loops>& loops) {
      for (const alike_loops& l : loops) {
        if (l.count == 0) continue;
        const auto count = static_cast<double>(l.count);
        if (is_hosts_ && l.blocks == 1) {  // nothing is given out
          all.host += l.seconds / m_.host_speed;
          continue;
        }
        const double computes = computed(l, with), alone = taken(l, with);
        const double of_each = computes / takers_of(l, at_.width);
        if (const auto each = paced_in(l, with))
          all.moves += count * static_cast<double>(l.blocks) * each->moves / takers_of(l, at_.width);
        if (is_hosts_) {
          const given_out loop = host_gives_out({alone / count, l.blocks}, at_.width, costs);
          const double waits = count * (loop.done - loop.told);
          given += count;
          all.telling += count * loop.told;
          all.kernel += waits;
          all.parallel += std::min(waits, of_each);
          all.overhead += std::max(0.0, waits - of_each);
          continue;
        }
        const double takes =
            count * (loop_time({alone / count, l.blocks}, at_.width, costs) + copies_of(l, alone, with));
        all.kernel += takes;
        all.parallel += of_each;
        all.overhead += takes - of_each;
      }
    };
    run(s.in_kernel);
    all.serial = s.serial * with.serial / (is_hosts_ ? m_.host_speed : m_.worker_speed);
    if (!is_hosts_) all.kernel += all.serial;
    all.host += s.host / (hosts ? m_.host_speed : m_.worker_speed);
    if (hosts)  // a loop of a stream's own is its host's
      for (const alike_loops& l : s.own) all.host += l.seconds / m_.host_speed;
    else
      run(s.own);
    all.turns = hosts ? std::max({1.0, static_cast<double>(s.kernels), given}) : 1;
    all.variation = variation(s);
    return all;
  }

  /// Gives what copies of one of such loops, which compute so long alone, take a team longer.
  double copies_of(const alike_loops& l, double alone, load with) const {
    const double blocks = static_cast<double>(l.count) * static_cast<double>(l.blocks);
    const copied_blocks each{std::max(1.0, static_cast<double>(l.blocks) / at_.width), alone / blocks,
                             l.bytes_in / blocks, l.bytes_out / blocks};
    return not_hidden(m_.engines, each, at_.width, with.teams * at_.width);
  }

  /// Gives the standard deviation of a stream's turns / their mean.
  static double variation(const stream& s) {
    if (s.kernels < 2) return 0;
    const auto n = static_cast<double>(s.kernels);
    double kernels = s.serial;
    for (const alike_loops& l : s.in_kernel) kernels += l.seconds;
    const double mean = (s.host + kernels) / n;
    const double squares = (s.host_squares + s.kernel_squares) / n;
    const double of_means = (s.host / n) * (s.host / n) + (kernels / n) * (kernels / n);
    return mean > 0 ? std::sqrt(std::max(0.0, squares - of_means)) / mean : 0;
  }

  double alpha(double sharing, double busy) const {
    return slow_down(m_.cost.contention.value, sharing) * (1 + m_.cost.smt.value * busy);
  }

  double service(const worked& one, int sharing, int busy) const {
    return alpha(sharing, busy) * one.host / one.turns + m_.cost.signal.value +
           (sharing > 1 ? m_.cost.context_switch.value : 0);
  }

  /// A turn of a stream whose host is the master. As long as it waits for a loop it is away from its hardware thread,
  /// and slows nobody down. Streams that began together and take equally long are away at the same times; the more
  /// their turns vary, and the more there have been, the less one knows of where the others are.
  turn turn_of_master(const worked& one, int sharing, int busy) const {
    const double fixed = one.telling / one.turns + (sharing > 1 ? m_.cost.context_switch.value : 0);
    const double apart = std::min(1.0, one.variation * std::sqrt(one.turns));
    turn t{0, one.kernel / one.turns, one.variation, 0};
    double others_present = 1, neighbour_present = 1;
    constexpr int enough = 12;  // who is slower is there for longer
    for (int i = 0; i < enough; ++i) {
      t.service =
          alpha(1 + (sharing - 1) * others_present, busy * neighbour_present) * on_host(one) / one.turns + fixed;
      const double cycle = turn_time(t, sharing);
      if (cycle <= 0) break;
      others_present = 1 - apart * t.away / cycle;
      neighbour_present = 1 - apart * (1 - std::min(1.0, sharing * t.service / cycle));
    }
    return t;
  }

  /// Gives one turn of a stream while so many threads share its hardware thread, and so many of the core are busy.
  turn turn_of(const worked& one, int sharing, int busy) const {
    if (!m_.has_hosts()) return {0, (one.host + one.kernel) / one.turns, 0, 0};
    if (is_hosts_) return turn_of_master(one, sharing, busy);
    return {service(one, sharing, busy), one.kernel / one.turns + m_.cost.signal.value, one.variation,
            sharing > 1 ? m_.cost.context_switch.value : 0};
  }

  /// What the streams take, by what for, as if they were dealt out evenly.
  terms spent(const std::vector<worked>& all, int at_a_time) const {
    terms by;
    const int sharing = m_.has_hosts() ? (at_a_time + at_place_.contexts - 1) / at_place_.contexts : 1;
    const int busy = m_.has_hosts() && at_a_time > 1 ? m_.threads_per_core - 1 : 0;
    for (const worked& one : all) {
      const double turns = m_.has_hosts() ? one.turns : 0;
      const double slower = m_.has_hosts() ? alpha(sharing, busy) : 1;
      const double signals = is_hosts_ ? 0 : turns * m_.cost.signal.value;
      by.host += slower * one.host;
      by.host_overhead += one.telling + signals + turns * (sharing > 1 ? m_.cost.context_switch.value : 0);
      by.parallel += one.parallel;
      by.serial += (is_hosts_ ? slower : 1) * one.serial;
      by.accelerator_overhead += one.overhead + signals;
    }
    return scaled(by, 1.0 / at_a_time);
  }

  double communication() const {
    if (w_.ranks == ranks_are::none) return 0;
    const bool processes = w_.ranks == ranks_are::processes;
    const int on_a_node = processes ? at_.on_a_node : std::clamp(m_.workers / at_.width, 1, at_.streams);
    const job j{processes ? at_.ranks : at_.streams, on_a_node, processes ? placement::processes : placement::workers};
    return static_cast<double>(w_.sends.count) * send_time(m_, j, w_.sends.bytes) +
           static_cast<double>(w_.all_reduces.count) * all_reduce_time(m_, j, w_.all_reduces.bytes);
  }

  const machine& m_;
  const layout& at_;
  const neighbours& slowed_by_;
  const wishes& w_;
  const bool is_hosts_;  // the master of loops is the host
  const place at_place_;
  const hosts_of hosts_;
};

constexpr std::size_t most_runs = 200;  ///< of a phase that are looked at; the others are taken to be like these

template <class Seconds>
double over_runs(const phase& p, Seconds&& seconds_of) {
  const std::size_t apart = (p.runs.size() + most_runs - 1) / most_runs;
  double sum = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < p.runs.size(); i += apart, ++seen) sum += seconds_of(p.runs[i]);
  return seen ? sum * static_cast<double>(p.runs.size()) / static_cast<double>(seen) : 0;
}

/// Gives the part of a run's off-loads that are sent to workers although the host is the master of loops: the first of
/// each stream that begins with it. Nobody knows yet that they share loops.
double sent_first(const phase_run& run, const layout& at) {
  std::int64_t kernels = 0;
  for (const stream& s : run.streams) kernels += s.kernels;
  const std::int64_t at_a_time = std::int64_t{at.ranks} * at.streams;
  return std::min(1.0, static_cast<double>(at_a_time) / static_cast<double>(std::max<std::int64_t>(1, kernels)));
}

terms all_runs(const phase& p, const neighbours& slowed_by, const machine& m, const layout& at, const wishes& w,
               loop_master master) {
  const one_run one(m, at, slowed_by, w, master);
  terms by;
  const double seconds = over_runs(p, [&](const phase_run& run) {
    const terms t = one.of(run);
    by += t;
    return t.sum();
  });
  if (by.sum() > 0) by = scaled(by, seconds / by.sum());
  if (master == loop_master::worker || p.runs.empty()) return by;
  const double part = sent_first(p.runs.front(), at);
  by += scaled(one_run(m, at, slowed_by, w, loop_master::worker).of(p.runs.front()), part);
  by += scaled(one.of(p.runs.front()), -part);
  return by;
}

/// May a host be the master of the loops?
bool may_have_host(const phase& p, const machine& m, const layout& at) {
  if (!m.has_hosts() || at.width == 1) return false;
  bool is_any_shared = false;
  for (const phase_run& run : p.runs)
    for (const stream& s : run.streams) {
      if (s.kernels_have_tasks) return false;
      is_any_shared = is_any_shared || std::any_of(s.in_kernel.begin(), s.in_kernel.end(),
                                                   [](const alike_loops& l) { return l.blocks > 1; });
    }
  return is_any_shared;
}

/// Gives the relative standard error of the kernels' mean in the profile.
double error_of_profile(const phase& p) {
  double n = 0, sum = 0, squares = 0;
  for (const phase_run& run : p.runs)
    for (const stream& s : run.streams) {
      n += static_cast<double>(s.kernels);
      sum += s.serial;
      for (const alike_loops& l : s.in_kernel) sum += l.seconds;
      squares += s.kernel_squares;
    }
  if (n < 2 || sum <= 0) return 0;
  const double mean = sum / n;
  return std::sqrt(std::max(0.0, squares / n - mean * mean) / n) / mean;
}

}  // namespace

prediction predict(const phase& p, const machine& m, const layout& at, const wishes& w) {
  prediction out;
  out.by = all_runs(p, p.slowed_by, m, at, w, loop_master::worker);
  if (may_have_host(p, m, at)) {
    const terms with_host = all_runs(p, p.slowed_by, m, at, w, loop_master::host);
    out.by_master = std::array{out.by.sum(), with_host.sum()};
    if (with_host.sum() < out.by.sum()) {
      out.by = with_host;
      out.master = loop_master::host;
    }
  }
  out.seconds = out.by.sum();
  const one_run one(m, at, p.slowed_by, w, loop_master::worker);
  out.idealised = over_runs(p, [&](const phase_run& run) { return one.idealised(run); });
  // Each cost moves the prediction by what its error makes of it; they are independent of each other.
  double squares = 0;
  for (const auto& [member, name] : constants::all()) {
    const double error = (m.cost.*member).error;
    if (error <= 0) continue;
    machine moved = m;
    (moved.cost.*member).value += error;
    const double off = all_runs(p, p.slowed_by, moved, at, w, out.master).sum() - out.seconds;
    squares += off * off;
  }
  if (p.slowed_by.code + p.slowed_by.loops > 0) {
    constexpr double more = 1 + error_of_descriptions;
    const neighbours slower{p.slowed_by.code * more, p.slowed_by.loops * more};
    const double off = all_runs(p, slower, m, at, w, out.master).sum() - out.seconds;
    squares += off * off;
  }
  const double profile = error_of_profile(p) * (out.by.parallel + out.by.serial);
  const double model = error_of_the_model * out.seconds;
  out.error = std::sqrt(squares + profile * profile + model * model);
  return out;
}

prediction predict_between(const profile& p, const machine& m, int workers) {
  prediction out;
  std::int64_t loops = 0;
  for (const alike_loops& l : p.between) loops += l.count;
  const double speed = m.has_hosts() ? m.host_speed : m.worker_speed;
  out.by.host = p.alone / speed;
  const double idle = loops > 0 ? out.by.host / static_cast<double>(loops) : 0;
  const sharing_costs costs{m.cost.signal.value, m.cost.steal.value, 0, workers, m.cost.wake.value, m.spin, idle};
  for (const alike_loops& l : p.between) {
    if (l.count == 0) continue;
    const auto count = static_cast<double>(l.count);
    const int takers = takers_of(l, workers);
    const double computed = l.seconds * slow_down(p.between_slowed_by.loops, takers) / m.worker_speed;
    const auto each = paced_by(m.engines, l, computed, takers);
    const double taken = each ? taken_by(l, *each, takers) : computed;
    out.by.parallel += count * loop_time({taken / count, l.blocks}, workers, costs);
  }
  out.seconds = out.idealised = out.by.sum();
  out.error = error_of_the_model * out.by.parallel;
  return out;
}

bool fits(const machine& m, const layout& at, ranks_are ranks) {
  if (at.ranks < 1 || at.on_a_node < 1 || at.streams < 1 || at.width < 1) return false;
  if (ranks == ranks_are::processes)
    return at.ranks <= at.on_a_node * m.nodes && at.on_a_node <= m.workers &&
           at.streams <= m.workers / at.on_a_node / at.width;
  return at.ranks == 1 && at.streams <= m.workers * m.nodes / at.width;
}

}  // namespace maslin::layers
