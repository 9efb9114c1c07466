// allocation WORKERS [PROGRAM]: lets each allocation of small programs fail in turn, on so many workers (0: the serial
// elision). A program must then end as it should, or with std::bad_alloc at a call or a wait; and everything that it
// had is given back. With VERBOSE set each attempt is named before it begins: the last one named is the one that hangs
// or crashes.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <maslin/maslin.hpp>
#include <mutex>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ms = maslin;

namespace {

std::atomic<long> until_failure{-1};  ///< allocations that succeed before the one that does not; below 0: all do
std::atomic<long> live{0};            ///< blocks

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (until_failure.load(std::memory_order_relaxed) >= 0 && until_failure.fetch_sub(1) == 0) return nullptr;
  void* block = alignment > alignof(std::max_align_t)
                    ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                    : std::malloc(bytes);
  if (block) live.fetch_add(1, std::memory_order_relaxed);
  return block;
}
void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* block = allocate(bytes, alignment)) return block;
  throw std::bad_alloc();
}
void release(void* block) noexcept {
  if (!block) return;
  live.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t a) { return allocate_or_throw(bytes, std::size_t(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return allocate_or_throw(bytes, std::size_t(a)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 0); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(bytes, std::size_t(a));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { release(block); }

namespace {

void expect(bool right, const char* what) {
  if (!right) throw std::runtime_error(what);
}

/// Data of tasks are declared before one of these: where a call throws, they outlive their tasks.
struct waits_at_end {
  ~waits_at_end() {
    for (;;) {
      try {
        ms::wait();
        return;
      } catch (...) {  // seen already, or it follows from what was
      }
    }
  }
};

// Programs. Each says whether its answer is right. -------------------------------------------------------------------

void plain_tasks() {
  std::atomic<int> sum{0};
  const waits_at_end last;
  for (int i = 0; i < 20; ++i)
    ms::task([&sum, i] {
      ms::task([&sum] { sum += 1; });
      sum += i;
    });
  ms::wait();
  expect(sum == 210, "plain tasks");
}

void renamed_data() {
  int x = 0;
  std::vector<int> seen(12);
  const waits_at_end last;
  for (int i = 0; i < 12; ++i) {
    ms::task([](ms::view<const int> from, ms::view<int> to) { to[0] = from[0]; }, ms::in(x),
             ms::out(seen[std::size_t(i)]));
    ms::task([i](ms::view<int> v) { v[0] = i + 1; }, ms::out(x));
  }
  ms::wait_on(x);
  expect(x == 12, "renamed data");
  ms::wait();
  for (int i = 0; i < 12; ++i) expect(seen[std::size_t(i)] == i, "renamed data, seen");
}

void overlapping_tiles() {
  std::vector<double> a(64, 1.0);
  const waits_at_end last;
  const auto quarter = [&](std::size_t r, std::size_t c) {
    return ms::tile<double>{a.data() + 4 * r + 32 * c, 4, 4, 8};
  };
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (std::size_t r : {0, 1})
      for (std::size_t c : {0, 1})
        ms::task(
            [](ms::tile<double> t) {
              for (std::size_t k = 0; k < 4; ++k) t(k, k) += 1;
            },
            ms::inout(quarter(r, c)));
    ms::task([](ms::view<double> all) { all[0] += std::accumulate(all.begin(), all.end(), 0.0); }, ms::inout(a));
  }
  ms::wait();
  expect(a[0] > 64, "overlapping tiles");
}

void turns_and_reductions() {
  long total = 0;
  long sum = 0;
  const waits_at_end last;
  for (long i = 1; i <= 80; ++i) ms::task([i](ms::view<long> v) { v[0] += i; }, ms::reduction(sum));
  for (long i = 0; i < 10; ++i)
    ms::task([](ms::view<const long> s, ms::view<long> t) { t[0] += s[0]; }, ms::in(sum), ms::concurrent(total));
  ms::wait();
  expect(sum == 3240 && total == 32400, "turns and reductions");
}

void groups() {
  std::atomic<int> ran{0};
  int x = 1;
  const waits_at_end last;
  {
    ms::group g;
    for (int i = 0; i < 5; ++i)
      g.task(
          [&](ms::view<int> v) {
            v[0] *= 2;
            ++ran;
          },
          ms::inout(x));
    g.task([&ran] { ++ran; }, ms::priority{3});
    g.wait();
    expect(x == 32, "a group's data");
  }
  expect(ran == 6, "a group");
}

void loops() {
  std::atomic<long> sum{0};
  for (const ms::schedule policy : {ms::schedule::dbs, ms::schedule::static_, ms::schedule::gss, ms::schedule::afs})
    ms::parallel_for(
        0, 40,
        [&](ms::range r) {
          for (auto i : r)
            ms::parallel_for(
                0, 3, [&](ms::range q) { sum += i * q.size(); }, ms::block{1});
        },
        policy, ms::block{4});
  expect(sum == 4 * 3 * 780, "loops");
  const double total = ms::parallel_reduce(0, 1000, 0.0, std::plus<>(), [](ms::range r) { return double(r.size()); });
  expect(total == 1000, "a reduction over a loop");
}

void recordings() {
  std::vector<long> x(4, 1);
  std::vector<long> y(4, 1);
  const waits_at_end last;
  ms::recording steps = ms::record([&] {
    for (std::size_t i = 0; i < 3; ++i)
      ms::task([](ms::view<const long> from, ms::view<long> to) { to[0] += from[0]; }, ms::in(x[i]),
               ms::inout(x[i + 1]));
    ms::task([](ms::view<long> v) { v[0] += 1; }, ms::reduction(x[0]));
  });
  ms::replay(steps);
  ms::replay(steps, ms::rebind(x, y));
  expect(x == std::vector<long>({3, 4, 7, 11}), "a recording");
  expect(y == std::vector<long>({2, 2, 3, 4}), "a rebound replay");
}

const ms::kernel count{"count", [](std::atomic<int>& ran) { ++ran; }};

void phases() {
  std::atomic<int> ran{0};
  ms::phase("allocation", 6, [&](std::int64_t) {
    for (int i = 0; i < 5; ++i) ms::offload(count, std::ref(ran));
  });
  expect(ran == 30, "a phase");
}

void errors() {
  int x = 0;
  int y = 0;
  const waits_at_end last;
  ms::task([](ms::view<int>) { throw std::logic_error("planned"); }, ms::inout(x));
  ms::task([](ms::view<const int>, ms::view<int> to) { to[0] = 1; }, ms::in(x), ms::out(y));
  ms::task([] { throw std::logic_error("planned, too"); });
  try {
    ms::wait();
  } catch (const std::logic_error&) {
    return;
  }
  expect(false, "errors");
}

void locks() {
  ms::mutex lock;
  int inside = 0;
  const waits_at_end last;
  for (int i = 0; i < 8; ++i)
    ms::task([&] {
      std::lock_guard held(lock);
      ms::parallel_for(
          0, 4, [&](ms::range) {}, ms::block{1});
      ++inside;
    });
  ms::wait();
  expect(inside == 8, "locks");
}

struct program {
  const char* name;
  void (*run)();
};
constexpr program programs[] = {{"plain tasks", plain_tasks},
                                {"renamed data", renamed_data},
                                {"overlapping tiles", overlapping_tiles},
                                {"turns and reductions", turns_and_reductions},
                                {"groups", groups},
                                {"loops", loops},
                                {"recordings", recordings},
                                {"phases", phases},
                                {"errors", errors},
                                {"locks", locks}};

// One attempt. -------------------------------------------------------------------------------------------------------

enum class outcome { right, out_of_memory, wrong };

/// Runs it with a runtime of its own in a thread of its own, so that all that it leaves is what leaks.
outcome attempt(const program& p, int workers, long successes, std::string& why, bool& failed) {
  outcome got = outcome::right;
  std::thread([&] {
    const auto guarded = [&](auto&& body) {
      try {
        body();
      } catch (const std::bad_alloc&) {
        got = outcome::out_of_memory;
      } catch (const ms::error&) {
        got = outcome::out_of_memory;  // a covering wait says that what it needed failed
      } catch (const std::exception& e) {
        until_failure = -1;
        got = outcome::wrong;
        why = e.what();
      }
    };
    until_failure = successes;
    guarded([&] {
      ms::Runtime r({.workers = std::max(workers, 1), .serial = workers == 0});
      guarded([&] { p.run(); });
    });
    failed = until_failure.load() < 0;
    until_failure = -1;
    // The report of the last phase of a name lives on; this one is empty.
    const ms::Runtime serial({.workers = 1, .serial = true});
    ms::phase("allocation", 0, [](std::int64_t) {});
  }).join();
  return got;
}

}  // namespace

int main(int argc, char** argv) {
  const int workers = argc > 1 ? std::atoi(argv[1]) : 2;
  const char* only = argc > 2 ? argv[2] : nullptr;
  int bad = 0;
  for (const program& p : programs) {
    if (only && p.name != std::string(only)) continue;
    std::string why;
    bool failed = false;
    for (int warm = 0; warm < 3; ++warm)
      if (attempt(p, workers, -1, why, failed) != outcome::right) {
        std::printf("%s: wrong without any failure: %s\n", p.name, why.c_str());
        return 1;
      }
    why.clear();
    why.shrink_to_fit();
    long attempts = 0;
    long seen = 0;
    for (failed = true; failed; ++attempts) {
      const long before = live.load();
      if (std::getenv("VERBOSE")) std::fprintf(stderr, "%s: %ld\n", p.name, attempts);
      const outcome got = attempt(p, workers, attempts, why, failed);
      seen += got == outcome::out_of_memory;
      if (got == outcome::wrong) {
        std::printf("%s, allocation %ld: %s\n", p.name, attempts, why.c_str());
        why.clear();
        why.shrink_to_fit();
        ++bad;
      }
      if (const long after = live.load(); after != before) {
        std::printf("%s, allocation %ld: %ld blocks leaked\n", p.name, attempts, after - before);
        ++bad;
      }
    }
    std::printf("%s: %ld allocations failed in turn; the caller saw %ld\n", p.name, attempts - 1, seen);
  }
  return bad ? 1 : 0;
}
