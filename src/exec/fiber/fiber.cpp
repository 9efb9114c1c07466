#include "exec/fiber/fiber.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "maslin/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define MASLIN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MASLIN_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define MASLIN_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MASLIN_TSAN 1
#endif
#endif

#ifdef MASLIN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef MASLIN_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace maslin {

namespace bc = boost::context::detail;

namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// The runtime's exception state of the running thread. `__cxa_get_globals` is declared const, so a compiler may keep
// its answer across a switch to another thread; behind this call it cannot.
[[gnu::noinline]] void* exception_globals() {
  asm volatile("");
  return abi::__cxa_get_globals();
}

}  // namespace

fiber_stack::fiber_stack(std::size_t bytes) : bytes_((bytes + page_bytes() - 1) / page_bytes() * page_bytes()) {
  const std::size_t guard = page_bytes();
  mapping_ = mmap(nullptr, bytes_ + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(mapping_, guard, PROT_NONE) != 0) {
    munmap(mapping_, bytes_ + guard);
    throw std::bad_alloc();
  }
  base_ = static_cast<char*>(mapping_) + guard;
}

fiber_stack::~fiber_stack() {
#ifdef MASLIN_ASAN
  // It may have frames on it, and its addresses may become another stack, also a thread's.
  __asan_unpoison_memory_region(base_, bytes_);
#endif
  munmap(mapping_, bytes_ + page_bytes());
}

struct fiber::message {
  fiber* from;
  fiber* to;
  void (*after)(void*);
  void* argument;
};

struct fiber_entry {
  static void run(bc::transfer_t sent) {
    auto* m = static_cast<fiber::message*>(sent.data);
    fiber* self = m->to;
    fiber::arrive(m, sent.fctx);
    self->body_(self->argument_);
    std::abort();  // a body that returns has nowhere to go
  }
};

fiber::fiber() {
#ifdef MASLIN_TSAN
  tsan_ = __tsan_get_current_fiber();
#endif
}

fiber::fiber(std::size_t stack_bytes, void (*body)(void*), void* argument)
    : stack_(std::make_unique<fiber_stack>(stack_bytes)), body_(body), argument_(argument) {
  machine_context_ = bc::make_fcontext(stack_->top(), stack_->bytes(), &fiber_entry::run);
  asan_bottom_ = stack_->bottom();
  asan_bytes_ = stack_->bytes();
#ifdef MASLIN_TSAN
  tsan_ = __tsan_create_fiber(0);
#endif
}

fiber::~fiber() {
#ifdef MASLIN_TSAN
  if (stack_) __tsan_destroy_fiber(tsan_);
#endif
}

void fiber::switch_to(fiber& from, fiber& to, void (*after)(void*), void* argument) {
  message m{&from, &to, after, argument};
  from.context_ = current_context_or_null();
  static_assert(sizeof(exception_state) <= 16);
  std::memcpy(&from.exceptions_, exception_globals(), sizeof(exception_state));
  std::memcpy(exception_globals(), &to.exceptions_, sizeof(exception_state));
#ifdef MASLIN_ASAN
  __sanitizer_start_switch_fiber(&from.asan_fake_, to.asan_bottom_, to.asan_bytes_);
#endif
#ifdef MASLIN_TSAN
  __tsan_switch_to_fiber(to.tsan_, 0);
#endif
  const bc::transfer_t back = bc::jump_fcontext(to.machine_context_, &m);
  // Here again, on `from`'s stack: somebody else sent the message.
  arrive(static_cast<message*>(back.data), back.fctx);
}

void fiber::arrive(message* sent, void* left_context) {
  fiber& from = *sent->from;
  fiber& to = *sent->to;
  from.machine_context_ = left_context;
#ifdef MASLIN_ASAN
  const void* bottom;
  std::size_t bytes;
  __sanitizer_finish_switch_fiber(to.asan_fake_, &bottom, &bytes);
  if (!from.stack_) {  // a thread's own stack: only the sanitizer knows where it lies
    from.asan_bottom_ = bottom;
    from.asan_bytes_ = bytes;
  }
#endif
  set_current_context(to.context_);
  // The message lies on the stack that was left; after this call that stack may be in use again.
  sent->after(sent->argument);
}

std::size_t stack_bytes_from_environment() {
  constexpr std::size_t kib = 1024;
  constexpr std::size_t least = 64 * kib;
  constexpr std::size_t most = kib * kib * kib;
  const char* text = std::getenv("MASLIN_STACK");
  if (!text || !*text) return kib * kib;
  const std::string_view value = text;
  std::size_t number = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
  const std::size_t scale = unit == "K" ? kib : unit == "M" ? kib * kib : unit.empty() ? 1 : 0;
  if (failed != std::errc() || scale == 0 || number < least / scale || number > most / scale)
    throw error("MASLIN_STACK=" + std::string(value) +
                ": expected the stack size of a fiber between 64K and 1024M, such as 256K or 1M");
  return number * scale;
}

}  // namespace maslin
