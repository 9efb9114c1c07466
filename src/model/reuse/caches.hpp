#pragma once
// Where a worker finds the lines that it uses: in its own cache, in that of another worker, in a cache that all share,
// or in memory. A cache holds the lines that were used last, as many as it has room for; it is fully associative. A
// line that a worker writes is in no other worker's cache any more.
//
//     worker ── cache ─┐
//     worker ── cache ─┼── shared cache ── memory
//     worker ── cache ─┘
//
// The shared cache sees every use, not only those that miss, so it holds what all have used last. A line is found in a
// cache if less others than the cache has room for were used since: its stack distance decides.

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/dma/lru_lines.hpp"

namespace maslin::reuse {

enum class found_in : std::uint8_t {
  own_cache,
  peer,          ///< another worker's cache
  shared_cache,  ///< and in no worker's
  memory_again,  ///< it was used before
  memory_first,
};
inline constexpr int places = static_cast<int>(found_in::memory_first) + 1;

/// Bytes, by where they were found.
using bytes_found = std::array<std::uint64_t, places>;

struct sizes {
  int workers = 1;
  std::uint64_t own_bytes = std::uint64_t{512} << 10;  ///< of each worker's cache
  std::uint64_t shared_bytes = 0;                      ///< 0: there is none
  std::uint64_t line_bytes = 64;
};

class caches {
 public:
  explicit caches(const sizes& s) : line_bytes_(s.line_bytes), shared_(s.shared_bytes / s.line_bytes) {
    for (int w = 0; w < s.workers; ++w) own_.emplace_back(s.own_bytes / s.line_bytes);
  }

  /// A worker uses a piece of memory, line after line. Adds its bytes to those of the places where they were.
  void use(int worker, std::uint64_t address, std::uint64_t bytes, bool writes, bytes_found& to) {
    const std::uint64_t end = address + bytes;
    for (std::uint64_t line = address / line_bytes_; line * line_bytes_ < end; ++line) {
      const std::uint64_t first = std::max(address, line * line_bytes_), last = std::min(end, (line + 1) * line_bytes_);
      to[static_cast<std::size_t>(use_line(static_cast<std::size_t>(worker), line, writes))] += last - first;
    }
  }

 private:
  using lru_lines = dma::lru_lines;

  found_in use_line(std::size_t worker, std::uint64_t line, bool writes) {
    found_in where = found_in::memory_first;
    const bool was_used = note(line);
    if (was_used) where = found_in::memory_again;
    if (use_in(shared_, line, writes)) where = found_in::shared_cache;
    for (std::size_t w = 0; w < own_.size(); ++w) {
      if (w == worker || !was_used) continue;
      const lru_lines::place at = own_[w].find(line);
      if (at == lru_lines::absent) continue;
      where = found_in::peer;
      if (writes) own_[w].drop(at);
    }
    if (use_in(own_[worker], line, writes)) where = found_in::own_cache;
    return where;
  }

  /// Gives whether the cache holds the line; it does from now on.
  static bool use_in(lru_lines& cache, std::uint64_t line, bool writes) {
    if (cache.capacity() == 0) return false;
    if (const lru_lines::place at = cache.find(line); at != lru_lines::absent) {
      cache.touch(at, writes);
      return true;
    }
    cache.insert(line, writes);
    return false;
  }

  /// Gives whether the line was used before.
  bool note(std::uint64_t line) {
    constexpr std::uint64_t lines = 64;  // bits of a word
    std::uint64_t& used = used_[line / lines];
    const std::uint64_t bit = std::uint64_t{1} << line % lines;
    const bool was = (used & bit) != 0;
    used |= bit;
    return was;
  }

  std::uint64_t line_bytes_;
  std::vector<lru_lines> own_;
  lru_lines shared_;
  std::unordered_map<std::uint64_t, std::uint64_t> used_;  ///< a bit a line
};

}  // namespace maslin::reuse
