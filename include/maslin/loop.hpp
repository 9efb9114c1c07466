#pragma once
// Loops that a team shares. A loop is cut only at multiples of a block that depends on its length and on what the call
// says, never on a measurement; so results do not depend on the number of workers (DESIGN section 7).

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "maslin/api.hpp"
#include "maslin/body.hpp"
#include "maslin/error.hpp"
#include "maslin/location.hpp"

namespace maslin {

/// Half-open range of iterations.
struct range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  std::int64_t size() const { return last - first; }  ///< iterations

  /// For `for (auto i : r)`.
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

/// Iterations per block: a loop's body is called once a block. 0 lets the length decide (at most 512 blocks). A loop
/// has 2^47 blocks at most: where there would be more, they are larger than asked for.
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

MASLIN_API [[noreturn]] void throw_beyond_int64(std::uint64_t bound);

/// Where a loop begins or ends: whatever becomes a std::int64_t. Throws `error` for a number that none is.
struct loop_bound {
  template <class T>
    requires std::convertible_to<T, std::int64_t>
  constexpr loop_bound(T number) : value(as_integer(number)) {}
  std::int64_t value;

 private:
  /// Of a number with a fraction the next one towards 0.
  template <class T>
  static constexpr std::int64_t as_integer(T& number) {
    if constexpr (std::floating_point<T>) {
      constexpr T beyond = 9223372036854775808.0F;
      if (!(number >= -beyond && number < beyond))
        throw error("a loop begins or ends at " + std::to_string(number) +
                    ": expected a number between -2^63 and 2^63");
    }
    const auto integer = static_cast<std::int64_t>(number);
    if constexpr (std::unsigned_integral<T> && sizeof(T) >= sizeof integer)
      if (integer < 0) throw_beyond_int64(number);
    return integer;
  }
};

/// Gives the quotient of unsigned numbers, rounded up.
constexpr std::uint64_t ceil_div(std::uint64_t number, std::uint64_t by) { return number / by + (number % by != 0); }

/// A loop as the executors see it, of at least one iteration: `blocks()` blocks, each run once. `run(l, next, end)`
/// runs the blocks [next, end); `next` is behind the last that was begun, also when that threw. The length may be more
/// than an int64_t holds; the length of a block is not.
struct loop {
  std::int64_t first;
  std::int64_t last;
  std::int64_t block;
  void (*run)(const loop& l, std::int64_t& next, std::int64_t end);
  void* env;
  schedule policy;
  location where;

  std::uint64_t length() const { return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first); }
  std::int64_t blocks() const {
    return static_cast<std::int64_t>(ceil_div(length(), static_cast<std::uint64_t>(block)));
  }
  void run_blocks(std::int64_t& next, std::int64_t end) const { run(*this, next, end); }
};

/// What `run` does: calls `body(iterations, index)` for each block. Here, so that a compiler sees small bodies in a
/// row.
template <class Body>
void each_block(const loop& l, std::int64_t& next, std::int64_t end, Body&& body) {
  struct progress {
    std::int64_t& of;
    std::int64_t at;
    ~progress() { of = at; }
  } done{next, next};
  if (l.block == 1) {
    // Signed sums, which cannot overflow here: a compiler then sees that the bodies take successive elements.
    for (std::int64_t index = next; index < end; ++index) {
      done.at = index + 1;
      body(range{l.first + index, l.first + index + 1}, index);
    }
    return;
  }
  const auto size = static_cast<std::uint64_t>(l.block);
  const auto last = static_cast<std::uint64_t>(l.last);
  std::uint64_t at = static_cast<std::uint64_t>(l.first) + static_cast<std::uint64_t>(next) * size;
  while (done.at < end) {
    const std::uint64_t from = std::exchange(at, at + std::min(size, last - at));
    const std::int64_t index = done.at++;
    body(range{static_cast<std::int64_t>(from), static_cast<std::int64_t>(at)}, index);
  }
}

/// Runs every block of the loop on the caller's team and returns when all are done; throws what the lowest
/// throwing block threw.
MASLIN_API void run_loop(const loop& l);

/// Gives the iterations of a block of [first, last), first < last.
constexpr std::int64_t block_size(std::int64_t first, std::int64_t last, block wish) {
  constexpr std::uint64_t most_by_length = 512;
  // More than any run comes to the end of, and as many as a trace can name.
  constexpr std::uint64_t most = std::uint64_t{1} << 47;
  const std::uint64_t length = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const auto least = static_cast<std::int64_t>(ceil_div(length, wish.iterations > 0 ? most : most_by_length));
  return std::max(wish.iterations, least);
}

