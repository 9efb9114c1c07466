// What calls of a host's functions promise: values go there and back, functions run one at a time outside the ranks,
// and errors come back.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <semaphore>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ranks.hpp"

namespace {

class RemoteCalls : public Promise {
 protected:
  /// Do other ranks go on while one of them waits for a function?
  bool others_go_on() const { return !serial() && !GetParam().described; }
};

struct point {
  double x, y;
};

std::string greet(const std::string& whom, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += "hello " + whom + '\n';
  return all;
}

TEST_P(RemoteCalls, ValuesOfEachKindGoThereAndBack) {
  ms::host host;
  host.offer("greet", greet);
  host.offer("sum", [](std::span<const double> all, std::string_view name) {
    EXPECT_EQ(name, "numbers");
    return std::accumulate(all.begin(), all.end(), 0.0);
  });
  host.offer("halves", [](std::vector<int> all) {
    for (int& one : all) one /= 2;
    return all;
  });
  host.offer("mirrored", [](const point& p) { return point{p.y, p.x}; });
  int called = 0;
  host.offer("count", [&called] { ++called; });
  ms::ranks(3, host, [](ms::communicator& world) {
    const int me = world.rank();
    EXPECT_EQ(world.call<std::string>("greet", "you", 2), "hello you\nhello you\n");
    EXPECT_EQ(world.call<std::string>("greet", std::string(), me), greet("", me));
    const std::vector<double> some(1000, me + 0.5);
    EXPECT_EQ(world.call<double>("sum", some, "numbers"), 1000 * (me + 0.5));
    EXPECT_EQ(world.call<double>("sum", std::span(some).first(0), std::string_view("numbers")), 0);
    EXPECT_EQ(world.call<double>("sum", std::array<double, 3>{1, 2, 3}, "numbers"), 6);
    const int numbers[] = {2, 4, 2 * me};
    EXPECT_EQ(world.call<std::vector<int>>("halves", numbers), (std::vector{1, 2, me}));
    EXPECT_EQ(world.call<point>("mirrored", point{1, 2.0 * me}).x, 2 * me);
    world.call(std::string("count"));
    ms::communicator turned = world.split(0, -me);
    turned.call("count");
  });
  EXPECT_EQ(called, 6);
}

TEST_P(RemoteCalls, FunctionsRunOneAtATimeInTheThreadOfTheirHost) {
  ms::host host;
  int sum = 0, inside = 0;  // no atomics: they run one at a time
  std::set<std::thread::id> threads;
  host.offer("add", [&](int more) {
    EXPECT_EQ(++inside, 1);
    sum += more;
    threads.insert(std::this_thread::get_id());
    --inside;
    return sum;
  });
  ms::ranks(20, host, [](ms::communicator& world) {
    for (int i = 0, last = 0; i < 50; ++i) {
      const int now = world.call<int>("add", world.rank());
      EXPECT_GE(now, last + world.rank());
      last = now;
    }
  });
  EXPECT_EQ(sum, 50 * 190);
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0U);
}

TEST_P(RemoteCalls, OthersRunOnWhileARankWaitsForAFunction) {
  if (!others_go_on()) GTEST_SKIP() << "the whole thread waits";
  ms::host host;
  std::binary_semaphore go{0};
  host.offer("wait", [&] { go.acquire(); });
  ms::ranks(2, host, [&](ms::communicator& world) {
    if (world.rank() == 0) return world.call("wait");
    go.release();  // also if it has the same worker
  });
}

TEST_P(RemoteCalls, RanksThatWaitForAFunctionAreNotStuck) {
  using namespace std::chrono_literals;
  ms::host host;
  host.offer("think", [] { std::this_thread::sleep_for(700ms); });  // those who wait are looked at each 200 ms
  ms::ranks(2, host, [](ms::communicator& world) {
    int got = 0;
    if (world.rank() == 1) return (void)world.receive(got, 0);
    world.call("think");
    world.send(1, 1);
  });
}

TEST_P(RemoteCalls, WhatIsWrongIsToldToWhoCalls) {
  ms::host host;
  int runs = 0;
  host.offer("area", [&](double, double) { return ++runs, 1.0; });
  host.offer("fail", [] { throw std::domain_error("the disk is full"); });
  host.offer("fail otherwise", [] { throw 7; });
  ms::ranks(2, host, [&](ms::communicator& world) {
    if (world.rank() == 1) return;
    const auto expect_told = [](const std::string& what, const std::string& name, const std::string& why) {
      EXPECT_EQ(what.find("call of '" + name + "' at " __FILE__ ":"), 0U) << what;
      EXPECT_TRUE(what.ends_with(": " + why)) << what;
    };
    expect_told(complaint([&] { world.call("arae", 1.0, 2.0); }), "arae",
                "there is no such function; there are 'area', 'fail', 'fail otherwise'");
    expect_told(complaint([&] { world.call<double>("area", 1, 2.0); }), "area",
                "it is called as double(int, double), but it is double(double, double)");
    expect_told(complaint([&] { world.call("area", "1", std::vector<char>()); }), "area",
                "it is called as void(text, array of char), but it is double(double, double)");
    EXPECT_EQ(runs, 0);
    expect_told(complaint([&] { world.call("fail"); }), "fail", "the function threw: the disk is full");
    expect_told(complaint([&] { world.call("fail otherwise"); }), "fail otherwise",
                "the function threw what is no std::exception");
    EXPECT_EQ(world.call<double>("area", 1.0, 2.0), 1);
  });
  EXPECT_EQ(runs, 1);
  ms::ranks(1, [&](ms::communicator& world) {
    EXPECT_TRUE(complaint([&] { world.call("area"); }).ends_with(": there is no such function; there are none"));
  });
}

