// Local stores: what is copied where, how much room there is, and that the adversary finds a wrong order.

#include "exec/store/local_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <numeric>
#include <random>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "exec/store/thread_platform.hpp"

namespace {

using namespace maslin;
using detail::declared;
using store::copy;
using store::keeping;
using store::local_store;
using store::place;
using store::places;
using store::plan;
using store::thread_platform;

constexpr int seeds = 50;

declared access(void* data, std::size_t bytes, access_mode mode, std::size_t columns = 1, std::size_t stride = 0) {
  return {data, bytes, columns, stride ? stride : bytes, mode, true, nullptr};
}

template <class T>
T* as(const place& at) {
  return reinterpret_cast<T*>(at.at);
}

/// Of a task whose end is nobody else's affair.
std::uint64_t ends() { return 1; }

/// Runs a task that has room for its copies; nobody else has what it reads.
template <class Body, class End>
void run_alone(local_store<thread_platform>& in, const plan& of, places& at, Body&& body, End&& end) {
  in.begin_stage_in(of, at, true, 0);
  store::run_on_copies(
      in, of, at, body, [] {}, end);
}

TEST(Arena, GivesNoMoreThanItHasAndTakesItBack) {
  store::arena a(1024);
  std::byte* const first = a.take(500);
  std::byte* const second = a.take(512);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(a.take(1), nullptr);
  EXPECT_EQ(a.taken(), 1024u);
  a.give(first);
  EXPECT_EQ(a.take(513), nullptr);
  EXPECT_EQ(a.take(512), first);
  a.give(second);
  a.give(first);
  EXPECT_EQ(a.taken(), 0u);
  EXPECT_EQ(a.take(1024), first);
}

TEST(Arena, AnOddSizeIsRoundedDown) {
  store::arena a(1000);
  EXPECT_EQ(a.bytes(), 960u);
  EXPECT_EQ(a.take(961), nullptr);
}

TEST(Arena, PiecesNeverOverlap) {
  std::minstd_rand chance(1);
  store::arena a(8192);
  std::vector<std::pair<std::byte*, std::size_t>> held;
  for (int i = 0; i < 20000; ++i) {
    if (!held.empty() && chance() % 2) {
      const std::size_t which = chance() % held.size();
      a.give(held[which].first);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      continue;
    }
    const std::size_t bytes = 1 + chance() % 1000;
    std::byte* const piece = a.take(bytes);
    if (!piece) continue;
    ASSERT_TRUE(a.holds(piece) && a.holds(piece + bytes - 1));
    for (const auto& [other, size] : held) ASSERT_TRUE(piece + bytes <= other || other + size <= piece);
    held.emplace_back(piece, bytes);
  }
}

TEST(Plan, AccessesToTheSameRegionShareACopy) {
  std::vector<char> data(100);
  const plan p =
      store::make_plan({access(data.data(), 100, access_mode::in), access(data.data(), 100, access_mode::out)});
  ASSERT_EQ(p.copies.size(), 1u);
  EXPECT_EQ(p.of_access, (std::vector<int>{0, 0}));
  EXPECT_TRUE(p.copies[0].reads);
  EXPECT_TRUE(p.copies[0].writes);
}

TEST(Plan, WhatATaskOnlyWritesIsNotFetchedHoweverOftenItIsNamed) {
  std::vector<char> data(100);
  const plan p =
      store::make_plan({access(data.data(), 100, access_mode::out), access(data.data(), 100, access_mode::out)});
  ASSERT_EQ(p.copies.size(), 1u);
  EXPECT_FALSE(p.copies[0].reads);
  EXPECT_TRUE(p.copies[0].writes);
}

TEST(Plan, WhatOverlapsInPartStaysOnMemory) {
  std::vector<char> data(100);
  const plan p = store::make_plan({access(data.data(), 60, access_mode::in), access(&data[80], 20, access_mode::out),
                                   access(&data[50], 20, access_mode::inout)});
  EXPECT_EQ(p.of_access, (std::vector<int>{plan::on_memory, 0, plan::on_memory}));
  EXPECT_FALSE(p.copies[0].reads);
}

TEST(Plan, TilesOfOneMatrixThatLieBetweenEachOtherAreCopied) {
  std::vector<double> matrix(64);
  const auto tile = [&](std::size_t row) { return access(&matrix[row], 32, access_mode::inout, 8, 64); };
  const plan p = store::make_plan({tile(0), tile(4)});
  EXPECT_EQ(p.copies.size(), 2u);
  EXPECT_EQ(p.bytes(), 512u);
}

TEST(Plan, WhatIsMoreThanBytesStaysOnMemory) {
  int x = 0, y = 0;
  declared fixed = access(&x, sizeof x, access_mode::inout);
  fixed.renames = false;
  const plan p = store::make_plan({fixed, access(&y, sizeof y, access_mode::in), access(&x, 0, access_mode::in)});
  EXPECT_EQ(p.of_access, (std::vector<int>{plan::on_memory, 0, plan::on_memory}));
}

/// A store of 4 KiB and a task that adds what it reads to a tile of a matrix. Unsigned, because a body that runs too
/// early adds whatever lay there.
struct adding {
  static constexpr std::size_t rows = 5, columns = 7, ld = 11;
  std::vector<unsigned> source = std::vector<unsigned>(rows * columns);
  std::vector<unsigned> matrix = std::vector<unsigned>(ld * columns, 100);
  local_store<thread_platform> in;
  plan of;
  places at;

  explicit adding(std::optional<std::uint64_t> seed) : in(4096, keeping::none, seed) {
    std::iota(source.begin(), source.end(), 1u);
    of = store::make_plan(
        {access(source.data(), source.size() * sizeof(unsigned), access_mode::in),
         access(&matrix[2], rows * sizeof(unsigned), access_mode::inout, columns, ld * sizeof(unsigned))});
    EXPECT_TRUE(in.take(of, at, {}));
  }
  void body() {
    const unsigned* from = as<unsigned>(at[static_cast<std::size_t>(of.of_access[0])]);
    unsigned* to = as<unsigned>(at[static_cast<std::size_t>(of.of_access[1])]);
    for (std::size_t i = 0; i < source.size(); ++i) to[i] += from[i];
  }
  /// Ends when its data are on their way to memory.
  void go_on_to_stage_out() {
    in.begin_stage_in(of, at, false, 0);
    in.end_stage_in(of, at);
    body();
    in.begin_stage_out(of, at, false);
  }
  bool is_right() const {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      const std::size_t row = i % ld, column = i / ld;
      const bool inside = row >= 2 && row < 2 + rows;
      if (matrix[i] != (inside ? 100 + source[column * rows + row - 2] : 100)) return false;
    }
    return true;
  }
};

TEST(LocalStore, ATileIsGatheredColumnByColumnAndComesBack) {
  for (int seed = -1; seed < seeds; ++seed) {
    adding task(seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed));
    run_alone(
        task.in, task.of, task.at, [&] { task.body(); }, ends);
    EXPECT_TRUE(task.is_right()) << seed;
    const store::counts told = task.in.told();
    EXPECT_EQ(told.bytes_in, 2 * adding::rows * adding::columns * sizeof(int));
    EXPECT_EQ(told.bytes_out, adding::rows * adding::columns * sizeof(int));
    EXPECT_LE(told.most_bytes, 4096u);
  }
}

TEST(LocalStore, TheAdversaryFindsABodyThatRunsBeforeItsCopyHasArrived) {
  int found = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    adding task(seed);
    task.in.begin_stage_in(task.of, task.at, false, 0);
    task.body();  // the mistake: `end_stage_in` comes first
    task.in.end_stage_in(task.of, task.at);
    task.in.begin_stage_out(task.of, task.at, false);
    task.in.end_stage_out();
    found += !task.is_right();
  }
  EXPECT_GT(found, seeds / 2);
}

