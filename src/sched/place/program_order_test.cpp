#include "sched/place/program_order.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "graph/edges.hpp"

namespace maslin::place {
namespace {

using detail::task_node;

/// Nodes that no graph knows.
class nodes {
 public:
  ~nodes() {
    for (auto at = all_.rbegin(); at != all_.rend(); ++at) graph::destroy(*at);  // creators go last
  }
  task_node& add(scope& in) {
    const detail::task_storage storage = detail::new_task_storage(0, 1, 0);
    const detail::task_description what{nullptr, nullptr, location::current(), 0, nullptr, 0};
    all_.push_back(new (storage.node) task_node(in, nullptr, storage, what));
    return *all_.back();
  }

 private:
  std::vector<task_node*> all_;
};

TEST(ProgramOrder, IsThatOfCreationAmongTheTasksOfOneCreator) {
  scope root(nullptr);
  nodes all;
  const task_node& first = all.add(root);
  const task_node& second = all.add(root);
  EXPECT_TRUE(in_program_order(first, second) < 0);
  EXPECT_TRUE(in_program_order(second, first) > 0);
  EXPECT_TRUE(in_program_order(first, first) == 0);
}

TEST(ProgramOrder, PutsDescendantsBeforeWhatTheirCreatorsCreateNext) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    scope root(nullptr);
    nodes all;
    std::vector<const task_node*> preorder;
    const auto grow = [&](auto& self, scope& in, int depth) -> void {
      const int children = static_cast<int>(random() % 4);
      for (int i = 0; i < children; ++i) {
        task_node& made = all.add(in);
        preorder.push_back(&made);
        if (depth > 0) self(self, made.children, depth - 1);
      }
    };
    grow(grow, root, 5);
    for (std::size_t i = 0; i < preorder.size(); ++i)
      for (std::size_t k = 0; k < preorder.size(); ++k)
        ASSERT_EQ(in_program_order(*preorder[i], *preorder[k]), i <=> k) << i << " and " << k;
  }
}

TEST(ProgramOrder, OfWhatTheProgramDoesNotOrderIsAlwaysTheSame) {
  scope one(nullptr), other(nullptr);
  nodes all;
  std::vector<const task_node*> tasks;
  for (int i = 0; i < 4; ++i) {
    task_node& made = all.add(i % 2 ? one : other);
    tasks.push_back(&made);
    tasks.push_back(&all.add(made.children));
  }
  for (const task_node* a : tasks)
    for (const task_node* b : tasks)
      for (const task_node* c : tasks)
        if (in_program_order(*a, *b) < 0 && in_program_order(*b, *c) < 0) {
          EXPECT_TRUE(in_program_order(*a, *c) < 0) << "an order has no circle";
        }
}

TEST(ProgramOrder, PutsTheGraphsOwnTasksFirst) {
  scope root(nullptr);
  nodes all;
  const task_node& first = all.add(root);
  task_node& own = all.add(root);
  own.is_internal = true;
  EXPECT_TRUE(in_program_order(own, first) < 0);
  EXPECT_TRUE(in_program_order(first, own) > 0);
}

}  // namespace
}  // namespace maslin::place
