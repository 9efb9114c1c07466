#include "site.hpp"

#include "threads.hpp"

// The linker's: where the image begins. NOLINTNEXTLINE(clang-diagnostic-reserved-identifier)
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;

namespace mpi {

std::atomic<const void*> called_from{nullptr};

maslin::location place_of(const void* return_address) noexcept {
  const bool is_told = called_from.load(std::memory_order_relaxed) && (!threads || threads->is_callers_turn());
  const void* const place = is_told ? called_from.exchange(nullptr, std::memory_order_relaxed) : return_address;
  return maslin::location::current("@", static_cast<unsigned>(static_cast<const char*>(place) - &__ehdr_start));
}

}  // namespace mpi
