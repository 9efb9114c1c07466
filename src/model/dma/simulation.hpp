#pragma once
// DMAsim (cellss-scheduling, section 6.1). Each operation is cut into packets, at multiples of a packet's length. In
// each cycle the bus of a cluster passes its token to the next worker that has an active operation; that one sends one
// packet of its oldest active operation to the SL1 of the cluster. What leaves SL1 goes to memory.
//
//     worker ─┐
//     worker ─┴─ bus (one packet a cycle) ── SL1 (LRU, write-back) ─┐
//                                                                   ├─ one cluster a cycle ── memory: banks, pages
//     worker ─┬─ bus (one packet a cycle) ── SL1 (LRU, write-back) ─┘
//     worker ─┘
//
// A packet that needs memory while another cluster uses it waits on the bus. In one cycle a cluster may read one packet
// from memory and write one back. There are no MSHRs and no latencies. A put of a whole line needs no read. The caches
// of two clusters do not know of each other.

#include <cstdint>
#include <span>
#include <vector>

#include "model/dma/lru_lines.hpp"
#include "model/dma/memory.hpp"
#include "model/dma/operation.hpp"

namespace maslin::dma {

class simulation {
 public:
  /// Throws `maslin::error` for a machine that cannot be.
  explicit simulation(const parameters& machine);

  /// Adds an operation; of one worker's operations of the same start, the one that was added first is the older.
  /// Throws `maslin::error` for one that cannot be.
  void add(const operation& o);
  /// Passes time until everything that was added is done. More may be added then; it does not begin before now.
  void run();
  /// Notes from now on when each operation ends; `ends` gives it by the order of their additions.
  void note_ends() { notes_ends_ = true; }
  std::span<const std::int64_t> ends() const { return ends_; }

  std::int64_t now_ps() const { return cycle_ * machine_.cycle_ps; }  ///< the end of the last packet
  std::uint64_t packets_of(int worker) const;
  const counts& cluster(int number) const { return clusters_[static_cast<std::size_t>(number)].happened; }
  counts total() const;
  /// Lines in the caches that are newer than memory.
  std::uint64_t dirty() const;
  std::uint64_t page_hits() const { return memory_.page_hits(); }
  std::uint64_t page_misses() const { return memory_.page_misses(); }

  static int cluster_of(int worker, const parameters& machine) {
    return static_cast<int>(std::int64_t{worker} * machine.clusters / machine.workers);
  }

 private:
  struct queued {
    std::int64_t start;  ///< cycle
    std::int64_t start_ps;
    std::uint64_t address;
    std::uint64_t end;
    std::size_t number;
    direction way;
  };
  struct stream {  ///< the operations of one worker, the oldest first
    std::vector<queued> waiting;
    std::size_t at = 0;
    bool sorted = true;
    std::uint64_t packets = 0;

    bool done() const { return at == waiting.size(); }
  };
  struct cluster_state {
    explicit cluster_state(std::size_t lines) : cache(lines) {}

    int first = 0;  ///< worker
    int last = 0;   ///< behind the last worker
    lru_lines cache;
    counts happened;
    std::vector<int> active;      ///< workers with an active operation, in the order of their numbers
    std::size_t token = 0;        ///< place in `active` of whose turn it is
    int turn = 0;                 ///< the worker behind that which sent last
    std::int64_t next_start = 0;  ///< cycle, of the workers that are not active
  };
  struct packet {
    std::uint64_t line;
    std::uint64_t end;
    bool put;
    bool whole;
  };

  std::int64_t last_cycle() const;
  void order(stream& s);
  void admit(cluster_state& c);
  packet next_packet(const cluster_state& c) const;
  bool needs_memory(const cluster_state& c, const packet& p) const;
  void pass(cluster_state& c, const packet& p);
  void advance(cluster_state& c, const packet& p);
  void run_alone(cluster_state& c);
  void run_together();

  parameters machine_;
  int line_bits_;
  memory memory_;
  std::vector<cluster_state> clusters_;
  std::vector<stream> streams_;
  std::vector<std::int64_t> ends_;  ///< ps
  std::size_t added_ = 0;
  std::int64_t cycle_ = 0;
  std::size_t memory_token_ = 0;  ///< the cluster that is asked first
  bool notes_ends_ = false;
};

}  // namespace maslin::dma
