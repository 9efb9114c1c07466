#pragma once
// What DMAsim is fed with and what it tells (cellss-scheduling, section 6.1).

#include <cstdint>

namespace maslin::dma {

enum class direction : std::uint8_t { get, put };

/// One DMA operation, as a worker starts it.
struct operation {
  int worker = 0;
  std::int64_t start_ps = 0;  ///< from then on it is active
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  direction way = direction::get;  ///< get: from memory to the worker
};

/// How addresses are dealt out to the banks of the memory.
enum class interleaving : std::uint8_t {
  packets,   ///< the next packet lies in the next bank
  pages,     ///< the next page lies in the next bank
  permuted,  ///< as `pages`, but the bank is XORed with the low bits of the row; banks are a power of two
};

/// Which cluster may use the memory when several want to in one cycle.
enum class priority : std::uint8_t {
  rotating,  ///< the one behind that which used it last
  fixed,     ///< the one of the lowest number
};

/// The machine that is simulated. The defaults are the paper's where its text has a number.
struct parameters {
  int workers = 1;
  int clusters = 1;  ///< of neighbouring workers, as equal as possible
  std::int64_t cycle_ps = 5000;
  std::uint64_t packet_bytes = 128;                    ///< also the length of a line of SL1
  std::uint64_t cache_bytes = std::uint64_t{1} << 20;  ///< of the SL1 of each cluster; 0: there is none
  int banks = 8;
  std::uint64_t page_bytes = 4096;
  interleaving banks_by = interleaving::packets;
  priority memory_goes_to = priority::rotating;
};

/// What happened on the bus and in the SL1 of one cluster, or of all.
struct counts {
  std::uint64_t gets = 0;  ///< packets on the bus
  std::uint64_t puts = 0;
  std::uint64_t hits = 0;    ///< packets whose line was in SL1
  std::uint64_t reads = 0;   ///< packets from memory
  std::uint64_t writes = 0;  ///< packets to memory
  std::uint64_t stalls = 0;  ///< cycles in which a packet waited because another cluster used the memory

  std::uint64_t packets() const { return gets + puts; }
  std::uint64_t memory_accesses() const { return reads + writes; }

  counts& operator+=(const counts& other) {
    gets += other.gets;
    puts += other.puts;
    hits += other.hits;
    reads += other.reads;
    writes += other.writes;
    stalls += other.stalls;
    return *this;
  }
  bool operator==(const counts&) const = default;
};

}  // namespace maslin::dma