TEST(LocalStore, TheAdversaryFindsATaskThatIsDoneBeforeItsDataAreInMemory) {
  int found = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    adding task(seed);
    task.go_on_to_stage_out();
    found += !task.is_right();  // the mistake: `end_stage_out` comes first
    task.in.end_stage_out();
    EXPECT_TRUE(task.is_right());
  }
  EXPECT_GT(found, seeds / 2);
}

TEST(LocalStore, TheAdversaryFindsRoomThatIsGivenBackBeforeItsDataAreInMemory) {
  int found = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    adding task(seed);
    task.go_on_to_stage_out();
    task.in.give(task.of, task.at);  // the mistake: `end_stage_out` comes first
    std::vector<int> other(adding::rows * adding::columns);
    const plan next = store::make_plan({access(other.data(), other.size() * sizeof(int), access_mode::out),
                                        access(task.source.data(), other.size() * sizeof(int), access_mode::out)});
    ASSERT_TRUE(task.in.take(next, task.at, {}));
    for (const place& piece : task.at) std::memset(piece.at, 0, other.size() * sizeof(int));
    task.in.end_stage_out();
    found += !task.is_right();
  }
  EXPECT_GT(found, seeds / 2);
}

TEST(LocalStore, WhatAFailedBodyHasChangedIsInMemory) {
  int kept = 1, lost = 1;
  local_store<thread_platform> in(4096, keeping::all, std::optional<std::uint64_t>(3));
  const plan of =
      store::make_plan({access(&kept, sizeof kept, access_mode::inout), access(&lost, sizeof lost, access_mode::out)});
  places at;
  ASSERT_TRUE(in.take(of, at, {}));
  const auto body = [&] {
    *as<int>(at[static_cast<std::size_t>(of.of_access[0])]) = 2;
    throw std::runtime_error("no");
  };
  EXPECT_THROW(run_alone(in, of, at, body, ends), std::runtime_error);
  EXPECT_EQ(kept, 2);
  EXPECT_EQ(lost, 1);
  EXPECT_TRUE(at.empty());
}

TEST(LocalStore, WithoutRoomForAllCopiesATaskGetsNone) {
  std::vector<char> data(4096);
  local_store<thread_platform> in(4096, keeping::all, std::nullopt);
  const plan half = store::make_plan({access(data.data(), 2048, access_mode::in)});
  const plan two =
      store::make_plan({access(data.data(), 2048, access_mode::in), access(&data[2048], 64, access_mode::in)});
  places first, second, third;
  ASSERT_TRUE(in.take(half, first, {}));
  EXPECT_TRUE(in.take(half, second, {}));
  EXPECT_FALSE(in.take(two, third, {}));
  in.give(half, second);
  EXPECT_FALSE(in.take(store::make_plan({access(data.data(), 4096, access_mode::in)}), third, {}));
  EXPECT_TRUE(third.empty());
  EXPECT_TRUE(in.take(half, third, {}));
}

// What stays in a store. The worker's side of tasks is played here: who runs what, and when the program creates it.

/// What a cache that is wrong does otherwise.
enum class mistake {
  none,
  serves_all,       ///< whoever asks, whenever it was created
  ends_own,         ///< copies of what is written, in the writer's store alone
  ends_same,        ///< those of the same region alone
  ends_unfinished,  ///< before the task has written
  ticks_late,       ///< when the task is completed already
  shows_nothing,    ///< of what is dirty in the other store
  shows_same,       ///< copies of the same region alone
  shows_late,       ///< when the task has fetched its data
  drops_all,        ///< of what a task uses, whether it reads it or not
  serves_missing,   ///< of what a task has found in its own store, the other one is not told
  waits_untold,     ///< the stores do not hear that the program waits
  frees_untold,     ///< nor that memory is freed
};

/// Two workers with stores of 4 KiB and what they have in memory.
struct two_workers {
  mistake made;
  std::uint64_t clock = 0;
  local_store<thread_platform> stores[2];
  std::vector<int> memory = std::vector<int>(256, 1);
  bool is_lazy = false;                      ///< what is written reaches memory when somebody looks
  std::function<void()> before_end = [] {};  ///< happens when a task's data are in memory, before its end

  explicit two_workers(mistake m, keeping what = keeping::all, std::optional<std::uint64_t> seed = {})
      : made(m),
        stores{local_store<thread_platform>(4096, what, seed), local_store<thread_platform>(4096, what, seed)} {}

  /// A task is created now: gives when that is.
  std::uint64_t create() const { return made == mistake::serves_all ? 0 : clock; }

  /// Worker `worker` runs a task that was created then, on its copy of some integers.
  template <class Body>
  void run(int worker, std::uint64_t born, access_mode mode, std::size_t first, std::size_t count, Body&& body) {
    plan of = store::make_plan({access(&memory[first], count * sizeof(int), mode)});
    of.copies[0].is_lazy = is_lazy;
    if (made == mistake::ends_unfinished)
      for (auto& one : stores) one.end_copies(of.uses);
    local_store<thread_platform>& here = stores[worker];
    places at;
    ASSERT_TRUE(here.take(of, at, born));
    serve(1 - worker, of, at);
    here.begin_stage_in(of, at, true, clock);
    store::run_on_copies(
        here, of, at,
        [&] {
          if (made == mistake::shows_late) stores[1 - worker].show(of.uses);
          body(as<int>(at[0]));
        },
        [] {},
        [&]() noexcept {
          before_end();
          return end(worker, of.uses);
        });
  }
  /// A task begins in the other store.
  void serve(int store, plan of, places& at) {
    if (made == mistake::shows_nothing || made == mistake::shows_late ||
        (made == mistake::shows_same && is_part(of.uses[0].is)) || (made == mistake::serves_missing && at[0].is_hit))
      return;
    if (made == mistake::drops_all) of.uses[0].reads = of.copies[0].reads = false;
    stores[store].serve(of, at);
  }
  void run_on_memory(access_mode mode, std::size_t first, std::size_t count) {
    const store::use uses[] = {{graph::region(access(&memory[first], count * sizeof(int), mode)), true, true}};
    if (made == mistake::none)
      for (auto& one : stores) one.show(uses);
  }
  void wait() {
    if (made == mistake::waits_untold) return;
    for (auto& one : stores) one.show_everything();
  }
  /// The memory is something else from now on.
  void free(std::size_t first, std::size_t count, int next) {
    if (made != mistake::frees_untold)
      for (auto& one : stores) one.forget(graph::region(access(&memory[first], count * sizeof(int), access_mode::in)));
    std::fill_n(&memory[first], count, next);
  }
  std::uint64_t end(int worker, const std::vector<store::use>& uses) noexcept {
    if (made == mistake::ends_own) {
      stores[worker].end_copies(uses);
    } else if (made != mistake::ends_unfinished &&
               !(made == mistake::ends_same && uses[0].writes && is_part(uses[0].is))) {
      for (auto& one : stores) one.end_copies(uses);
    }
    return made == mistake::ticks_late ? clock + 1 : ++clock;
  }
  bool is_part(const graph::region& r) const { return r.size() < 64 * sizeof(int); }

  int read(int worker, std::uint64_t born, std::size_t first = 0, std::size_t count = 64) {
    int found = 0;
    run(worker, born, access_mode::in, first, count, [&](const int* v) { found = v[0]; });
    return found;
  }
  void write(int worker, std::uint64_t born, int value, std::size_t first = 0, std::size_t count = 64,
             access_mode mode = access_mode::inout) {
    run(worker, born, mode, first, count, [&](int* v) { std::fill_n(v, count, value); });
  }
  store::counts told(int worker) const { return stores[worker].told(); }
};

