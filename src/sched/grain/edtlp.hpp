#pragma once
// EDTLP (multigrain-cell, 4.1): who runs next among the streams of a host, and what is too small to be off-loaded.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sched/grain/site_time.hpp"

namespace maslin::grain {

/// The suspended streams of a phase, in the order in which they resume: first suspended, first resumed. A stream that
/// is suspended at an off-load goes to the end, so it resumes only after all the others have off-loaded at least once.
/// `Stream` is whatever names a stream to the executor.
template <class Stream>
class suspended_streams {
 public:
  /// Must the stream that has come to an off-load be suspended? `running` streams run (itself included), `allowed` may.
  /// The first to come is the one that yields; none is ever restarted.
  static bool surplus(int running, int allowed) { return running > allowed; }

  /// Makes room, so that suspending up to that many cannot fail. Throws std::bad_alloc.
  void reserve(std::size_t streams) { waiting_.reserve(streams); }

  void suspend(Stream stream) { waiting_.push_back(std::move(stream)); }

  /// Gives the stream that resumes next if there is room for one more, otherwise nothing. Suspended streams go before
  /// streams that have not begun.
  std::optional<Stream> resume(int running, int allowed) {
    return resume(running, allowed, [](const Stream&, const Stream&) { return false; });
  }
  /// Gives the one that `comes_first` before all others; of those that are equal, the first suspended.
  template <class ComesFirst>
  std::optional<Stream> resume(int running, int allowed, ComesFirst&& comes_first) {
    if (running >= allowed || waiting_.empty()) return std::nullopt;
    const auto at = std::min_element(waiting_.begin(), waiting_.end(), comes_first);
    Stream next = std::move(*at);
    waiting_.erase(at);
    return next;
  }

  /// Is there a suspended one of which that is true?
  template <class Predicate>
  bool any(Predicate&& is) const {
    return std::any_of(waiting_.begin(), waiting_.end(), is);
  }

  /// Takes a stream out of the list: it goes on without having been suspended.
  void forget(const Stream& stream) { std::erase(waiting_, stream); }

  std::size_t size() const { return waiting_.size(); }
  std::size_t capacity() const { return waiting_.capacity(); }
  bool empty() const { return waiting_.empty(); }

