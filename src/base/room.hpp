#pragma once
// Room at the end of a vector, made before what cannot fail.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace maslin::base {

/// Makes room for `more` elements, so that adding them cannot fail; grows as `push_back` does, which `reserve` does
/// not. Throws std::bad_alloc.
template <class T>
void make_room(std::vector<T>& at, std::size_t more = 1) {
  const std::size_t needed = at.size() + more;
  if (needed > at.capacity()) at.reserve(std::max(needed, 2 * at.capacity()));
}

}  // namespace maslin::base
