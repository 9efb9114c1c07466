#include "phylo/search/fitch.hpp"

#include <cstring>

namespace phylo {
namespace {

using Words = std::uint64_t __attribute__((vector_size(32)));

// One body, compiled for each instruction set: forced inlining lets it take the caller's.
#define PHYLO_INLINE inline __attribute__((always_inline))

struct Sets {
  Words plane[4];
};

PHYLO_INLINE void load(const std::uint64_t* from, Sets& to) { std::memcpy(&to, from, sizeof(to)); }

PHYLO_INLINE std::int64_t count(const Words& bits) {
  std::int64_t ones = 0;
  for (int lane = 0; lane < 4; ++lane) ones += __builtin_popcountll(bits[lane]);
  return ones;
}

/// Makes `a` the join with `b` and `apart` the sites without a common state.
PHYLO_INLINE void join_block(Sets& a, const Sets& b, Words& apart) {
  Sets both;
  for (int p = 0; p < 4; ++p) both.plane[p] = a.plane[p] & b.plane[p];
  apart = ~(both.plane[0] | both.plane[1] | both.plane[2] | both.plane[3]);
  for (int p = 0; p < 4; ++p) a.plane[p] = both.plane[p] | (apart & (a.plane[p] | b.plane[p]));
}

PHYLO_INLINE std::int64_t join_body(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                                    std::size_t words) {
  std::int64_t changes = 0;
  for (std::size_t w = 0; w < words; w += fitch_block_words) {
    Sets left, right;
    Words apart;
    load(a + w, left);
    load(b + w, right);
    join_block(left, right, apart);
    changes += count(apart);
    std::memcpy(out + w, &left, sizeof(left));
  }
  return changes;
}

PHYLO_INLINE std::int64_t cost_body(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                                    std::size_t words) {
  std::int64_t changes = 0;
  for (std::size_t w = 0; w < words; w += fitch_block_words) {
    Sets left, right, hung;
    Words apart;
    load(a + w, left);
    load(b + w, right);
    load(c + w, hung);
    join_block(left, right, apart);
    Words shared = left.plane[0] & hung.plane[0];
    for (int p = 1; p < 4; ++p) shared |= left.plane[p] & hung.plane[p];
    changes += count(~shared);
  }
  return changes;
}

std::int64_t join_plain(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words) {
  return join_body(a, b, out, words);
}
std::int64_t cost_plain(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::size_t words) {
  return cost_body(a, b, c, words);
}

#if defined(__x86_64__)
__attribute__((target("avx2,popcnt"))) std::int64_t join_avx2(const std::uint64_t* a, const std::uint64_t* b,
                                                              std::uint64_t* out, std::size_t words) {
  return join_body(a, b, out, words);
}
__attribute__((target("avx2,popcnt"))) std::int64_t cost_avx2(const std::uint64_t* a, const std::uint64_t* b,
                                                              const std::uint64_t* c, std::size_t words) {
  return cost_body(a, b, c, words);
}
#endif

}  // namespace

FitchKernels fitch_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return {join_avx2, cost_avx2};
#endif
  return {join_plain, cost_plain};
}

}  // namespace phylo
