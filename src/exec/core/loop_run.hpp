#pragma once
// A loop that a team shares, from its start to its join. It lives on its caller's stack.

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/atomic.hpp"
#include "base/prefetch.hpp"
#include "exec/core/baseline.hpp"
#include "exec/core/dealt.hpp"
#include "maslin/float_mode.hpp"
#include "maslin/loop.hpp"
#include "task/context.hpp"

namespace maslin {

class call_site;

/// Laid out by who touches it, since a line that goes from one core to another takes as long as a small block: two
/// lines that all read and nobody writes, but for a block that throws, and one that whoever is done writes.
struct alignas(64) loop_run {
  /// Under dbs: whoever finds it takes some of it.
  loop_run(const detail::loop& shared, context& by, int team_width) : loop_run(shared, by, 0, team_width, nullptr) {
    blocks.enter(static_cast<std::uint64_t>(shared.blocks()));
  }
  /// Workers [team_first, team_first + team_width) are invited. `links`: room for as many.
  loop_run(const detail::loop& shared, context& by, int team_first, int team_width, std::uintptr_t* links)
      : what(shared), caller(by), behind(links), first(team_first), width(team_width), blocks(by.children) {}

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

  /// Whoever comes to it needs these, and all at once.
  void prefetch() const noexcept {
    base::prefetch_to_read(&what);
    base::prefetch_to_read(&lowest_thrown);
    base::prefetch_to_write(&blocks);
  }

  const detail::loop what;
  alignas(64) context& caller;
  loop_queues* own = nullptr;     ///< where `gss` and `afs` keep what is left
  dealt_blocks* dealt = nullptr;  ///< where a loop that is dealt out does
  std::uintptr_t* const behind;   ///< a link of the list of each worker that is invited (invitations.hpp)
  call_site* learns = nullptr;    ///< that wants to know how long its blocks take
  MASLIN_ATOMIC<std::int64_t> lowest_thrown{std::numeric_limits<std::int64_t>::max()};
  const int first;                        ///< worker of the team when the loop began; 0 under dbs
  int width;                              ///< of the team when the loop began
  const detail::float_mode mode;          ///< the caller's
  std::uint32_t site = 0;                 ///< its name in the trace
  alignas(64) scope blocks;               ///< one member a block, or an invitation; an error's place is its block
  MASLIN_ATOMIC<std::uint64_t> ticks{0};  ///< that they took, all workers together; counted for `learns`
  std::uint64_t dealt_at = 0;             ///< when, in ticks, if somebody wants to know what that cost
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
