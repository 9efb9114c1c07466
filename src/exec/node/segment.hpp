#pragma once
// The memory of a job's table, and who is a member of it. It is a memfd: it has no name in any file system, so it is
// gone when the last process that holds it is, however that ended. README.md says how processes find it and each other.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/node/table.hpp"

namespace maslin::node {

/// The name by which processes of one job find each other: letters, digits and "-_.:@+". Throws `error`.
void check_job_name(const std::string& job);

class segment {
 public:
  /// Joins the job's table, or makes it where there is none, and takes a slot. Throws `error`: another version made the
  /// table, it is full, or whoever is joining does not come to an end.
  static std::unique_ptr<segment> join(const std::string& job);
  /// The job's table for a look; null when there is none. Takes no slot.
  static std::unique_ptr<segment> find(const std::string& job);
  /// The jobs of this user on this node.
  static std::vector<std::string> jobs();

  /// Leaves: the slot is free. Calls of `member` come before.
  ~segment();
  segment(const segment&) = delete;
  segment& operator=(const segment&) = delete;

  const table& what() const { return table_; }
  int slot_number() const { return me_; }

  /// Finds members that are no more: calls `forget(slot)` for each while it holds the slot's lock, and frees the slot.
  template <class Forget>
  void bury_the_dead(Forget&& forget) {
    for (int s = 0; s < table_.slot_end(); ++s)
      if (s != me_ && take_if_dead(s)) {
        forget(s);
        free(s);
      }
  }
  /// Is the slot's process alive? False for a free slot.
  bool alive(int slot) const;

  /// A forked child is no member: it closes what it inherited.
  static void forget_after_fork() noexcept;

 private:
  segment() = default;
  static std::unique_ptr<segment> map(int fd, const std::string& job);
  void take_slot();
  /// Gives whether the slot's process is dead; then its lock is the caller's.
  bool take_if_dead(int slot);
  bool is_there(const slot& it, std::uint32_t process) const;
  void free(int slot);
  void unlock(int slot);

  table table_;
  int me_ = nobody;
  int fd_ = -1;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Sleeps at the bell until it rings, at most so long; returns at once if it does not say `seen` any more.
void sleep_at(MASLIN_ATOMIC<std::uint32_t>& bell, std::uint32_t seen, std::chrono::nanoseconds most);
/// The same without a bound.
void sleep_at(MASLIN_ATOMIC<std::uint32_t>& bell, std::uint32_t seen);

}  // namespace maslin::node
