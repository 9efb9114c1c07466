#include "exec/pages/page_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace maslin::pages {
namespace {

using enum right;
using kind = page_map::finding::kind;

constexpr std::uintptr_t page = 4096;

// What the system would know: of pages 0 to 99, in units of one.
constexpr int pages_in_all = 100;
right rights[pages_in_all];
int mappings = 0;
constexpr int read_only_page = 90;

page_system::outcome set(std::uintptr_t start, std::uintptr_t end, right now) noexcept {
  if (mappings == 0) return page_system::outcome::no_mappings;
  if (mappings > 0) --mappings;
  std::fill(rights + start, rights + end, now);
  return page_system::outcome::done;
}
bool is_writable(std::uintptr_t start) noexcept { return start != read_only_page; }

class PageMap : public testing::Test {
 protected:
  PageMap() {
    std::fill(std::begin(rights), std::end(rights), all);
    mappings = -1;
  }
  static watched_task reader(std::uintptr_t start, std::uintptr_t end) {
    watched_task t;
    t.uses.push_back({start, end, read, read});
    return t;
  }
  static watched_task writer(std::uintptr_t start, std::uintptr_t end) {
    watched_task t;
    t.uses.push_back({start, end, all, none});
    return t;
  }

  page_map map{{set, is_writable}};
  runner thread;
};

TEST(WholePages, AreThoseWithinAColumn) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> found;
  const auto collect = [&](std::uintptr_t start, std::uintptr_t end) { found.emplace_back(start, end); };
  graph::region r;
  r.start = page + 8;
  r.bytes = 3 * page;
  for_whole_pages(r, page, collect);
  EXPECT_EQ(found, (decltype(found){{2 * page, 4 * page}}));
  found.clear();
  r.bytes = page;  // none of it is whole
  for_whole_pages(r, page, collect);
  EXPECT_TRUE(found.empty());
  r.start = page;
  r.columns = 3;
  r.stride = 2 * page - 16;  // only the first column lies on a page
  for_whole_pages(r, page, collect);
  EXPECT_EQ(found, (decltype(found){{page, 2 * page}}));
}

TEST_F(PageMap, WhatATaskWritesIsForItAlone) {
  watched_task t = writer(10, 20);
  map.add(t);
  EXPECT_EQ(rights[10], none);
  EXPECT_EQ(rights[19], none);
  EXPECT_EQ(rights[9], all);
  EXPECT_EQ(rights[20], all);
  map.run(thread, {&t});
  EXPECT_EQ(rights[10], all);
  map.run(thread, {});
  EXPECT_EQ(rights[10], none);
  map.remove(t);
  EXPECT_EQ(rights[10], all);
}

TEST_F(PageMap, WhatTasksReadEverybodyReads) {
  watched_task one = reader(10, 20), other = reader(15, 25);
  map.add(one);
  map.add(other);
  map.run(thread, {&one});
  EXPECT_EQ(rights[24], read);
  map.remove(one);
  EXPECT_EQ(rights[10], all);
  EXPECT_EQ(rights[15], read);
  map.remove(other);
  EXPECT_EQ(rights[15], all);
}

TEST_F(PageMap, ARightEndsWithTheTaskThoughItsThreadIsStillIn) {
  watched_task earlier = writer(10, 20), later = writer(10, 20);
  map.add(earlier);
  map.add(later);
  map.run(thread, {&earlier});
  EXPECT_EQ(rights[10], all);
  map.remove(earlier);
  EXPECT_EQ(rights[10], none);
  map.run(thread, {&later});
  EXPECT_EQ(rights[10], all);
}

TEST_F(PageMap, ATaskThatItCreatedTakesWhatItDeclaresAndLeavesTheRest) {
  watched_task outer = writer(10, 20), inner = writer(12, 14);
  inner.creator = &outer;
  map.add(outer);
  map.run(thread, {&outer});
  map.add(inner);
  EXPECT_EQ(rights[11], all);
  EXPECT_EQ(rights[12], none);
  EXPECT_EQ(map.look(12, thread.now, false).is, kind::in_use);
  map.run(thread, {&inner});
  EXPECT_EQ(rights[12], all);
  EXPECT_EQ(rights[11], all);  // its creator waits for it
  map.remove(inner);
  map.run(thread, {&outer});
  EXPECT_EQ(rights[12], all);
}

