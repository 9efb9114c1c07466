#include "exec/ranks/node_memory.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>

#include "maslin/error.hpp"

namespace maslin {

namespace {

std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

node_memory::layout::layout(const process_of_job& of, int ranks)
    : processes(of.on_each_node > 0 ? of.on_each_node : of.count),
      has_forwarder(of.on_each_node > 0),
      has_call_slots(!has_forwarder && ranks <= static_cast<int>(call_slots::most_ranks)) {
  const std::size_t members = static_cast<std::size_t>(processes) + (has_forwarder ? 1 : 0);
  kept = rounded(members * sizeof(node_place));
  slots = (kept + static_cast<std::size_t>(ranks) * sizeof(*kept_) + 4095) / 4096 * 4096;
  rings = slots + (has_call_slots ? (1 + most_claimed) * sizeof(*call_slots_) + 4095 : 0) / 4096 * 4096;
  end = rings + members * members * sizeof(packets);
}

std::size_t node_memory::bytes(const process_of_job& of, int ranks) { return layout(of, ranks).end; }

node_memory::node_memory(const process_of_job& of, int ranks, void* memory)
    : node_memory(of, static_cast<std::byte*>(memory), layout(of, ranks)) {}

node_memory::node_memory(const process_of_job& of, std::byte* memory, const layout& parts)
    : processes_(parts.processes),
      first_(of.number / parts.processes * parts.processes),
      has_forwarder_(parts.has_forwarder),
      places_(reinterpret_cast<node_place*>(memory)),
      has_call_slots_(parts.has_call_slots),
      kept_(reinterpret_cast<std::atomic<std::int32_t>*>(memory + parts.kept)),
      call_slots_(reinterpret_cast<call_slots::in_shared_memory*>(memory + parts.slots)),
      rings_(reinterpret_cast<packets*>(memory + parts.rings)) {}

void node_memory::tell_cores(int member, int workers, int cpus) const noexcept {
  node_place& own = at(member);
  std::uint64_t bits[node_place::cpu_words] = {};
  const bool is_known = sched_getaffinity(0, sizeof bits, reinterpret_cast<cpu_set_t*>(bits)) == 0;
  for (std::size_t i = 0; i < node_place::cpu_words; ++i) own.cpus[i].store(bits[i], std::memory_order_relaxed);
  own.most_cpus.store(is_known ? cpus : 0, std::memory_order_relaxed);
  own.workers.store(workers, std::memory_order_release);
}

std::optional<bool> node_memory::has_cores() const noexcept {
  std::uint64_t all[node_place::cpu_words] = {};
  std::int64_t workers = 0, granted = INT_MAX;
  bool has_own = true;
  for (int member = 0; member < members(); ++member) {
    const node_place& its = at(member);
    const int its_workers = its.workers.load(std::memory_order_acquire);
    if (its_workers == 0) return std::nullopt;  // it has not begun
    int own = 0;
    for (std::size_t i = 0; i < node_place::cpu_words; ++i) {
      const std::uint64_t bits = its.cpus[i].load(std::memory_order_relaxed);
      all[i] |= bits;
      own += std::popcount(bits);
    }
    has_own &= its_workers <= own;
    workers += its_workers;
    granted = std::min<std::int64_t>(granted, its.most_cpus.load(std::memory_order_relaxed));
  }
  std::int64_t cpus = 0;
  for (const std::uint64_t bits : all) cpus += std::popcount(bits);
  return has_own && workers <= std::min(cpus, granted);
}

std::uint32_t node_memory::claim_call_slots(int ranks) const noexcept {
  for (std::uint32_t place = 1; has_call_slots() && place <= most_claimed; ++place)
    if (call_slots_at(place).claim(ranks)) return place;
  return 0;
}

job_memory::job_memory(const process_of_job& process, int ranks, location where)
    : bytes_(node_memory::bytes(process, ranks)) {
  // All give it the same length, and zeros are its beginning: nobody is the first.
  void* mapped = MAP_FAILED;
  if (ftruncate(process.shared_memory, static_cast<off_t>(bytes_)) == 0)
    mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, process.shared_memory, 0);
  if (mapped == MAP_FAILED)
    throw error(
        fmt::format("ranks at {}:{}: the system has no {} KiB of shared memory for {} processes ({}); ask for fewer",
                    where.file_name(), where.line(), bytes_ / 1024, process.count, std::strerror(errno)));
  memory_ = mapped;
}

job_memory::~job_memory() { munmap(memory_, bytes_); }

}  // namespace maslin
