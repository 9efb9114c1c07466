#include "exec/store/thread_platform.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "graph/poison.hpp"

namespace maslin::store {

void thread_platform::get(void* to, const void* from, std::size_t bytes, tag t) noexcept {
  if (is_adverse_) {  // nobody may count on what is there meanwhile
    graph::region there;
    there.start = reinterpret_cast<std::uintptr_t>(to);
    there.bytes = bytes;
    graph::poison(there);
  }
  begin(to, from, bytes, t);
}

void thread_platform::begin(void* to, const void* from, std::size_t bytes, tag t) noexcept {
  if (!is_adverse_) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::size_t before = pending_.size();
  try {
    for (std::size_t at = 0; at < bytes; at += packet)
      pending_.push_back({static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at,
                          std::min(packet, bytes - at), t});
  } catch (const std::bad_alloc&) {  // it may come at once, too
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(before), pending_.end());
    std::memcpy(to, from, bytes);
  }
  // Now and then some come early, of this copy or of others.
  if (chance_() % 4 == 0)
    for (auto some = chance_() % 4; some > 0 && !pending_.empty(); --some) copy_one();
}

void thread_platform::wait(tag t) noexcept {
  while (std::ranges::any_of(pending_, [&](const piece& p) { return p.of == t; })) copy_one();
}

void thread_platform::copy_one() noexcept {
  const std::size_t which = chance_() % pending_.size();
  const piece now = pending_[which];
  pending_[which] = pending_.back();
  pending_.pop_back();
  std::memcpy(now.to, now.from, now.bytes);
}

}  // namespace maslin::store
