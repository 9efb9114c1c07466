// Promises about local stores (MASLIN_STORE): bodies work on copies in a bounded arena. Each in a process of its own.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>
#include <thread>
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

}  // namespace
