// Edges between tasks under the C++ memory model: a task sees what the tasks did that it has waited for.

#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "graph/domain.hpp"
#include "graph/read_check.hpp"
#include "graph/recording.hpp"
#include "maslin/task.hpp"
#include "task/pool.hpp"
#include "verdict.hpp"

namespace maslin {

// Blocks of memory are the system's here.
void pool::begin_thread() noexcept {}
void* pool::take(std::size_t bytes) { return std::malloc(bytes); }
void pool::give(void* block, std::size_t) noexcept { std::free(block); }

detail::task_storage detail::new_task_storage(std::size_t bytes, std::size_t, std::size_t accesses) {
  const std::size_t front = sizeof(task_node) + accesses * sizeof(access_record);
  auto* node = static_cast<char*>(pool::take(front + bytes));
  auto* records = reinterpret_cast<access_record*>(node + sizeof(task_node));
  return {node, records, node + front, static_cast<std::uint32_t>(front + bytes)};
}

// There are no local stores here.
void detail::set_room_for_birth(bool) noexcept { std::abort(); }

// What edges.cpp calls for recorded and for checked tasks; there are none here.
namespace graph {
void begin_values(detail::task_node&) noexcept { std::abort(); }
bool end_recorded(detail::task_node&, ready_sink&) noexcept { std::abort(); }
read_check::read_check(const detail::task_node&) { std::abort(); }
void read_check::verify(const detail::task_node&) const { std::abort(); }
}  // namespace graph

namespace {

enum what { nothing, followers, blockers };

/// Two tasks that their creator creates while they run, and one that needs both.
template <what Weak>
struct join final : rl::test_suite<join<Weak>, 4>, graph::ready_sink {
  struct one_task {
    detail::task_node* node = nullptr;
    MASLIN_ATOMIC<int> ready{0};
    data wrote{0};
  };
  std::optional<scope> members;
  std::optional<context> creator;
  std::array<int, 2> named{};
  std::array<one_task, 3> tasks;

  void ready(detail::task_node* node) noexcept override {
    for (one_task& each : tasks) {
      if (each.node != node) continue;
      each.ready.store(1, std::memory_order_release);
      each.ready.notify_all();
    }
  }
  void create(one_task& task, std::vector<detail::declared> what) {
    const detail::task_storage storage = detail::new_task_storage(0, 1, what.size());
    const detail::task_description description{nullptr, nullptr, location::current(), 0, nullptr, what.size()};
    task.node = new (storage.node) detail::task_node(*members, nullptr, storage, description);
    if (Weak == blockers && &task == &tasks[2]) relaxed::weaken(task.node->blockers);
    if (Weak == followers && &task == &tasks[0]) relaxed::weaken(task.node->followers);
    if (graph::domain::of(*creator).add(*task.node, what.data(), false, *this)) ready(task.node);
  }

  void before() {
    members.emplace(nullptr);
    creator.emplace(*members);
  }
  void after() { creator->data.reset(); }
  void thread(unsigned index) {
    const auto inout = [this](std::size_t i) {
      return detail::declared{&named[i], sizeof(int), 1, 0, access_mode::inout, false, nullptr};
    };
    if (index == 3) {
      create(tasks[0], {inout(0)});
      create(tasks[1], {inout(1)});
      create(tasks[2], {inout(0), inout(1)});
      return graph::domain::of(*creator).forget();
    }
    one_task& mine = tasks[index];
    mine.ready.wait(0, std::memory_order_acquire);
    mine.wrote($) = 1;
    if (index == 2)
      for (one_task& each : tasks) each.wrote($) = 2;
    graph::complete(mine.node, *this);
  }
};

TEST(WeakMemory, ATaskSeesWhatTheTasksDidForWhichItWaited) {
  constexpr rl::iteration_t executions = 100'000;
  EXPECT_EQ(verdict<join<nothing>>(executions, false), "SUCCESS");
  EXPECT_NE(verdict<join<followers>>(executions, true), "SUCCESS");
  EXPECT_NE(verdict<join<blockers>>(executions, true), "SUCCESS");
}

}  // namespace
}  // namespace maslin
