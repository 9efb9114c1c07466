// Promises about local stores (MASLIN_STORE): bodies work on copies in a bounded arena. Each in a process of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "maslin/run_report.hpp"

namespace ms = maslin;

namespace {

void set_store(const char* bytes, const char* seed = nullptr) {
  setenv("MASLIN_STORE", bytes, 1);
  if (seed) setenv("MASLIN_STORE_SEED", seed, 1);
}

/// Gives what the wait of a program says; 0 where it says nothing and the answer is right.
template <class Program>
int run(int workers, Program&& program) {
  ms::Runtime runtime({.workers = workers, .serial = false});
  try {
    const bool is_right = program();
    std::cerr << ms::run_report_json() << "\n";
    return is_right ? 0 : 1;
  } catch (const ms::error& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}

TEST(Store, BodiesWorkOnCopiesAndTheResultIsInMemory) {
  EXPECT_CHILD(
      [] {
        set_store("256K", "1");
        setenv("MASLIN_STORE_KEEP", "none", 1);
        return run(2, [] {
          std::vector<double> x(1000, 1.0);
          double sum = 0;
          std::atomic<bool> is_copy{false};
          ms::task(
              [&, home = x.data()](ms::view<double> v) {
                is_copy = v.data() != home;
                for (double& one : v) one += 1;
              },
              ms::inout(x));
          ms::task(
              [](ms::view<const double> v, ms::view<double> to) { to[0] = std::accumulate(v.begin(), v.end(), 0.0); },
              ms::in(x), ms::out(sum));
          ms::wait();
          return is_copy && sum == 2000 && x[999] == 2;
        });
      },
      0, R"("stores": \{"tasks": 2, "on_memory": 0, "bytes_in": 16000, "bytes_out": 8008)");
}

TEST(Store, WhatDoesNotFitIsRefusedBeforeTheBodyRuns) {
  EXPECT_CHILD(
      [] {
        set_store("1K");
        std::atomic<bool> ran{false};
        const int said = run(2, [&] {
          std::vector<double> x(100), y(50);
          ms::task([&](ms::view<const double>, ms::view<double>) { ran = true; }, ms::in(x), ms::inout(y));
          ms::wait();
          return false;
        });
        return ran ? 3 : said;
      },
      2,
      "the data of a task take 1280 bytes .*(800|400), (800|400).* local store has "
      "1024.*MASLIN_STORE.*store_test.cpp:");
}

TEST(Store, ChildrenMayUseTheCopiesOfATaskThatDoesNotWaitForThem) {
  EXPECT_CHILD(
      [] {
        set_store("4K", "2");
        return run(3, [] {
          std::vector<int> x(400, 1);
          for (int round = 0; round < 20; ++round)
            ms::task(
                [](ms::view<int> v) {
                  for (int part = 0; part < 4; ++part)
                    ms::task(
                        [](ms::view<int> some) {
                          std::this_thread::yield();
                          for (int& one : some) one += 1;
                        },
                        ms::inout(v.subspan(static_cast<std::size_t>(part) * 100, 100)));
                },
                ms::inout(x));
          ms::wait();
          return x == std::vector<int>(400, 21);
        });
      },
      0, "stores");
}

TEST(Store, WhereTasksThatWaitHaveTheRoomOthersWorkOnMemory) {
  EXPECT_CHILD(
      [] {
        set_store("1K");
        return run(1, [] {
          std::vector<int> x(200, 1), y(200, 1);
          ms::task(
              [&y](ms::view<int> v) {
                ms::task([](ms::view<int> w) { w[0] = 2; }, ms::inout(y));
                ms::wait();
                v[0] = y[0];
              },
              ms::inout(x));
          ms::wait();
          return x[0] == 2;
        });
      },
      0, R"("stores": \{"tasks": 1, "on_memory": 1, )");
}

TEST(Store, DataThatAreMoreThanBytesStayWhereTheyAre) {
  EXPECT_CHILD(
      [] {
        set_store("256K", "1");
        return run(2, [] {
          std::vector<std::string> names(3, "a");
          std::atomic<int> flag{0};
          bool is_home = false, is_flag = false;
          ms::task(
              [&, home = names.data()](ms::view<std::string> v, ms::view<std::atomic<int>> f) {
                is_home = v.data() == home;
                is_flag = f.data() == &flag;
                v[1] += "long enough to lie elsewhere, in memory of its own";
              },
              ms::inout(names), ms::inout(flag));
          ms::wait();
          return is_home && is_flag && names[1].size() > 20;
        });
      },
      0, R"("stores": \{"tasks": 0, "on_memory": 1, )");
}

TEST(Store, AWriteThroughInIsFound) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_CHECK", "1", 1);
        set_store("256K", "1");
        return run(2, [] {
          std::vector<double> x(100, 1.0);
          ms::task([](ms::view<const double> v) { const_cast<double&>(v[37]) = 2; }, ms::in(x));
          ms::wait();
          return x[37] == 1.0;
        });
      },
      2, "800 bytes at .* changed while a task ran that declared them with in");
}

