#pragma once
// What one process does with the table: it lends, borrows, takes back. One thread at a time calls this.

#include <algorithm>
#include <utility>
#include <vector>

#include "exec/node/table.hpp"

namespace maslin::node {

/// What a process may do on its node.
struct rights {
  std::vector<bool> home;   ///< by CPU: it was started with these
  std::vector<bool> reach;  ///< by CPU: the kernel lets it run there
  int own = 1;              ///< CPUs that it may own at most: its budget
  int most = 1;             ///< CPUs that it may use at most
};

class member {
 public:
  member(table t, int slot, rights may) : table_(t), me_(slot), may_(std::move(may)) {}

  int slot_number() const { return me_; }
  slot& mine() const { return table_.at(me_); }
  const rights& may() const { return may_; }

  /// CPUs in its use.
  int held() const {
    return count([&](const cpu_state& s) { return s.user == me_; });
  }
  /// CPUs that are its own.
  int owned() const { return owned_by(me_); }
  /// CPUs that it could use if nobody else did.
  int possible() const {
    int n = 0;
    for (int c = 0; c < table_.cpu_count; ++c)
      if (reaches(c) && table_.cpu(c).look().present) ++n;
    return std::min(n, may_.most);
  }
  cpu_state look(int cpu) const { return table_.cpu(cpu).look(); }
  bool holds(int cpu) const { return look(cpu).user == me_; }
  int cpu_count() const { return table_.cpu_count; }

  /// Takes its part of the node when it joins: CPUs of its home that nobody owns, then from who has two more than it.
  void claim() {
    while (owned() < may_.own && (claim_free() || claim_from_the_richest())) {
    }
  }

  /// Makes the others look around: there is a new member.
  void greet() const {
    for (int s = 0; s < table_.slot_end(); ++s)
      if (s != me_ && table_.at(s).process.load(std::memory_order_acquire) != 0) ring(table_.at(s));
  }
  /// Is it the only member?
  bool alone() const {
    for (int s = 0; s < table_.slot_end(); ++s)
      if (s != me_ && table_.at(s).process.load(std::memory_order_acquire) != 0) return false;
    return true;
  }

  /// Gives CPUs up until `keep` are in its use, borrowed ones first; gives whether it gave any. The caller then rings
  /// the hungry: without a lock, since one that wakes may take the caller's core.
  bool give_down_to(int keep) {
    bool gave = false;
    for (const bool own : {false, true})
      for (int c = table_.cpu_count; c-- > 0;) {
        const cpu_state s = look(c);
        if (s.user != me_ || (s.owner == me_) != own) continue;
        // Counted each time: a borrowed one may have been taken back meanwhile.
        if (held() <= keep) break;
        if (!table_.cpu(c).give(me_)) continue;
        gave = true;
        if (own) bump(mine().lent);
      }
    return gave;
  }
  /// Both; gives how many are in its use.
  int lend_down_to(int keep) {
    if (give_down_to(keep)) ring_the_hungry();
    return held();
  }
  void ring_the_hungry() const {
    for (int s = 0; s < table_.slot_end(); ++s)
      if (s != me_ && table_.at(s).hungry.load(std::memory_order_seq_cst) != 0) ring(table_.at(s));
  }

  /// Takes all its own CPUs back, from whoever uses them; gives how many are in its use.
  int regain() {
    for (int c = 0; c < table_.cpu_count; ++c)
      if (const auto before = table_.cpu(c).take_back(me_); before && before->user != nobody) {
        bump(mine().regained);
        tell(before->user);
      }
    return held();
  }

  /// Takes CPUs that nobody uses until `wanted` are in its use; gives how many are. Those of nobody become its own
  /// where that is fair.
  int borrow_up_to(int wanted) {
    int now = held();
    wanted = std::min(wanted, may_.most);
    for (int c = 0; c < table_.cpu_count && now < wanted; ++c) {
      const cpu_state s = table_.cpu(c).look();
      if (!s.present || s.user != nobody || !reaches(c)) continue;
      const bool mine_again = s.owner == me_;
      if (s.owner == nobody && adopts(c) ? table_.cpu(c).acquire(nobody, me_).has_value() : table_.cpu(c).borrow(me_)) {
        ++now;
        if (!mine_again) bump(mine().borrowed);
      }
    }
    return now;
  }

