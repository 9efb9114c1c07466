#pragma once
// Loops that a team shares. A loop is cut only at multiples of a block that depends on its length and on what the call
// says, never on a measurement; so results do not depend on the number of workers (DESIGN section 7).

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "maslin/location.hpp"

namespace maslin {

/// Half-open range of iterations.
struct range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  std::int64_t size() const { return last - first; }

  struct iterator {
    std::int64_t at;
    std::int64_t operator*() const { return at; }
    iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator!=(const iterator& other) const { return at != other.at; }
  };
  iterator begin() const { return {first}; }
  iterator end() const { return {last}; }
};

/// Iterations per block: a loop's body is called once a block. 0 lets the length decide (at most 512 blocks).
struct block {
  std::int64_t iterations = 0;
};

/// How a loop's blocks are handed to the workers of the team. `dbs`, the default, is Dynamic Bisectioning; the others
/// are the schedules of old, to compare with: equal parts (`static_`), guided self-scheduling (`gss`) and affinity
/// scheduling (`afs`). `of_the_run` is what MASLIN_LOOP names; a loop whose call site has turned out to be too small to
/// gain from a team then stays with its caller, which a schedule that is named does not do. The results are the same
/// under all of them.
enum class schedule : unsigned char { of_the_run, dbs, static_, gss, afs };

namespace detail {

/// A loop as the executors see it: `count` blocks, each run once by `run(env, index)`.
struct loop {
  std::int64_t first;
  std::int64_t last;
  std::int64_t block;
  void (*run)(void* env, range iterations, std::int64_t index);
  void* env;
  schedule policy;
  location where;

  std::int64_t blocks() const { return (last - first + block - 1) / block; }
  range iterations(std::int64_t index) const {
    const std::int64_t from = first + index * block;
    return {from, std::min(from + block, last)};
  }
  void run_block(std::int64_t index) const { run(env, iterations(index), index); }
};

/// Runs every block of the loop on the caller's team and returns when all are done; throws what the lowest
/// throwing block threw.
void run_loop(const loop& l);

constexpr std::int64_t block_size(std::int64_t length, block wish) {
  constexpr std::int64_t most_blocks = 512;
  return wish.iterations > 0 ? wish.iterations : std::max<std::int64_t>(1, (length + most_blocks - 1) / most_blocks);
}

}  // namespace detail

/// Calls `body(range)` once for each block of [first, last), on the workers of the caller's team, and returns when all
/// blocks are done. Blocks may run at the same time and in any order. If bodies throw, every block below the lowest
/// that threw has run, and that one's exception is rethrown here.
template <class Body>
void parallel_for(std::int64_t first, std::int64_t last, Body&& body, schedule policy, block wish = {},
                  location where = location::current()) {
  if (last <= first) return;
  auto run = [](void* env, range r, std::int64_t) { (*static_cast<std::remove_reference_t<Body>*>(env))(r); };
  detail::run_loop({first, last, detail::block_size(last - first, wish), run,
                    const_cast<void*>(static_cast<const void*>(std::addressof(body))), policy, where});
}
template <class Body>
void parallel_for(std::int64_t first, std::int64_t last, Body&& body, block wish = {},
                  location where = location::current()) {
  parallel_for(first, last, std::forward<Body>(body), schedule::of_the_run, wish, where);
}

/// Gives combine(... combine(combine(identity, body(block 0)), body(block 1)) ...): the blocks' values are combined in
/// index order, so the result is the same to the last bit at any width. `T` needs a default and a move constructor.
template <class T, class Combine, class Body>
T parallel_reduce(std::int64_t first, std::int64_t last, T identity, Combine&& combine, Body&& body, schedule policy,
                  block wish = {}, location where = location::current()) {
  if (last <= first) return identity;
  struct environment {
    std::remove_reference_t<Body>* body;
    T* values;
  };
  constexpr std::int64_t few = 64;
  const std::int64_t size = detail::block_size(last - first, wish);
  const std::int64_t blocks = (last - first + size - 1) / size;
  T near[few];
  std::unique_ptr<T[]> far;
  if (blocks > few) far = std::make_unique<T[]>(static_cast<std::size_t>(blocks));
  T* values = blocks > few ? far.get() : near;
  environment env{std::addressof(body), values};
  auto run = [](void* e, range r, std::int64_t index) {
    auto& in = *static_cast<environment*>(e);
    in.values[index] = (*in.body)(r);
  };
  detail::run_loop({first, last, size, run, &env, policy, where});
  T result = std::move(identity);
  for (std::int64_t i = 0; i < blocks; ++i) result = combine(std::move(result), std::move(values[i]));
  return result;
}
template <class T, class Combine, class Body>
T parallel_reduce(std::int64_t first, std::int64_t last, T identity, Combine&& combine, Body&& body, block wish = {},
                  location where = location::current()) {
  return parallel_reduce(first, last, std::move(identity), std::forward<Combine>(combine), std::forward<Body>(body),
                         schedule::of_the_run, wish, where);
}

}  // namespace maslin
