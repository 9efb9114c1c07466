#pragma once
// This process as a member of a job on its node.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/node/member.hpp"
#include "exec/node/segment.hpp"

namespace maslin::node {

/// Gives the job that MASLIN_NODE names; empty for none (not set, or "0").
std::string job_from_environment();

class membership {
 public:
  /// Joins the job and takes this process's part of the node: at most `own` CPUs. Throws `error`.
  membership(const std::string& job, int own);
  /// Leaves.
  ~membership();
  void leave();
  membership(const membership&) = delete;
  membership& operator=(const membership&) = delete;

  /// Workers that it may have at most, if all others lend everything.
  int most() const { return here_.may().most; }
  /// One thread at a time.
  member& here() { return here_; }
  slot& mine() { return mine_; }
  /// Takes those out that are no more. One thread at a time; others may use `here` meanwhile.
  void bury_the_dead() {
    table_->bury_the_dead([this](int s) { here_.forget(s); });
  }
  /// Is it the only member?
  bool alone() const;
  void sleep(std::uint32_t seen, std::chrono::nanoseconds most) { sleep_at(mine_.bell, seen, most); }
  void sleep(std::uint32_t seen) { sleep_at(mine_.bell, seen); }

 private:
  std::unique_ptr<segment> table_;
  member here_;
  slot& mine_;
};

/// The CPUs of the calling thread's affinity mask, by number.
std::vector<bool> affinity(int cpus);
/// Sets the calling thread's affinity mask; gives false where the system refuses.
bool set_affinity(const std::vector<bool>& cpus);

}  // namespace maslin::node