TEST(Store, ABodyThatGoesRoundItsCopyIsNamed) {
  EXPECT_CHILD(
      [] {
        set_store("256K", "1");
        return run(2, [] {
          std::vector<int> x(100, 1);
          ms::task([&x](ms::view<int>) { x[50] = 2; }, ms::inout(x));
          ms::wait();
          return false;
        });
      },
      2, "400 bytes at .* changed in memory while a task worked on a copy.*must use the view.*store_test.cpp:");
}

TEST(Store, TheSerialElisionHasNone) {
  EXPECT_CHILD(
      [] {
        set_store("1K");
        ms::Runtime runtime({.workers = 0, .serial = true});
        std::vector<int> x(1000);
        bool is_home = false;
        ms::task([&, home = x.data()](ms::view<int> v) { is_home = v.data() == home; }, ms::inout(x));
        ms::wait();
        std::cerr << (ms::run_report_json().find("stores") == std::string::npos ? "none" : "some") << "\n";
        return is_home ? 0 : 1;
      },
      0, "none");
}

/// Adds one to all.
void add_one(ms::view<int> v) {
  for (int& one : v) ++one;
}

TEST(Store, AChainOfTasksOnATileFetchesItOnce) {
  EXPECT_CHILD(
      [] {
        set_store("4K");
        return run(1, [] {
          std::vector<double> matrix(64 * 64, 1.0);
          for (int i = 0; i < 20; ++i)
            ms::task(
                [](ms::tile<double> t) {
                  for (std::size_t c = 0; c < t.cols; ++c)
                    for (std::size_t r = 0; r < t.rows; ++r) t(r, c) += 1;
                },
                ms::inout(ms::tile<double>{&matrix[8 * 64 + 8], 16, 16, 64}));
          ms::wait();
          return matrix[8 * 64 + 8] == 21 && matrix[23 * 64 + 23] == 21 && matrix[24 * 64 + 24] == 1;
        });
      },
      0,
      R"("bytes_in": 2048, "bytes_out": 40960, "most_bytes": 2048, "hits": 19, "bytes_kept": 38912, "evictions": 0)");
}

TEST(Store, WithoutKeepingEachTaskFetchesAll) {
  EXPECT_CHILD(
      [] {
        set_store("4K");
        setenv("MASLIN_STORE_KEEP", "none", 1);
        return run(1, [] {
          std::vector<int> x(100, 1);
          for (int i = 0; i < 10; ++i) ms::task(add_one, ms::inout(x));
          ms::wait();
          return x[99] == 11;
        });
      },
      0, R"("bytes_in": 4000, .*"hits": 0, "bytes_kept": 0)");
}

TEST(Store, WhatTheProgramWritesBetweenTwoTasksIsRead) {
  EXPECT_CHILD(
      [] {
        set_store("4K");
        return run(1, [] {
          std::vector<int> x(100, 1);
          bool is_right = true;
          const auto has = [&](int value) {
            return ms::async([](ms::view<const int> v, int expected) { return v[50] == expected; }, ms::in(x), value);
          };
          int value = 1;
          for (int round = 0; round < 20; ++round) {
            // Each way in which the program may know that the tasks are done.
            is_right = is_right && has(value).get();
            x[50] = ++value;
            ms::task(add_one, ms::inout(x));
            ++value;
            ms::wait_on(x);
            x[50] = ++value;
            ms::group g;
            g.task(add_one, ms::inout(x));
            g.task(add_one, ms::inout(x));
            value += 2;
            g.wait();
            x[50] = ++value;
            ms::task(add_one, ms::inout(x));
            ++value;
            ms::wait();
            x[50] = ++value;
          }
          return is_right && has(value).get();
        });
      },
      0, R"("hits": 20, )");  // in the groups
}

