#pragma once
// Runs a few threads under every order of their atomic operations, up to a number of pre-emptions (as CHESS does:
// Musuvathi et al., OSDI 2008). README.md says what that finds, and what it cannot find.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace explorer {

/// The calling thread is about to do something that others can see: here another may go on.
void step();
/// The calling thread sleeps on this address until it is notified.
void sleep_on(const void* address);
void notify(const void* address, bool all);
/// The calling thread would wait for some time and look again: another goes on first, if one can.
void give_way();
/// Says that a promise is broken, the first time in an execution.
void fail(const std::string& what);
/// Is the atomic at that address one whose operations are torn (`scenario::torn`)?
bool is_torn(const void* address);
/// An atomic at that address begins and ends; is it there, as far as this execution knows?
void begins(const void* address);
void ends(const void* address);
bool is_there(const void* address);

/// std::atomic as far as the explored structures use it, and as large: the forks of a program have room for no more.
template <class T>
class atomic {
 public:
  atomic() { begins(this); }
  atomic(T value) : value_(value) { begins(this); }  // NOLINT: as std::atomic
  ~atomic() { ends(this); }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order = std::memory_order_seq_cst) const { return at(); }
  void store(T value, std::memory_order = std::memory_order_seq_cst) { at() = value; }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst) {
    return change([value](T) { return value; });
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order = std::memory_order_seq_cst,
                               std::memory_order = std::memory_order_seq_cst) {
    const T before = change([&](T now) { return now == expected ? value : now; });
    return before == expected || (expected = before, false);
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order a = std::memory_order_seq_cst,
                             std::memory_order b = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, value, a, b);
  }
  T fetch_add(T by, std::memory_order = std::memory_order_seq_cst) {
    return change([by](T now) { return static_cast<T>(now + by); });
  }
  T fetch_sub(T by, std::memory_order = std::memory_order_seq_cst) {
    return change([by](T now) { return static_cast<T>(now - by); });
  }
  T fetch_or(T bits, std::memory_order = std::memory_order_seq_cst) {
    return change([bits](T now) { return static_cast<T>(now | bits); });
  }
  T fetch_and(T bits, std::memory_order = std::memory_order_seq_cst) {
    return change([bits](T now) { return static_cast<T>(now & bits); });
  }
  void wait(T old, std::memory_order = std::memory_order_seq_cst) const {
    while (at() == old) sleep_on(this);
  }
  void notify_one() { notify(this, false); }
  void notify_all() { notify(this, true); }

 private:
  T& at() const {
    step();
    if (!is_there(this)) fail("an atomic was used after its end");
    return value_;
  }
  template <class To>
  T change(To&& to) {
    const T before = at();
    const T after = to(before);
    if (is_torn(this)) step();
    value_ = after;
    return before;
  }

  mutable T value_{};
};

/// Threads over a state that is made anew for each execution.
struct scenario {
  virtual ~scenario() = default;
  std::vector<std::function<void()>> threads;
  /// Threads that need not end: they may sleep when all others have ended. Their numbers follow those of the others.
  std::vector<std::function<void()>> servants;
  /// What each thread has of its own, beside the C++ runtime's exceptions: bytes that the program has thread-local.
  std::vector<std::span<std::byte>> thread_locals;
  /// To show that the exploration can fail: what reads and writes an atomic of this object is not one step any more.
  template <class Object>
  void tear(Object& object) {
    torn = {reinterpret_cast<std::uintptr_t>(&object), reinterpret_cast<std::uintptr_t>(&object) + sizeof object};
  }
  std::pair<std::uintptr_t, std::uintptr_t> torn{0, 0};
  /// Called when nobody can go on; says by `fail` what is wrong.
  virtual void check() = 0;
};

struct result {
  std::uint64_t executions = 0;
  bool complete = false;              ///< every order was tried
  std::string failure;                ///< empty: all is well
  std::vector<std::size_t> schedule;  ///< of the failure: who took each step
};

/// Tries every order with at most `preemptions` switches away from a thread that could go on; stops at the first
/// failure, and after `most` executions.
result explore(const std::function<std::unique_ptr<scenario>()>& make, int preemptions, std::uint64_t most = 1u << 22);

}  // namespace explorer
