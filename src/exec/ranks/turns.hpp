#pragma once
// Ranks of the serial elision: each has a thread, and one of them runs at a time, the lowest that can go on.

#include <deque>
#include <semaphore>
#include <vector>

namespace maslin {

/// Only who has the turn calls these, but `begin`; and before the first turn is given.
class turns {
 public:
  explicit turns(int count) : state_(static_cast<std::size_t>(count), state::ready) {
    for (int i = 0; i < count; ++i) gates_.emplace_back(0);
  }

  /// Waits for the rank's first turn.
  void begin(int rank) { gate(rank).acquire(); }
  /// Gives the first turn.
  void start() { give(); }
  /// The rank waits, and gives the turn to another that can go on; comes back with the turn. False where there is none:
  /// then it has kept it.
  bool pass(int rank) {
    at(rank) = state::waits;
    if (!give()) return at(rank) = state::ready, false;
    gate(rank).acquire();
    return true;
  }
  /// The rank lets those behind it go first, once.
  void yield(int rank) {
    for (std::size_t i = 1; i < state_.size(); ++i) {
      const std::size_t next = (static_cast<std::size_t>(rank) + i) % state_.size();
      if (state_[next] != state::ready) continue;
      gates_[next].release();
      return gate(rank).acquire();
    }
  }
  /// It never begins.
  void leave_out(int rank) { at(rank) = state::ended; }
  /// What the rank waits for may be there.
  void ready(int rank) {
    if (at(rank) == state::waits) at(rank) = state::ready;
  }
  /// The rank has ended. False where others wait and none can go on.
  bool end(int rank) {
    at(rank) = state::ended;
    if (give()) return true;
    for (const state one : state_)
      if (one == state::waits) return false;
    return true;
  }

 private:
  enum class state : unsigned char { ready, waits, ended };
  state& at(int rank) { return state_[static_cast<std::size_t>(rank)]; }
  std::binary_semaphore& gate(int rank) { return gates_[static_cast<std::size_t>(rank)]; }
  bool give() {
    for (std::size_t i = 0; i < state_.size(); ++i)
      if (state_[i] == state::ready) return gates_[i].release(), true;
    return false;
  }

  std::vector<state> state_;
  std::deque<std::binary_semaphore> gates_;
};

}  // namespace maslin
