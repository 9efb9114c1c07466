#include "base/chance.hpp"

#include <cstdint>

namespace maslin::base {

// No inline: a caller may continue on another thread.
[[gnu::noinline]] bool one_in_sixteen() noexcept {
  thread_local std::uint64_t state = 1;
  state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  return state >> 60 == 0;
}

}  // namespace maslin::base
