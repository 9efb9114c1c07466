#include "graph/read_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checksum.hpp"
#include "graph/describe.hpp"
#include "graph/poison.hpp"
#include "graph/region.hpp"
#include "maslin/error.hpp"

namespace maslin::graph {

using detail::declared;

namespace {

std::uint64_t sum_of(const declared& a) {
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < a.columns; ++c)
    sum = base::checksum(sum, static_cast<const char*>(a.data) + c * a.stride, a.bytes);
  return sum;
}

}  // namespace

void poison_outs(const detail::task_node& task) {
  const std::vector<declared> all = accesses_of(task);
  for (const declared& a : all) {
    if (!a.renames || region(a).empty()) continue;
    const bool kept = std::any_of(all.begin(), all.end(), [&](const declared& other) {
      return other.mode != access_mode::out && overlap(region(a), region(other));
    });
    if (!kept) poison(region(a));
  }
}

read_check::read_check(const detail::task_node& task) {
  const std::vector<declared> all = accesses_of(task);
  for (const declared& a : all) {
    if (a.mode != access_mode::in || region(a).empty()) continue;
    const bool written = std::any_of(all.begin(), all.end(), [&](const declared& other) {
      return other.mode != access_mode::in && overlap(region(a), region(other));
    });
    if (!written) reads_.push_back({a, sum_of(a)});
  }
}

void read_check::verify(const detail::task_node& task) const {
  for (const read& r : reads_)
    if (sum_of(r.what) != r.sum)
      throw error(fmt::format(
          "{} bytes at {} changed while a task ran that declared them with in(): declare with inout() or out() what it "
          "writes (if another task, running beside it, writes them undeclared, MASLIN_WORKERS=1 shows which). It is "
          "the "
          "{}",
          r.what.bytes * r.what.columns, r.what.data, description(task)));
}

}  // namespace maslin::graph
