#include "exec/store/kept_copies.hpp"

#include <cstddef>

namespace maslin::store {

using graph::region;

void kept_copies::drop(const kept& one) noexcept {
  bytes_ -= arena::rounded(one.home.size());
  in_.give(one.at);
}

std::size_t kept_copies::first_near(const region& r) const noexcept {
  const std::uintptr_t start = r.start, end = r.end();
  std::size_t i = 0;
  while (i < extents_.size() && (extents_[i].end <= start || end <= extents_[i].start)) ++i;
  return i;
}

std::size_t kept_copies::find(const region& home) const noexcept {
  const std::uintptr_t start = home.start, end = home.end();
  std::size_t i = 0;
  while (i < extents_.size() && (extents_[i].start != start || extents_[i].end != end || !(all_[i].home == home))) ++i;
  return i;
}

kept kept_copies::take_out(std::size_t which) noexcept {
  const kept one = all_[which];
  bytes_ -= arena::rounded(one.home.size());
  all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(which));
  extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(which));
  return one;
}

std::optional<kept> kept_copies::take(const region& home, std::optional<std::uint64_t> born) noexcept {
  const std::size_t i = find(home);
  if (i == all_.size()) return std::nullopt;
  const bool serves = all_[i].is_dirty || (born && *born < all_[i].left);
  return serves ? std::optional(take_out(i)) : std::nullopt;
}

std::optional<kept> kept_copies::take_oldest() noexcept {
  return all_.empty() ? std::nullopt : std::optional(take_out(0));
}

void kept_copies::keep(const kept& one) noexcept {
  if (const std::size_t older = find(one.home); older != all_.size()) in_.give(take_out(older).at);
  all_.push_back(one);
  extents_.push_back({one.home.start, one.home.end()});
  bytes_ += arena::rounded(one.home.size());
}

}  // namespace maslin::store
