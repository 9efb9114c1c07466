#pragma once
// Which events of a trace come before which, whatever their times say: the rules by which the reader orders what
// several workers did at one time.

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "maslin/trace.hpp"

namespace maslin::trace::internal {

/// Orders the kinds at one time: first what lets others begin or go on, then what begins or goes on, then what ends
/// when others have ended.
int rank(event_kind kind);

/// What has happened so far in a trace, as far as later events need it.
class causes {
 public:
  /// Gives whether what must come before the event has happened: a task is created before it begins, and after the end
  /// of the last one with its number; a suspension comes before its end; a loop begins before its chunks, a phase
  /// before its streams and decisions, and it ends after them.
  bool complete(const event& e) const;
  /// The event has happened.
  void add(const event& e);

 private:
  enum class sort : std::uint64_t {
    task,
    begun_task,
    left_task,
    left_stream,
    left,
    loop,
    phase,
    streams_to_begin,
    ended_streams
  };
  struct key {
    causes::sort sort;
    std::uint32_t id;
    std::uint64_t number;
    bool operator==(const key&) const = default;
  };
  struct hash {
    std::size_t operator()(const key& k) const noexcept {
      return static_cast<std::size_t>(
          (k.number * 16 + static_cast<std::uint64_t>(k.sort) + (std::uint64_t{k.id} << 40)) * 0x9e3779b97f4a7c15u);
    }
  };

  static key stream(const event& e) {
    return {sort::left_stream, e.id, static_cast<std::uint64_t>(unpack<stream_at>(e.argument).index)};
  }
  bool has(const key& what, std::uint64_t count = 1) const;
  void more(const key& what, std::uint64_t count = 1);
  void fewer(const key& what, std::uint64_t count = 1);

  std::unordered_map<key, std::uint64_t, hash> counts_;  ///< none is 0
};

}  // namespace maslin::trace::internal
