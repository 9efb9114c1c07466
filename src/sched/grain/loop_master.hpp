#pragma once
// Who gives the workers their parts of the loops that kernels share (multigrain-cell, 4.2): the worker to which a
// kernel was sent, as in RAxML, or the host that would have sent it, as in PBPI.

#include <array>
#include <cstdint>
#include <optional>

namespace maslin::grain {

/// In the order of the words of MASLIN_MASTER.
enum class loop_master : std::uint8_t { worker, host, automatic };

/// Finds out which of the two lets streams off-load more in a time: both in turns, for a number of off-loads each.
/// Where one turn of both says little, because kernels differ, more turns are taken. Times are in any unit.
class master_trial {
 public:
  /// So many streams run at a time.
  explicit master_trial(int streams) : epoch_(std::int64_t{off_loads_of_a_stream} * streams) {}

  /// One more off-load begins; gives its master.
  loop_master begins(std::int64_t now);
  /// Something else is tried meanwhile, or was: what has begun to be measured is measured anew.
  void interrupt() { begun_ = 0; }
  /// Gives who was chosen; nothing while both are tried.
  std::optional<loop_master> chosen() const { return chosen_; }
  /// Gives how much longer an off-load takes with a worker as master than with the host, as a ratio; 1: not known.
  double ratio() const;

  static constexpr int off_loads_of_a_stream = 100;  // in an epoch, as in MGPS's (5.2)
  static constexpr int fewest_turns = 3, most_turns = 8;

 private:
  void epoch_ended(double took);

  const std::int64_t epoch_;
  std::int64_t begun_ = 0;  ///< off-loads of this epoch
  std::int64_t began_ = 0;  ///< the epoch
  int epochs_ = 0;          ///< that are over; the first says nothing: streams begin in it, and their code is fetched
  double first_of_turn_ = 0;
  int turns_ = 0;  ///< that are over
  std::array<double, most_turns> logs_{};
  std::optional<loop_master> chosen_;
};

}  // namespace maslin::grain
