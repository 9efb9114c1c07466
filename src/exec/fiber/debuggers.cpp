#include "exec/fiber/debuggers.hpp"

#include "base/lock.hpp"
#include "maslin/api.hpp"

extern "C" {
/// The fiber that was made last. The script looks this name up.
MASLIN_API maslin::listed_fiber* maslin_fibers = nullptr;
}

namespace maslin {

namespace {

constinit base::short_lock listing;

/// Asks valgrind for something, by instructions that do nothing elsewhere (valgrind manual, "The Client Request
/// mechanism"); gives 0 where there is no valgrind.
std::uintptr_t ask_valgrind([[maybe_unused]] std::uintptr_t request, [[maybe_unused]] std::uintptr_t first,
                            [[maybe_unused]] std::uintptr_t second = 0) noexcept {
  std::uintptr_t answer = 0;
#if defined(__x86_64__) && !defined(MASLIN_TSAN) && !defined(MASLIN_ASAN)
  volatile std::uintptr_t words[6] = {request, first, second, 0, 0, 0};
  asm volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "=d"(answer)
      : "a"(words), "0"(answer)
      : "cc", "memory");
#endif
  return answer;
}

}  // namespace

listed_fiber::listed_fiber() noexcept {
  const base::locked held(listing);
  next = maslin_fibers;
  if (next) next->before = this;
  maslin_fibers = this;
}

listed_fiber::~listed_fiber() {
  const base::locked held(listing);
  (before ? before->next : maslin_fibers) = next;
  if (next) next->before = before;
}

void fibers_around_fork(bool begins) noexcept MASLIN_UNCHECKED {
  if (begins)
    listing.lock();
  else
    listing.unlock();
}

std::uintptr_t tell_valgrind(const void* bottom, const void* top) noexcept {
  constexpr std::uintptr_t stack_register = 0x1501;
  return ask_valgrind(stack_register, reinterpret_cast<std::uintptr_t>(bottom), reinterpret_cast<std::uintptr_t>(top));
}
void tell_valgrind_no_more(std::uintptr_t stack) noexcept {
  constexpr std::uintptr_t stack_deregister = 0x1502;
  if (stack != 0) ask_valgrind(stack_deregister, stack);
}

}  // namespace maslin
