#include "model/layers/phase_word.hpp"

#include <ranges>

namespace maslin::layers {

namespace {

/// Gives the multiples of `step` from `begin` to `end`.
std::int64_t multiples(int step, int begin, int end) {
  const auto below = [&](int n) { return (std::int64_t{n} + step - 1) / step; };
  return std::max<std::int64_t>(0, below(end) - below(begin));
}

}  // namespace

phase_word::signals phase_word::counted(int from, int leaders, int others) const {
  const int node = from / node_ * node_, group = from / group_ * group_;
  const auto within = [&](int begin, int end) {
    begin = std::max(begin, first_);
    const int of_leaders = std::min(end, leaders), of_others = std::min(end, others);
    return multiples(width_, begin, of_leaders) + multiples(1, begin, of_others) -
           multiples(width_, begin, std::min(of_others, leaders_end_));
  };
  return {within(0, workers_), within(node, node + node_), within(group, group + group_)};
}

int phase_word::first_without(int begin, int end, double when) const {
  const auto workers = std::views::iota(begin, std::max(begin, end));
  const auto without = std::ranges::partition_point(workers, [&](int worker) { return at(worker) <= when; });
  return begin + static_cast<int>(without - workers.begin());
}

double phase_word::that_it_is_over(int from, double when) const {
  const auto told = [&](int leaders, int others) { return wake_ + takes(counted(0, leaders, others)) <= when; };
  const auto last_of = [&](auto&& is_told, int end) {
    const auto ends = std::views::iota(first_ + 1, std::max(first_, end) + 1);
    return first_ + static_cast<int>(std::ranges::partition_point(ends, is_told) - ends.begin());
  };
  const int leaders = last_of([&](int end) { return told(end, 0); }, leaders_end_);
  const int others = leaders < leaders_end_ ? 0 : last_of([&](int end) { return told(leaders_end_, end); }, workers_);
  return takes(counted(from, leaders, others));
}

}  // namespace maslin::layers