TEST(KeptCopies, AChainOfTasksOnATileFetchesItOnce) {
  for (int seed = -1; seed < seeds; ++seed) {
    two_workers w(mistake::none, keeping::all, seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed));
    const std::uint64_t born = w.create();
    for (int i = 0; i < 10; ++i)
      w.run(0, born, access_mode::inout, 0, 64, [](int* v) {
        for (int k = 0; k < 64; ++k) ++v[k];
      });
    EXPECT_EQ(w.memory[0], 11);
    EXPECT_EQ(w.memory[63], 11);
    EXPECT_EQ(w.told(0).bytes_in, 256u);
    EXPECT_EQ(w.told(0).bytes_out, 2560u);
    EXPECT_EQ(w.told(0).hits, 9u);
    EXPECT_EQ(w.told(0).bytes_kept, 9 * 256u);
    EXPECT_EQ(w.told(0).most_bytes, 256u);
  }
}

TEST(KeptCopies, WhatTheProgramWritesAfterAWaitIsRead) {
  for (const mistake m : {mistake::none, mistake::serves_all, mistake::ticks_late}) {
    for (const bool writes : {false, true}) {
      two_workers w(m);
      if (writes)
        w.write(0, w.create(), 2);
      else
        w.read(0, w.create());
      w.memory[0] = 3;  // the program has waited
      EXPECT_EQ(w.read(0, w.create()) == 3, m == mistake::none);
    }
  }
}

TEST(KeptCopies, ATaskThatWasCreatedBeforeTheWaitMayStillHaveTheCopy) {
  two_workers w(mistake::none);
  const std::uint64_t born = w.create();
  w.read(0, w.create());
  EXPECT_EQ(w.read(0, born), 1);
  EXPECT_EQ(w.told(0).hits, 1u);
  // And leaves it anew: for those that were created before its own end.
  EXPECT_EQ(w.read(0, 1), 1);
  EXPECT_EQ(w.told(0).hits, 2u);
  EXPECT_EQ(w.read(0, w.create()), 1);
  EXPECT_EQ(w.told(0).hits, 2u);
}

TEST(KeptCopies, WhatAnotherWorkerHasWrittenIsRead) {
  for (const mistake m : {mistake::none, mistake::ends_own}) {
    two_workers w(m);
    const std::uint64_t born = w.create();
    w.read(0, born);
    w.write(1, born, 5);
    EXPECT_EQ(w.read(0, born) == 5, m == mistake::none);
  }
}

TEST(KeptCopies, WhatIsWrittenInPartIsRead) {
  for (const mistake m : {mistake::none, mistake::ends_same}) {
    for (const int writer : {0, 1}) {
      two_workers w(m);
      const std::uint64_t born = w.create();
      w.read(0, born);
      w.write(writer, born, 7, 0, 8);
      EXPECT_EQ(w.read(0, born) == 7, m == mistake::none);
      EXPECT_EQ(w.memory[0], 7);
    }
  }
}

TEST(KeptCopies, ATileIsNoLongerKeptWhenOneOfItsColumnsIsWritten) {
  std::vector<int> matrix(100, 1);
  store::arena memory(4096);
  store::kept_copies all(memory);
  const auto region = [&](int row, std::size_t rows, std::size_t columns) {
    return graph::region(
        access(&matrix[static_cast<std::size_t>(row)], rows * sizeof(int), access_mode::in, columns, 10 * sizeof(int)));
  };
  all.add({region(0, 5, 10), memory.take(200), 1});
  all.add({region(5, 5, 10), memory.take(200), 1});
  all.drop_overlapping(region(4, 1, 3), [](const store::kept&) {});
  EXPECT_FALSE(all.find(region(0, 5, 10)));
  EXPECT_TRUE(all.find(region(5, 5, 10)));
}

TEST(KeptCopies, WhatIsWrittenWhileAnotherReadsItServesNobodyAndIsFreedInTheEnd) {
  two_workers w(mistake::none);
  const std::uint64_t born = w.create();
  const plan of = store::make_plan({access(w.memory.data(), 256, access_mode::in)});
  places at, whole;
  ASSERT_TRUE(w.stores[0].take(of, at, born));
  w.stores[0].begin_stage_in(of, at, true, w.clock);
  w.stores[0].end_stage_in(of, at);
  EXPECT_EQ(w.read(0, born), 1);
  EXPECT_EQ(w.told(0).hits, 1u);  // a task beside it shares its copy
  w.write(1, born, 5, 8, 8);      // against the promise
  EXPECT_EQ(as<int>(at[0])[8], 1);
  EXPECT_EQ(w.read(0, born, 8, 8), 5);
  w.stores[0].leave(of, at, ++w.clock);
  EXPECT_EQ(w.read(0, born), 1);
  EXPECT_EQ(w.told(0).hits, 1u);
  std::vector<int> large(1024);
  const plan all = store::make_plan({access(large.data(), 4096, access_mode::in)});
  EXPECT_TRUE(w.stores[0].take(all, whole, {}));
}

TEST(KeptCopies, ATaskThatWasCreatedSinceDoesNotShareWhatAnotherReads) {
  two_workers w(mistake::none);
  const plan of = store::make_plan({access(w.memory.data(), 256, access_mode::in)});
  places at;
  ASSERT_TRUE(w.stores[0].take(of, at, w.create()));
  w.stores[0].begin_stage_in(of, at, true, w.clock);
  w.stores[0].end_stage_in(of, at);
  ++w.clock;  // it has ended elsewhere, say; the program has waited
  w.memory[0] = 3;
  EXPECT_EQ(w.read(0, w.create()), 3);
  w.stores[0].give(of, at);
}

/// A child of a task that writes on memory leaves a copy, and its parent writes after it.
TEST(KeptCopies, WhatATaskWritesAfterItsChildIsRead) {
  for (const mistake m : {mistake::none, mistake::ends_unfinished}) {
    two_workers w(m);
    const std::uint64_t born = w.create();  // also of the reader below
    const std::vector<store::use> uses = {
        {graph::region(access(w.memory.data(), 1024, access_mode::inout)), true, true}};
    const auto ends_copies = [&] {
      for (auto& one : w.stores) one.end_copies(uses);
    };
    if (m == mistake::ends_unfinished) ends_copies();
    w.read(0, w.create());
    w.memory[0] = 9;
    if (m == mistake::none) ends_copies();
    EXPECT_EQ(w.read(0, born) == 9, m == mistake::none);
  }
}

TEST(KeptCopies, MemoryThatWasFreedAndIsSomethingElseNowIsRead) {
  for (const mistake m : {mistake::none, mistake::serves_all}) {
    two_workers w(m);
    w.write(0, w.create(), 2);
    // The program has waited, freed the memory and got it again; or a version has, of which a reduction's value is made
    // before the clock is read.
    std::fill(w.memory.begin(), w.memory.end(), 0);
    EXPECT_EQ(w.read(0, w.create()) == 0, m == mistake::none);
  }
}

TEST(KeptCopies, OnlyTheKindsStayThatAreToStay) {
  for (const auto& [what, after_in, after_out] : {std::tuple(keeping::none, 0u, 0u), std::tuple(keeping::in, 1u, 0u),
                                                  std::tuple(keeping::out, 0u, 1u), std::tuple(keeping::all, 1u, 1u)}) {
    two_workers w(mistake::none, what);
    const std::uint64_t born = w.create();
    w.read(0, born, 0);
    w.read(0, born, 0);
    w.write(0, born, 2, 64);
    EXPECT_EQ(w.told(0).hits, after_in);
    EXPECT_EQ(w.read(0, born, 64), 2);
    EXPECT_EQ(w.told(0).hits, after_in + after_out);
  }
}

