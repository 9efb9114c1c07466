#pragma once
// What happens first of what happens at one time. Actors whose code goes on (they have sent a signal) come before those
// that look around for something (they have received one); among equals, the one whose signal was sent first. SimGrid
// itself promises no order.

#include <simgrid/s4u.hpp>

#include <map>
#include <utility>

class turns {
 public:
  enum class rank { goes_on, looks_around };
  using key = std::pair<rank, std::size_t>;

  /// Somebody will have a turn then.
  key announce(rank of, double when) {
    const key mine{of, ++count_};
    all_.emplace(mine, turn{when, nullptr});
    return mine;
  }
  /// Its time has come: returns when everybody before it has passed the turn on.
  void take(const key& mine) {
    if (first_due() == all_.find(mine)) return;
    const simgrid::s4u::SemaphorePtr door = simgrid::s4u::Semaphore::create(0);
    all_.at(mine).waits = door;
    door->acquire();
  }
  /// Its owner is about to pause.
  void pass_on(const key& mine) {
    all_.erase(mine);
    const auto next = first_due();
    if (next != all_.end() && next->second.waits) next->second.waits->release();
  }

 private:
  struct turn {
    double when;
    simgrid::s4u::SemaphorePtr waits;
  };
  std::map<key, turn>::iterator first_due() {
    constexpr double rounding = 1e-12;
    auto i = all_.begin();
    while (i != all_.end() && i->second.when > simgrid::s4u::Engine::get_clock() + rounding) ++i;
    return i;
  }

  std::map<key, turn> all_;
  std::size_t count_ = 0;
};
