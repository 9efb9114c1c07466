#include "trace/ring.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <new>
#include <thread>

#include "trace/recorder.hpp"

namespace maslin::trace::internal {

ring::~ring() { close(); }

void ring::open(std::size_t capacity, bool waits) {
  assert(std::has_single_bit(capacity) && (!waits || capacity > 1));
  close();
  void* memory = mmap(nullptr, capacity * sizeof(cell), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  cells_ = static_cast<cell*>(memory);
  mask_ = capacity - 1;
  waits_ = waits;
  head_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_relaxed);
  dropped_.store(0, std::memory_order_relaxed);
  seen_tail_ = 0;
  populated_ = 0;
  populate_ahead();
}

void ring::full(std::uint64_t now, event_kind kind, std::uint32_t id, std::uint64_t argument) noexcept {
  const std::uint64_t at = head_.load(std::memory_order_relaxed);  // ours
  // For two events; while a trace is on somebody empties the ring.
  while (waits_ && on() && at + 1 - seen_tail_ > mask_) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    seen_tail_ = tail_.load(std::memory_order_acquire);  // as in push
  }
  if (at + 1 - seen_tail_ > mask_) {
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  append(at, now, kind, id, argument);
  if (described_clock) return;  // no time has passed there
  const std::uint64_t later = ticks();
  append(at + 1, later, event_kind::held, 0, later > now ? later - now : 0);
}

void ring::populate_ahead() noexcept {
#ifdef MADV_POPULATE_WRITE
  const std::size_t ahead = std::max(capacity() / 8, std::size_t{1} << 14);
  const std::uint64_t wanted = std::min<std::uint64_t>(tail_.load(std::memory_order_relaxed) + ahead, capacity());
  if (wanted <= populated_) return;
  constexpr std::size_t page = 4096;  // or larger: the system rounds up
  auto* const begin = reinterpret_cast<char*>(cells_);
  const std::size_t from = populated_ * sizeof(cell) / page * page;
  // What fails here is found when a cell is written.
  (void)madvise(begin + from, static_cast<std::size_t>(wanted) * sizeof(cell) - from, MADV_POPULATE_WRITE);
  populated_ = static_cast<std::size_t>(wanted);
#endif
}

void ring::close() noexcept {
  if (cells_) munmap(cells_, (mask_ + 1) * sizeof(cell));
  cells_ = nullptr;
  mask_ = 0;
}

}  // namespace maslin::trace::internal