TEST(KeptCopies, AReductionsValueIsNotKept) {
  two_workers w(mistake::none);
  w.run(0, 0, access_mode::reduction, 0, 64, [](int*) {});
  EXPECT_EQ(w.read(0, 0), 1);
  EXPECT_EQ(w.told(0).hits, 0u);
}

TEST(KeptCopies, TheOldestGiveWay) {
  two_workers w(mistake::none);
  std::vector<std::vector<int>> data(5, std::vector<int>(256, 1));  // four fit
  const auto read = [&](std::size_t which) {
    const plan of = store::make_plan({access(data[which].data(), 1024, access_mode::in)});
    places at;
    ASSERT_TRUE(w.stores[0].take(of, at, 0));
    run_alone(
        w.stores[0], of, at, [] {}, [&]() noexcept { return ++w.clock; });
  };
  for (const std::size_t which : {0, 1, 2, 3, 0, 4}) read(which);
  EXPECT_EQ(w.told(0).hits, 1u);
  EXPECT_EQ(w.told(0).evictions, 1u);
  read(0);
  EXPECT_EQ(w.told(0).hits, 2u);
  read(1);  // which gave way
  EXPECT_EQ(w.told(0).hits, 2u);
  EXPECT_EQ(w.told(0).most_bytes, 1024u);
}

TEST(KeptCopies, ATaskThatFitsAloneFindsRoomWhateverIsKept) {
  std::minstd_rand chance(7);
  std::vector<char> data(4096);
  for (int round = 0; round < 300; ++round) {
    local_store<thread_platform> in(4096, keeping::all, std::nullopt);
    std::uint64_t clock = 0;
    for (int task = 0; task < 12; ++task) {
      std::vector<declared> accesses;
      for (std::size_t begin = 0, left = 4096; left >= 64;) {
        const std::size_t bytes = std::min<std::size_t>(left, 64 * (1 + chance() % 30));
        if (chance() % 2) accesses.push_back(access(&data[begin], bytes, access_mode::in));
        begin += bytes;
        left -= bytes;
      }
      const plan of = store::make_plan(accesses);
      places at;
      ASSERT_TRUE(in.take(of, at, 0));
      run_alone(
          in, of, at, [] {}, [&]() noexcept { return ++clock; });
    }
  }
}

TEST(KeptCopies, WhatATaskThatWaitsHoldsIsNotEvicted) {
  std::vector<char> data(8192);
  local_store<thread_platform> in(4096, keeping::all, std::nullopt);
  const auto half = [&](std::size_t first) { return store::make_plan({access(&data[first], 2048, access_mode::in)}); };
  const plan kept = half(0), held = half(2048);
  places first, second, third;
  ASSERT_TRUE(in.take(kept, first, 0));
  in.leave(kept, first, 1);
  ASSERT_TRUE(in.take(held, second, 0));
  // A task that does not fit beside the one that waits works on memory, and what is kept stays.
  EXPECT_FALSE(in.take(store::make_plan({access(&data[4096], 2112, access_mode::in)}), third, 0));
  ASSERT_TRUE(in.take(kept, third, 0));
  EXPECT_TRUE(third[0].is_hit);
}

TEST(KeptCopies, ThereAreNoMoreThanATaskCanLookAt) {
  std::vector<char> data(1 << 16);
  local_store<thread_platform> in(1 << 16, keeping::all, std::nullopt);
  constexpr std::size_t more = store::kept_copies::most + 10;
  for (std::size_t i = 0; i < more; ++i) {
    const plan of = store::make_plan({access(&data[64 * i], 64, access_mode::in)});
    places at;
    ASSERT_TRUE(in.take(of, at, 0));
    in.leave(of, at, 1);
  }
  EXPECT_EQ(in.told().evictions, 10u);
}

TEST(KeptCopies, AFailedTaskLeavesNone) {
  two_workers w(mistake::none);
  const auto fails = [&] { w.run(0, 0, access_mode::inout, 0, 64, [](int*) { throw std::runtime_error("no"); }); };
  w.read(0, 0);
  EXPECT_THROW(fails(), std::runtime_error);
  const std::uint64_t hits = w.told(0).hits;
  w.read(0, 0);
  EXPECT_EQ(w.told(0).hits, hits);
}

// What reaches memory late.

/// Two workers whose tasks leave dirty copies.
struct lazy_workers : two_workers {
  explicit lazy_workers(mistake m = mistake::none, keeping what = keeping::all, std::optional<std::uint64_t> seed = {})
      : two_workers(m, what, seed) {
    is_lazy = true;
  }
};

TEST(DirtyCopies, AChainOfTasksOnATileIsPutOnce) {
  for (int seed = -1; seed < seeds; ++seed) {
    lazy_workers w(mistake::none, keeping::all, seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed));
    for (int i = 0; i < 10; ++i)
      w.run(0, w.create(), access_mode::inout, 0, 64, [](int* v) {
        for (int k = 0; k < 64; ++k) ++v[k];
      });
    EXPECT_EQ(w.memory[0], 1);
    w.wait();
    EXPECT_EQ(w.memory, [] {
      std::vector<int> expected(256, 1);
      std::fill_n(expected.begin(), 64, 11);
      return expected;
    }());
    w.wait();
    EXPECT_EQ(w.told(0).bytes_in, 256u);
    EXPECT_EQ(w.told(0).bytes_out, 256u);
    EXPECT_EQ(w.told(0).puts_saved, 9u);
    EXPECT_EQ(w.told(0).bytes_saved, 9 * 256u);
  }
}

TEST(DirtyCopies, WhatAnotherWorkerReadsComesFromItsStore) {
  for (const mistake m : {mistake::none, mistake::shows_nothing, mistake::shows_late, mistake::drops_all}) {
    for (const access_mode mode : {access_mode::in, access_mode::inout, access_mode::concurrent}) {
      lazy_workers w(m);
      w.write(0, w.create(), 2);
      int found = 0;
      w.run(1, w.create(), mode, 0, 64, [&](const int* v) { found = v[63]; });
      EXPECT_EQ(found == 2, m == mistake::none);
      EXPECT_EQ(w.told(1).hits, 0u);
      if (m != mistake::none) continue;
      EXPECT_EQ(w.memory[63], 1);
      EXPECT_EQ(w.told(1).bytes_in, 0u);
      EXPECT_EQ(w.told(1).bytes_from_peers, 256u);
      w.wait();
      EXPECT_EQ(w.memory[63], 2);
      EXPECT_EQ(w.told(0).bytes_out, mode == access_mode::in ? 256u : 0u);
      EXPECT_EQ(w.told(1).bytes_out, mode == access_mode::in ? 0u : 256u);
    }
  }
}

TEST(DirtyCopies, AValueGoesFromWriterToWriterAndReachesMemoryOnce) {
  for (int seed = -1; seed < seeds; ++seed) {
    lazy_workers w(mistake::none, keeping::all, seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed));
    for (int i = 0; i < 10; ++i)
      w.run(i % 2, w.create(), access_mode::inout, 0, 64, [](int* v) {
        for (int k = 0; k < 64; ++k) ++v[k];
      });
    w.wait();
    EXPECT_EQ(w.memory[0], 11);
    EXPECT_EQ(w.memory[63], 11);
    EXPECT_EQ(w.told(0).bytes_in + w.told(1).bytes_in, 256u);
    EXPECT_EQ(w.told(0).bytes_from_peers + w.told(1).bytes_from_peers, 9 * 256u);
    EXPECT_EQ(w.told(0).bytes_out + w.told(1).bytes_out, 256u);
  }
}