TEST(Store, WhatIsWrittenBeforeAReplayIsRead) {
  EXPECT_CHILD(
      [] {
        set_store("4K");
        setenv("MASLIN_RENAME", "0", 1);
        return run(1, [] {
          std::vector<int> x(100, 1);
          int sum = 0;
          ms::recording r = ms::record([&] {
            ms::task(add_one, ms::inout(x));
            ms::task(add_one, ms::inout(x));
            ms::task([](ms::view<const int> v, ms::view<int> s) { s[0] = v[0] + v[99]; }, ms::in(x), ms::out(sum));
          });
          bool is_right = sum == 6;
          for (int round = 0; round < 10; ++round) {
            x[0] = 100 * round;
            ms::replay(r);
            is_right = is_right && sum == 100 * round + 2 + 3 + 2 * (round + 1);
          }
          return is_right;
        });
      },
      0, R"("hits": 22, )");  // two in each of eleven replays
}

/// The parent's data overlap, so they stay on memory. A child of its child leaves a copy, which the child overwrites
/// when the parent's body has returned.
TEST(Store, WhatADescendantWritesAfterItsOwnTasksIsRead) {
  EXPECT_CHILD(
      [] {
        set_store("4K");
        return run(1, [] {
          std::vector<int> x(200, 1);
          int found = 0;
          const ms::view<int> all(x), front = all.subspan(0, 100);
          ms::task(
              [front](ms::view<int>, ms::view<int>) {
                ms::task([front] {
                  ms::task([](ms::view<const int>) {}, ms::in(front));
                  ms::wait();
                  front[0] = 2;
                });
              },
              ms::inout(all), ms::inout(all.subspan(50, 100)));
          ms::task([](ms::view<const int> v, ms::view<int> to) { to[0] = v[0]; }, ms::in(front), ms::out(found));
          ms::wait();
          return found == 2;
        });
      },
      0, R"("tasks": 2, "on_memory": 1, .*"hits": 0)");
}

TEST(Store, WhatIsCombinedOrBroughtHomeIsRead) {
  EXPECT_CHILD(
      [] {
        set_store("4K", "3");
        return run(3, [] {
          std::vector<int> x(100, 1), y(100, 1), sums(50);
          for (std::size_t i = 0; i < sums.size(); ++i) {
            ms::task([](ms::view<const int> from, ms::view<int> to) { to[0] = from[0]; }, ms::in(x),
                     ms::out(&sums[i], 1));
            ms::task([](ms::view<int> to) { std::fill(to.begin(), to.end(), 5); }, ms::out(y));
            ms::task([](ms::view<const int> from, ms::view<int> to) { to[0] += from[1] - 4; }, ms::in(y.data(), 50),
                     ms::reduction(x));
          }
          ms::wait();
          std::vector<int> expected(50);
          std::iota(expected.begin(), expected.end(), 1);
          return sums == expected && x[0] == 51;
        });
      },
      0, "stores");
}

/// MASLIN_CHECK fills what a task only writes before it looks what its store has kept.
TEST(Store, NoCopyServesATaskThatNamesTwiceWhatItOnlyWrites) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_CHECK", "1", 1);
        set_store("4K", "1");
        return run(1, [] {
          std::vector<int> x(100, 1);
          bool is_right = true;
          for (int round = 0; round < 10; ++round) {
            ms::task(add_one, ms::inout(x));
            ms::task([](ms::view<int> v, ms::view<int>) { std::fill(v.begin(), v.end(), 5); }, ms::out(x), ms::out(x));
            ms::task(add_one, ms::inout(x));
            ms::wait();
            is_right = is_right && x == std::vector<int>(100, 6);
          }
          return is_right;
        });
      },
      0, R"("tasks": 30, .*"bytes_in": 4000, .*"hits": 10, )");
}

