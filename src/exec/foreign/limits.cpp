#include "exec/foreign/limits.hpp"

#include <array>
#include <cstdint>

#include "exec/foreign/libraries.hpp"

namespace maslin::foreign {

namespace {

/// The limits that were in force before ours, by library.
class kept {
 public:
  /// Sets the limit of every known library of that reach.
  void set(reach of, int limit) noexcept {
    const int libraries = known();
    for (int i = 0; i < libraries; ++i) {
      if (at(i).limits != of) continue;
      const int before = at(i).exchange(limit);
      if (i >= kept_) before_[static_cast<std::size_t>(i)] = before;
    }
    kept_ = libraries;
  }
  void restore(reach of) noexcept {
    for (int i = 0; i < kept_; ++i)
      if (at(i).limits == of) at(i).exchange(before_[static_cast<std::size_t>(i)]);
    kept_ = 0;
  }
  int libraries() const noexcept { return kept_; }

 private:
  std::array<int, most_libraries> before_{};
  int kept_ = 0;
};

/// What was set for a thread. `applied`: bits 63..32 how many libraries were known then, 31..0 the limit; 0: the
/// thread's own.
struct thread_limits {
  std::uint64_t applied = 0;
  kept own;
};
thread_local thread_limits mine;

std::uint64_t applied_for(int workers) noexcept {
  return static_cast<std::uint64_t>(known()) << 32 | static_cast<std::uint32_t>(workers);
}

// A process has one limit, whichever runtime sets it.
kept of_the_process;  // under the lock of the running one

}  // namespace

void limit_thread(int workers) noexcept {
  const std::uint64_t wanted = applied_for(workers);
  if (mine.applied == wanted) return;
  mine.own.set(reach::thread, workers);
  mine.applied = wanted;
}

void limit_thread_anew(int workers) noexcept {
  mine.own.set(reach::thread, workers);
  mine.applied = applied_for(workers);
}

void leave_thread() noexcept {
  if (mine.applied == 0) return;
  mine.own.restore(reach::thread);
  mine.applied = 0;
}

process_limit::process_limit(int workers)
    : workers_(workers), claims_(std::make_unique<claimed[]>(static_cast<std::size_t>(workers))) {}

process_limit::~process_limit() {
  claim_alone(0, 0, [](int) { return true; });
}

bool process_limit::matters() noexcept { return known_process_wide() > 0; }

void process_limit::claim(int worker, int granted) noexcept {
  // Another thread changes a worker's claim only to 0, where nothing of that worker's runs.
  if (!matters() || claims_[worker].workers.load(std::memory_order_relaxed) == granted) return;
  const base::locked held(lock_);
  claims_[worker].workers.store(granted, std::memory_order_relaxed);
  set();
}

void process_limit::count_outside(int more) noexcept {
  const base::locked held(lock_);
  outside_ += more;
  set();
}

void process_limit::apply() noexcept {
  const base::locked held(lock_);
  set();
}

void process_limit::apply_anew() noexcept {
  const base::locked held(lock_);
  if (set_ > 0) of_the_process.set(reach::process, set_);
}

void process_limit::set() noexcept {
  int least = outside_ > 0 ? 1 : 0;
  for (int w = 0; w < workers_; ++w) {
    const int claim = claims_[w].workers.load(std::memory_order_relaxed);
    if (claim > 0 && (least == 0 || claim < least)) least = claim;
  }
  if (least == 0) {
    of_the_process.restore(reach::process);
  } else if (least != set_ || of_the_process.libraries() != known()) {
    of_the_process.set(reach::process, least);
  }
  set_ = least;
}

}  // namespace maslin::foreign