/// A value stays dirty in one store, and another one reads it, keeps it and writes it.
TEST(DirtyCopies, WhatWasFetchedFromAPeerAndIsThenWrittenIsNotOverwritten) {
  for (const mistake m : {mistake::none, mistake::serves_missing}) {
    lazy_workers w(m);
    const std::uint64_t born = w.create();
    w.write(1, born, 2);
    EXPECT_EQ(w.read(0, born), 2);
    EXPECT_EQ(w.memory[0], 1);
    w.is_lazy = false;
    w.before_end = [&w] { w.stores[1].show_everything(); };  // somebody waits for another task
    w.write(0, born, 3);
    EXPECT_EQ(w.told(0).hits, 1u);
    EXPECT_EQ(w.memory[0] == 3, m == mistake::none);
    EXPECT_EQ(w.told(1).bytes_out, m == mistake::none ? 0u : 256u);
  }
}

/// A task of store 1 fetches from store 0.
struct fetching : lazy_workers {
  plan of;
  places at;
  fetching(access_mode mode, std::optional<std::uint64_t> seed) : lazy_workers(mistake::none, keeping::all, seed) {
    write(0, create(), 2);
    of = store::make_plan({access(memory.data(), 256, mode)});
    EXPECT_TRUE(stores[1].take(of, at, create()));
    serve(0, of, at);
    stores[1].begin_stage_in(of, at, true, clock);
  }
  /// A task with data of its own takes all room of store 0, and overwrites it.
  void fill() {
    std::vector<int> large(1024);
    const plan all = store::make_plan({access(large.data(), 4096, access_mode::out)});
    places whole;
    if (!stores[0].take(all, whole, {})) return;
    std::memset(whole[0].at, 9, 4096);
    stores[0].give(all, whole);
  }
  bool has_arrived() {
    stores[1].end_stage_in(of, at);
    const int* const v = as<int>(at[0]);
    return std::all_of(v, v + 64, [](int one) { return one == 2; });
  }
};

TEST(DirtyCopies, WhatIsLentStaysUntilItWasFetched) {
  for (const access_mode mode : {access_mode::in, access_mode::inout}) {
    int found = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      fetching right(mode, seed);
      right.fill();
      EXPECT_TRUE(right.has_arrived());
      right.stores[1].give(right.of, right.at);
      right.fill();
      right.wait();
      EXPECT_EQ(right.memory[63], 2);
      fetching wrong(mode, seed);
      // The mistake: `end_stage_in` does it.
      std::exchange(wrong.at[0].from, nullptr)->take_back(wrong.at[0].lent, mode == access_mode::inout);
      wrong.fill();
      found += !wrong.has_arrived();
    }
    EXPECT_GT(found, seeds / 2);
  }
}

TEST(DirtyCopies, WhatIsLentMayReachMemoryMeanwhile) {
  for (const access_mode mode : {access_mode::in, access_mode::inout}) {
    for (int seed = 0; seed < seeds; ++seed) {
      fetching w(mode, seed);
      w.wait();
      EXPECT_EQ(w.memory[0], 2);
      EXPECT_TRUE(w.has_arrived());
      EXPECT_FALSE(w.at[0].is_dirty);
      w.stores[1].give(w.of, w.at);
      EXPECT_EQ(w.told(0).bytes_out + w.told(1).bytes_out, 256u);
    }
  }
}

TEST(DirtyCopies, ATaskThatDoesNotRunGivesBackWhatItWasLent) {
  for (const access_mode mode : {access_mode::in, access_mode::inout}) {
    for (int seed = 0; seed < seeds; ++seed) {
      fetching w(mode, seed);
      w.stores[1].give(w.of, w.at);
      w.fill();
      EXPECT_EQ(w.memory[0], 2);
      EXPECT_EQ(w.memory[63], 2);
      EXPECT_EQ(w.told(0).bytes_out, 256u);
    }
  }
}

TEST(DirtyCopies, WhatIsReadInPartIsInMemoryBefore) {
  for (const mistake m : {mistake::none, mistake::shows_same}) {
    lazy_workers w(m);
    w.write(0, w.create(), 2);
    EXPECT_EQ(w.read(1, w.create(), 60, 8) == 2, m == mistake::none);
  }
  lazy_workers w;  // or in the same store
  w.write(0, w.create(), 2);
  EXPECT_EQ(w.read(0, w.create(), 60, 8), 2);
  EXPECT_EQ(w.read(0, w.create(), 0, 128), 2);
}

TEST(DirtyCopies, WhatIsWrittenInPartKeepsTheRest) {
  for (const mistake m : {mistake::none, mistake::shows_same}) {
    lazy_workers w(m);
    w.write(0, w.create(), 2);
    w.write(1, w.create(), 3, 0, 8, access_mode::out);
    w.wait();
    EXPECT_EQ(w.memory[7], 3);
    EXPECT_EQ(w.memory[8] == 2, m == mistake::none);
  }
}

TEST(DirtyCopies, WhatATaskOnMemoryLooksAtIsThere) {
  for (const mistake m : {mistake::none, mistake::shows_nothing}) {
    lazy_workers w(m);
    w.write(0, w.create(), 2);
    w.run_on_memory(access_mode::in, 32, 64);
    EXPECT_EQ(w.memory[32] == 2, m == mistake::none);
  }
}

TEST(DirtyCopies, ATaskThatFindsNoRoomFindsItsDataInMemory) {
  std::vector<int> data(1024, 1);  // the whole store
  local_store<thread_platform> in(4096, keeping::all, std::nullopt);
  plan half = store::make_plan({access(data.data(), 2048, access_mode::inout)});
  half.copies[0].is_lazy = true;
  places first, second;
  ASSERT_TRUE(in.take(half, first, {}));
  run_alone(
      in, half, first, [&] { as<int>(first[0])[7] = 2; }, ends);
  EXPECT_EQ(data[7], 1);
  const plan other = store::make_plan({access(&data[512], 2048, access_mode::in)});
  ASSERT_TRUE(in.take(other, second, {}));
  const plan all =
      store::make_plan({access(data.data(), 2048, access_mode::in), access(&data[512], 1024, access_mode::in)});
  EXPECT_FALSE(in.take(all, first, {}));
  in.show(all.uses);
  EXPECT_EQ(data[7], 2);
}

/// There is room enough, but no gap for the last datum until what lies in the middle gives way. So the task takes
/// places anew, also for what another one reads meanwhile.
TEST(DirtyCopies, ATaskThatTakesPlacesAnewReadsWhatWasWrittenLast) {
  for (const access_mode mode : {access_mode::in, access_mode::inout}) {
    std::vector<char> data(1024, 1);
    local_store<thread_platform> in(1024, keeping::all, std::nullopt);
    const auto plan_of = [&](std::size_t first, std::size_t bytes, access_mode how) {
      plan of = store::make_plan({access(&data[first], bytes, how)});
      of.copies[0].is_lazy = true;
      return of;
    };
    const plan written = plan_of(0, 128, access_mode::inout), before = plan_of(512, 384, access_mode::in),
               middle = plan_of(128, 128, access_mode::in);
    places dirty, gap, kept, reader, at;
    ASSERT_TRUE(in.take(written, dirty, 0));
    ASSERT_TRUE(in.take(before, gap, 0));
    ASSERT_TRUE(in.take(middle, kept, 0));
    run_alone(
        in, middle, kept, [] {}, ends);
    in.give(before, gap);
    run_alone(
        in, written, dirty, [&] { *as<char>(dirty[0]) = 2; }, ends);
    const plan reads = plan_of(0, 128, access_mode::in);
    ASSERT_TRUE(in.take(reads, reader, 0));  // and does not end
    const plan all = store::make_plan({access(data.data(), 128, access_mode::in),
                                       access(&data[128], 128, access_mode::in), access(&data[512], 448, mode)});
    ASSERT_TRUE(in.take(all, at, 0));
    int found = 0;
    run_alone(
        in, all, at, [&] { found = *as<char>(at[0]); }, ends);
    EXPECT_EQ(found, 2);
    in.give(reads, reader);
  }
}

