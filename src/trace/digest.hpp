#pragma once
// Detail `streams`: what one track records is thinned to its streams, with totals per kernel, before it is written.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "trace/encoder.hpp"

namespace maslin::trace::internal {

/// Thins the events of one track. Passes on phases, streams, decisions, parks and the worker's start and stop; sums the
/// off-loads of each stream; merges the chunks and tasks that a worker runs outside streams of its own into helps. What
/// else there is inside a stream is left out, and so are suspensions in which no other stream has its turn.
class digest {
 public:
  /// What lies further apart is two helps.
  explicit digest(std::uint64_t most_gap_ticks) : most_gap_(most_gap_ticks) {}

  void add(const cell& c, encoder& to);
  /// Ends a help that is still open; to be called when the trace ends.
  void finish(encoder& to);

 private:
  struct total {
    std::uint64_t count = 0;
    std::uint64_t ticks = 0;
  };
  /// One context that runs here, innermost last.
  struct frame {
    std::uint64_t begin = 0;
    std::map<std::uint32_t, total> kernels;  // ordered, so that the file does not depend on a hash
    struct open_offload {
      std::uint32_t kernel;
      std::uint64_t begin;
    };
    std::vector<open_offload> open;
  };

  void leave(std::uint64_t now, encoder& to);
  void suspend(const cell& c, encoder& to);
  void resume(const cell& c, encoder& to);
  /// To be called before anything is passed on.
  void before_others(encoder& to);
  /// A chunk or a task begins outside of streams, or ends.
  void begin_help(std::uint64_t now, std::uint64_t slot, encoder& to);
  void leave_help(std::uint64_t now, encoder& to);
  void help(std::uint64_t now, std::uint64_t slot, encoder& to);
  void end_help(encoder& to);
  /// It ends here where something is open, and goes on behind what ended it.
  void cut_help(std::uint64_t now, encoder& to);
  void go_on_helping(std::uint64_t now, encoder& to);

  std::uint64_t most_gap_;
  std::uint64_t last_ticks_ = 0;
  std::vector<frame> frames_;
  std::map<std::uint64_t, std::vector<frame>> suspended_;
  std::optional<cell> pending_;      // a suspension that is told only if somebody else does something before it ends
  std::vector<std::uint64_t> open_;  // the slots of the chunks and tasks that run here outside of streams
  std::map<std::uint64_t, std::vector<std::uint64_t>> waiting_;  // those of fibers that are suspended
  bool helping_ = false;
  std::uint64_t help_slot_ = 0;
  std::uint64_t help_last_ = 0;
};

}  // namespace maslin::trace::internal
