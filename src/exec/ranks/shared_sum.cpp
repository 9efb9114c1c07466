#include "exec/ranks/shared_sum.hpp"

#include <algorithm>
#include <cstring>

#include "exec/ranks/world.hpp"

namespace maslin {

namespace {

// Some pieces fit into the caches of a core, and one is worth the calls of the system that copy it.
constexpr std::size_t piece_bytes = 128 << 10;

}  // namespace

shared_sum::shared_sum(world& of, const rank_group& in, int rank, const combined_call& by)
    : of_(of),
      in_(in),
      mine_(static_cast<std::size_t>(rank)),
      by_(by),
      each_(by.combines()),
      piece_(std::clamp<std::size_t>(piece_bytes / each_.bytes_of_each, 1, each_.count)),
      more_(std::make_unique_for_overwrite<std::byte[]>(piece_ * each_.bytes_of_each)) {
  // What the rank gives is read behind what those before it give: if it lies where the result goes, the sum may not be
  // there yet.
  const combined_call::places own = by.lie_at();
  is_made_in_place_ = own.wants && (mine_ == 0 || own.wants != own.gives);
  if (!is_made_in_place_) sum_ = std::make_unique_for_overwrite<std::byte[]>(piece_ * each_.bytes_of_each);
}

bool shared_sum::make_share(std::span<const combined_call::places> all) noexcept {
  const std::size_t ranks = in_.ranks.size(), end = each_.count * (mine_ + 1) / ranks;
  for (std::size_t first = each_.count * mine_ / ranks; first < end; first += piece_) {
    const std::size_t count = std::min(piece_, end - first), bytes = count * each_.bytes_of_each;
    const std::size_t at = first * each_.bytes_of_each;
    std::byte* const sum = is_made_in_place_ ? all[mine_].wants + at : sum_.get();
    for (std::size_t i = 0; i < ranks; ++i) {
      const std::byte* its = all[i].gives + at;
      std::byte* const into = i == 0 ? sum : more_.get();
      if (!of_.is_here(in_.ranks[i])) {
        if (!of_.across()->copy_from(of_.across()->process_of(in_.ranks[i]), its, into, bytes)) return false;
        its = into;
      }
      if (i > 0)
        by_.combine(its, sum, count);
      else if (its != into)
        std::memcpy(into, its, bytes);
    }
    // Nobody else reads this share of what the ranks give, which may lie where they want the result.
    for (std::size_t i = 0; i < ranks; ++i) {
      if (!all[i].wants || (i == mine_ && is_made_in_place_)) continue;
      if (of_.is_here(in_.ranks[i]))
        std::memcpy(all[i].wants + at, sum, bytes);
      else if (!of_.across()->copy_to(of_.across()->process_of(in_.ranks[i]), sum, all[i].wants + at, bytes))
        return false;
    }
  }
  return true;
}

}  // namespace maslin
