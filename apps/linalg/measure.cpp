#include "linalg/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/shared/memory.hpp"
#include "maslin/error.hpp"
#include "maslin/runtime.hpp"

namespace linalg {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

bool outcome::holds() const {
  return std::all_of(checks.begin(), checks.end(), [](const check& one) { return one.holds(); });
}

void expect_memory(const program& one, const std::string& name, bool with_check) {
  const double needed = one.bytes() + (with_check ? one.bytes_of_check() : 0), there = command::free_memory();
  constexpr double gibibyte = 1U << 30U;
  if (needed > there)
    throw maslin::error(fmt::format(
        "{} of {} needs {:.1f} GiB of memory, and {:.1f} GiB are free; expected a smaller size{}", name, one.size(),
        needed / gibibyte, there / gibibyte, with_check && one.bytes() <= there ? ", or --no-check" : ""));
}

outcome measure(program& one, const std::string& name, const wish& how) {
  const maslin::Runtime runtime;
  outcome found;
  found.name = name;
  found.size = one.size();
  found.workers = maslin::workers();
  std::vector<float> answer;
  for (int i = 0; i < how.repeat; ++i) {
    one.prepare();
    const auto began = maslin::time();
    found.tasks = one.run();
    found.seconds.push_back((maslin::time() - began).count());
    answer = one.answer();
    const std::uint64_t checksum = checksum_of(answer);
    if (i > 0 && checksum != found.checksum)
      throw std::logic_error(
          fmt::format("run {} gave the checksum {:016x}; expected {:016x}, as the runs before it gave", i + 1, checksum,
                      found.checksum));
    found.checksum = checksum;
  }
  found.unit = one.unit();
  found.rate = one.work() / median(found.seconds) / 1e9;
  if (how.spoil) {
    answer[answer.size() / 3] = 1 - answer[answer.size() / 3];
    found.checksum = checksum_of(answer);
  }
  if (!how.no_check) found.checks = one.verify(answer);
  return found;
}

std::string to_text(const outcome& found) {
  std::string out = fmt::format("{}: {}\n", found.name, found.size);
  out += fmt::format("{} tasks on {} {}: {:.4f} s, {:.1f} {}", found.tasks, found.workers,
                     found.workers == 1 ? "worker" : "workers", median(found.seconds), found.rate, found.unit);
  out += found.seconds.size() > 1 ? fmt::format(" (median of {} runs)\n", found.seconds.size()) : "\n";
  out += fmt::format("checksum {:016x}\n", found.checksum);
  for (const check& one : found.checks)
    out += fmt::format("{}: error {:.1e}, at most {:.1e} expected\n", one.what, one.error, one.bound);
  return out;
}

std::string to_json(const outcome& found) {
  nlohmann::ordered_json out = {{"program", found.name},
                                {"size", found.size},
                                {"tasks", found.tasks},
                                {"workers", found.workers},
                                {"seconds", found.seconds},
                                {"median_s", median(found.seconds)},
                                {"rate", found.rate},
                                {"unit", found.unit},
                                {"checksum", fmt::format("{:016x}", found.checksum)},
                                {"checks", nlohmann::ordered_json::array()}};
  for (const check& one : found.checks)
    out["checks"].push_back(
        {{"what", one.what}, {"error", one.error}, {"bound", one.bound}, {"worst", one.worst}, {"holds", one.holds()}});
  return out.dump(2) + "\n";
}

}  // namespace linalg