  /// Says that it looks for CPUs (and would be told when one is free), or no longer does. Who says so looks once more
  /// afterwards (README, race 2).
  void hunger(bool is_hungry) { mine().hungry.store(is_hungry ? 1 : 0, std::memory_order_seq_cst); }

  /// Leaves: nothing of it stays in the table.
  void leave() {
    hunger(false);
    forget(me_);
  }
  /// Takes a process out that is no more; the caller has that slot's lock.
  void forget(int slot) {
    bool left = false;
    for (int c = 0; c < table_.cpu_count; ++c) left |= table_.cpu(c).forget(slot);
    if (left) ring_the_hungry();
  }

 private:
  static void bump(MASLIN_ATOMIC<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }
  bool at_home(int c) const { return may_.home[static_cast<std::size_t>(c)]; }
  bool reaches(int c) const { return may_.reach[static_cast<std::size_t>(c)]; }

  template <class Predicate>
  int count(Predicate&& suits) const {
    int n = 0;
    for (int c = 0; c < table_.cpu_count; ++c) n += suits(table_.cpu(c).look()) ? 1 : 0;
    return n;
  }
  int owned_by(int slot) const {
    return count([&](const cpu_state& s) { return s.owner == slot; });
  }

  bool claim_free() {
    int here = 0;  // of its home, in the table
    for (int c = 0; c < table_.cpu_count; ++c) {
      if (!at_home(c)) continue;
      const cpu_state s = table_.cpu(c).look();
      if (s.present) ++here;
      if (!s.present || s.owner != nobody) continue;
      if (const auto before = table_.cpu(c).acquire(nobody, me_)) {
        if (before->user != nobody && before->user != me_) tell(before->user);
        return true;
      }
    }
    // Processes of one home share its quota: together they bring no more in than each may own.
    if (here >= may_.own) return false;
    for (int c = 0; c < table_.cpu_count; ++c)
      if (at_home(c) && table_.cpu(c).bring(me_)) return true;
    return false;
  }

  bool claim_from_the_richest() {
    int richest = nobody, most = owned() + 1;
    for (int c = 0; c < table_.cpu_count; ++c) {
      if (!at_home(c)) continue;
      const int owner = table_.cpu(c).look().owner;
      if (owner == nobody || owner == me_ || owner == richest) continue;
      if (const int has = owned_by(owner); has > most) {
        richest = owner;
        most = has;
      }
    }
    if (richest == nobody) return false;
    // The last ones first: who has CPUs keeps its first ones.
    for (int c = table_.cpu_count; c-- > 0;) {
      if (!at_home(c)) continue;
      if (const auto before = table_.cpu(c).acquire(richest, me_)) {
        if (before->user != nobody && before->user != me_) tell(before->user);
        return true;
      }
    }
    return false;
  }

  /// Does a CPU of nobody become this process's own? It is the poorest of those that were started like it.
  bool adopts(int c) const {
    if (!at_home(c)) return false;
    const int mine_now = owned();
    if (mine_now >= may_.own) return false;
    const std::uint64_t alike = mine().affinity.load(std::memory_order_relaxed);
    for (int s = 0; s < table_.slot_end(); ++s)
      if (s != me_ && table_.at(s).process.load(std::memory_order_relaxed) != 0 &&
          table_.at(s).affinity.load(std::memory_order_relaxed) == alike && owned_by(s) < mine_now)
        return false;
    return true;
  }

  /// A CPU was taken from that process: it leaves it at its next task or block. Rung, so that whoever makes work there
  /// meanwhile counts on no worker that is granted no more.
  void tell(int slot) const {
    table_.at(slot).taken.fetch_add(1, std::memory_order_seq_cst);
    ring(table_.at(slot));
  }

  table table_;
  int me_;
  rights may_;
};

}  // namespace maslin::node
