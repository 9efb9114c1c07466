#pragma once
// MASLIN_CHECK: what a task declares with `in` it must not write. Found by what the data hold before and after its
// body. What it declares with `out` it must not read.

#include <cstdint>
#include <vector>

#include "task/node.hpp"

namespace maslin::graph {

/// Before the task's body runs: fills what it declared with `out`, and with nothing else, if its elements are plain
/// bytes.
void poison_outs(const detail::task_node& task);

/// Throws `error`: the task has written what it declared with `in`.
[[noreturn]] void throw_written(const detail::declared& read, const detail::task_node& task);

/// Lives while a task's body runs.
class read_check {
 public:
  explicit read_check(const detail::task_node& task);
  /// Throws `error` if data that the task declared with `in`, and with nothing else, are not as they were.
  void verify(const detail::task_node& task) const;

 private:
  struct read {
    detail::declared what;
    std::uint64_t sum;
  };
  std::vector<read> reads_;
};

}  // namespace maslin::graph
