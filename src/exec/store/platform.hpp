#pragma once
// What a local store needs of the hardware: an engine that copies between it and memory.

#include <concepts>
#include <cstddef>

namespace maslin::store {

/// Names copies that are waited for together.
using tag = unsigned;

/// `get` copies to the store, from memory or from a peer's store; `put` copies to memory. They only begin the copy.
/// Until `wait(tag)` returns, the copies of that tag have happened, in part, in any order, or not at all: what a get
/// writes is undefined, and what a put reads must stay as it is.
template <class P>
concept platform = requires(P& p, void* to, const void* from, std::size_t bytes, tag t) {
  requires noexcept(p.get(to, from, bytes, t));
  requires noexcept(p.get_from_peer(to, from, bytes, t));
  requires noexcept(p.put(to, from, bytes, t));
  requires noexcept(p.wait(t));
};

}  // namespace maslin::store
