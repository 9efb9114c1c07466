// Rings of small messages under the C++ memory model: who finds a message sees its bytes, who finds room does not write
// over what is read, and nobody sleeps beside a message.

#include <array>
#include <cstddef>
#include <typeinfo>

#include "exec/ranks/message_rings.hpp"
#include "verdict.hpp"

namespace maslin {
namespace {

constexpr int messages = 2 * static_cast<int>(comm::message_ring::cells) + 1;

detail::elements elements_of(int& value) { return {&value, 1, sizeof value, &typeid(int)}; }
int received(comm::message_ring& from) {
  comm::message_ring::head one;
  int value = 0;
  while (!from.first(one)) rl::yield(1, $);
  from.copy_to(&value, sizeof value);
  return value;
}

/// Race 19 of src/exec/ranks/README.md. What is beside a message, and what its reader has done with it, is watched.
template <bool IsWeak>
struct one_ring : rl::test_suite<one_ring<IsWeak>, 2> {
  comm::message_ring ring;
  std::array<data, messages> given{}, taken{};

  void before() {
    for (auto* of : {&given, &taken})
      for (data& each : *of) each($) = 0;
    if (IsWeak) relaxed::weaken_all();
  }
  void thread(unsigned index) {
    constexpr auto cells = static_cast<int>(comm::message_ring::cells);
    for (int i = 0; i < messages; ++i) {
      const auto its = static_cast<std::size_t>(i);
      if (index == 0) {
        given[its]($) = i + 1;
        while (!ring.put({}, elements_of(i))) rl::yield(1, $);
        if (i >= cells) RL_ASSERT(taken[static_cast<std::size_t>(i - cells)]($) == i - cells + 1);
        continue;
      }
      RL_ASSERT(received(ring) == i);
      RL_ASSERT(given[its]($) == i + 1);
      taken[its]($) = i + 1;
      ring.pop(sizeof(int));
    }
  }
};

TEST(WeakMemory, AMessageInARingIsThereWhenItsHeadIs) { expect_that_orders_matter<one_ring>(); }

/// Race 15: a receiver lies down while a message comes. What goes another way comes under a lock, which is one here.
template <bool IsWeak>
struct who_sleeps : rl::test_suite<who_sleeps<IsWeak>, 2> {
  static constexpr int all = 2;
  message_rings rings{2};
  MASLIN_ATOMIC<int> in_mailbox, woken;

  void before() {
    in_mailbox.store(0, std::memory_order_relaxed);
    woken.store(0, std::memory_order_relaxed);
    relaxed::has_fences = !IsWeak;
  }
  /// Gives how many messages it has taken.
  int take() {
    int found = in_mailbox.exchange(0, std::memory_order_acquire);
    comm::message_ring* const ring = rings.read_from(0, 1);
    for (comm::message_ring::head one; ring && ring->first(one); ring->pop(one.bytes())) ++found;
    return found;
  }
  void thread(unsigned index) {
    if (index == 0) {
      for (int i = 0; i < all; ++i) {
        const message_rings::put is = rings.send(0, 1, {}, elements_of(i));
        if (is == message_rings::put::done) continue;
        if (is == message_rings::put::refused) in_mailbox.fetch_add(1, std::memory_order_release);
        woken.store(1, std::memory_order_release);
      }
      return;
    }
    for (int came = take(); came < all; came += take()) {
      rings.lie_down(1);
      const int found = take();
      came += found;
      if (found == 0) {
        woken.wait(0, std::memory_order_acquire);
        woken.exchange(0, std::memory_order_acquire);
      }
      rings.get_up(1);
    }
  }
};

TEST(WeakMemory, NobodySleepsBesideAMessageInARing) { expect_that_orders_matter<who_sleeps>(); }

}  // namespace
}  // namespace maslin