TEST_P(RemoteCalls, ANameStandsForOneFunction) {
  ms::host host;
  host.offer("one", [] {});
  EXPECT_NE(complaint([&] { host.offer("one", [] {}); }).find("there is a function 'one' already"), std::string::npos);
  EXPECT_NE(complaint([&] { host.offer("two", std::function<void()>()); }).find("the function 'two' is empty"),
            std::string::npos);
  EXPECT_NE(complaint([&] { host.call_further("one"); }).find("expected a function of this host, while it runs"),
            std::string::npos);
}

TEST_P(RemoteCalls, AFunctionCallsOneFurtherOut) {
  ms::host files, node(&files), chip(&node);
  std::vector<std::string> lines;
  files.offer("append", [&](const std::string& line) {
    if (line.empty()) throw std::invalid_argument("an empty line");
    lines.push_back(line);
    return static_cast<int>(lines.size());
  });
  node.offer("append twice", [&](const std::string& line) {
    node.call_further<int>("append", line);
    return node.call_further<int>("append", line);
  });
  chip.offer("tell",
             [&](int rank) { return chip.call_further<int>("append twice", rank < 0 ? "" : std::to_string(rank)); });
  chip.offer("append", [&](const std::string& line) {  // the nearest of a name is called
    return chip.call_further<int>("append", line + "!");
  });
  ms::ranks(8, chip, [](ms::communicator& world) {
    EXPECT_GE(world.call<int>("tell", world.rank()), 2);
    EXPECT_GE(world.call<int>("append twice", "direct"), 2);  // the next host has it
    EXPECT_GE(world.call<int>("append", "marked"), 1);
    const std::string what = complaint([&] { world.call<int>("tell", -1); });
    EXPECT_NE(what.find("call of 'tell' at "), std::string::npos) << what;
    EXPECT_NE(what.find(": the function threw: call of 'append twice' at "), std::string::npos) << what;
    EXPECT_NE(what.find(": the function threw: an empty line"), std::string::npos) << what;
  });
  EXPECT_EQ(lines.size(), 8U * 5);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "marked!"), 8);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "7"), 2);
}

TEST_P(RemoteCalls, AFailureTakesCallsBackThatHaveNotBegun) {
  if (!others_go_on()) GTEST_SKIP() << "the whole thread waits";
  using namespace std::chrono_literals;
  ms::host host;
  std::atomic<bool> is_held{false};
  std::binary_semaphore go{0};
  int noted = 0, ended = 0;
  host.offer("hold", [&] {
    is_held = true;
    go.acquire();
  });
  host.offer("note", [&] { ++noted; });
  std::string told;
  EXPECT_THROW(ms::ranks(3, host,
                         [&](ms::communicator& world) {
                           int token = 0;
                           if (world.rank() == 0) {
                             world.send(token, 1);
                             world.call("hold");
                             ++ended;  // it had begun
                           } else if (world.rank() == 1) {
                             world.receive(token, 0);
                             while (!is_held) std::this_thread::sleep_for(1ms);
                             world.send(token, 2);
                             told = complaint([&] { world.call("note"); });
                             go.release();
                           } else {
                             world.receive(token, 1);
                             throw std::domain_error("enough");
                           }
                         }),
               std::domain_error);
  EXPECT_NE(told.find("another rank has failed: enough"), std::string::npos) << told;
  EXPECT_EQ(noted, 0);
  EXPECT_EQ(ended, 1);
}

TEST_P(RemoteCalls, RanksOfSeveralCallsShareAHost) {
  ms::host host;
  int sum = 0;
  host.offer("add", [&](int more) { sum += more; });
  ms::ranks(3, host, [&](ms::communicator& outer) {
    ms::ranks(2, host, [&](ms::communicator& inner) { inner.call("add", 10 * outer.rank() + inner.rank()); });
    outer.call("add", 100);
  });
  EXPECT_EQ(sum, 60 + 3 + 300);
}

MASLIN_ON_EVERY_EXECUTOR(RemoteCalls);

}  // namespace