TEST(Store, ATaskThatWritesWhatItDoesNotDeclareIsFound) {
  EXPECT_CHILD(
      [] {
        set_store("4K", "1");
        return run(1, [] {
          std::vector<int> x(100, 1);
          int order = 0, found = 0;
          const auto read = [](ms::view<const int> v, ms::view<int> to, ms::view<int>) { to[0] = v[0]; };
          ms::task(read, ms::in(x), ms::inout(found), ms::inout(order));
          ms::task([&x](ms::view<int>) { x[0] = 2; }, ms::inout(order));
          ms::task(read, ms::in(x), ms::inout(found), ms::inout(order));
          ms::wait();
          return found == 2;
        });
      },
      2, "400 bytes at .* changed in memory while a local store kept a copy.*declare.*store_test.cpp:");
}

// What is copied back late. Under MASLIN_CHECK nothing is.

void write_late(const char* what) {
  setenv("MASLIN_STORE_WRITE", what, 1);
  setenv("MASLIN_CHECK", "0", 1);
}

TEST(Store, RenamedDataThatNobodyNeedsAnyMoreAreNeverCopiedBack) {
  EXPECT_CHILD(
      [] {
        set_store("8K");
        write_late("renamed");
        return run(1, [] {
          std::vector<int> x(100, 1);
          int sum = 0;
          for (int round = 0; round < 10; ++round) {  // all but the first are renamed, and the last one comes home
            ms::task([round](ms::view<int> v) { std::fill(v.begin(), v.end(), round); }, ms::out(x));
            ms::task([](ms::view<const int> v, ms::view<int> to) { to[0] += v[99]; }, ms::in(x), ms::inout(sum));
          }
          ms::wait();
          return x == std::vector<int>(100, 9) && sum == 45;
        });
      },
      0, R"("bytes_in": 4, "bytes_out": 840, .*"puts_saved": 8, "bytes_saved": 3200, )");
}

TEST(Store, AChainOfTasksOnATileIsCopiedBackOnce) {
  EXPECT_CHILD(
      [] {
        set_store("4K", "1");
        write_late("back");
        return run(1, [] {
          std::vector<int> x(100, 1);
          for (int i = 0; i < 20; ++i) ms::task(add_one, ms::inout(x));
          ms::wait();
          return x == std::vector<int>(100, 21);
        });
      },
      0, R"("bytes_in": 400, "bytes_out": 400, .*"hits": 19, .*"puts_saved": 19, "bytes_saved": 7600, )");
}

TEST(Store, WhatAnotherWorkerReadsComesFromTheStoreThatHasIt) {
  EXPECT_CHILD(
      [] {
        set_store("4K", "3");
        write_late("back");
        return run(2, [] {
          std::vector<int> x(100, 1);
          int first = 0, second = 0;
          std::atomic<int> there{0};
          const auto meet = [&there](ms::view<const int> v, ms::view<int> to) {
            for (++there; there < 2;) std::this_thread::yield();
            to[0] = v[99];
          };
          ms::task(add_one, ms::inout(x));
          ms::task(meet, ms::in(x), ms::out(first));
          ms::task(meet, ms::in(x), ms::out(second));
          ms::wait();
          return first == 2 && second == 2 && x == std::vector<int>(100, 2);
        });
      },
      0, R"("bytes_in": 400, "bytes_out": 408, .*"bytes_from_peers": 400, )");
}

TEST(Store, TheDataOfTheNextTaskAreFetchedWhileOneRuns) {
  for (const auto& [ahead, expected] :
       {std::pair("0", R"("early": 0\})"), std::pair("1", R"("early": 9\})"), std::pair("4", R"("early": 9\})")})
    EXPECT_CHILD(
        [ahead = ahead] {
          set_store("4K", "4");
          setenv("MASLIN_STORE_AHEAD", ahead, 1);
          return run(1, [] {
            std::vector<std::vector<int>> x(10, std::vector<int>(100, 1));
            for (std::vector<int>& one : x) ms::task(add_one, ms::inout(one));
            ms::wait();
            return x == std::vector(10, std::vector<int>(100, 2));
          });
        },
        0, expected);
}

