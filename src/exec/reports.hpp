#pragma once
// The reports of the phases of this process, the latest of each name.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "maslin/phase.hpp"

namespace maslin {

/// Gives what is expected of a configuration; 0 where nothing is known of it.
double expected_of(configuration c, const std::vector<phase_estimate>& estimates) noexcept;

/// What a phase chose.
struct choice {
  configuration what;
  double expected = 0;  ///< throughput, when it was chosen; 0: nothing was known
};

/// A phase's report with its history.
struct told_phase {
  phase_report last;
  std::vector<choice> choices;   ///< one after the other
  std::int64_t times = 1;        ///< that a phase of this name has run in this process, this one included
  std::string_view loop_master;  ///< who gives the workers their parts of kernels' loops; empty: nobody was chosen
};

/// A report that its phase keeps writing while others read it.
class live_report {
 public:
  explicit live_report(phase_report begin) : value_(std::move(begin)) {}

  /// Before others see it. `number`: of the phases of this process, whatever their names; `times`: of those of its
  /// name.
  void is(std::int64_t number, std::int64_t times) {
    number_ = number;
    times_ = times;
  }

  template <class Change>
  void change(Change&& change) {
    const base::locked held(lock_);
    change(value_);
    ++changes_;
    if (value_.chosen && (choices_ == 0 || choice_[choices_ - 1].what != *value_.chosen)) keep_choice();
  }
  /// Notes who was chosen to give the workers their parts of kernels' loops, by a word that outlives the program.
  void chose_loop_master(std::string_view who) {
    const base::locked held(lock_);
    if (who == loop_master_) return;
    loop_master_ = who;
    ++changes_;
  }
  phase_report read() const {
    const base::locked held(lock_);
    return value_;
  }
  told_phase tell() const;
  /// Hands over the report and the choices, one after the other.
  template <class Look>
  void look(Look&& at) const {
    const base::locked held(lock_);
    at(value_, std::span(choice_).first(choices_));
  }
  /// Gives how often it was changed.
  std::uint64_t changes() const {
    const base::locked held(lock_);
    return changes_;
  }
  std::int64_t number() const { return number_; }
  std::int64_t times() const { return times_; }

 private:
  /// In place, because a phase keeps its choices where nothing may fail; of more than that the last one stays.
  static constexpr std::size_t most_choices = 8;
  void keep_choice() noexcept MASLIN_REQUIRES(lock_);

  mutable base::mutex lock_;
  phase_report value_ MASLIN_GUARDED_BY(lock_);
  std::string_view loop_master_ MASLIN_GUARDED_BY(lock_);
  std::uint64_t changes_ MASLIN_GUARDED_BY(lock_) = 0;
  std::array<choice, most_choices> choice_ MASLIN_GUARDED_BY(lock_);
  std::size_t choices_ MASLIN_GUARDED_BY(lock_) = 0;
  std::int64_t number_ = 1;
  std::int64_t times_ = 1;
};

/// Makes the report of a phase that begins; `report(name)` reads it from now on.
std::shared_ptr<live_report> begin_report(const detail::phase& p);

/// Gives the latest report of each name, in the order in which their phases began.
std::vector<std::shared_ptr<const live_report>> all_reports();

/// In a forked child: what its parent did is its parent's.
void forget_reports_after_fork() noexcept;

}  // namespace maslin
