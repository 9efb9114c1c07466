#pragma once
// The memory that the processes of a node have in common, and their forwarder if the job has several nodes. ACROSS.md
// states the protocol.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "comm/doorbell.hpp"
#include "comm/packet_ring.hpp"
#include "comm/processes.hpp"
#include "comm/report.hpp"
#include "exec/ranks/call_slots.hpp"

namespace maslin {

/// What the others see of a member of the node.
struct alignas(64) node_place {
  static constexpr std::size_t cpu_words = 16;  // as many CPUs as cpu_set_t

  std::atomic<std::int32_t> pid;        ///< 0 until it has begun
  std::atomic<std::uint64_t> tried_at;  ///< the address of a number for others to try to copy
  /// Of the forwarder: all processes of all nodes have.
  std::atomic<std::uint32_t> has_ended;
  /// What `has_cores` needs; `workers` is 0 until the rest is there.
  std::atomic<std::int32_t> workers, most_cpus;
  std::atomic<std::uint64_t> cpus[cpu_words];
  alignas(64) comm::doorbell bell;
  alignas(64) comm::report report;
  /// The forwarder has found that all ranks of all nodes wait for each other, and this process is to say so.
  std::atomic<std::uint32_t> is_told_of_stop;
};

/// It is zeros until the first member begins. Members are the processes of the node, in the order of their numbers, and
/// then the forwarder.
class node_memory {
 public:
  /// 128 KiB in all. A package or a piece may take an eighth of the bytes.
  using packets = comm::ring<256, 112 << 10>;

  /// A message that could go with its head is offered, while so many copies wait for its receiver.
  static constexpr std::int32_t most_kept = 64;

  node_memory(const process_of_job& of, int ranks, void* memory);
  /// How many bytes of it there must be.
  static std::size_t bytes(const process_of_job& of, int ranks);

  /// Its number of processes.
  int processes() const noexcept { return processes_; }
  int members() const noexcept { return processes_ + (has_forwarder_ ? 1 : 0); }
  bool has_forwarder() const noexcept { return has_forwarder_; }
  int forwarder() const noexcept { return processes_; }
  bool is_here(int process) const noexcept { return process >= first_ && process < first_ + processes_; }
  /// The member that reads what is for that process.
  int member_for(int process) const noexcept { return is_here(process) ? process - first_ : forwarder(); }
  /// The process that a member is.
  int process_at(int member) const noexcept { return first_ + member; }

  node_place& at(int member) const noexcept { return places_[member]; }
  packets& ring(int from, int to) const noexcept { return rings_[from * members() + to]; }
  /// Copies that wait for that rank, from other processes; for a rank of another node as far as they are known here.
  std::atomic<std::int32_t>& kept(int rank) const noexcept { return kept_[rank]; }
  /// Slots of brief calls: those of all ranks at 0, and those that groups claim.
  bool has_call_slots() const noexcept { return has_call_slots_; }
  call_slots::in_shared_memory& call_slots_at(std::uint32_t place) const noexcept { return call_slots_[place]; }
  /// Gives the place of some that nobody has; 0 where there are none.
  std::uint32_t claim_call_slots(int ranks) const noexcept;

  /// That member says how many threads it keeps busy, and which CPUs it may use, so many of them together.
  void tell_cores(int member, int workers, int cpus) const noexcept;
  /// Is there a CPU for each of these threads of all members? Nothing while some have not said.
  std::optional<bool> has_cores() const noexcept;

 private:
  /// So many groups have slots at a time. Memory that none has used is not taken from the system.
  static constexpr std::uint32_t most_claimed = 64;

  /// Where the parts begin: places, counts, slots of calls, rings.
  struct layout {
    layout(const process_of_job& of, int ranks);
    int processes;
    bool has_forwarder, has_call_slots;
    std::size_t kept, slots, rings, end;
  };
  node_memory(const process_of_job& of, std::byte* memory, const layout& parts);

  const int processes_, first_;
  const bool has_forwarder_;
  node_place* const places_;
  const bool has_call_slots_;
  std::atomic<std::int32_t>* const kept_;
  call_slots::in_shared_memory* const call_slots_;
  packets* const rings_;
};

/// The memory that members inherit as a file, while it lives.
class job_memory {
 public:
  /// Throws `error` where it cannot be had.
  job_memory(const process_of_job& process, int ranks, location where);
  ~job_memory();
  job_memory(const job_memory&) = delete;
  job_memory& operator=(const job_memory&) = delete;

  void* begin() const noexcept { return memory_; }

 private:
  void* memory_;
  const std::size_t bytes_;
};

}  // namespace maslin