/// Worker B has fetched a task's data early: what was dirty of them is for that task alone. It comes with another one
/// to a thief, whose store fetches its data early again.
TEST(Store, WhatTwoWorkersFetchEarlyForOneTaskIsWhatWasWrittenLast) {
  EXPECT_CHILD(
      [] {
        set_store("4K");
        write_late("back");
        return run(2, [] {
          using namespace std::chrono_literals;
          std::vector<int> r(100, 1), s(100, 1), q(100, 1), v(100, 1);
          ms::mutex m;
          std::atomic<bool> is_held{false}, has_aside{false}, is_free{false}, goes_on{false};
          std::atomic<int> ran{0};
          const auto until = [](std::atomic<bool>& flag) {
            while (!flag) std::this_thread::yield();
          };
          ms::task([&] {  // worker A
            {
              const std::lock_guard held(m);
              is_held = true;
              until(has_aside);
            }
            is_free = true;
            until(goes_on);
          });
          until(is_held);
          const auto add = [](ms::view<int> x) {
            for (int& one : x) ++one;
          };
          ms::task([=](ms::view<int> a, ms::view<int> b, ms::view<int> c) { add(a), add(b), add(c); }, ms::inout(r),
                   ms::inout(s), ms::inout(q));
          ms::task(
              [&](ms::view<const int>) {  // and the next one is set aside meanwhile
                has_aside = true;
                until(is_free);
              },
              ms::in(s));
          ms::task([&](ms::view<int> x) { add(x), ++ran; }, ms::inout(q));
          ms::task([&](ms::view<int> x) { add(x), ++ran; }, ms::inout(r));
          ms::task([&] {
            const std::lock_guard held(m);  // worker B runs the others meanwhile, then puts back what it has set aside
            ms::task(add, ms::inout(v));
            goes_on = true;
            for (const auto end = std::chrono::steady_clock::now() + 5s;
                 ran < 2 && std::chrono::steady_clock::now() < end;)
              std::this_thread::yield();
          });
          ms::wait();
          return r == std::vector<int>(100, 3) && q == std::vector<int>(100, 3);
        });
      },
      0, R"("bytes_from_peers": 400, "early": 1\})");
}

/// Each that begins and waits holds its room, and a stack.
TEST(Store, ATaskThatWaitsRunsItsOwnTasksBeforeWhatIsSetAside) {
  for (const char* ahead : {"0", "1", "8"})
    EXPECT_CHILD(
        [ahead] {
          set_store("64K");
          setenv("MASLIN_STORE_AHEAD", ahead, 1);
          return run(1, [] {
            std::vector<std::vector<int>> x(20, std::vector<int>(100, 1));
            int begun = 0, most = 0;
            for (std::vector<int>& one : x)
              ms::task(
                  [&](ms::view<int> v) {
                    most = std::max(most, ++begun);
                    for (std::size_t i = 0; i < 5; ++i)
                      ms::task([](ms::view<int> part) { ++part[0]; }, ms::inout(&v[i], 1));
                    ms::wait();
                    --begun;
                  },
                  ms::inout(one));
            ms::wait();
            std::cerr << most << " at a time\n";
            return x[19][4] == 2;
          });
        },
        0, "^1 at a time");
}

TEST(Store, WhatIsFetchedEarlyForATaskThatIsCancelledIsGivenBack) {
  EXPECT_CHILD(
      [] {
        set_store("4K", "4");
        write_late("back");
        return run(1, [] {
          std::vector<int> x(100, 1), y(100, 1);
          ms::task(add_one, ms::inout(x));
          ms::task(add_one, ms::inout(y));
          for (int round = 0; round < 20; ++round) {
            ms::group g;
            g.task([](ms::view<int>) { throw std::runtime_error("no"); }, ms::inout(x));
            g.task(add_one, ms::inout(x));  // which follows it
            g.task([&g](ms::view<int>) { g.cancel(); }, ms::inout(y));
            for (int i = 0; i < 4; ++i) g.task([](ms::view<const int>) {}, ms::in(y));
            try {
              g.wait();
            } catch (const std::runtime_error&) {
            }
            x.assign(100, round);
            y.assign(100, round);
            int sum = 0;
            ms::task([](ms::view<const int> v, ms::view<const int> w, ms::view<int> to) { to[0] = v[0] + w[0]; },
                     ms::in(x), ms::in(y), ms::out(sum));
            ms::wait();
            if (sum != 2 * round) return false;
          }
          return true;
        });
      },
      0, "early");
}

