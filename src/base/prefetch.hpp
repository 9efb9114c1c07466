#pragma once
// Lines of the cache that are asked for before they are used: several come from another core in the time of one. Any
// address will do.

namespace maslin::base {

inline void prefetch_to_read(const void* line) noexcept { __builtin_prefetch(line, 0); }

/// For the calling core alone: a line that is read first and written then would come twice.
inline void prefetch_to_write(const void* line) noexcept {
#ifdef __x86_64__
  // Not the built-in: without -mprfchw it asks for the line to read. Where a processor does not know it, it does
  // nothing.
  asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace maslin::base
