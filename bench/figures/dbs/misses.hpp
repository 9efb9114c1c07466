#pragma once
// The cache misses of described processors (the paper's figure 3): each has a cache of lines that were used last, and
// what a processor writes is in no other's cache any more. It is the model by which `maslin trace reuse` finds data.

#include <cstddef>
#include <cstdint>

#include "model/reuse/caches.hpp"
#include "program.hpp"

namespace figures {

class cache_misses final : public memory_uses {
 public:
  /// Throws `maslin::error` where the machine is not a described one, whose bodies run one after the other.
  explicit cache_misses(std::uint64_t cache_bytes);

  /// Its lines are used by the processor that runs the caller, all at this time. Outside of loops and tasks that is the
  /// first one.
  void use(const void* first, std::size_t bytes, bool writes) override;

  /// Gives how many lines were not in their processor's cache.
  std::uint64_t all() const;
  /// Gives how many of these nobody had used before.
  std::uint64_t at_first_use() const { return count(maslin::reuse::found_in::memory_first); }

 private:
  std::uint64_t count(maslin::reuse::found_in where) const {
    return found_[static_cast<std::size_t>(where)] / line_bytes;
  }

  maslin::reuse::caches caches_;
  maslin::reuse::bytes_found found_{};
};

}  // namespace figures
