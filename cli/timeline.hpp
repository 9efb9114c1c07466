#pragma once
// The events of a trace become slices that nest: what each worker did from when to when, and within what.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "maslin/trace.hpp"

/// Builds the slices of every worker from events in the order of time. When a context is suspended, its open slices end
/// on its worker and go on where it is resumed. An end without a begin (its event was dropped) is ignored and counted;
/// a begin without an end lasts until what is around it ends.
class timeline {
 public:
  enum class sort : std::uint8_t { stream, task, loop, chunk, offload, wait, parked, help };

  struct kernel_sum {
    std::uint32_t kernel;
    std::uint64_t count;
    std::uint64_t ns;
  };
  struct slice {
    timeline::sort sort;
    std::uint32_t id;        ///< as in the event that began it
    std::uint64_t argument;  ///< the same
    std::int64_t begin_ns;
    bool resumed = false;              ///< it goes on after a suspension
    bool goes_on = false;              ///< it ends here because its context is suspended
    std::vector<kernel_sum> kernels;   ///< of a stream, in traces of detail `streams`
    std::uint64_t end_argument = 0;    ///< as in the event that ended it; 0 if none did
    std::int64_t first_ns = begin_ns;  ///< when its first part began
  };
  /// Who is told; the calls for one track nest.
  class observer {
   public:
    virtual ~observer() = default;
    virtual void begin(int /*worker*/, const slice&) {}
    virtual void end(int /*worker*/, const slice&, std::int64_t /*ns*/) {}
    /// A worker begins or ceases to work: it has a slice open, and the innermost one is no wait.
    virtual void busy(int /*worker*/, bool /*now*/, std::int64_t /*ns*/) {}
    /// What is no part of a slice: phases, decisions, task creations, steals, a worker's start and stop.
    virtual void mark(const maslin::trace::event&) {}
  };

  timeline(int workers, observer& to) : tracks_(static_cast<std::size_t>(workers) + 1), to_(&to) {}

  void add(const maslin::trace::event& e);
  /// Ends everything that is still open; to be called after the last event.
  void finish(std::int64_t ns);
  /// Gives how many ends there were without a begin.
  std::uint64_t unmatched() const { return unmatched_; }
  /// Gives how many events there were, by kind.
  const std::array<std::uint64_t, maslin::trace::event_kinds>& events() const { return events_; }

 private:
  struct track {
    std::vector<slice> open;  // innermost last
    bool busy = false;
  };
  using context = std::tuple<sort, std::uint32_t, std::uint64_t>;

  track& of(int worker) { return worker < 0 ? tracks_.back() : tracks_[static_cast<std::size_t>(worker)]; }
  void begin(int worker, slice s);
  void end(const maslin::trace::event& e, sort which);
  void leave(const maslin::trace::event& e, sort which);
  void resume(const maslin::trace::event& e, sort which);
  void leave_all(const maslin::trace::event& e);
  void resume_all(const maslin::trace::event& e);
  std::vector<slice> take_from(int worker, std::size_t place, std::int64_t ns);
  void reopen(int worker, std::vector<slice> slices, std::int64_t ns);
  void sum(const maslin::trace::event& e);
  void close_innermost(int worker, std::int64_t ns, bool goes_on);
  void tell_busy(int worker, std::int64_t ns);
  static context context_of(const maslin::trace::event& e, sort which);
  static context context_of(const slice& s);

  std::vector<track> tracks_;
  std::map<context, std::vector<slice>> suspended_;   // outermost first
  std::map<std::uint64_t, std::vector<slice>> away_;  // the same, of whole workers
  observer* to_;
  std::uint64_t unmatched_ = 0;
  std::array<std::uint64_t, maslin::trace::event_kinds> events_{};
};

/// Tells the observer all that a trace holds, under a progress bar of that name; gives the finished timeline.
timeline observe(const maslin::trace::file& trace, timeline::observer& to, std::string bar_name);
