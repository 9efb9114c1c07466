#include "exec/fiber/stacks.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>

#include "base/sanitizers.hpp"
#include "exec/fiber/debuggers.hpp"
#include "exec/fiber/overflow.hpp"

namespace maslin {

namespace {

constexpr std::size_t kib = 1024;

// What a large frame must not jump over: compilers touch a frame where the code does, not page by page. A body that
// runs serially lives on the main thread's stack, of 8 MiB where nothing else was set, so no frame of it is larger.
constexpr std::size_t wide_gap = 8 * kib * kib;
// Where the address space is limited (ulimit -v), and where a gap has memory of its own.
constexpr std::size_t narrow_gap = 64 * kib;

// So much of the main thread's stack is taken at once: as much as a fiber has by default.
constexpr std::size_t taken_of_main = kib * kib;

constexpr std::size_t first_count = 16;  ///< stacks of the first slab; each next one has twice as many
constexpr std::size_t most_count = 256;

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102  // Linux 6.13: a guard that is no mapping
#endif

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
std::size_t in_pages(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

bool address_space_is_limited() {
  rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/// Has the stack grow by so much. The stack pointer moves, too, since not every system lets an access far below it.
[[gnu::noinline]] void grow_by(std::size_t bytes) noexcept {
  *static_cast<volatile char*>(__builtin_alloca(bytes)) = 0;
}

}  // namespace

fiber_stack stack_of_this_thread() noexcept {
  auto* const here = static_cast<char*>(__builtin_frame_address(0));
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {here, 0};
  void* bottom = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &bottom, &bytes);
  pthread_attr_destroy(&attributes);
  if (gettid() != getpid()) return {static_cast<char*>(bottom), bytes};
  // The main thread's stack grows when it is used. Where the address space is used up then, that is a fault.
  const std::size_t taken = std::min(taken_of_main, static_cast<std::size_t>(here - static_cast<char*>(bottom)) / 2);
  void* const as_much = mmap(nullptr, taken, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (as_much == MAP_FAILED) return {here, 0};
  munmap(as_much, taken);
  grow_by(taken);
  return {here - taken, taken};
}

bool fiber_stack::is_intact() const noexcept {
  const auto* words = reinterpret_cast<const std::uint64_t*>(bottom) - canary_words;
  return std::all_of(words, words + canary_words, [](std::uint64_t word) { return word == canary; });
}

void fiber_stack::return_memory() const noexcept {
#ifndef MASLIN_ASAN  // what is left on an idle stack may be poisoned
  // Pages begin as zeros, and are zeros again after they were given back: a line that is not was used. A stack that
  // grew past these lines and wrote zeros to all of them keeps its memory.
  for (std::size_t depth = kept_bytes; depth < bytes; depth *= 4) {
    const auto* line = reinterpret_cast<const std::uint64_t*>(top() - depth) - 8;
    if (reinterpret_cast<const char*>(line) < bottom) return;
    if (std::all_of(line, line + 8, [](std::uint64_t word) { return word == 0; })) continue;
    madvise(bottom, bytes - kept_bytes, MADV_DONTNEED);
    return;
  }
#endif
}

std::size_t fiber_stacks::guards_at_most() noexcept {
  std::size_t mappings = 65530;  // the system's default
  if (std::FILE* file = std::fopen("/proc/sys/vm/max_map_count", "re")) {
    if (std::fscanf(file, "%zu", &mappings) != 1) mappings = 65530;
    std::fclose(file);
  }
  return mappings / 4 / 2;  // the stack and its guard
}

fiber_stacks::fiber_stacks(std::size_t bytes, std::size_t most_guarded, bool has_light_guards)
    : bytes_(in_pages(bytes)),
      guards_left_(most_guarded),
      has_light_guards_(has_light_guards),
      next_count_(first_count) {
  overflow::watch(*this);
}

fiber_stacks::~fiber_stacks() {
  overflow::watch_no_more(*this);
  slab* s = latest_.load(std::memory_order_relaxed);
  while (s) {
    const std::unique_ptr<slab> end(s);
    for (const std::uintptr_t known : s->in_valgrind) tell_valgrind_no_more(known);
#ifdef MASLIN_ASAN
    // There may be frames on it, and its addresses may become another stack, also a thread's.
    for (std::size_t i = 1; i <= s->taken; ++i) __asan_unpoison_memory_region(s->base + i * s->stride - bytes_, bytes_);
#endif
    munmap(s->base, s->count * s->stride);
    s = s->before;
  }
}

void fiber_stacks::add_slab(bool closed) {
  const std::size_t gap = in_pages(closed && !address_space_is_limited() ? wide_gap : narrow_gap);
  auto added = std::make_unique<slab>();
  added->is_closed = closed;
  added->stride = gap + bytes_;
  added->before = latest_.load(std::memory_order_relaxed);
  void* mapped = MAP_FAILED;
  for (std::size_t count = next_count_; mapped == MAP_FAILED; count /= 2) {
    if (count == 0) throw std::bad_alloc();
    mapped = mmap(nullptr, count * added->stride, closed ? PROT_NONE : PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    added->count = count;
  }
  // A huge page under a stack of which a few pages are used is memory for nothing.
  madvise(mapped, added->count * added->stride, MADV_NOHUGEPAGE);
  added->base = static_cast<char*>(mapped);
  next_count_ = std::min(2 * added->count, most_count);
  latest_.store(added.release(), std::memory_order_release);  // pairs with `contains`
}

fiber_stack fiber_stacks::take() {
  for (;;) {
    const bool closed = guards_left_ > 0;
    slab* s = latest_.load(std::memory_order_relaxed);
    if (!s || s->taken == s->count || s->is_closed != closed) {
      add_slab(closed);
      s = latest_.load(std::memory_order_relaxed);
    }
    char* const end = s->base + (s->taken + 1) * s->stride;
    fiber_stack taken{end - bytes_, bytes_};
    if (closed) {
      if (mprotect(taken.bottom, bytes_, PROT_READ | PROT_WRITE) != 0) {
        guards_left_ = 0;  // the mappings are used up already
        continue;
      }
      --guards_left_;
    } else {
      const std::size_t gap = s->stride - bytes_;
      has_light_guards_ = has_light_guards_ && madvise(taken.bottom - gap, gap, MADV_GUARD_INSTALL) == 0;
      taken.has_guard = has_light_guards_;
      if (!taken.has_guard)
        std::fill_n(reinterpret_cast<std::uint64_t*>(taken.bottom) - fiber_stack::canary_words,
                    fiber_stack::canary_words, fiber_stack::canary);
    }
    ++s->taken;
    if (const std::uintptr_t known = tell_valgrind(taken.bottom, taken.top())) s->in_valgrind.push_back(known);
    return taken;
  }
}

bool fiber_stacks::contains(const void* address) const noexcept {
  const auto* at = static_cast<const char*>(address);
  for (const slab* s = latest_.load(std::memory_order_acquire); s; s = s->before)
    if (at >= s->base && at < s->base + s->count * s->stride) return true;
  return false;
}

}  // namespace maslin
