// Promises about libraries with threads of their own. Each runs in a child process, so that each library is loaded, and
// found, afresh.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "maslin/trace.hpp"
#include "no_leak_check.hpp"  // thread-local memory of a library that is loaded later
#include "sanitized.hpp"

namespace ms = maslin;

namespace {

/// A library as the tests see it: how it is loaded, and what its limit is for the calling thread.
struct candidate {
  const char* file;
  const char* get;
  const char* set;  ///< by the program itself; null where that has no such call
  bool process_wide = false;
};

void PrintTo(const candidate& c, std::ostream* out) { *out << c.file; }

const ms::kernel own_width{"width", [] { return ms::width(); }};

class Foreign : public testing::TestWithParam<candidate> {
 protected:
  void SetUp() override {
    if (void* there = dlopen(path().c_str(), RTLD_LAZY | RTLD_LOCAL))
      dlclose(there);
    else
      GTEST_SKIP() << dlerror() << "; it runs where that library is installed";
    if (sanitized && GetParam().file[0] != 'f')
      GTEST_SKIP() << "the sanitizers do not see what this library does; the plain builds run this";
  }
  std::string path() const {
    const std::string file = GetParam().file;
    return file.starts_with("fake") ? std::string(FAKES) + "/" + file : file;
  }
  void load() {
    handle_ = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
    get_ = reinterpret_cast<int (*)()>(dlsym(handle_, GetParam().get));
  }
  int limit() const { return get_(); }
  void set(int limit) const {
    if (GetParam().set) reinterpret_cast<void (*)(int)>(dlsym(handle_, GetParam().set))(limit);
  }

 private:
  void* handle_ = nullptr;
  int (*get_)() = nullptr;
};

const candidate libgomp{"libgomp.so.1", "omp_get_max_threads", "omp_set_num_threads"};
const candidate libomp{"libomp.so.5", "omp_get_max_threads", "omp_set_num_threads"};

std::string name_of(const testing::TestParamInfo<candidate>& of) {
  std::string name = of.param.file;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    , Foreign,
    testing::Values(libgomp, libomp,
                    candidate{"libopenblas.so.0", "openblas_get_num_threads", "openblas_set_num_threads", true},
                    candidate{"fake_mkl.so", "fake_limit", nullptr}, candidate{"fake_blis.so", "fake_limit", nullptr},
                    candidate{"fake_blis_before_1_0.so", "fake_limit", nullptr, true},
                    candidate{"fake_openblas_local.so", "fake_limit", nullptr},
                    candidate{"fake_openblas_pthreads.so", "fake_limit", nullptr, true}),
    name_of);

/// Counts what is not as it should be, and says the first of each.
class complaints {
 public:
  void expect(int found, int wanted, const char* where) {
    if (found == wanted) return;
    ++wrong_;
    std::cerr << where << ": " << found << " in place of " << wanted << "\n";
  }
  int wrong() const { return wrong_; }

