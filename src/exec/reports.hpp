#pragma once
// The reports of the phases of this process, the latest of each name.

#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "maslin/phase.hpp"

namespace maslin {

/// A report that its phase keeps writing while others read it.
class live_report {
 public:
  explicit live_report(phase_report begin) : value_(std::move(begin)) {}

  template <class Change>
  void change(Change&& change) {
    std::lock_guard held(lock_);
    change(value_);
  }
  phase_report read() const {
    std::lock_guard held(lock_);
    return value_;
  }

 private:
  mutable std::mutex lock_;
  phase_report value_;
};

/// Makes the report of a phase that begins; `report(name)` reads it from now on.
std::shared_ptr<live_report> begin_report(const detail::phase& p);

}  // namespace maslin
