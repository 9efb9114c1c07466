// Each rank has variables of its own: globals, statics in functions and templates, objects with destructors.
// Exceptions, streams and tasks work in a rank.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <maslin/maslin.hpp>
#include <stdexcept>
#include <vector>

namespace {

int global = 5;

template <class T>
struct counted {
  static inline int made = 0;
};

int& in_a_function() {
  static int kept = 100;
  return kept;
}

struct told_at_the_end {
  ~told_at_the_end() { std::fprintf(stderr, "destroyed with %d\n", global); }
} last;

void expect(int found, int expected, const char* what) {
  if (found == expected) return;
  std::fprintf(stderr, "%s is %d; expected %d\n", what, found, expected);
  MPI_Abort(MPI_COMM_WORLD, 70);
}

}  // namespace

inline int& in_an_inline_function() {
  static int kept = 1000;
  return kept;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  global += me;
  counted<int>::made += me;
  in_a_function() += me;
  in_an_inline_function() += me;
  MPI_Barrier(MPI_COMM_WORLD);
  expect(global, 5 + me, "the global");
  expect(counted<int>::made, me, "the template's static");
  expect(in_a_function(), 100 + me, "the function's static");
  expect(in_an_inline_function(), 1000 + me, "the inline function's static");
  int caught = 0;
  try {
    MPI_Barrier(MPI_COMM_WORLD);
    throw std::runtime_error(std::to_string(me));
  } catch (const std::runtime_error& e) {
    MPI_Barrier(MPI_COMM_WORLD);  // others throw meanwhile
    caught = std::atoi(e.what());
  }
  expect(caught, me, "what was caught");
  std::vector<int> squares(1000);
  maslin::parallel_for(0, 1000, [&](maslin::range some) {
    for (const auto i : some) squares[static_cast<std::size_t>(i)] = static_cast<int>(i * i);
  });
  int from_task = 0;
  maslin::task([](maslin::view<int> out) { out[0] = 42; }, maslin::out(from_task));
  maslin::wait();
  expect(from_task, 42, "what a task gave");
  expect(squares[999], 999 * 999, "what a loop gave");
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) std::cout << "all is right" << std::endl;
  MPI_Finalize();
}
