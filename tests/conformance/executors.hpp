#pragma once
// The conformance suite runs on every executor: the serial elision and the threads at several numbers of workers.
// MASLIN_TEST_WORKERS=0,1,2,3,8,64,described is what it takes if not told otherwise: the serial elision (0), threads,
// and all described machines. What runs in virtual time takes the same steps every time.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

struct executor_kind {
  int workers;  ///< 0: the serial elision
  bool described = false;
  const char* host = nullptr;  ///< streams run on two host contexts under that policy, the workers are accelerators
  bool small = false;          ///< kernels of less than some milliseconds are too small to be off-loaded
};

inline void PrintTo(const executor_kind& k, std::ostream* out) {
  if (k.described) *out << "described: ";
  if (k.host) *out << "hosts under " << k.host << (k.small ? ", which run small kernels, " : ", ");
  *out << (k.workers == 0 ? std::string("serial") : std::to_string(k.workers) + " workers");
}

/// Makes the next runtime one of that kind.
void describe_machine(const executor_kind& kind);

/// A test of a promise: a runtime of that kind runs while its body does.
class Promise : public testing::TestWithParam<executor_kind> {
 protected:
  static ms::Runtime::options options() {
    describe_machine(GetParam());
    ms::Runtime::options wish;
    wish.workers = GetParam().workers;
    wish.serial = GetParam().workers == 0;
    return wish;
  }
  /// May bodies that spin for each other be expected to meet? On a described machine one runs at a time.
  static bool meets() { return GetParam().workers >= 2 && !GetParam().described; }
  /// Do bodies work on copies in local stores? All tasks with accesses are handed over there.
  static bool stores() { return std::getenv("MASLIN_STORE") && GetParam().workers > 0 && !GetParam().described; }
  bool serial() const { return GetParam().workers == 0; }

  ms::Runtime runtime{options()};
};

/// Long enough for others to overtake a task that does not hold them back.
inline void dawdle() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }
/// A body: has written 1 after a while.
inline void write_one(ms::view<int> to) {
  dawdle();
  to[0] = 1;
}
/// Creates a task that does.
inline void write_one_later(int& x) { ms::task(write_one, ms::inout(x)); }

std::vector<executor_kind> executor_kinds();
std::string kind_name(const testing::TestParamInfo<executor_kind>& info);

#define MASLIN_ON_EVERY_EXECUTOR(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(executor_kinds()), kind_name)