 private:
  std::vector<Stream> waiting_;
};

/// Is a kernel worth a team? `one_worker_seconds` is its mean time on one worker (0: not known yet, so try),
/// `handing_over` the measured cost in seconds of sharing a loop with a team of that width. It is if the team would be
/// done earlier even if it shared the kernel evenly at that cost: t > t/width + handing_over. What is below stays with
/// the caller.
constexpr bool worth_sharing(double one_worker_seconds, int width, double handing_over) {
  if (width <= 1) return false;
  if (one_worker_seconds <= 0 || one_worker_seconds > 1e300) return true;
  return one_worker_seconds - one_worker_seconds / width > handing_over;
}

/// A kernel that a stream on a host could off-load. Times in one unit.
struct off_load {
  double accelerator = 0;     ///< what it takes there; 0: not known yet
  double host = 0;            ///< what it takes on the host; 0: not known
  double communication = 0;   ///< a signal, one way
  double code = 0;            ///< until its code is there
  double context_switch = 0;  ///< of the host to the stream that goes on meanwhile; 0: there is none
  std::int64_t sharing = 1;   ///< streams that share the host, the caller included
};

/// Is the kernel large enough to be off-loaded (multigrain-cell, 4.1: granularity control)? It is if it gains:
/// accelerator + code + 2 communication < host. What is not known yet is off-loaded.
/// A host that streams share runs their kernels one after the other, and accelerators run them at a time: a round of
/// all streams takes it `sharing` kernels' time. But then off-loading takes the host a signal and a switch for each,
/// and that must be less than the kernel itself, too. For one stream the second condition follows from the first.
constexpr bool worth_off_loading(const off_load& k) {
  if (k.accelerator <= 0 || k.host <= 0) return true;
  const bool gains = k.accelerator + k.code + 2 * k.communication < k.host * static_cast<double>(k.sharing);
  return gains && k.communication + k.context_switch < k.host;
}

/// Gives how many blocks of a loop a worker takes at least, by the mean time of one (0: not known): fewer do not pay
/// for being handed over.
constexpr std::int64_t worth_taking(double block, double handing_over) {
  constexpr double most = 1e9;
  return block > 0 && block < handing_over ? static_cast<std::int64_t>(std::min(handing_over / block, most)) : 1;
}

/// A task is short up to so many times its handing over.
inline constexpr double still_short = 50;

/// How often the time of a call site's tasks must have been seen before it is believed, and how many of them its mean
/// keeps in mind.
inline constexpr std::uint32_t task_known = 8;
inline constexpr std::uint32_t task_memory = 64;

/// The body of a task took so long: gives what is known of its call site then, and whether it was short, in the unit of
/// `handing_over`. `leaves_tasks`: it has returned before tasks that it created were done.
inline std::pair<site_time, bool> learned_task(const site_time& known, std::uint64_t took, double handing_over,
                                               bool leaves_tasks) {
  // At once, it would hold its creator up until they are done; and so would they, if they do the same, without end.
  if (leaves_tasks) return {site_time::never_small(), false};
  // One that takes so long must not wait for the mean to believe it: others of its site may be as long. How long it
  // takes does not matter then, and of a recursion's tasks, which enclose each other, most are short all the same.
  if (const double no_more_short = still_short * handing_over; static_cast<double>(took) >= no_more_short)
    return {known.learned(1, static_cast<std::uint64_t>(2 * no_more_short), 1), false};
  return {known.learned(1, std::max<std::uint64_t>(took, 1), task_memory), true};
}

/// What a creator of tasks has ready that nobody has begun, for others to take.
struct tasks_at_hand {
  std::uint32_t all = 0;
  std::uint64_t created = 0;  ///< by this creator, begun or not; the rest of `all` belongs to what it is a part of
  bool refills = true;        ///< it hands tasks over until there is enough again
};

/// Gives `refills` for a worker with so many tasks at hand: from the moment at which there is less than one for each of
/// its team until there are two. In between it neither hands over nor runs out, as it would at one limit: it takes the
/// last task back where it waits for it, and would hand the next one over in its place.
constexpr bool refills(bool before, std::uint32_t all, int width) {
  const auto each = static_cast<std::uint32_t>(width);
  return all < each || (before && all < 2 * each);
}

/// Gives what accesses add to the handing over of a task: `adding` it to the graph, which is its creator's, and
/// `removing` it, which is its worker's. Either the creator is busy all the time, or it and the others share both and
/// the bodies; so n tasks take at least n × adding, or n × (adding + removing + body) / width. One worker gains
/// nothing.
constexpr double in_graph(double adding, double removing, int width) {
  if (width <= 1) return std::numeric_limits<double>::infinity();
  return std::max(adding, (adding + removing) / (width - 1));
}

/// Does the body of a task take less than handing it over? `expected`: the mean time of the bodies of its call site (0:
/// not known well, so hand it over), `handing_over`: what that costs, in the same unit.
constexpr bool is_too_small(double expected, double handing_over) { return expected > 0 && expected < handing_over; }

/// What a new task that waits for nothing is to its creator.
enum class task_size : std::uint8_t {
  large,  ///< had better be handed over
  small,  ///< had better be run at once
  tiny,   ///< so had it, and its body takes less than handing it over
};

/// A new task waits for nothing: had its creator better run it at once than hand it over? `in_graph`: what its accesses
/// add to its handing over; `width` of the team. What is too small is run at once. So is what is still short while
/// everybody else finds enough without it: tasks of what encloses the creator, which are larger than its own, two each
/// or what is left of them, or enough of its own that fetching them pays.
constexpr bool runs_at_once(double expected, double handing_over, double in_graph, tasks_at_hand at_hand, int width) {
  constexpr double worth_fetching = 200;
  if (expected <= 0) return false;
  if (is_too_small(expected, handing_over + in_graph)) return true;
  const std::uint64_t enough = (at_hand.refills ? 2 : 1) * static_cast<std::uint64_t>(width);
  if (expected >= still_short * handing_over || at_hand.all < enough) return false;
  return at_hand.all >= at_hand.created + enough || at_hand.all * expected >= worth_fetching * handing_over;
}

}  // namespace maslin::grain
