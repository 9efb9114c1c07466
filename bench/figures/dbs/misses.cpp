#include "misses.hpp"

#include <algorithm>
#include <numeric>

#include "exec/tracing.hpp"

namespace figures {

namespace {

maslin::reuse::sizes of_this_machine(std::uint64_t cache_bytes) {
  if (!maslin::the_executor().is_described())
    throw maslin::error(
        "--cache counts misses where bodies run one after the other; name a described machine, such as "
        "MASLIN_MACHINE=specs/origin2000-16.toml");
  return {.workers = ms::workers(), .own_bytes = cache_bytes, .line_bytes = line_bytes};
}

}  // namespace

cache_misses::cache_misses(std::uint64_t cache_bytes) : caches_(of_this_machine(cache_bytes)) {}

void cache_misses::use(const void* first, std::size_t bytes, bool writes) {
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const std::uint64_t begin = address / line_bytes * line_bytes;
  const std::uint64_t end = (address + bytes + line_bytes - 1) / line_bytes * line_bytes;
  const int worker = maslin::traced_track(maslin::the_executor()).number;
  caches_.use(std::max(worker, 0), begin, end - begin, writes, found_);
}

std::uint64_t cache_misses::all() const {
  return std::accumulate(found_.begin(), found_.end(), std::uint64_t{0}) / line_bytes -
         count(maslin::reuse::found_in::own_cache);
}

}  // namespace figures
