#include "trace/ring.hpp"

#include <sys/mman.h>

#include <bit>
#include <cassert>
#include <new>

namespace maslin::trace::internal {

ring::~ring() { close(); }

void ring::open(std::size_t capacity) {
  assert(std::has_single_bit(capacity));
  close();
  void* memory = mmap(nullptr, capacity * sizeof(cell), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  cells_ = static_cast<cell*>(memory);
  mask_ = capacity - 1;
  head_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_relaxed);
  dropped_.store(0, std::memory_order_relaxed);
  seen_tail_ = 0;
}

void ring::close() noexcept {
  if (cells_) munmap(cells_, (mask_ + 1) * sizeof(cell));
  cells_ = nullptr;
  mask_ = 0;
}

}  // namespace maslin::trace::internal
