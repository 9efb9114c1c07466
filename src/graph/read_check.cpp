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

/// The regions of a task's accesses but those of one mode, by address: a task may name very many.
class regions_without {
 public:
  regions_without(access_mode mode, const std::vector<declared>& accesses) {
    for (const declared& a : accesses)
      if (a.mode != mode && !region(a).empty()) all_.push_back({region(a), 0});
    std::sort(all_.begin(), all_.end(), [](const entry& a, const entry& b) { return a.is.start < b.is.start; });
    std::uintptr_t reach = 0;
    for (entry& one : all_) one.reach = reach = std::max(reach, one.is.end());
  }

  /// Has one of them a byte in common with `r`?
  bool overlap(const region& r) const {
    auto behind = std::partition_point(all_.begin(), all_.end(), [&](const entry& e) { return e.is.start < r.end(); });
    while (behind != all_.begin() && (--behind)->reach > r.start)
      if (graph::overlap(behind->is, r)) return true;
    return false;
  }

 private:
  struct entry {
    region is;
    std::uintptr_t reach;  ///< where it and all before it have ended
  };
  std::vector<entry> all_;
};

}  // namespace

void poison_outs(const detail::task_node& task) {
  const std::vector<declared> all = accesses_of(task);
  const regions_without kept(access_mode::out, all);
  for (const declared& a : all)
    if (a.mode == access_mode::out && a.renames && !region(a).empty() && !kept.overlap(region(a))) poison(region(a));
}

read_check::read_check(const detail::task_node& task) {
  const std::vector<declared> all = accesses_of(task);
  const regions_without written(access_mode::in, all);
  for (const declared& a : all)
    if (a.mode == access_mode::in && !region(a).empty() && !written.overlap(region(a)))
      reads_.push_back({a, sum_of(a)});
}

void read_check::verify(const detail::task_node& task) const {
  for (const read& r : reads_)
    if (sum_of(r.what) != r.sum) throw_written(r.what, task);
}

void throw_written(const declared& read, const detail::task_node& task) {
  throw error(fmt::format(
      "{} bytes at {} changed while a task ran that declared them with in(): declare with inout() or out() what it "
      "writes (if another task, running beside it, writes them undeclared, MASLIN_WORKERS=1 shows which). It is the "
      "{}",
      read.bytes * read.columns, read.data, description(task)));
}

}  // namespace maslin::graph
