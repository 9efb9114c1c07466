// The core structures under the C++ memory model: a load may give an older value where nothing forbids it, and data
// that is not atomic must not be touched by two threads at a time.

#include <array>
#include <optional>

#include "base/lock.hpp"
#include "comm/mailbox.hpp"
#include "exec/ranks/group.hpp"
#include "exec/threads/deque.hpp"
#include "exec/threads/sleep.hpp"
#include "task/scope.hpp"
#include "verdict.hpp"

namespace maslin {
namespace {

struct item {
  data content{0};
};

/// An owner that pushes and pops, and a thief.
template <bool IsWeak>
struct queue_of_tasks : rl::test_suite<queue_of_tasks<IsWeak>, 2> {
  bounded_deque<item, 4> queue;
  std::array<item, 3> items;

  void before() {
    if (IsWeak) relaxed::weaken(queue);
  }
  void thread(unsigned index) {
    if (index == 0) {
      for (item& each : items) {
        each.content($) = 1;
        queue.push(&each);
      }
      if (item* mine = queue.pop()) mine->content($) = 2;
    } else {
      item* got[4];
      const std::uint32_t count = queue.steal_half(got, 4);
      for (std::uint32_t i = 0; i < count; ++i) got[i]->content($) = 2;
    }
  }
};

TEST(WeakMemory, WhoTakesATaskSeesIt) { expect_that_orders_matter<queue_of_tasks>(); }

/// Race 1 of src/exec/threads/README.md: a task is queued while a worker falls asleep. Without the one order of what is
/// sequentially consistent, the one who queues it may miss the sleeper and the sleeper the task.
template <bool IsWeak>
struct falling_asleep : rl::test_suite<falling_asleep<IsWeak>, 2> {
  bounded_deque<item, 4> queue;
  sleepers asleep{1};
  item task;

  void before() {
    if (IsWeak) relaxed::weaken(queue);
  }
  void thread(unsigned index) {
    if (index == 0) {
      task.content($) = 1;
      queue.push(&task);
      asleep.wake_one(0, 1);
      return;
    }
    item* got[2];
    while (queue.steal_half(got, 1) == 0) {
      asleep.prepare_to_sleep(0);
      if (queue.empty()) asleep.park(0);
      asleep.finish_sleep(0);
    }
    got[0]->content($) = 2;
  }
};

TEST(WeakMemory, NobodyIsLeftAsleepWhileThereIsWork) { expect_that_orders_matter<falling_asleep>(); }

/// A wake-up brings what came before it.
template <bool IsWeak>
struct wake_up : rl::test_suite<wake_up<IsWeak>, 2> {
  parking place;
  data letter{0};

  void before() {
    if (IsWeak) relaxed::weaken(place);
  }
  void thread(unsigned index) {
    if (index == 0) {
      letter($) = 1;
      place.unpark();
    } else {
      place.park();
      letter($) = 2;
    }
  }
};

TEST(WeakMemory, WhoIsWokenSeesWhy) { expect_that_orders_matter<wake_up>(); }

/// Data under the short lock.
template <bool IsWeak>
struct guarded : rl::test_suite<guarded<IsWeak>, 3> {
  base::short_lock lock;
  data inside{0};

  void before() {
    if (IsWeak) relaxed::weaken(lock);
  }
  void thread(unsigned) {
    lock.lock();
    inside($) = inside($) + 1;
    lock.unlock();
  }
};

TEST(WeakMemory, ALockGuardsData) { expect_that_orders_matter<guarded>(); }

/// A creator that waits for its members and takes the scope away at once.
template <bool IsWeak>
struct family : rl::test_suite<family<IsWeak>, 3> {
  struct sleeper final : waiter {
    MASLIN_ATOMIC<int> woken{0};
    void sleep(base::short_lock& held, const awaited_end&) override {
      held.unlock();
      woken.wait(0);
    }
    void wake() noexcept override {
      woken.store(1);
      woken.notify_one();
    }
  };
  std::optional<scope> members;
  sleeper creator;
  std::array<data, 2> written{};

  void before() {
    for (data& each : written) each($) = 0;
    members.emplace(nullptr, scope::creators::many);
    members->enter(2);
    if (IsWeak) relaxed::weaken(*members);
  }
  void thread(unsigned index) {
    if (index < 2) {
      written[index]($) = 1;
      members->leave();
      return;
    }
    members->await(creator);
    for (data& each : written) each($) = 2;
    members.reset();
  }
};

/// A rank looks without a lock whether its message is done, or its call over, and takes the transfer or the arrival
/// away.
template <bool IsWeak>
struct rank_that_tests : rl::test_suite<rank_that_tests<IsWeak>, 3> {
  struct : joint_call {
    bool meet(std::span<joint_call* const>) override { return false; }
  } nothing;
  std::optional<comm::transfer> receive;
  std::optional<rank_arrival> arrival;
  std::array<data, 2> came{};

  void before() {
    for (data& each : came) each($) = 0;
    receive.emplace();
    arrival.emplace(nothing, location());
    if (IsWeak) relaxed::weaken(*this);
  }
  void thread(unsigned index) {
    if (index < 2) {
      came[index]($) = 1;
      if (index == 0)
        receive->set(comm::transfer::state::done);
      else
        arrival->set(rank_arrival::state::over);
      return;
    }
    while (!receive->is_done() || arrival->is() != rank_arrival::state::over) rl::yield(1, $);
    for (data& each : came) each($) = 2;
    receive.reset();
    arrival.reset();
  }
};

TEST(WeakMemory, WhoSeesThatAMessageOrACallIsOverSeesWhatItDid) { expect_that_orders_matter<rank_that_tests>(); }

TEST(WeakMemory, WhoHasWaitedForTasksSeesWhatTheyDid) { expect_that_orders_matter<family>(); }

}  // namespace
}  // namespace maslin
