#include "exec/virtual/events.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace maslin {
namespace {

TEST(Events, ComeInTheOrderOfTimeAndThenOfTheirAdding) {
  event_queue events;
  events.add(30, 0);
  events.add(10, 1);
  events.add(10, 2);
  events.add(20, 3);
  events.add(10, 4);
  std::vector<int> order;
  for (; !events.empty(); events.drop()) order.push_back(events.next().processor);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 4, 3, 0}));
}

TEST(Events, OfCodeThatGoesOnComeFirstOfTheirTime) {
  event_queue events;
  events.add(10, 0);
  events.add(20, 1, true);
  events.add(10, 2, true);
  events.add(10, 3, true);
  std::vector<int> order;
  for (; !events.empty(); events.drop()) order.push_back(events.next().processor);
  EXPECT_EQ(order, (std::vector<int>{2, 3, 0, 1}));
}

TEST(Events, HaveNamesOfTheirOwn) {
  event_queue events;
  const auto first = events.add(1, 0);
  const auto second = events.add(1, 0);
  EXPECT_NE(first, second);
  EXPECT_NE(first, 0u);  // stands for none
  EXPECT_EQ(events.next().order, first);
}

}  // namespace
}  // namespace maslin
