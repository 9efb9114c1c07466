// Promises about MASLIN_CHECK. Each in a process of its own.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "expect_child.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

/// Gives what the wait says about a task that writes through `in`.
template <class Create>
int caught_writing(Create&& create) {
  setenv("MASLIN_CHECK", "1", 1);
  ms::Runtime r({.workers = 2, .serial = false});
  try {
    create();
    ms::wait();
    return 1;
  } catch (const ms::error& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}

TEST(Check, AWriteThroughInIsFound) {
  EXPECT_CHILD(
      [] {
        std::vector<double> x(100, 1.0);
        return caught_writing(
            [&] { ms::task([](ms::view<const double> v) { const_cast<double&>(v[37]) = 2; }, ms::in(x)); });
      },
      2, "800 bytes at .* changed while a task ran that declared them with in.*inout.*check_test.cpp:.*: in 800 bytes");
}

TEST(Check, AWriteIntoATileIsFoundInARecordingToo) {
  EXPECT_CHILD(
      [] {
        std::vector<float> x(100, 1.0F);
        return caught_writing([&] {
          ms::record([&] {
            ms::task([](ms::tile<const float> t) { const_cast<float&>(t(2, 1)) = 2; },
                     ms::in(ms::tile<const float>{x.data() + 12, 4, 3, 10}));
          });
        });
      },
      2, "48 bytes at .* changed while a task ran.*in 3 columns of 16 bytes");
}

TEST(Check, WhatATaskMayWriteIsNoneOfIts) {
  EXPECT_CHILD(
      [] {
        std::vector<double> x(100, 1.0);
        return caught_writing([&] {
          ms::task([](ms::view<const double>, ms::view<double> v) { v[1] = 2; }, ms::in(x), ms::inout(x[1]));
          ms::task([](ms::view<const double> v, ms::view<double> w) { w[0] = v[0]; }, ms::in(x[1]), ms::out(x[2]));
        });
      },
      1, "");
}

}  // namespace
