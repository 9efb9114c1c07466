#pragma once
// ThreadSanitizer sees one process. What a thread of it tells another process, and what that answers to another thread,
// are in order, and it is told so here; otherwise these are nothing.

#include "base/sanitizers.hpp"

namespace maslin::comm {

/// Another process is about to see what the caller has done. `by` is how: the same for who hears the answer.
inline void tells_process([[maybe_unused]] void* by) noexcept {
#ifdef MASLIN_TSAN
  __tsan_release(by);
#endif
}
/// The caller has seen what that process has done since.
inline void hears_process([[maybe_unused]] void* by) noexcept {
#ifdef MASLIN_TSAN
  __tsan_acquire(by);
#endif
}

}  // namespace maslin::comm
