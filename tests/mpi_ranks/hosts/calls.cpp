// Ranks call functions of their process' host and of the job's host: by name, by value, also from one host to the next.
// With "one for another" each second rank waits in a call for what the next rank does.

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
#include <maslin_host.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ms = maslin;

#define MUST(what)                                                            \
  if (!(what)) {                                                              \
    std::fprintf(stderr, "%s:%d: %s is not so\n", __FILE__, __LINE__, #what); \
    MPI_Abort(MPI_COMM_WORLD, 1);                                             \
  }

namespace {

int calls = 0;  // a host has its own, as a rank has

struct point {
  double x, y;
};

std::string complaint(void (*of)()) {
  try {
    of();
    return "none";
  } catch (const ms::error& e) {
    return e.what();
  }
}

bool says(void (*of)(), const std::string& what) { return complaint(of).find(what) != std::string::npos; }

void call_by_value() {
  int me = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MUST(ms::call<int>("process") == getpid());
  // All have one host of the job.
  int job = ms::call<int>("job"), least = 0, most = 0;
  MPI_Allreduce(&job, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&job, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MUST(least == most);
  MUST(me != 0 || job == getpid());
  for (const std::size_t size : {0U, 1U, 1000U, 300'000U}) {
    std::vector<double> numbers(size);
    for (std::size_t i = 0; i < size; ++i) numbers[i] = static_cast<double>(i) + me;
    double sum = 0;
    for (const double one : numbers) sum += one;
    MUST(ms::call<double>("sum", numbers) == sum);
    const std::vector<double> turned(numbers.rbegin(), numbers.rend());
    MUST(ms::call<std::vector<double>>("turned", numbers) == turned);
    MUST(ms::call<std::vector<double>>("through", numbers) == turned);
  }
  const auto moved = ms::call<point>("moved", point{1, 2}, 0.5 * me, std::string("x"));
  MUST(moved.x == 1 + 0.5 * me && moved.y == 2);
  MUST(calls == 0 && ms::call<int>("calls") >= 4);
  // Each number goes to one rank.
  std::vector<int> mine(5), got(5 * static_cast<std::size_t>(all));
  for (int& number : mine) number = ms::call<int>("next");
  MPI_Allgather(mine.data(), 5, MPI_INT, got.data(), 5, MPI_INT, MPI_COMM_WORLD);
  std::sort(got.begin(), got.end());
  for (std::size_t i = 0; i < got.size(); ++i) MUST(got[i] == static_cast<int>(i));
  MUST(says([] { ms::call<int>("refuse", "no"); }, "call of 'refuse' at "));
  MUST(says([] { ms::call<int>("refuse", "no"); }, ": the function threw: no"));
  MUST(says([] { ms::call("nothing"); },
            "there is no such function; there are 'calls', 'process', 'sum', 'through', 'job', 'moved', 'next', "
            "'read', 'refuse', 'turned'"));
  MUST(says([] { ms::call<int>("job", 1.5); }, "it is called as int(double), but it is int()"));
}

/// It comes back when the next rank has written.
void call_one_for_another() {
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const std::string name = "pipe of " + std::to_string(me / 2);
  const int mine = open(name.c_str(), O_RDWR);  // nobody waits for the other to open it
  MUST(mine >= 0);
  if (me % 2 == 0) MUST(ms::call<char>("read", name) == 'x');
  if (me % 2 == 1) MUST(write(mine, "x", 1) == 1);
  MPI_Barrier(MPI_COMM_WORLD);
  close(mine);
}

/// Several threads of a rank call, and exchange messages meanwhile.
void call_by_threads() {
  int me = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  std::thread other([] {
    for (int i = 0; i < 100; ++i) MUST(ms::call<int>("next") >= 0);
  });
  for (int i = 0; i < 100; ++i) {
    int got = -1;
    MPI_Sendrecv(&i, 1, MPI_INT, (me + 1) % all, 0, &got, 1, MPI_INT, (me + all - 1) % all, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MUST(got == i && ms::call<int>("process") == getpid());
  }
  other.join();
}

}  // namespace

void MPIX_Host_of_process(MPIX_Host its) {
  its->offer("process", [] { return static_cast<int>(getpid()); });
  its->offer("calls", [] { return calls; });
  its->offer("sum", [](std::span<const double> all) {
    ++calls;
    double sum = 0;
    for (const double one : all) sum += one;
    return sum;
  });
  its->offer("through", [](const std::vector<double>& all) { return ms::call<std::vector<double>>("turned", all); });
}

void MPIX_Host_of_job(MPIX_Host its) {
  its->offer("job", [] { return static_cast<int>(getpid()); });
  its->offer("turned", [](std::span<const double> all) { return std::vector<double>(all.rbegin(), all.rend()); });
  its->offer("moved", [](point from, double by, std::string_view along) {
    (along == "x" ? from.x : from.y) += by;
    return from;
  });
  its->offer("next", [] { return calls++; });
  its->offer("refuse", [](const std::string& why) -> int { throw std::runtime_error(why); });
  its->offer("read", [](const std::string& name) {
    char got = 0;
    const int from = open(name.c_str(), O_RDWR);
    if (read(from, &got, 1) != 1) throw std::runtime_error(name + " cannot be read");
    close(from);
    return got;
  });
}

int main(int argc, char** argv) {
  int me = 0, given = 0;
  const std::string what = argc > 1 ? argv[1] : "";
  MPI_Init_thread(&argc, &argv, what == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (what == "one for another")
    call_one_for_another();
  else if (what == "threads")
    call_by_threads();
  else
    call_by_value();
  MPI_Finalize();
  if (me == 0) std::puts("all is right");
}
