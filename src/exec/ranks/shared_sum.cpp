#include "exec/ranks/shared_sum.hpp"

#include <algorithm>
#include <cstring>

#include "exec/ranks/world.hpp"

namespace maslin {

namespace {

// Some pieces fit into the caches of a core, and one is worth the calls of the system that copy it.
constexpr std::size_t piece_bytes = 32 << 10;

}  // namespace

shared_sum::shared_sum(world& of, const rank_group& in, const combined_call& by)
    : of_(of),
      in_(in),
      by_(by),
      each_(by.combines()),
      piece_(std::clamp<std::size_t>(piece_bytes / each_.bytes_of_each, 1, each_.count)),
      sum_(std::make_unique_for_overwrite<std::byte[]>(piece_ * each_.bytes_of_each)),
      more_(std::make_unique_for_overwrite<std::byte[]>(piece_ * each_.bytes_of_each)) {}

bool shared_sum::make_share(int rank, std::span<const combined_call::places> all) noexcept {
  const std::size_t ranks = in_.ranks.size(), mine = static_cast<std::size_t>(rank);
  const std::size_t end = each_.count * (mine + 1) / ranks;
  for (std::size_t first = each_.count * mine / ranks; first < end; first += piece_) {
    const std::size_t count = std::min(piece_, end - first), bytes = count * each_.bytes_of_each;
    const std::size_t at = first * each_.bytes_of_each;
    for (std::size_t i = 0; i < ranks; ++i) {
      const std::byte* its = all[i].gives + at;
      std::byte* const into = i == 0 ? sum_.get() : more_.get();
      if (!of_.is_here(in_.ranks[i])) {
        if (!of_.across()->copy_from(of_.across()->process_of(in_.ranks[i]), its, into, bytes)) return false;
        its = into;
      }
      if (i > 0)
        by_.combine(its, sum_.get(), count);
      else if (its != into)
        std::memcpy(into, its, bytes);
    }
    // Nobody else reads this share of what the ranks give, which may lie where they want the result.
    for (std::size_t i = 0; i < ranks; ++i) {
      if (!all[i].wants) continue;
      if (of_.is_here(in_.ranks[i]))
        std::memcpy(all[i].wants + at, sum_.get(), bytes);
      else if (!of_.across()->copy_to(of_.across()->process_of(in_.ranks[i]), sum_.get(), all[i].wants + at, bytes))
        return false;
    }
  }
  return true;
}

}  // namespace maslin
