#pragma once
// Measurements that notice that the machine is busy: each is repeated until it is stable, and what is doubtful is
// known.

#include <functional>
#include <string>
#include <utility>
#include <vector>

/// A value that was measured several times.
struct curve_point {
  double at = 0;
  double is = 0;     ///< the median
  double error = 0;  ///< its standard error
};

/// Gives the median of the samples with its standard error.
curve_point median_point(double at, std::vector<double> samples);

/// What one round of a measurement gave.
struct measured_round {
  double is = 0;
  double error = 0;    ///< standard error
  double had_cpu = 1;  ///< for which share of the time its threads had a CPU; 1 where they wait for other reasons, too
};

/// A loop of two blocks on two workers.
struct loop_of_two {
  double more = 0;    ///< that it took than one block
  bool both = false;  ///< each worker has run a block
};
/// Gives what sharing such a loop takes: the median of those that both have shared. In the others one came too late,
/// which says how long a block is. The figure is doubtful if both have shared none.
measured_round round_of_shared(const std::vector<loop_of_two>& loops, double had_cpu);

/// What processes have taken of the CPUs that this process may use, in seconds since some moment.
struct cpu_use {
  double now = 0;
  double all = 0;  ///< of all processes, and of other guests of the host; below 0: the system does not say
  double own = 0;  ///< of this process, and of children that have ended
};
cpu_use cpu_use_so_far();

/// Measures figure after figure.
class steady {
 public:
  enum class best { least, most };

  /// `next(name)` is called before each figure; `look` gives what the `cpus` that may be used have done.
  steady(int cpus, std::function<void(const std::string&)> next, std::function<cpu_use()> look = cpu_use_so_far);

  /// Repeats a measurement until its three best rounds are within a tenth of each other, and gives the one in the
  /// middle: what disturbs a round makes it worse. If that does not come to pass, or the rounds lacked CPUs, or other
  /// processes were busy meanwhile, what is called `name` is doubtful.
  curve_point measure(const std::string& name, double at, best which, const std::function<measured_round()>& round);

  /// The two parts of that. Does the work, and notices whether other processes are busy meanwhile.
  void watch(const std::string& name, const std::function<void()>& work);
  /// Repeats a measurement until it is stable.
  curve_point settle(const std::string& name, double at, best which, const std::function<measured_round()>& round);

  /// Gives, in the order of measuring, what is doubtful, and why.
  const std::vector<std::pair<std::string, std::string>>& doubts() const { return doubts_; }

  /// Gives how many CPUs other processes took in the mean of all measurements; 0 where the system does not say.
  double taken_by_others() const { return seconds_ > 0 ? others_seconds_ / seconds_ : 0; }

 private:
  void doubt(const std::string& name, const std::string& why);

  const int cpus_;
  const std::function<void(const std::string&)> next_;
  const std::function<cpu_use()> look_;
  double seconds_ = 0, others_seconds_ = 0;
  std::vector<std::pair<std::string, std::string>> doubts_;
};
