// Slots of brief calls under the C++ memory model: who finds that all have come sees what they bring, and nobody sleeps
// when all have.

#include <array>
#include <cstddef>
#include <cstdint>

#include "exec/ranks/call_slots.hpp"
#include "verdict.hpp"

namespace maslin {
namespace {

using others = call_slots::others;
constexpr std::uint64_t kind = 7;

int brought(std::uint64_t call, unsigned rank) { return static_cast<int>(10 * call + rank); }

/// Ranks that come to more calls than a rank has slots. What a slot holds is watched.
template <bool IsWeak>
struct brief_calls : rl::test_suite<brief_calls<IsWeak>, 3> {
  static constexpr int calls = 3;
  call_slots slots{3};
  std::array<std::array<data, 2>, 3> given{};

  void before() {
    for (auto& of_rank : given)
      for (data& each : of_rank) each($) = 0;
    if (IsWeak) relaxed::weaken_all();
  }
  void thread(unsigned rank) {
    for (std::uint64_t call = 1; call <= calls; ++call) {
      given[rank][call % 2]($) = brought(call, rank);
      const std::uint64_t number = slots.come(static_cast<int>(rank), kind, {});
      while (slots.look(static_cast<int>(rank), number) == others::missing) rl::yield(1, $);
      RL_ASSERT(slots.look(static_cast<int>(rank), number) == others::agree);
      for (unsigned other = 0; other < 3; ++other) RL_ASSERT(given[other][call % 2]($) == brought(call, other));
    }
  }
};

TEST(WeakMemory, WhoFindsThatAllHaveComeSeesWhatTheyBring) { expect_that_orders_matter<brief_calls>(); }

/// Race 13 of src/exec/ranks/README.md: a rank lies down while the last one comes, or one whose call is not brief.
template <bool IsWeak>
struct who_lies_down : rl::test_suite<who_lies_down<IsWeak>, 3> {
  call_slots slots{3};
  std::array<MASLIN_ATOMIC<int>, 3> woken;

  void before() {
    for (auto& each : woken) each.store(0, std::memory_order_relaxed);
    relaxed::has_fences = !IsWeak;
  }
  void thread(unsigned index) {
    const int rank = static_cast<int>(index);
    const auto rouse = [&] {
      slots.rouse(rank, [&](int other) { woken[static_cast<std::size_t>(other)].store(1, std::memory_order_release); });
    };
    for (int call = 1; call <= 2; ++call) {
      if (index == 2 && call == 2) {
        slots.come_otherwise(rank, false);
        return rouse();
      }
      const std::uint64_t number = slots.come(rank, kind, {});
      if (slots.look(rank, number) != others::missing) {
        rouse();
        continue;
      }
      slots.lie_down(rank);
      while (slots.look(rank, number) == others::missing) {
        woken[index].wait(0, std::memory_order_acquire);
        woken[index].exchange(0, std::memory_order_acquire);  // as under the rank's lock
      }
      slots.get_up(rank);
    }
  }
};

TEST(WeakMemory, NobodyLiesDownWhenAllHaveCome) { expect_that_orders_matter<who_lies_down>(); }

/// Race 12: a rank has come to a brief call, and then to one that is not brief, before another looks.
template <bool IsWeak>
struct brief_and_otherwise : rl::test_suite<brief_and_otherwise<IsWeak>, 2> {
  call_slots slots{2};

  void before() {
    if (IsWeak) relaxed::weaken_all();
  }
  others found(int rank, std::uint64_t number) {
    others seen = others::missing;
    while ((seen = slots.look(rank, number)) == others::missing) rl::yield(1, $);
    return seen;
  }
  void thread(unsigned index) {
    const int rank = static_cast<int>(index);
    RL_ASSERT(found(rank, slots.come(rank, kind, {})) == others::agree);
    if (index == 1) return slots.come_otherwise(rank, false);
    RL_ASSERT(found(rank, slots.come(rank, kind, {})) == others::differ);
  }
};

TEST(WeakMemory, ACallIsTakenForWhatItIs) { expect_that_orders_matter<brief_and_otherwise>(); }

}  // namespace
}  // namespace maslin
