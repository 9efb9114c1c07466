#include "phylo/search/fitch.hpp"

#include <cstring>

namespace phylo {
namespace {

using Words = std::uint64_t __attribute__((vector_size(32)));

// One body, compiled for each instruction set: forced inlining lets it take the caller's.
#define PHYLO_INLINE inline __attribute__((always_inline))

template <int planes>
struct Sets {
  Words plane[planes];
};

template <int planes>
PHYLO_INLINE void load(const std::uint64_t* from, Sets<planes>& to) {
  std::memcpy(&to, from, sizeof(to));
}

PHYLO_INLINE std::int64_t count(const Words& bits) {
  std::int64_t ones = 0;
  for (int lane = 0; lane < 4; ++lane) ones += __builtin_popcountll(bits[lane]);
  return ones;
}

/// Makes `a` the join with `b` and `apart` the sites without a common state.
template <int planes>
PHYLO_INLINE void join_block(Sets<planes>& a, const Sets<planes>& b, Words& apart) {
  Sets<planes> both;
  for (int p = 0; p < planes; ++p) both.plane[p] = a.plane[p] & b.plane[p];
  Words shared = both.plane[0];
  for (int p = 1; p < planes; ++p) shared |= both.plane[p];
  apart = ~shared;
  for (int p = 0; p < planes; ++p) a.plane[p] = both.plane[p] | (apart & (a.plane[p] | b.plane[p]));
}

template <int planes>
PHYLO_INLINE std::int64_t join_body(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                                    std::size_t words) {
  std::int64_t changes = 0;
  for (std::size_t w = 0; w < words; w += planes * fitch_plane_words) {
    Sets<planes> left, right;
    Words apart;
    load(a + w, left);
    load(b + w, right);
    join_block(left, right, apart);
    changes += count(apart);
    std::memcpy(out + w, &left, sizeof(left));
  }
  return changes;
}

template <int planes>
PHYLO_INLINE std::int64_t cost_body(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                                    std::size_t words) {
  std::int64_t changes = 0;
  for (std::size_t w = 0; w < words; w += planes * fitch_plane_words) {
    Sets<planes> left, right, hung;
    Words apart;
    load(a + w, left);
    load(b + w, right);
    load(c + w, hung);
    join_block(left, right, apart);
    Words shared = left.plane[0] & hung.plane[0];
    for (int p = 1; p < planes; ++p) shared |= left.plane[p] & hung.plane[p];
    changes += count(~shared);
  }
  return changes;
}

template <int planes>
std::int64_t join_plain(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words) {
  return join_body<planes>(a, b, out, words);
}
template <int planes>
std::int64_t cost_plain(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::size_t words) {
  return cost_body<planes>(a, b, c, words);
}

#if defined(__x86_64__)
template <int planes>
__attribute__((target("avx2,popcnt"))) std::int64_t join_avx2(const std::uint64_t* a, const std::uint64_t* b,
                                                              std::uint64_t* out, std::size_t words) {
  return join_body<planes>(a, b, out, words);
}
template <int planes>
__attribute__((target("avx2,popcnt"))) std::int64_t cost_avx2(const std::uint64_t* a, const std::uint64_t* b,
                                                              const std::uint64_t* c, std::size_t words) {
  return cost_body<planes>(a, b, c, words);
}
#endif

template <int planes>
FitchKernels kernels_of() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return {join_avx2<planes>, cost_avx2<planes>};
#endif
  return {join_plain<planes>, cost_plain<planes>};
}

}  // namespace

FitchKernels fitch_kernels(int planes) { return planes == 4 ? kernels_of<4>() : kernels_of<20>(); }

}  // namespace phylo