TEST(DirtyCopies, WhatTheProgramHasWaitedForIsInMemory) {
  for (const mistake m : {mistake::none, mistake::waits_untold}) {
    lazy_workers w(m);
    w.write(0, w.create(), 2);
    w.write(1, w.create(), 3, 64);
    w.wait();
    EXPECT_EQ(w.memory[63] == 2 && w.memory[64] == 3, m == mistake::none);
    w.memory[0] = 4;
    EXPECT_EQ(w.read(0, w.create()) == 4, m == mistake::none);
  }
}

TEST(DirtyCopies, FreedMemoryIsNotWritten) {
  for (const mistake m : {mistake::none, mistake::frees_untold}) {
    lazy_workers w(m);
    w.write(0, w.create(), 2);
    w.free(0, 64, 99);
    w.wait();
    EXPECT_EQ(w.memory[0] == 99, m == mistake::none);
    EXPECT_EQ(w.told(0).puts_saved, m == mistake::none ? 1u : 0u);
  }
}

TEST(DirtyCopies, AnOldValueNeverFollowsANewOne) {
  for (const mistake m : {mistake::none, mistake::shows_nothing}) {
    lazy_workers w(m);
    w.write(0, w.create(), 2);
    w.is_lazy = false;
    w.before_end = [&w] { w.stores[0].show_everything(); };  // somebody waits for another task
    w.write(1, w.create(), 5, 0, 64, access_mode::out);
    EXPECT_EQ(w.memory[0] == 5, m == mistake::none);
    EXPECT_EQ(w.told(0).puts_saved, m == mistake::none ? 1u : 0u);
    EXPECT_EQ(w.told(0).bytes_out, m == mistake::none ? 0u : 256u);
  }
}

TEST(DirtyCopies, WhatATaskOnlyWritesDoesNotMixWithWhatItsStoreHas) {
  lazy_workers w;
  w.write(0, w.create(), 2);
  w.write(0, w.create(), 3, 0, 64, access_mode::out);
  EXPECT_EQ(w.read(0, w.create()), 3);
  EXPECT_EQ(w.memory[0], 1);
  w.wait();
  EXPECT_EQ(w.memory[0], 3);
  EXPECT_EQ(w.told(0).bytes_out, 256u);
  EXPECT_EQ(w.told(0).puts_saved, 1u);
}

TEST(DirtyCopies, WhatGivesWayIsPut) {
  for (int seed = -1; seed < seeds; ++seed) {
    lazy_workers w(mistake::none, keeping::all, seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed));
    w.write(0, w.create(), 2);
    std::vector<int> large(1024);
    const plan of = store::make_plan({access(large.data(), 4096, access_mode::in)});
    places at;
    ASSERT_TRUE(w.stores[0].take(of, at, 0));
    EXPECT_EQ(w.memory[0], 2);
    EXPECT_EQ(w.memory[63], 2);
    EXPECT_EQ(w.told(0).evictions, 1u);
    w.stores[0].give(of, at);
  }
}

TEST(DirtyCopies, SoIsWhatGivesWayToOthersThatAreKept) {
  std::vector<char> data(1 << 16, 1);
  local_store<thread_platform> in(1 << 16, keeping::all, std::nullopt);
  for (std::size_t i = 0; i <= store::kept_copies::most; ++i) {
    plan of = store::make_plan({access(&data[64 * i], 64, access_mode::inout)});
    of.copies[0].is_lazy = true;
    places at;
    ASSERT_TRUE(in.take(of, at, 0));
    run_alone(
        in, of, at, [&] { *as<char>(at[0]) = 2; }, ends);
  }
  EXPECT_EQ(data[0], 2);
  EXPECT_EQ(data[64], 1);
  in.show_everything();
  for (std::size_t i = 0; i <= store::kept_copies::most; ++i) EXPECT_EQ(data[64 * i], 2);
}

TEST(DirtyCopies, WhileATaskReadsOneOthersFindIt) {
  for (const auto& [other, what] :
       {std::pair(0, keeping::all), std::pair(1, keeping::all), std::pair(1, keeping::out)}) {
    lazy_workers w(mistake::none, what);
    w.write(0, w.create(), 2);
    w.run(0, w.create(), access_mode::in, 0, 64, [&, other = other](const int* v) {
      EXPECT_EQ(v[0], 2);
      EXPECT_EQ(w.memory[0], 1);
      EXPECT_EQ(w.read(other, w.create()), 2);
      EXPECT_EQ(w.memory[0], 1);
      EXPECT_EQ(w.read(other, w.create(), 8, 8), 2);
      EXPECT_EQ(w.memory[0], 2);
    });
    w.wait();
    EXPECT_EQ(w.told(0).bytes_out, 256u);
    EXPECT_EQ(w.told(0).puts_saved, 0u);
  }
}

TEST(DirtyCopies, WhatIsReadAndThenFreedIsNeverPut) {
  lazy_workers w;
  w.write(0, w.create(), 2, 0, 64, access_mode::out);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(w.read(0, w.create()), 2);
  w.free(0, 64, 99);
  w.wait();
  EXPECT_EQ(w.memory[0], 99);
  EXPECT_EQ(w.told(0).bytes_in + w.told(0).bytes_out, 0u);
  EXPECT_EQ(w.told(0).puts_saved, 1u);
}

TEST(DirtyCopies, ATaskThatFailsLeavesNone) {
  for (const access_mode mode : {access_mode::in, access_mode::inout}) {
    lazy_workers w;
    w.write(0, w.create(), 2);
    const auto fails = [&] {
      w.run(0, w.create(), mode, 0, 64, [&](int* v) {
        if (mode == access_mode::inout) v[1] = 3;
        throw std::runtime_error("no");
      });
    };
    EXPECT_THROW(fails(), std::runtime_error);
    EXPECT_EQ(w.memory[0], mode == access_mode::inout ? 2 : 1);
    w.wait();
    EXPECT_EQ(w.memory[0], 2);
    EXPECT_EQ(w.memory[1], mode == access_mode::inout ? 3 : 2);
    w.memory[0] = 4;
    w.wait();
    EXPECT_EQ(w.memory[0], 4);
  }
}

TEST(DirtyCopies, ATaskThatDoesNotRunGivesBackWhatItFound) {
  for (const access_mode mode : {access_mode::in, access_mode::inout}) {
    lazy_workers w;
    w.write(0, w.create(), 2);
    const plan of = store::make_plan({access(w.memory.data(), 256, mode)});
    places at;
    ASSERT_TRUE(w.stores[0].take(of, at, {}));
    EXPECT_EQ(at[0].is_dirty, mode == access_mode::inout);
    w.stores[0].give(of, at);
    w.wait();
    EXPECT_EQ(w.memory[0], 2);
  }
}