/// Can a `To` keep what a `From` is? Integers become floating-point numbers, which may round them, but not the other
/// way round. Signs are not looked at: what is refused is a loss that nobody meant.
template <class To, class From>
constexpr bool holds = true;
template <class To, class From>
  requires std::is_arithmetic_v<To> && std::is_arithmetic_v<From>
inline constexpr bool holds<To, From> = std::is_floating_point_v<To> != std::is_floating_point_v<From>
                                            ? std::is_floating_point_v<To>
                                            : sizeof(To) >= sizeof(From);

}  // namespace detail

/// Calls `body(range)` once for each block of [first, last), on the workers of the caller's team, and returns when all
/// blocks are done. Blocks may run at the same time and in any order. If bodies throw, every block below the lowest
/// that threw has run, and that one's exception is rethrown here.
template <class Body>
void parallel_for(detail::loop_bound from, detail::loop_bound to, Body&& body, schedule policy, block wish = {},
                  location where = location::current()) {
  detail::expect_body(body, "parallel_for", where);
  const auto [first, last] = range{from.value, to.value};
  if (last <= first) return;
  auto run = [](const detail::loop& l, std::int64_t& next, std::int64_t end) {
    auto& call = detail::body_at<std::remove_reference_t<Body>>(l.env);
    detail::each_block(l, next, end, [&call](range r, std::int64_t) { call(r); });
  };
  detail::run_loop({first, last, detail::block_size(first, last, wish), run, detail::address_of(body), policy, where});
}
template <class Body>
void parallel_for(detail::loop_bound first, detail::loop_bound last, Body&& body, block wish = {},
                  location where = location::current()) {
  parallel_for(first, last, std::forward<Body>(body), schedule::of_the_run, wish, where);
}

/// Gives combine(... combine(combine(identity, body(block 0)), body(block 1)) ...): the blocks' values are combined in
/// index order, so the result is the same to the last bit at any width. A `T` is made without arguments, moved and
/// assigned. The type of the identity is the type of the result, as with std::accumulate; but where it cannot hold what
/// the body gives, the call does not compile: double for an int, double for a float, 64-bit integers for 32-bit ones.
template <class T, class Combine, class Body>
T parallel_reduce(detail::loop_bound from, detail::loop_bound to, T identity, Combine&& combine, Body&& body,
                  schedule policy, block wish = {}, location where = location::current()) {
  static_assert(detail::holds<T, std::remove_cvref_t<decltype(body(std::declval<range&>()))>>,
                "The identity of parallel_reduce has a type that cannot hold what the body gives: 0 is an int, and the "
                "body gives a double, for instance. Give an identity of the result's type, for instance 0.0.");
  detail::expect_body(body, "parallel_reduce", where);
  const auto [first, last] = range{from.value, to.value};
  if (last <= first) return identity;
  struct environment {
    std::remove_reference_t<Body>* body;
    T* values;
  };
  // Values on the stack: as many as a loop has unless asked for more, where that is little.
  constexpr std::size_t few_bytes = 4096;
  constexpr std::int64_t few = std::is_trivially_default_constructible_v<T>
                                   ? std::clamp<std::int64_t>(few_bytes / sizeof(T), 1, 512)
                                   : std::clamp<std::int64_t>(few_bytes / sizeof(T), 1, 64);
  environment env{std::addressof(body), nullptr};
  auto run = [](const detail::loop& l, std::int64_t& next, std::int64_t end) {
    const environment here = *static_cast<environment*>(l.env);
    detail::each_block(l, next, end, [=](range r, std::int64_t index) { here.values[index] = (*here.body)(r); });
  };
  const detail::loop all{first, last, detail::block_size(first, last, wish), run, &env, policy, where};
  const std::int64_t blocks = all.blocks();
  T near[few];
  std::unique_ptr<T[]> far;
  if (blocks > few) far = std::make_unique<T[]>(static_cast<std::size_t>(blocks));
  T* values = blocks > few ? far.get() : near;
  env.values = values;
  detail::run_loop(all);
  T result = std::move(identity);
  for (std::int64_t i = 0; i < blocks; ++i) result = combine(std::move(result), std::move(values[i]));
  return result;
}
template <class T, class Combine, class Body>
T parallel_reduce(detail::loop_bound first, detail::loop_bound last, T identity, Combine&& combine, Body&& body,
                  block wish = {}, location where = location::current()) {
  return parallel_reduce(first, last, std::move(identity), std::forward<Combine>(combine), std::forward<Body>(body),
                         schedule::of_the_run, wish, where);
}

}  // namespace maslin
