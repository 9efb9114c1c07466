#include "exec/fiber/fiber.hpp"

#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdlib>
#include <cstring>

#include "base/float_mode.hpp"
#include "base/sanitizers.hpp"
#include "exec/fiber/overflow.hpp"

namespace maslin {

namespace bc = boost::context::detail;

namespace {

// The runtime's exception state of the running thread. `__cxa_get_globals` is declared const, so a compiler may keep
// its answer across a switch to another thread; behind this call it cannot.
[[gnu::noinline]] void* exception_globals() {
  asm volatile("");
  return abi::__cxa_get_globals();
}

}  // namespace

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
    base::set_float_mode(base::usual_float_mode);
    self->body_(self->argument_);
    std::abort();  // a body that returns has nowhere to go
  }
};

fiber::fiber() {
  overflow::watch_this_thread();
#ifdef MASLIN_TSAN
  tsan_ = __tsan_get_current_fiber();
#endif
}

fiber::fiber(const fiber_stack& on, void (*body)(void*), void* argument)
    : stack_(on), is_checked_(!on.has_guard), body_(body), argument_(argument) {
  listed_.machine_context = bc::make_fcontext(on.top(), on.bytes, &fiber_entry::run);
  listed_.bottom = on.bottom;
  listed_.bytes = on.bytes;
  asan_bottom_ = on.bottom;
  asan_bytes_ = on.bytes;
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
  if (from.is_checked_ && !from.stack_->is_intact()) [[unlikely]]
    overflow::found();
#ifndef __x86_64__
  const base::in_float_mode mine{detail::float_mode()};  // elsewhere Boost.Context may leave it as it is
#endif
  message m{&from, &to, after, argument};
  from.context_ = current_context_or_null();
  from.forks_ = forks_of_thread();
  static_assert(sizeof(exception_state) <= 16);
  std::memcpy(&from.exceptions_, exception_globals(), sizeof(exception_state));
  std::memcpy(exception_globals(), &to.exceptions_, sizeof(exception_state));
#ifdef MASLIN_ASAN
  __sanitizer_start_switch_fiber(&from.asan_fake_, to.asan_bottom_, to.asan_bytes_);
#endif
#ifdef MASLIN_TSAN
  __tsan_switch_to_fiber(to.tsan_, 0);
#endif
  const bc::transfer_t back = bc::jump_fcontext(to.listed_.machine_context, &m);
  // Here again, on `from`'s stack: somebody else sent the message.
  arrive(static_cast<message*>(back.data), back.fctx);
}

void fiber::arrive(message* sent, void* left_context) {
  fiber& from = *sent->from;
  fiber& to = *sent->to;
  from.listed_.machine_context = left_context;
#ifdef MASLIN_ASAN
  const void* bottom;
  std::size_t bytes;
  __sanitizer_finish_switch_fiber(to.asan_fake_, &bottom, &bytes);
  if (!from.stack_) {  // a thread's own stack: only the sanitizer knows where it lies
    from.asan_bottom_ = bottom;
    from.asan_bytes_ = bytes;
  }
#endif
  set_forks_of_thread(to.forks_);
  set_current_context(to.context_);  // who watches it may ask for that of the code around
  // The message lies on the stack that was left; after this call that stack may be in use again.
  sent->after(sent->argument);
}

}  // namespace maslin
