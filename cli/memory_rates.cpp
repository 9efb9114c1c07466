#include "memory_rates.hpp"

#include <algorithm>

by_line line_seconds(const recorded& program) {
  by_line sums;
  program.each_named_body([&](std::uint32_t name, std::uint32_t body) {
    double& sum = sums[program.name(name)];
    for (const recorded::step& s : program.bodies[body].steps)
      if (s.does == recorded::act::compute) sum += static_cast<double>(s.what) * 1e-9;
  });
  return sums;
}

by_line memory_rates(const std::vector<by_line>& alone, const std::vector<by_line>& beside, int cpus,
                     double bandwidth) {
  constexpr double least_seconds = 1e-3;
  constexpr double slower_by_chance = 1.03;
  by_line rates;
  for (const auto& [line, seconds] : alone.front()) {
    if (seconds < least_seconds) continue;
    std::vector<double> slower;
    for (std::size_t round = 0; round < alone.size(); ++round) {
      const auto first = alone[round].find(line), second = beside[round].find(line);
      if (first != alone[round].end() && second != beside[round].end())
        slower.push_back(second->second / first->second);
    }
    std::sort(slower.begin(), slower.end());
    if (slower.size() == alone.size() && slower.front() >= slower_by_chance)
      rates[line] = bandwidth / cpus * slower[slower.size() / 2];
  }
  return rates;
}
