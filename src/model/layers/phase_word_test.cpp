#include "model/layers/phase_word.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace maslin::layers {
namespace {

/// The same, worker by worker.
struct told_in_turn {
  told_in_turn(const machine& of, int workers, int teams, int width)
      : m(of), first(of.has_hosts() ? 0 : 1), at(static_cast<std::size_t>(workers), 0.0) {
    const auto leads = [&](int worker) { return worker % width == 0 && worker / width < teams; };
    for (const bool leaders : {true, false})
      for (int worker = first; worker < workers; ++worker) {
        if (leads(worker) != leaders) continue;
        all += m.cost.signal.value + between(0, worker);
        at[static_cast<std::size_t>(worker)] = all + m.cost.wake.value;
      }
  }
  double between(int one, int other) const {
    if (one / m.workers != other / m.workers) return m.cost.between_nodes.value;
    const int group = m.workers / m.groups;
    return !m.has_hosts() && one / group != other / group ? m.cost.between_groups.value : 0;
  }
  double that_it_is_over(int from, double when) const {
    double sum = 0;
    for (int worker = first; worker < static_cast<int>(at.size()); ++worker)
      if (at[static_cast<std::size_t>(worker)] <= when) sum += m.cost.signal.value + between(from, worker);
    return sum;
  }

  const machine& m;
  int first;
  std::vector<double> at;
  double all = 0;
};

TEST(PhaseWord, IsThatOfOneWorkerAfterTheOther) {
  machine cores, hosts;
  cores.workers = hosts.workers = 12;
  cores.groups = hosts.groups = 3;
  cores.nodes = hosts.nodes = 4;
  hosts.contexts = 2;
  for (machine* m : {&cores, &hosts}) {
    m->cost.signal = {1, 0, true};
    m->cost.wake = {7, 0, true};
    m->cost.between_groups = {0.25, 0, true};
    m->cost.between_nodes = {16, 0, true};
    for (const int workers : {1, 2, 6, 12, 48})
      for (int width = 1; width <= workers; ++width)
        for (int teams = 1; teams <= workers / width; ++teams) {
          const phase_word word(*m, workers, teams, width);
          const told_in_turn known(*m, workers, teams, width);
          SCOPED_TRACE(testing::Message() << workers << " workers, " << teams << "x" << width);
          EXPECT_EQ(word.all(), known.all);
          for (int worker = 0; worker < workers; ++worker)
            EXPECT_EQ(word.at(worker), known.at[static_cast<std::size_t>(worker)]) << worker;
          for (const double when : {-1.0, 0.0, 7.0, 8.0, 20.25, 31.5, 100.0, 480.0, 1e6})
            for (int from = 0; from < workers; from += width)
              EXPECT_EQ(word.that_it_is_over(from, when), known.that_it_is_over(from, when)) << from << " " << when;
        }
  }
}

TEST(PhaseWord, FindsTheFirstOfATeamThatHasNone) {
  machine m;
  m.workers = 100'000;
  m.cost.signal = {1, 0, true};
  // Two teams of four. Worker 4 has word at 1, and then 1, 2, 3, 5, 6 and so on.
  const phase_word word(m, m.workers, 2, 4);
  EXPECT_EQ(word.at(4), 1);
  EXPECT_EQ(word.at(5), 5);
  EXPECT_EQ(word.first_without(5, 8, 4), 5);
  EXPECT_EQ(word.first_without(5, 8, 5), 6);
  EXPECT_EQ(word.first_without(5, 8, 7), 8);
  EXPECT_EQ(word.first_without(8, 100'000, 70'000), 70'001);
}

}  // namespace
}  // namespace maslin::layers
