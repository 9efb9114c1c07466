#include "exec/store/arena.hpp"

#include <algorithm>
#include <cassert>

namespace maslin::store {

std::byte* arena::take(std::size_t bytes) {
  bytes = rounded(bytes);
  std::size_t begin = 0;
  auto behind = pieces_.begin();
  for (; behind != pieces_.end() && behind->begin - begin < bytes; ++behind) begin = behind->begin + behind->bytes;
  if (bytes > bytes_ - begin) return nullptr;
  pieces_.insert(behind, {begin, bytes});
  taken_ += bytes;
  return memory_.get() + begin;
}

void arena::give(const std::byte* at) noexcept {
  const auto begin = static_cast<std::size_t>(at - memory_.get());
  const auto found = std::ranges::lower_bound(pieces_, begin, {}, &piece::begin);
  assert(found != pieces_.end() && found->begin == begin);
  taken_ -= found->bytes;
  pieces_.erase(found);
}

}  // namespace maslin::store
