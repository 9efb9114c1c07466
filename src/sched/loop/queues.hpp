#pragma once
// The queues of one loop as a baseline policy sees them. The policies own none: exec/threads hands them concurrent
// ones, exec/virtual plain ones.

#include <concepts>
#include <cstdint>
#include <optional>

#include "sched/loop/share.hpp"

namespace maslin::loop_policy {

/// How many blocks to take where `left` are left and `workers` share the loop.
using amount = std::int64_t (*)(std::int64_t left, int workers);

template <class Q>
concept queues = requires(Q q, int queue, amount rule) {
  /// As many as the loop was laid out in when it began. P may have changed since.
  { q.count() } -> std::same_as<int>;
  /// What is left of one; may be out of date when it returns.
  { q.left(queue) } -> std::same_as<std::int64_t>;
  /// Takes rule(left, P) blocks from the front in one step, P being the workers at this moment; nothing when none are
  /// left.
  { q.take_front(queue, rule) } -> std::same_as<std::optional<part>>;
  /// The same from the back.
  { q.take_back(queue, rule) } -> std::same_as<std::optional<part>>;
};

}  // namespace maslin::loop_policy
