#include "task/pool.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "base/lock.hpp"
#include "base/sanitizers.hpp"

// Under the sanitizers every block is the allocator's own, so that they see its life.
#if defined(MASLIN_ASAN) || defined(MASLIN_TSAN)
#define MASLIN_POOL_OFF 1
#endif

namespace maslin::pool {

#ifdef MASLIN_POOL_OFF

void* take(std::size_t bytes) { return ::operator new(bytes); }
void give(void* block, std::size_t) noexcept { ::operator delete(block); }
void begin_thread() noexcept {}
void around_fork(bool) noexcept {}

#else

namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t largest = 512;
constexpr std::size_t small = 32;  ///< an edge has 16 bytes, and a task may have hundreds
constexpr std::size_t classes = largest / granule + 1;
constexpr int batch = 64;
constexpr std::size_t cut_bytes = std::size_t{2} << 10;  ///< at a time: some programs use few blocks of a size
constexpr std::size_t slab_bytes = std::size_t{1} << 16;

struct block {
  block* next;
  // In the first block of a batch:
  block* next_batch;
  int count;
};
static_assert(sizeof(block) <= small);

/// Where threads leave full batches for each other. Nothing destroys it: a thread may end after all.
struct depot {
  base::short_lock lock;
  block* batches MASLIN_GUARDED_BY(lock) = nullptr;
  char* slab MASLIN_GUARDED_BY(lock) = nullptr;
  char* slab_end MASLIN_GUARDED_BY(lock) = nullptr;
};
std::array<depot, classes> depots;
depot& depot_of(std::size_t size_class) { return depots[size_class]; }

/// A thread's own blocks of one size: the batch in use and a full one.
struct shelf {
  block* first = nullptr;
  int count = 0;
  block* full = nullptr;
};

struct shelves {
  std::array<shelf, classes> of;
  ~shelves() {
    for (std::size_t c = 0; c < classes; ++c) {
      depot& d = depot_of(c);
      for (block* b : {of[c].first, of[c].full}) {
        if (!b) continue;
        const base::locked held(d.lock);
        b->next_batch = d.batches;
        b->count = b == of[c].first ? of[c].count : batch;
        d.batches = b;
      }
      of[c] = {};
    }
  }
};
thread_local shelves mine;

constexpr std::size_t class_of(std::size_t bytes) { return bytes <= small ? 0 : (bytes + granule - 1) / granule; }

/// Gives a batch from the depot, or cuts new blocks from a slab.
block* refill(std::size_t c) {
  depot& d = depot_of(c);
  const std::size_t bytes = c == 0 ? small : c * granule;
  const base::locked held(d.lock);
  if (block* b = d.batches) {
    d.batches = b->next_batch;
    return b;
  }
  block* made = nullptr;
  const int count = std::min(batch, static_cast<int>(cut_bytes / bytes));
  for (int i = 0; i < count; ++i) {
    if (static_cast<std::size_t>(d.slab_end - d.slab) < bytes) {
      d.slab = static_cast<char*>(::operator new (slab_bytes, std::align_val_t{granule}, std::nothrow));
      d.slab_end = d.slab ? d.slab + slab_bytes : nullptr;
      if (!d.slab) {
        if (made) return made;
        throw std::bad_alloc();
      }
    }
    made = new (d.slab) block{made, nullptr, i + 1};
    d.slab += bytes;
  }
  return made;
}

}  // namespace

[[gnu::noinline]] void* take(std::size_t bytes) {
  if (bytes > largest) return ::operator new(bytes);
  const std::size_t c = class_of(bytes);
  shelf& s = mine.of[c];
  if (!s.first) {
    s.first = s.full ? s.full : refill(c);
    s.full = nullptr;
    s.count = s.first->count;
  }
  block* b = s.first;
  s.first = b->next;
  --s.count;
  return b;
}

[[gnu::noinline]] void give(void* at, std::size_t bytes) noexcept {
  if (bytes > largest) return ::operator delete(at);
  const std::size_t c = class_of(bytes);
  shelf& s = mine.of[c];
  if (s.count == batch) {
    if (s.full) {
      depot& d = depot_of(c);
      const base::locked held(d.lock);
      s.full->next_batch = d.batches;
      d.batches = s.full;
    }
    s.full = s.first;
    s.full->count = batch;
    s.first = nullptr;
    s.count = 0;
  }
  s.first = new (at) block{s.first, nullptr, 0};
  ++s.count;
}

void begin_thread() noexcept { asm volatile("" : : "r"(&mine)); }

// All locks are held from the one call to the other.
void around_fork(bool begins) noexcept MASLIN_UNCHECKED {
  for (depot& d : depots) begins ? d.lock.lock() : d.lock.unlock();
}

#endif

}  // namespace maslin::pool
