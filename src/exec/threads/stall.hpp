#pragma once
// What the watchdog says about a program in which nothing moves: who waits for whom.

#include <string>
#include <vector>

#include "exec/threads/worker.hpp"

namespace maslin {

/// Those of the fibers that sleep; they go on sleeping while this lives: a fiber that is woken meanwhile waits for its
/// end.
class held_asleep {
 public:
  explicit held_asleep(std::vector<task_fiber*> fibers);
  ~held_asleep();
  held_asleep(const held_asleep&) = delete;
  held_asleep& operator=(const held_asleep&) = delete;

  const std::vector<task_fiber*>& fibers() const { return fibers_; }

 private:
  std::vector<task_fiber*> fibers_;
};

/// Says for each sleeper what it runs, what it waits for and who waits behind it, and names a cycle if there is one.
std::string who_waits_for_whom(const held_asleep& sleepers);

}  // namespace maslin