TEST(DirtyCopies, WhatDoesNotStayIsPutAtOnce) {
  for (const auto& [what, stays] :
       {std::pair(keeping::none, false), std::pair(keeping::in, false), std::pair(keeping::out, true)}) {
    lazy_workers w(mistake::none, what);
    w.write(0, w.create(), 2);
    EXPECT_EQ(w.memory[0] == 1, stays);
    // One that was only read since stays all the same, until memory has it.
    EXPECT_EQ(w.read(0, w.create()), 2);
    EXPECT_EQ(w.memory[0] == 1, stays);
    w.wait();
    EXPECT_EQ(w.memory[0], 2);
  }
}

TEST(DirtyCopies, AReductionsValueIsPutAtOnce) {
  lazy_workers w;
  w.run(0, 0, access_mode::reduction, 0, 64, [](int* v) { v[0] = 7; });
  EXPECT_EQ(w.memory[0], 7);
}

// What is fetched early.

/// A task that is ready, and whose data worker 0 fetches early: 64 integers, which a task of that worker has written.
struct prefetched : lazy_workers {
  const int node = 0;  ///< its address is the task's
  plan of;
  places at;

  explicit prefetched(access_mode mode, std::optional<std::uint64_t> seed = {}, std::size_t first = 0)
      : lazy_workers(mistake::none, keeping::all, seed) {
    write(0, create(), 2);
    begin(mode, first);
  }
  void begin(access_mode mode, std::size_t first) {
    plan early = store::make_plan({access(&memory[first], 256, mode)});
    early.copies[0].is_lazy = true;
    places there;
    ASSERT_TRUE(stores[0].take_early(early, there, create()));
    stores[1].serve(early, there);
    stores[0].begin_early(&node, std::move(early), std::move(there), true, clock);
  }
  bool finds() { return stores[0].find_early(&node, of, at); }
  /// The first integer that the task's body finds; it adds one if it writes.
  int run_found() {
    int found = 0;
    store::run_on_copies(
        stores[0], of, at,
        [&] {
          found = as<int>(at[0])[0];
          if (of.copies[0].writes) std::fill_n(as<int>(at[0]), 64, found + 1);
        },
        [] {}, [&]() noexcept { return end(0, of.uses); });
    return found;
  }
};

TEST(FetchedEarly, ATaskFindsItsData) {
  for (int seed = -1; seed < seeds; ++seed) {
    for (const std::size_t first : {0, 64}) {
      for (const access_mode mode : {access_mode::in, access_mode::inout}) {
        prefetched w(mode, seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed), first);
        EXPECT_EQ(w.read(0, w.create(), 128), 1);  // the task that runs meanwhile
        ASSERT_TRUE(w.finds());
        const int before = first == 0 ? 2 : 1;
        EXPECT_EQ(w.run_found(), before);
        EXPECT_FALSE(w.finds());
        w.wait();
        EXPECT_EQ(w.memory[first], mode == access_mode::in ? before : before + 1);
        EXPECT_EQ(w.told(0).early, 1u);
      }
    }
  }
}

TEST(FetchedEarly, TheAdversaryFindsATaskThatDoesNotWaitForThem) {
  int found = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    prefetched w(access_mode::in, seed, 64);
    ASSERT_TRUE(w.finds());
    w.at[0].comes_with.reset();  // the mistake
    found += w.run_found() != 1;
  }
  EXPECT_GT(found, seeds / 2);
}

/// Another worker takes the task, and the program goes on with its data.
TEST(FetchedEarly, WhoRunsTheTaskElsewhereTakesThemBackFirst) {
  for (const bool takes_back : {true, false}) {
    for (const access_mode mode : {access_mode::in, access_mode::inout}) {
      prefetched p(mode);
      if (takes_back) p.stores[0].drop_early(&p.node);
      int found = 0;
      p.run(1, p.create(), mode, 0, 64, [&](int* v) {
        found = v[0];
        if (mode == access_mode::inout) v[0] = 5;
      });
      // What only it would read is still found by others.
      EXPECT_EQ(found == 2, takes_back || mode == access_mode::in);
      EXPECT_EQ(p.finds(), !takes_back);
      if (!takes_back) continue;
      EXPECT_EQ(p.told(1).bytes_from_peers, 256u);
      p.wait();
      EXPECT_EQ(p.memory[0], mode == access_mode::inout ? 5 : 2);
      EXPECT_EQ(p.told(0).early, 0u);
    }
  }
}

TEST(FetchedEarly, WhenTheyAreTakenBackNothingReadsMemoryAnyMore) {
  for (int seed = 0; seed < seeds; ++seed) {
    auto data = std::make_unique<std::vector<int>>(64, 1);
    local_store<thread_platform> in(4096, keeping::all, std::optional<std::uint64_t>(seed));
    plan of = store::make_plan({access(data->data(), 256, access_mode::inout)});
    places at;
    ASSERT_TRUE(in.take_early(of, at, 0));
    in.begin_early(&seed, std::move(of), std::move(at), true, 0);
    in.drop_early(&seed);
    data.reset();  // under AddressSanitizer a copy that came now would be told
    std::vector<int> other(1024, 3);
    const plan all = store::make_plan({access(other.data(), 4096, access_mode::in)});
    ASSERT_TRUE(in.take(all, at, 0));
    in.begin_stage_in(all, at, true, 0);
    in.end_stage_in(all, at);
    EXPECT_TRUE(std::all_of(as<int>(at[0]), as<int>(at[0]) + 1024, [](int one) { return one == 3; }));
  }
}

TEST(FetchedEarly, TheAdversaryFindsRoomThatIsGivenBackBeforeTheyHaveArrived) {
  for (const bool waits : {true, false}) {
    int found = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      prefetched w(access_mode::inout, seed, 64);
      if (waits) {
        w.stores[0].drop_early(&w.node);
      } else {
        ASSERT_TRUE(w.finds());
        w.at[0].comes_with.reset();  // the mistake
        w.stores[0].give(w.of, w.at);
      }
      std::vector<int> large(1024);
      const plan all = store::make_plan({access(large.data(), 4096, access_mode::out)});
      ASSERT_TRUE(w.stores[0].take(all, w.at, {}));
      std::memset(w.at[0].at, 0, 4096);
      w.of = all;
      w.at[0].comes_with = 3;  // that of the early fetch
      w.stores[0].end_stage_in(w.of, w.at);
      found += std::any_of(w.at[0].at, w.at[0].at + 4096, [](std::byte one) { return one != std::byte{0}; });
    }
    if (waits)
      EXPECT_EQ(found, 0);
    else
      EXPECT_GT(found, seeds / 4);  // some come early all the same
  }
}

TEST(FetchedEarly, ATaskThatIsCancelledLeavesNothingThatMemoryLacks) {
  for (const bool takes_back : {true, false}) {
    prefetched w(access_mode::inout);
    if (takes_back) w.stores[0].drop_early(&w.node);
    w.wait();
    EXPECT_EQ(w.memory[0] == 2, takes_back);
  }
}

TEST(FetchedEarly, TheEndOfATaskThatIsCancelledTicks) {
  for (const bool ticks : {true, false}) {
    prefetched w(access_mode::in, {}, 64);
    EXPECT_TRUE(w.stores[0].is_early(&w.node));
    w.stores[0].drop_early(&w.node);
    EXPECT_FALSE(w.stores[0].is_early(&w.node));
    if (ticks) ++w.clock;
    w.memory[64] = 9;  // the program has waited for it
    EXPECT_EQ(w.read(0, w.create(), 64) == 9, ticks);
  }
}

