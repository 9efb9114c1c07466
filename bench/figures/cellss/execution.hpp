#pragma once
// Runs an application's graph under a policy on described workers with a local store, and counts what is transferred.
//
//     program ──tasks──▶ partial graph ──ready──▶ policy ──bundle──▶ worker: software cache ──DMA──▶ DMAsim: SL1 ──▶
//     memory
//                             ▲                     ▲                  │
//                             └───── call-backs ────┴───── hints ──────┘

#include <cstdint>

#include "application.hpp"
#include "model/dma/operation.hpp"
#include "sched/place/bundles.hpp"

namespace cellss {

/// `locality` is what the engine does on CPU cores: a worker's bundle is what its cache can hold.
enum class policy : std::uint8_t { program_order, chains, bundles, locality };

struct settings {
  policy how = policy::bundles;
  maslin::place::bundle_settings bundles;  ///< its bound is that of chains, too; its hints those of locality
  double unrolled = 0.1;                   ///< so much of the graph is created before the first task runs
  double created_a_task = 4;               ///< tasks that the program creates while one runs
  int workers = 1;
  std::uint64_t software_cache_bytes = std::uint64_t{128} << 10;  ///< of each worker
  bool minimal_stage_out = true;
  maslin::dma::parameters machine;
};

struct result {
  std::uint64_t tasks = 0;
  std::uint64_t bundles = 0;
  std::uint64_t fetches = 0;          ///< arguments that tasks read
  std::uint64_t software_hits = 0;    ///< of them in the software cache
  std::uint64_t packets = 0;          ///< on the bus
  std::uint64_t sl1_hits = 0;         ///< of them in SL1
  std::uint64_t memory_accesses = 0;  ///< packets from and to memory; what is newer in SL1 at the end is written, too
  std::uint64_t page_hits = 0;
  std::uint64_t page_misses = 0;
  std::uint64_t most_unrolled = 0;  ///< tasks that were created and not done at a time
};

/// Throws `std::logic_error` if a task was scheduled twice, before its data, or not at all.
result execute(const application& app, const settings& how);

}  // namespace cellss
