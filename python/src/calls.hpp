#pragma once
// Calls of Python functions for many items, begun by workers.

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "callers.hpp"

namespace nb = nanobind;

/// A call of `map` or `phase`, which lives as long as that. Its Python objects are touched with the GIL held only.
class call {
 public:
  struct shape {
    nb::object function;
    nb::object items;  ///< a list of nobody else's; None: their numbers
    std::int64_t count;
    std::vector<std::int64_t> order;  ///< in which they begin; empty: as they are numbered
    nb::object results;               ///< a list as long, or None
    bool goes_on;                     ///< behind an item that raises
  };
  call(shape what, std::string name, std::string file, unsigned line);

  /// Runs all items and returns when none runs any more. Raises what the first of them raised, or the signal's handler
  /// did meanwhile. With the GIL held.
  void run();

  // Any thread, without the GIL.
  /// Runs the item that stands there in the order, if it may still begin.
  void run_item(std::int64_t place);
  bool is_interrupted() const {
    return interrupted_.load(std::memory_order_relaxed) || (within_ && within_->is_interrupted());
  }

 private:
  std::int64_t item_at(std::int64_t place) const {
    return what_.order.empty() ? place : what_.order[static_cast<std::size_t>(place)];
  }
  bool may_begin(std::int64_t item) const {
    return item <= first_failed_.load(std::memory_order_relaxed) && !is_interrupted();
  }
  void call_function(std::int64_t item);
  void run_streams();
  void run_inside();
  void run_in_place();

  const shape what_;
  const char* const name_;
  const char* const file_;
  const unsigned line_;
  const nb::object context_;  ///< the caller's context variables
  const call* const within_;  ///< the call whose item makes this one; null: none
  std::atomic<std::int64_t> first_failed_;
  std::atomic<bool> interrupted_{false};
  std::optional<nb::python_error> failure_;  // of `raised_`; with the GIL
  std::int64_t raised_ = 0;                  // with the GIL
};

/// Callables that workers take one by one, in the order in which they were put: what joblib dispatches. Each is called
/// once, with None; or with the exception for which none of them can run any more. What it raises is printed.
class feed {
 public:
  /// `at_a_time`: so many streams at most.
  feed(std::string name, int at_a_time);
  ~feed();

  // With the GIL held.
  void put(nb::object callable);
  /// From now on what was put runs. It does by itself when there is enough for all streams.
  void begin();
  /// Forgets what has not begun.
  void clear();
  /// Returns when nothing of it runs any more. Raises what a signal's handler did meanwhile; then the rest did not
  /// begin.
  void wait();

 private:
  class queue;
  const std::shared_ptr<queue> queue_;
};

// With the GIL held.
/// Gives the workers granted to the caller: in an item, what it may use; elsewhere all.
int width();
int workers();
/// Does the calling thread run an item?
bool is_in_item() noexcept;

/// In a forked child.
void forget_after_fork();
