#pragma once
// A loop that a team shares, from its start to its join. It lives on its caller's stack.

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/atomic.hpp"
#include "exec/core/baseline.hpp"
#include "exec/core/dealt.hpp"
#include "maslin/float_mode.hpp"
#include "maslin/loop.hpp"
#include "task/context.hpp"

namespace maslin {

class call_site;

struct loop_run {
  /// Under dbs: whoever finds it takes some of it.
  loop_run(const detail::loop& shared, context& by, int team_width)
      : loop_run(shared, by, team_width, static_cast<std::uint64_t>(shared.blocks())) {}
  // Each worker of the team is invited.
  /// Under a baseline.
  loop_run(const detail::loop& shared, context& by, int team_width, loop_queues& queues)
      : loop_run(shared, by, team_width, static_cast<std::uint64_t>(team_width)) {
    own = &queues;
  }
  /// Dealt out.
  loop_run(const detail::loop& shared, context& by, int team_width, dealt_blocks& ranges)
      : loop_run(shared, by, team_width, static_cast<std::uint64_t>(team_width)) {
    dealt = &ranges;
  }

  /// Block `i` ended with these.
  void record_thrown(std::int64_t i, error_list&& errors) {
    blocks.add_errors(static_cast<std::uint64_t>(i), std::move(errors));
    std::int64_t lowest = lowest_thrown.load(std::memory_order_relaxed);
    while (i < lowest && !lowest_thrown.compare_exchange_weak(lowest, i, std::memory_order_relaxed)) {
    }
    if (own) own->forget_behind(i);
  }
  /// Blocks from `i` on need not run: one below has thrown.
  bool is_void(std::int64_t i) const { return i > lowest_thrown.load(std::memory_order_relaxed); }

  const detail::loop& what;
  context& caller;
  int width;                              ///< of the team when the loop began
  loop_queues* own = nullptr;             ///< where a baseline keeps what is left; null under dbs
  dealt_blocks* dealt = nullptr;          ///< where a loop that is dealt out does
  const detail::float_mode mode;          ///< the caller's
  scope blocks;                           ///< one member a block, or an invitation; an error's place is its block
  std::uint32_t site = 0;                 ///< its name in the trace
  call_site* learns = nullptr;            ///< that wants to know how long its blocks take
  std::uint64_t dealt_at = 0;             ///< when, in ticks, if somebody wants to know what that cost
  MASLIN_ATOMIC<std::uint64_t> ticks{0};  ///< that they took, all workers together; counted for `learns`
  MASLIN_ATOMIC<std::int64_t> lowest_thrown{std::numeric_limits<std::int64_t>::max()};

 private:
  loop_run(const detail::loop& shared, context& by, int team_width, std::uint64_t members)
      : what(shared), caller(by), width(team_width), blocks(by.children, scope::creators::many) {
    blocks.enter(members);
  }
};

/// Blocks [first, last) of a loop.
struct loop_part {
  loop_run* loop;
  std::int64_t first;
  std::int64_t last;
  std::int64_t grain = 1;  ///< fewer do not pay for being handed over

  std::int64_t size() const { return last - first; }
};

}  // namespace maslin