/// Each way in which the program may know that tasks are done; the tasks of each worker leave dirty copies.
int look_after_each_wait(int workers) {
  return run(workers, [workers] {
    constexpr std::size_t rows = 16, n = 100;
    std::vector<std::vector<int>> x(rows, std::vector<int>(n, 0));
    int value = 0;
    bool is_right = true;
    const auto add = [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) ms::task(add_one, ms::inout(x[r]));
    };
    const auto look = [&](int added) {
      value += added;
      for (std::vector<int>& row : x) {
        is_right = is_right && row == std::vector<int>(n, value);
        for (int& one : row) ++one;
      }
      ++value;
    };
    ms::recording again = ms::record([&] { add(0, rows); });
    look(1);
    for (int round = 0; round < 10; ++round) {
      add(0, rows);
      ms::wait();
      look(1);
      add(0, rows);
      for (std::vector<int>& row : x) ms::wait_on(row);
      look(1);
      ms::replay(again);
      look(1);
      {
        ms::group g;
        for (std::vector<int>& row : x) g.task(add_one, ms::inout(row));
        for (std::vector<int>& row : x) g.task(add_one, ms::inout(row));
        g.wait();
      }
      look(2);
      {
        ms::group g;  // tasks without data, whose own have some
        for (std::size_t r = 0; r < rows; r += 4) g.task([&add, r] { ms::task([&add, r] { add(r, r + 4); }); });
      }
      look(1);
      ms::fork([&] { add(0, rows / 2); }, [&] { add(rows / 2, rows); });
      look(1);
      ms::ranks(2, [&](ms::communicator& mine) {
        const auto half = static_cast<std::size_t>(mine.rank()) * rows / 2;
        add(half, half + rows / 2);
      });
      look(1);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::vector<int>& row = x[r];
        const auto before = ms::async([](ms::view<int> v) { return v[0]++; }, ms::inout(&x[r][0], 1)).get();
        is_right = is_right && row[0] == before + 1;
        --x[r][0];
      }
      ms::parallel_for(0, rows, [&](ms::range some) {
        for (const std::size_t r : some) add(r, r + 1);
      });
      look(1);
      if (workers == 1) continue;
      ms::mutex m;
      std::size_t done = 0;
      add(0, rows);
      for (std::vector<int>& row : x)
        ms::task(
            [&](ms::view<const int>) {
              const std::lock_guard held(m);
              ++done;
            },
            ms::in(row));
      for (bool all = false; !all; std::this_thread::yield()) {
        const std::lock_guard held(m);
        all = done == rows;
      }
      for (const std::vector<int>& row : x) is_right = is_right && row == std::vector<int>(n, value + 1);
      ms::wait();
      look(1);
    }
    return is_right;
  });
}

TEST(Store, WhatIsCopiedBackLateIsThereAfterEachWait) {
  for (const int workers : {1, 3})
    EXPECT_CHILD(
        [workers] {
          set_store("1K", workers == 1 ? nullptr : "5");
          write_late("back");
          return look_after_each_wait(workers);
        },
        0, "puts_saved");
}

/// Children of a task work on its copy, or where that has none on its data, and leave dirty copies.
TEST(Store, WhatChildrenLeaveIsTheirParents) {
  for (const char* bytes : {"1K", "4K"})
    EXPECT_CHILD(
        [bytes] {
          set_store(bytes, "2");
          write_late("back");
          return run(3, [] {
            std::vector<int> x(200, 1);
            const ms::view<int> all(x);
            for (int round = 0; round < 20; ++round)
              ms::task(
                  [](ms::view<int> v, ms::view<int>) {
                    for (std::size_t part = 0; part < 4; ++part)
                      ms::task([w = v.subspan(50 * part, 50)] {  // which has no data itself
                        ms::task(add_one, ms::inout(w.subspan(0, 25)));
                        ms::task(add_one, ms::inout(w.subspan(25, 25)));
                      });
                  },
                  ms::inout(all), round % 2 ? ms::inout(all) : ms::inout(all.subspan(50, 100)));
            ms::wait();
            return x == std::vector<int>(200, 21);
          });
        },
        0, "puts_saved");
}

}  // namespace
