#include "exec/store/kept_copies.hpp"

#include <algorithm>

namespace maslin::store {

using graph::region;

void kept_copies::drop(const kept& one) noexcept {
  bytes_ -= arena::rounded(one.home.size());
  in_.give(one.at);
}

std::optional<kept> kept_copies::take_out(std::vector<kept>::iterator which) noexcept {
  const kept one = *which;
  bytes_ -= arena::rounded(one.home.size());
  all_.erase(which);
  return one;
}

std::optional<kept> kept_copies::take(const region& home, std::optional<std::uint64_t> born) noexcept {
  const auto found = std::ranges::find(all_, home, &kept::home);
  if (found == all_.end()) return std::nullopt;
  const bool serves = found->is_dirty || (born && *born < found->left);
  return serves ? take_out(found) : std::nullopt;
}

std::optional<kept> kept_copies::take_oldest() noexcept { return all_.empty() ? std::nullopt : take_out(all_.begin()); }

void kept_copies::keep(const kept& one) noexcept {
  drop_if([&](const kept& older) { return older.home == one.home; });
  all_.push_back(one);
  bytes_ += arena::rounded(one.home.size());
}

}  // namespace maslin::store
