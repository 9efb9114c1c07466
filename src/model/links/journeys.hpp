#pragma once
// Messages on their way between workers: the one model of what they take, for ranks of a recording (deeds) and for
// ranks that run (exec/ranks).
//
//   direct route:  receiver ─descriptor─▶ sender ─data, then flag─▶ receiver; a small message needs no descriptor
//   over hosts:    as `ranks` has it; a small message is its sender's no more when it has passed the first hop

#include <cstdint>
#include <optional>

#include "model/links/network.hpp"
#include "model/links/traffic.hpp"

namespace maslin::links {

/// A message, and how far it has come.
struct journey {
  std::uint32_t from = 0, to = 0;  ///< workers
  std::int64_t bytes = 0;
  bool is_eager = false;  ///< it is sent before it is received

  // Of `journeys`.
  std::int64_t asked_at = 0;  ///< when the receiver's descriptor is where it is needed
  std::uint8_t hop = 0;       ///< that it comes to next
  bool is_asked = false, waits = false, is_sent = false, is_there = false;
};

/// What a moment has brought for a message.
struct progress {
  bool is_sent = false;      ///< now its sender may go on
  bool is_received = false;  ///< now its receiver has it
  /// `advance` is to be called then.
  std::optional<std::int64_t> next = {};
};

/// Callers call in the order of time.
class journeys {
 public:
  explicit journeys(const network& on) : on_(on), traffic_(on) {}

  /// The sender has begun to send.
  progress send(journey& m, std::int64_t now);
  /// The receiver has begun to receive.
  progress receive(journey& m, std::int64_t now) { return receive(m, now, ask(m.from, m.to, m.is_eager, now)); }
  /// The same where it has asked before, which has given `asked_at`.
  progress receive(journey& m, std::int64_t now, std::int64_t asked_at);
  /// A receiver asks for a message from there, which may be sent before: gives when its descriptor is where it is
  /// needed.
  std::int64_t ask(std::uint32_t from, std::uint32_t to, bool is_eager, std::int64_t now);
  /// A part of the message's way is behind it.
  progress advance(journey& m, std::int64_t now);

 private:
  static bool is_on_one_worker(const journey& m) { return m.from == m.to; }
  const route& way_of(const journey& m) const { return on_.between(m.from, m.to); }
  std::uint8_t last_hop(const journey& m) const;
  void move(journey& m, std::int64_t now, progress& what);

  const network& on_;
  traffic traffic_;
};

}  // namespace maslin::links
