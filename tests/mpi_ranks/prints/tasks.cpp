// Code of ranks that runs beside their own: tasks WHAT.
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <maslin/maslin.hpp>
#include <stdexcept>
#include <string>

static int me;

/// A loop whose blocks take long enough for other workers to help.
static void loop(const std::string& what) {
  std::atomic<bool> is_first = true;
  const pid_t own = gettid();
  maslin::parallel_for(0, 64, [&](maslin::range some) {
    for (const auto i : some) {
      static_cast<void>(i);
      usleep(2000);
      if (what == "prints") std::printf("of rank %d\n", me);
      if (me != 1 || gettid() == own || !is_first.exchange(false)) continue;
      if (what == "crashes") *static_cast<volatile int*>(nullptr) = 1;
      if (what == "a loop exits") std::exit(3);
    }
  });
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const std::string what = words[1];
  if (what == "returns" || what == "exits" || what == "throws")
    maslin::task([=] {
      usleep(50000);
      std::printf("a task of rank %d\n", me);
      if (what == "throws" && me == 1) throw std::runtime_error("of a task");
    });
  else
    loop(what);
  MPI_Finalize();
  if (what == "exits") std::exit(0);
}
