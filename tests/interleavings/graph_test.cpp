// Edges between tasks: one creator adds tasks to its domain while those that it added end.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>
#include <vector>

#include "graph/domain.hpp"
#include "graph/recording.hpp"
#include "maslin/task.hpp"
#include "task/pool.hpp"
#include "well.hpp"

namespace maslin {

// Blocks as the pool gives them; who gives one back twice, or uses it afterwards, is found out.
namespace {
std::set<void*> taken_blocks;
std::vector<void*> given_blocks;  // kept to the end of the execution, so that what is done to them later shows

void forget_given_blocks() {
  for (void* block : given_blocks) std::free(block);
  given_blocks.clear();
}
}  // namespace
void pool::begin_thread() noexcept {}
void* pool::take(std::size_t bytes) {
  void* block = std::malloc(bytes);
  taken_blocks.insert(block);
  return block;
}
void pool::give(void* block, std::size_t bytes) noexcept {
  if (taken_blocks.erase(block) == 0) return explorer::fail("a block was given back twice");
  std::memset(block, 0, bytes);
  given_blocks.push_back(block);
}

detail::task_storage detail::new_task_storage(std::size_t bytes, std::size_t, std::size_t accesses) {
  const std::size_t front = sizeof(task_node) + accesses * sizeof(access_record);
  const std::size_t whole = (front + bytes + 15) / 16 * 16;
  auto* node = static_cast<char*>(pool::take(whole));
  return {node, reinterpret_cast<access_record*>(node + sizeof(task_node)), node + front,
          static_cast<std::uint32_t>(whole)};
}

// What edges.cpp calls for recorded tasks; there are none here.
bool graph::end_recorded(detail::task_node&, ready_sink&) noexcept { std::abort(); }

namespace {

using explorer::explore;
using explorer::fail;
using explorer::scenario;

/// A creator, and a thread for each of its tasks, that ends the task once it is ready.
struct graph_of_tasks : scenario, graph::ready_sink {
  struct access {
    int datum;
    access_mode mode;
  };
  struct one_task {
    std::vector<access> accesses;
    bool throws = false;
    bool expects_failure = false;
    detail::task_node* node = nullptr;
    explorer::atomic<int> ready{0};
    explorer::atomic<int> ended{0};
  };

  std::array<int, 3> data{};
  scope members{nullptr};
  context creator{members};
  std::vector<std::unique_ptr<one_task>> tasks;
  std::set<void*> blocks_before = taken_blocks;

  graph_of_tasks() { forget_given_blocks(); }

  void ready(detail::task_node* node) noexcept override {
    for (auto& t : tasks) {
      if (t->node != node) continue;
      if (t->ready.fetch_add(1) != 0) fail("a task became ready twice");
      t->ready.notify_all();
    }
  }

  one_task& add(std::vector<access> accesses, bool throws = false, bool expects_failure = false) {
    tasks.push_back(std::make_unique<one_task>());
    one_task& t = *tasks.back();
    t.accesses = std::move(accesses);
    t.throws = throws;
    t.expects_failure = expects_failure;
    const std::size_t count = t.accesses.size();
    const detail::task_storage storage = detail::new_task_storage(0, 1, count);
    t.node = new (storage.node)
        detail::task_node(members, nullptr, storage, {nullptr, nullptr, location::current(), 0, nullptr, count});
    return t;
  }
  void create(one_task& t) {
    std::vector<detail::declared> what;
    for (const access& a : t.accesses)
      what.push_back({&data.at(static_cast<std::size_t>(a.datum)), sizeof(int), 1, 0, a.mode, false, nullptr});
    if (graph::domain::of(creator).add(*t.node, what.data(), false, *this)) ready(t.node);
  }
  void begin() {
    threads.push_back([this] {
      for (auto& t : tasks) create(*t);
      graph::domain::of(creator).forget();
    });
    for (auto& each : tasks)
      threads.push_back([this, &t = *each] {
        t.ready.wait(0);
        if (t.node->failed() != t.expects_failure) fail("a failure did not pass on, or came from nowhere");
        if (t.throws) t.node->children.add_error(0, std::make_exception_ptr(std::runtime_error("it throws")));
        check_turns(t);
        graph::complete(t.node, *this);
      });
  }
  virtual void check_turns(one_task&) {}
  void check() override {
    if (!members.quiet()) fail("a task did not leave its scope");
    creator.data.reset();
    if (taken_blocks != blocks_before) fail("a block was not given back");
  }
};

constexpr auto reads = access_mode::in;
constexpr auto writes = access_mode::inout;

/// A task that follows two, and one that follows it.
struct diamond : graph_of_tasks {
  enum mistake { none, followers_are_torn, blockers_are_torn };
  explicit diamond(mistake m) {
    one_task& left = add({{0, writes}});
    add({{1, writes}});
    one_task& join = add({{0, writes}, {1, reads}});
    if (m == followers_are_torn) tear(left.node->followers);
    if (m == blockers_are_torn) tear(join.node->blockers);
    begin();
  }
};

TEST(Interleavings, ATaskBecomesReadyOnceAndItsNodeIsGivenBackOnce) {
  expect_well(explore([] { return std::make_unique<diamond>(diamond::none); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<diamond>(diamond::followers_are_torn); }, 2).failure, "");
  EXPECT_NE(explore([] { return std::make_unique<diamond>(diamond::blockers_are_torn); }, 2).failure, "");
}

/// One that throws, one that reads what it wrote, and one that needs the reader's.
struct failing : graph_of_tasks {
  enum mistake { none, expects_that_it_stays, followers_are_torn };
  explicit failing(mistake m) {
    one_task& first = add({{0, writes}}, true);
    add({{0, reads}, {1, writes}}, false, m != expects_that_it_stays);
    add({{1, reads}}, false, true);
    if (m == followers_are_torn) tear(first.node->followers);
    begin();
  }
};

TEST(Interleavings, AFailurePassesOnToWhatNeedsTheData) {
  expect_well(explore([] { return std::make_unique<failing>(failing::none); }, 2));
  EXPECT_NE(explore([] { return std::make_unique<failing>(failing::expects_that_it_stays); }, 1).failure, "");
  EXPECT_NE(explore([] { return std::make_unique<failing>(failing::followers_are_torn); }, 2).failure, "");
}

/// Two tasks take turns on the same two data, which they name in different orders.
struct in_turn : graph_of_tasks {
  enum mistake { none, returned_too_early };
  explorer::atomic<int> inside{0};
  mistake seeded;
  explicit in_turn(mistake m) : seeded(m) {
    add({{0, access_mode::concurrent}, {1, access_mode::concurrent}});
    add({{1, access_mode::concurrent}, {0, access_mode::concurrent}});
    begin();
  }
  void check_turns(one_task& t) override {
    if (inside.fetch_add(1) != 0) fail("two have one turn");
    if (seeded == returned_too_early) graph::return_turns(*t.node, *this);
    inside.fetch_sub(1);
  }
};

TEST(Interleavings, TasksOfOneDatumTakeTurnsAndNoneIsForgotten) {
  expect_well(explore([] { return std::make_unique<in_turn>(in_turn::none); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<in_turn>(in_turn::returned_too_early); }, 3).failure, "");
}

}  // namespace
}  // namespace maslin