 private:
  std::atomic<int> wrong_{0};
};

TEST_P(Foreign, InsideAStreamTheLimitIsTheStreamsWidth) {
  for (const auto& [pin, width] : {std::pair{"wide=1x2,inside=2x1", 2}, {"wide=2x1", 1}})
    EXPECT_CHILD(([&] {
                   setenv("MASLIN_PIN", pin, 1);
                   ms::Runtime r({.workers = 2, .serial = false});
                   load();
                   set(1);
                   const int own = limit();
                   complaints all;
                   for (int round = 0; round < 3; ++round) {
                     ms::phase("wide", 6, [&](std::int64_t) {
                       all.expect(limit(), width, "at the beginning of a stream");
                       all.expect(ms::offload(own_width), width, "the width of an off-load");
                       all.expect(limit(), width, "after an off-load");
                       std::atomic<int> in_loops{0}, in_tasks{0};
                       ms::parallel_for(
                           0, 200,
                           [&](ms::range) {
                             int expected = 0;
                             in_loops.compare_exchange_strong(expected, limit() == 1 && ms::width() == 1 ? 0 : limit());
                           },
                           ms::schedule::dbs, ms::block{1});
                       all.expect(in_loops, 0, "in a loop's body");
                       all.expect(limit(), width, "after a loop");
                       ms::parallel_for(
                           0, 200, [&](ms::range) {}, ms::schedule::gss, ms::block{1});
                       all.expect(limit(), width, "after a loop under a baseline");
                       for (int i = 0; i < 50; ++i)
                         ms::task([&] {
                           int expected = 0;
                           in_tasks.compare_exchange_strong(expected, limit() == 1 && ms::width() == 1 ? 0 : limit());
                         });
                       ms::wait();
                       all.expect(in_tasks, 0, "in a task");
                       all.expect(limit(), width, "after tasks");
                       int x = 0;
                       ms::task([](ms::view<int> v) { v[0] = 1; }, ms::inout(x));
                       ms::wait_on(x);
                       ms::wait();
                       ms::phase("inside", 2, [&](std::int64_t) { all.expect(limit(), 1, "in a stream of a stream"); });
                       // The other worker may not have noticed yet that its stream of the inner phase is over.
                       const int now = limit();
                       all.expect(GetParam().process_wide ? std::max(now, width) : now, width, "after a phase inside");
                     });
                     all.expect(limit(), own, "after the phase");
                   }
                   return all.wrong();
                 }),
                 0, GetParam().process_wide ? "has one limit on its threads for the whole process" : "");
}

/// Takes longer than a task that leaves a limit of the whole process alone.
void take_a_microsecond() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(1);
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST_P(Foreign, OutsidePhasesATaskHasOneThreadAndTheProgramItsOwn) {
  EXPECT_CHILD(([&] {
                 load();
                 const int own = limit();
                 complaints all;
                 {
                   ms::Runtime r({.workers = 2, .serial = false});
                   for (int round = 0; round < 50; ++round) {
                     for (int i = 0; i < 20; ++i)
                       ms::task([&] {
                         take_a_microsecond();
                         all.expect(limit(), 1, "in a task");
                         ms::task([&] {
                           take_a_microsecond();
                           all.expect(limit(), 1, "in a task's task");
                         });
                         ms::wait();
                         all.expect(limit(), 1, "after a task's tasks");
                       });
                     ms::wait();
                     all.expect(limit(), own, "after the tasks");
                     ms::parallel_for(
                         0, 100, [&](ms::range) { all.expect(limit(), 1, "in a loop"); }, ms::block{1});
                     all.expect(limit(), own, "after the loop");
                   }
                 }
                 all.expect(limit(), own, "after the runtime");
                 return all.wrong();
               }),
               0, "");
}

TEST_P(Foreign, ATinyTaskOfTheProgramsOwnThreadHasAtMostTheProgramsThreads) {
  EXPECT_CHILD(([&] {
                 load();
                 const int own = limit();
                 complaints all;
                 {
                   ms::Runtime r({.workers = 2, .serial = false});
                   for (int i = 0; i < 20'000; ++i)
                     ms::task([&] {
                       const int now = limit();  // once: another worker may set it meanwhile
                       if (!GetParam().process_wide || now != own) all.expect(now, 1, "in a tiny task");
                     });
                   ms::wait();
                   all.expect(limit(), own, "after the tasks");
                 }
                 return all.wrong();
               }),
               0, "");
}

TEST_P(Foreign, IsFoundLaterByAProgramThatOnlyHasLoops) {
  EXPECT_CHILD(([&] {
                 ms::Runtime r({.workers = 2, .serial = false});
                 load();
                 set(2);
                 bool found = false;
                 for (int i = 0; i < 1'000'000 && !found; ++i)
                   ms::parallel_for(
                       0, 10, [&](ms::range) { found = limit() == 1; }, ms::block{10});
                 return found ? 0 : 1;
               }),
               0, "");
}

TEST_P(Foreign, IsLeftAloneWhereTheUserSaysSo) {
  EXPECT_CHILD(([&] {
                 setenv("MASLIN_FOREIGN", "0", 1);
                 setenv("MASLIN_PIN", "wide=2x1", 1);
                 load();
                 ms::Runtime r({.workers = 2, .serial = false});
                 set(2);
                 const int own = limit();
                 std::atomic<int> seen{0};
                 ms::phase("wide", 6, [&](std::int64_t) { seen.fetch_add(ms::width() == 1 && limit() != 1 ? 1 : 0); });
                 return limit() == own && seen > 0 ? 0 : 1;
               }),
               0, "");
}

/// What a process may run on.
struct machine_choice {
  const char* variable;
  const char* value;
};
const machine_choice machines[] = {
    {"MASLIN_WORKERS", "2"}, {"MASLIN_SERIAL", "1"}, {"MASLIN_MACHINE", SPECS "/epyc-128.toml"}};

TEST_P(Foreign, HasOneThreadWhoeverCallsWhereResultsAreToBeReproducible) {
  for (const machine_choice& machine : machines)
    for (const bool comes_later : {false, true})
      EXPECT_CHILD(([&] {
                     setenv(machine.variable, machine.value, 1);
                     setenv("MASLIN_FOREIGN", "reproducible", 1);
                     setenv("MASLIN_PIN", "wide=1x2", 1);
                     setenv("MASLIN_QUIET", "1", 1);
                     complaints all;
                     const auto look = [&](const char* where) { all.expect(limit(), 1, where); };
                     int own = 0;
                     const auto load_now = [&] {
                       load();
                       set(3);
                       own = limit();
                     };
                     if (!comes_later) load_now();
                     {
                       ms::Runtime r;
                       if (comes_later)
                         load_now();
                       else
                         look("in the program");
                       for (int round = 0; round < 2; ++round) {
                         ms::phase("wide", 4, [&](std::int64_t) {
                           look("in a stream");
                           ms::parallel_for(
                               0, 8, [&](ms::range) { look("in a loop's body"); }, ms::block{1});
                           ms::task([&] { look("in a task"); });
                           ms::wait();
                           look("after a task");
                         });
                         look("after the phase");
                         set(3);  // by the program itself: the next call takes it back
                         ms::parallel_for(
                             0, 8, [&](ms::range) { look("in a loop's body"); }, ms::block{1});
                         look("after a loop");
                         std::thread([&] {
                           ms::phase("wide", 2, [&](std::int64_t) { look("in a foreign thread's stream"); });
                           look("in a foreign thread");
                         }).join();
                         set(3);
                         ms::wait();
                         ms::task([&] {
                           look("in a task");
                           if (!GetParam().process_wide) set(3);
                         });
                         ms::wait();
                         look("after a task that set its own");
                       }
                     }
                     if (!comes_later) all.expect(limit(), own, "after the runtime");
                     return all.wrong();
                   }),
                   0, "^$");
}

TEST_P(Foreign, ThreadsThatTheRuntimeDidNotStartGetTheirOwnBack) {
  EXPECT_CHILD(([&] {
                 setenv("MASLIN_PIN", "wide=1x2", 1);
                 load();
                 ms::Runtime r({.workers = 2, .serial = false});
                 complaints all;
                 for (int round = 0; round < 10; ++round)
                   std::thread([&] {
                     const int own = limit();
                     ms::phase("wide", 3,
                               [&](std::int64_t) { all.expect(limit(), 2, "in a foreign thread's stream"); });
                     if (!GetParam().process_wide) all.expect(limit(), own, "after a foreign thread's phase");
                   }).join();
                 return all.wrong();
               }),
               0, "");
}

/// How many threads were inside at a time.
struct crowd {
  std::atomic<int> now{0}, most{0}, entered{0};
  static void enter(void* crowd_of) {
    auto& all = *static_cast<crowd*>(crowd_of);
    const int inside = all.now.fetch_add(1) + 1;
    int before = all.most;
    while (before < inside && !all.most.compare_exchange_weak(before, inside)) {
    }
    ++all.entered;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    --all.now;
  }
};

// Parallel regions as a compiler makes them: a call that both OpenMP runtimes offer.
class ForeignOpenMp : public Foreign {};
INSTANTIATE_TEST_SUITE_P(, ForeignOpenMp, testing::Values(libgomp, libomp), name_of);

TEST_P(ForeignOpenMp, RegionsNeverHaveMoreThreadsThanThereAreWorkers) {
  for (const char* pin : {"wide=1x2", "wide=2x1", ""})
    EXPECT_CHILD(
        ([&] {
          setenv("MASLIN_PIN", pin, 1);
          load();
          set(8);  // what a program that knows nothing of Maslin has on a machine of eight
          void* handle = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
          const auto region =
              reinterpret_cast<void (*)(void (*)(void*), void*, unsigned, unsigned)>(dlsym(handle, "GOMP_parallel"));
          if (!region) return 3;
          crowd all, of_tasks;
          ms::Runtime r({.workers = 2, .serial = false});
          const bool wide = std::string(pin) == "wide=1x2";
          ms::phase(*pin ? "wide" : "sized", 20, [&](std::int64_t) {
            if (*pin) region(crowd::enter, &all, 0, 0);
            for (int i = 0; i < 4; ++i) ms::task([&] { region(crowd::enter, &of_tasks, 0, 0); });
            ms::wait();
            ms::parallel_for(
                0, 8, [&](ms::range) { region(crowd::enter, &of_tasks, 0, 0); }, ms::schedule::dbs, ms::block{1});
          });
          std::cerr << all.most << " and " << of_tasks.most << " at a time\n";
          if (*pin && (all.most > 2 || all.entered != 20 * (wide ? 2 : 1))) return 1;
          return of_tasks.most <= 2 && of_tasks.entered == 20 * 12 ? 0 : 2;
        }),
        0, "at a time");
}

// A scalar product of a length at which OpenBLAS uses all threads that it may.
TEST(ForeignOpenBlas, GivesTheSameBitsAtEveryWidthIfThatIsAskedFor) {
  if (sanitized) GTEST_SKIP() << "the sanitizers do not see what this library does; the plain builds run this";
  void* const there = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
  if (!there || !dlsym(there, "cblas_ddot"))
    GTEST_SKIP() << "libopenblas.so.0 is not installed; it runs where that library is";
  dlclose(there);
  const auto results = [](const machine_choice& machine, const char* pin) {
    int ends[2];
    if (pipe(ends) != 0) return std::string("no pipe");
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      end_with(parent);
      setenv("OPENBLAS_NUM_THREADS", "2", 1);
      setenv(machine.variable, machine.value, 1);
      setenv("MASLIN_FOREIGN", "reproducible", 1);
      setenv("MASLIN_PIN", pin, 1);
      setenv("MASLIN_QUIET", "1", 1);
      void* handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
      const auto dot =
          reinterpret_cast<double (*)(int, const double*, int, const double*, int)>(dlsym(handle, "cblas_ddot"));
      std::vector<double> x(300'001), products(9);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / (1.0 + static_cast<double>(i));
      const auto product = [&] { return dot(static_cast<int>(x.size()), x.data(), 1, x.data(), 1); };
      ms::Runtime r;
      ms::phase("wide", 4, [&](std::int64_t i) { products[static_cast<std::size_t>(i)] = product(); });
      for (std::size_t i = 4; i < 8; ++i) ms::task([&, i] { products[i] = product(); });
      ms::wait();
      products[8] = product();
      if (write(ends[1], products.data(), products.size() * sizeof(double)) < 0) _exit(1);
      _exit(0);
    }
    close(ends[1]);
    std::string bytes(9 * sizeof(double), 0);
    const ssize_t count = read(ends[0], bytes.data(), bytes.size());
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(count, static_cast<ssize_t>(bytes.size()));
    return bytes;
  };
  const std::string one = results(machines[1], "wide=1x1");
  for (const char* pin : {"wide=1x2", "wide=2x1"})
    for (const machine_choice& machine : machines) EXPECT_EQ(results(machine, pin), one) << machine.value << " " << pin;
  for (std::size_t i = 1; i < 9; ++i) EXPECT_EQ(one.substr(0, sizeof(double)), one.substr(i * 8, 8));
}

TEST(ForeignOpenBlas, OfAnOpenMpBuildFollowsTheOpenMpRuntime) {
  EXPECT_CHILD(
      [] {
        void* handle = dlopen((std::string(FAKES) + "/fake_openblas_openmp.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        const auto limit = reinterpret_cast<int (*)()>(dlsym(handle, "fake_limit"));
        ms::Runtime r({.workers = 2, .serial = false});
        std::atomic<int> wrong{0};
        ms::phase("streams", 4, [&](std::int64_t) { wrong += limit() != 5; });
        return wrong.load();
      },
      0, "");
}

TEST(ForeignOpenBlas, StandsInTheTrace) {
  EXPECT_CHILD(
      [] {
        const std::string path = testing::TempDir() + "foreign.mtrace";
        setenv("MASLIN_TRACE", path.c_str(), 1);
        for (const char* file : {"/fake_openblas_pthreads.so", "/fake_blis.so"})
          dlopen((std::string(FAKES) + file).c_str(), RTLD_NOW | RTLD_LOCAL);
        {
          ms::Runtime r({.workers = 2, .serial = false});
          for (int i = 0; i < 2; ++i) ms::phase("streams", 2, [](std::int64_t) {});
        }
        std::string found;
        const ms::trace::file trace(path);
        trace.each_event([&](const ms::trace::event& e) {
          if (e.kind == ms::trace::event_kind::library)
            found += std::string(trace.name(e.id)) + (e.argument == 1 ? ": the process's. " : ": the thread's. ");
        });
        std::cerr << found;
        return 0;
      },
      0, "OpenBLAS 9.9.9 .pthreads.: the process's. BLIS 9.9: the thread's. $");
}

TEST(ForeignOpenBlas, IsSaidToHaveOneLimitOnce) {
  EXPECT_CHILD(
      [] {
        dlopen((std::string(FAKES) + "/fake_openblas_pthreads.so").c_str(), RTLD_NOW | RTLD_LOCAL);
        for (int i = 0; i < 3; ++i) {
          ms::Runtime r({.workers = 2, .serial = false});
          ms::phase("streams", 2, [](std::int64_t) {});
          ms::phase("streams", 2, [](std::int64_t) {});
        }
        return 0;
      },
      0, "^maslin: OpenBLAS 9.9.9 .pthreads. has one limit [^\n]*\n$");
}

}  // namespace
