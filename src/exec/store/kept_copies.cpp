#include "exec/store/kept_copies.hpp"

#include <algorithm>
#include <cstddef>

namespace maslin::store {

using graph::region;

namespace {

std::size_t room_of(const kept& one) { return arena::rounded(one.home.size()); }

}  // namespace

void kept_copies::free(const kept& one) noexcept {
  bytes_ -= room_of(one);
  in_.give(one.at);
}

void kept_copies::take_name_away(std::size_t which) noexcept {
  all_[which].is_over = true;
  all_[which].is_dirty = false;
  extents_[which] = {};
}

void kept_copies::drop(kept* one) noexcept {
  if (one->users > 0)
    take_name_away(static_cast<std::size_t>(one - all_.data()));
  else
    in_.give(take_out(one).at);
}

std::size_t kept_copies::first_near(const region& r) const noexcept {
  const std::uintptr_t start = r.start, end = r.end();
  std::size_t i = 0;
  while (i < extents_.size() && (extents_[i].end <= start || end <= extents_[i].start)) ++i;
  return i;
}

kept* kept_copies::find(const region& home) noexcept {
  const std::uintptr_t start = home.start, end = home.end();
  for (std::size_t i = 0; i < extents_.size(); ++i)
    if (extents_[i].start == start && extents_[i].end == end && all_[i].home == home) return &all_[i];
  return nullptr;
}

kept* kept_copies::find(const std::byte* at) noexcept {
  const auto found = std::ranges::find(all_, at, &kept::at);
  return found == all_.end() ? nullptr : &*found;
}

kept* kept_copies::oldest() noexcept {
  const auto found = std::ranges::find(all_, 0u, &kept::users);
  return found == all_.end() ? nullptr : &*found;
}

void kept_copies::add(const kept& one) noexcept {
  all_.push_back(one);
  extents_.push_back({one.home.start, one.home.end()});
  if (one.users == 0) bytes_ += room_of(one);
}

kept kept_copies::take_out(kept* one) noexcept {
  const kept out = *one;
  const std::ptrdiff_t which = one - all_.data();
  bytes_ -= room_of(out);
  all_.erase(all_.begin() + which);
  extents_.erase(extents_.begin() + which);
  return out;
}

void kept_copies::begin_use(kept& one) noexcept {
  if (one.users++ == 0) bytes_ -= room_of(one);
}

void kept_copies::end_use(kept* one) noexcept {
  const std::ptrdiff_t which = one - all_.data();
  if (--one->users == 0) bytes_ += room_of(*one);
  if (one->users == 0 && one->is_over) return drop(one);
  std::rotate(all_.begin() + which, all_.begin() + which + 1, all_.end());
  std::rotate(extents_.begin() + which, extents_.begin() + which + 1, extents_.end());
}

}  // namespace maslin::store
