#pragma once
// Libraries in this process that bring threads of their own: OpenBLAS, BLIS, MKL and OpenMP runtimes. They are found at
// run time by what they export; nothing is linked.

#include <cstdint>
#include <string>

namespace maslin::foreign {

/// Whose calls a library's limit on its threads holds for.
enum class reach : std::uint8_t {
  thread,   ///< those of the thread that sets it
  process,  ///< everybody's
  none      ///< it has none of its own: it follows an OpenMP runtime, or has no threads
};

struct library {
  std::string name;  ///< as it is told to people, e.g. "OpenBLAS 0.3.21 (pthreads)"
  reach limits = reach::none;
  /// Sets the limit for the calling thread, or the process; gives the one before, in a form that it takes back.
  int exchange(int limit) const { return exchange_(*this, limit); }

  int (*exchange_)(const library&, int) = nullptr;
  const void* key = nullptr;  ///< the address of a function that no other library has
  void* set = nullptr;        ///< the library's functions, whose types `exchange_` knows
  void* get = nullptr;
};

inline constexpr int most_libraries = 16;

/// Looks for libraries that came since the last call; gives how many there are. A library that was found stays loaded.
/// It takes the dynamic loader's lock, which is held while constructors of a library run: so workers, for whom such a
/// constructor may wait, never call it. Where another thread looks already, the caller does not wait for it.
int look();
/// Gives how many are known; they keep their numbers.
int known() noexcept;
/// Gives how many of them have one limit for the process.
int known_process_wide() noexcept;
const library& at(int number) noexcept;
/// A fork begins or has ended, in either process: no other thread looks meanwhile.
void around_fork(bool begins) noexcept;

}  // namespace maslin::foreign
