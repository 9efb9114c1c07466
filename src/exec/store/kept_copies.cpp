#include "exec/store/kept_copies.hpp"

#include <algorithm>

namespace maslin::store {

using graph::region;

void kept_copies::drop(const kept& one) noexcept {
  bytes_ -= arena::rounded(one.home.size());
  in_.give(one.at);
}

std::byte* kept_copies::take(const region& home, std::uint64_t born) noexcept {
  const auto found = std::ranges::find(all_, home, &kept::home);
  if (found == all_.end() || born >= found->left) return nullptr;
  std::byte* const at = found->at;
  bytes_ -= arena::rounded(home.size());
  all_.erase(found);
  return at;
}

bool kept_copies::keep(const region& home, std::byte* at, std::uint64_t left) noexcept {
  if (const auto older = std::ranges::find(all_, home, &kept::home); older != all_.end()) {
    drop(*older);
    all_.erase(older);
  }
  const bool evicts = all_.size() == most && evict();
  all_.push_back({home, at, left});
  bytes_ += arena::rounded(home.size());
  return evicts;
}

bool kept_copies::evict() noexcept {
  if (all_.empty()) return false;
  drop(all_.front());
  all_.erase(all_.begin());
  return true;
}

void kept_copies::end(std::span<const region> written) noexcept {
  std::erase_if(all_, [&](const kept& one) {
    const bool ends = std::ranges::any_of(written, [&](const region& w) { return overlap(w, one.home); });
    if (ends) drop(one);
    return ends;
  });
}

}  // namespace maslin::store