TEST(FetchedEarly, TheyGiveWayToATaskThatBegins) {
  std::vector<char> data(8192);
  local_store<thread_platform> in(4096, keeping::all, std::nullopt);
  const auto part = [&](std::size_t first, std::size_t bytes) {
    return store::make_plan({access(&data[first], bytes, access_mode::inout)});
  };
  places at, more;
  const plan early = part(0, 2048);
  ASSERT_TRUE(in.take_early(early, at, 0));
  in.begin_early(&at, plan(early), std::move(at), true, 0);
  const plan large = part(2048, 3072);
  EXPECT_FALSE(in.take_early(large, more, 0));  // to another early one they do not
  ASSERT_TRUE(in.take(large, more, 0));
  plan of;
  EXPECT_FALSE(in.find_early(&at, of, at));
}

TEST(FetchedEarly, WhatTheTaskThatRunsReadsIsNotFetchedAgain) {
  for (int seed = -1; seed < seeds; ++seed) {
    two_workers w(mistake::none, keeping::all, seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed));
    const int node = 0;
    plan of;
    places at;
    w.run(0, w.create(), access_mode::in, 0, 64, [&](const int*) {
      plan same = store::make_plan({access(w.memory.data(), 256, access_mode::in)});
      ASSERT_TRUE(w.stores[0].take_early(same, at, w.create()));
      w.stores[0].begin_early(&node, std::move(same), std::move(at), true, w.clock);
    });
    ASSERT_TRUE(w.stores[0].find_early(&node, of, at));
    w.stores[0].end_stage_in(of, at);
    EXPECT_EQ(as<int>(at[0])[63], 1);
    EXPECT_EQ(w.told(0).bytes_in, 256u);
    w.stores[0].leave(of, at, ++w.clock);
  }
}

/// An engine that copies what is waited for, and nothing else before that.
struct late_platform {
  struct piece {
    void* to;
    const void* from;
    std::size_t bytes;
    store::tag of;
  };
  std::vector<piece> pending;

  void get(void* to, const void* from, std::size_t bytes, store::tag t) noexcept {
    pending.push_back({to, from, bytes, t});
  }
  void get_from_peer(void* to, const void* from, std::size_t bytes, store::tag t) noexcept { get(to, from, bytes, t); }
  void put(void* to, const void* from, std::size_t bytes, store::tag t) noexcept { get(to, from, bytes, t); }
  void wait(store::tag t) noexcept {
    std::erase_if(pending, [t](const piece& p) {
      if (p.of == t) std::memcpy(p.to, p.from, p.bytes);
      return p.of == t;
    });
  }
};

TEST(FetchedEarly, ATaskThatBeginsDoesNotWaitForTheDataOfTheNextOnes) {
  constexpr std::size_t count = 30;
  for (const std::size_t ahead : {1, 2, 8}) {
    std::vector<int> data(count, 7);
    local_store<late_platform> in(4096, keeping::none);
    std::vector<std::byte*> there(count);
    const auto fetch = [&](std::size_t i) {
      plan of = store::make_plan({access(&data[i], sizeof(int), access_mode::in)});
      places at;
      ASSERT_TRUE(in.take_early(of, at, {}));
      there[i] = at[0].at;
      std::memset(there[i], 0, sizeof(int));
      in.begin_early(&data[i], std::move(of), std::move(at), false, 0);
    };
    const auto has_arrived = [&](std::size_t i) { return *reinterpret_cast<const int*>(there[i]) == 7; };
    for (std::size_t i = 0; i < ahead; ++i) fetch(i);
    for (std::size_t i = 0; i + ahead < count; ++i) {
      plan of;
      places at;
      ASSERT_TRUE(in.find_early(&data[i], of, at));
      fetch(i + ahead);
      in.end_stage_in(of, at);
      EXPECT_TRUE(has_arrived(i));
      for (std::size_t next = i + 1; next <= i + ahead; ++next) EXPECT_FALSE(has_arrived(next));
      in.give(of, at);
    }
    for (std::size_t i = count - ahead; i < count; ++i) in.drop_early(&data[i]);
  }
}

/// Threads play workers. A datum's lock plays the graph: one writes it, or several read it.
TEST(DirtyCopies, WorkersAtATimeReadWhatWasWrittenLast) {
  constexpr std::size_t workers = 4, count = 12, ints = 96;  // and a store has room for ten
  struct datum {
    std::shared_mutex order;
    std::vector<int> memory = std::vector<int>(ints, 0);
    int written = 0;
  };
  for (const auto& [is_adverse, keeps] :
       {std::pair(false, keeping::all), std::pair(true, keeping::all), std::pair(true, keeping::out)}) {
    std::vector<datum> data(count);
    std::deque<local_store<thread_platform>> stores;
    for (std::size_t w = 0; w < workers; ++w)
      stores.emplace_back(4096, keeps, is_adverse ? std::optional<std::uint64_t>(w) : std::nullopt);
    std::atomic<std::uint64_t> clock{0};
    std::atomic<int> wrong{0};
    const auto run = [&](std::size_t worker, datum& d, std::size_t first, std::size_t length, access_mode mode) {
      plan of = store::make_plan({access(&d.memory[first], length * sizeof(int), mode)});
      of.copies[0].is_lazy = true;
      places at;
      const std::uint64_t born = clock;
      if (!stores[worker].take(of, at, born)) return;
      for (auto& one : stores)
        if (&one != &stores[worker]) one.serve(of, at);
      stores[worker].begin_stage_in(of, at, false, clock);
      store::run_on_copies(
          stores[worker], of, at,
          [&] {
            int* const v = as<int>(at[0]);
            for (std::size_t i = 0; i < length; ++i) wrong += mode != access_mode::out && v[i] != d.written;
            if (mode == access_mode::in) return;
            ++d.written;
            std::fill_n(v, length, d.written);
          },
          [] {},
          [&]() noexcept {
            if (mode != access_mode::in)
              for (auto& one : stores) one.end_copies(of.uses);
            return ++clock;
          });
    };
    std::latch begin(workers);
    std::vector<std::thread> all;
    for (std::size_t w = 0; w < workers; ++w)
      all.emplace_back([&, w] {
        std::minstd_rand chance(static_cast<unsigned>(w + 1));
        begin.arrive_and_wait();
        for (int i = 0; i < 2000; ++i) {
          std::this_thread::yield();  // they take turns, even on one CPU
          datum& d = data[chance() % count];
          const auto what = chance() % 16;
          if (what < 5) {
            const std::unique_lock alone(d.order);
            run(w, d, 0, ints, what < 2 ? access_mode::out : access_mode::inout);
          } else if (what < 14) {
            const std::shared_lock reads(d.order);
            const std::size_t part = what % 2 ? 32 : 0;
            run(w, d, part, ints - part, access_mode::in);
          } else if (what == 14) {  // the program has waited for it
            const std::unique_lock alone(d.order);
            for (auto& one : stores) one.show_everything();
            for (int& one : d.memory) wrong += std::exchange(one, d.written + 1) != d.written;
            ++d.written;
          } else {  // or it is freed, and something else
            const std::unique_lock alone(d.order);
            for (auto& one : stores)
              one.forget(graph::region(access(d.memory.data(), ints * sizeof(int), access_mode::in)));
            std::ranges::fill(d.memory, ++d.written);
          }
        }
      });
    for (std::thread& one : all) one.join();
    EXPECT_EQ(wrong, 0);
    std::uint64_t saved = 0, from_peers = 0;
    for (const auto& one : stores) {
      saved += one.told().puts_saved;
      from_peers += one.told().bytes_from_peers;
    }
    EXPECT_GT(saved, 0u);
    EXPECT_GT(from_peers, 0u);
  }
}

}  // namespace
