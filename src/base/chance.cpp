#include "base/chance.hpp"

#include <cstdint>

namespace maslin::base {

namespace {
// The high bits are the random ones.
[[gnu::always_inline]] inline std::uint64_t next() noexcept {
  thread_local std::uint64_t state = 1;
  return state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
}
}  // namespace

// No inline: a caller may continue on another thread.
[[gnu::noinline]] bool one_in_sixteen() noexcept { return next() >> 60 == 0; }
[[gnu::noinline]] unsigned up_to_31() noexcept { return static_cast<unsigned>(next() >> 59); }
bool one_in_thirty_two() noexcept { return up_to_31() == 0; }

}  // namespace maslin::base