TEST_F(PageMap, ATaskOfUnknownCreatorMayDoWhatThoseMayThatHaveBegun) {
  watched_task outer = writer(10, 20), waits = writer(30, 40), inner = reader(50, 60);
  inner.is_adrift = true;
  map.add(outer);
  map.add(waits);
  map.add(inner);
  outer.has_begun = true;
  map.run(thread, {&inner, true});
  EXPECT_EQ(map.look(10, thread.now, true).is, kind::allowed);
  EXPECT_EQ(rights[10], all);
  EXPECT_EQ(map.look(30, thread.now, true).is, kind::in_use);
  map.run(thread, {});
  EXPECT_EQ(rights[10], none);  // what was allowed meanwhile is over
}

TEST_F(PageMap, WhoWorksElsewhereMayNotLookThere) {
  watched_task writes_version, reads_version;
  writes_version.uses = {{10, 20, none, none}, {30, 40, all, none}};
  reads_version.uses = {{10, 20, none, all}, {30, 40, read, read}};
  map.add(writes_version);
  map.add(reads_version);
  map.run(thread, {&writes_version});
  EXPECT_EQ(rights[10], none);
  EXPECT_EQ(rights[30], all);
  EXPECT_EQ(map.look(10, thread.now, true).is, kind::elsewhere);
  map.remove(writes_version);
  map.run(thread, {&reads_version});
  EXPECT_EQ(rights[10], none);
  EXPECT_EQ(rights[30], read);
  EXPECT_EQ(map.look(30, thread.now, true).is, kind::writes_in);
  map.run(thread, {});
  EXPECT_EQ(rights[10], all);  // it was brought home, and the program has waited for that
}

TEST_F(PageMap, ThreadsThatRunTasksMayDoWhatOneOfThemMay) {
  watched_task one = writer(10, 20), other = writer(30, 40);
  runner beside;
  map.add(one);
  map.add(other);
  map.run(thread, {&one});
  map.run(beside, {&other});
  EXPECT_EQ(rights[10], all);
  EXPECT_EQ(rights[30], all);
  map.run(thread, {});
  EXPECT_EQ(rights[10], none);
  EXPECT_EQ(rights[30], all);
}

TEST_F(PageMap, WhatNobodyMayWriteIsLeftAlone) {
  rights[read_only_page] = read;
  watched_task t = reader(read_only_page, read_only_page + 1);
  map.add(t);
  EXPECT_EQ(map.look(read_only_page, {}, true).is, kind::unknown);
  map.remove(t);
  EXPECT_EQ(rights[read_only_page], read);
}

TEST_F(PageMap, WithoutMappingsAllIsOpenedAtTheLatestWhenSomebodyLooks) {
  watched_task t = writer(10, 20), more = writer(30, 40);
  map.add(t);
  mappings = 0;
  map.add(more);
  EXPECT_TRUE(map.is_exhausted());
  map.lift();
  EXPECT_EQ(rights[10], none);
  EXPECT_EQ(rights[30], all);
  mappings = -1;
  EXPECT_EQ(map.look(15, {}, true).is, kind::allowed);
  EXPECT_EQ(rights[10], all);
  map.run(thread, {&t});
  map.remove(t);  // nothing more happens
  EXPECT_EQ(rights[10], all);
}

/// Against the same said page by page.
TEST_F(PageMap, OfManyOverlappingUsesEachPageIsRight) {
  std::mt19937 random(1);
  std::vector<watched_task> tasks(40);
  std::vector<bool> is_there(tasks.size());
  for (int step = 0; step < 2000; ++step) {
    const std::size_t i = random() % tasks.size();
    watched_task& t = tasks[i];
    if (is_there[i]) {
      map.remove(t);
    } else {
      t.uses.clear();
      for (std::uint_fast32_t k = random() % 3; k < 3; ++k) {
        const std::uintptr_t start = random() % 80, end = start + 1 + random() % 10;
        const bool reads = random() % 2 == 0;
        t.uses.push_back({start, end, reads ? read : all, reads ? read : none});
      }
      map.add(t);
    }
    is_there[i] = !is_there[i];
    const std::size_t k = random() % tasks.size();
    const watched_task* const runs = is_there[k] ? &tasks[k] : nullptr;
    map.run(thread, {is_there[k] ? &tasks[k] : nullptr});
    for (std::uintptr_t at = 0; at < pages_in_all; ++at) {
      right own = none, left = all;
      bool declares = false;
      for (std::size_t j = 0; j < tasks.size(); ++j)
        for (const use& u : tasks[j].uses)
          if (is_there[j] && u.start <= at && at < u.end) {
            declares = declares || &tasks[j] == runs;
            if (&tasks[j] == runs) own = std::max(own, u.own);
            left = std::min(left, u.left);
          }
      const right expected = declares ? own : left;
      ASSERT_EQ(rights[at], expected) << step << " " << at;
    }
  }
}

}  // namespace
}  // namespace maslin::pages
