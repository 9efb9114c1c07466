#pragma once
// One bit a worker: V of the DBS paper (whose queue holds work), and who sleeps.

#include <bit>
#include <cstdint>
#include <memory>

#include "base/atomic.hpp"

namespace maslin {

class worker_bits {
 public:
  explicit worker_bits(int workers) : words_(std::make_unique<word[]>(static_cast<std::size_t>((workers + 63) / 64))) {}

  // Sequentially consistent: "my work is there" against "I am asleep" is a store on each side followed by a load of the
  // other's (README, the race).
  void set(int worker) { at(worker).fetch_or(mask(worker), std::memory_order_seq_cst); }
  /// Gives whether the bit was set.
  bool clear(int worker) { return at(worker).fetch_and(~mask(worker), std::memory_order_seq_cst) & mask(worker); }
  /// The same, but writes nothing when the bit is not set.
  bool clear_if_set(int worker) { return test(worker) && clear(worker); }
  bool test(int worker) const { return at(worker).load(std::memory_order_seq_cst) & mask(worker); }

  /// Are all bits in [from, to) set, that of `but` aside?
  bool all_set(int from, int to, int but) const {
    for (int base = from / 64 * 64; base < to; base += 64) {
      std::uint64_t missing = ~at(base).load(std::memory_order_seq_cst) & within(base, from, to);
      if (but / 64 == base / 64) missing &= ~mask(but);
      if (missing) return false;
    }
    return true;
  }
  /// Gives the first set bit in [from, to), or -1.
  int first_set(int from, int to) const {
    for (int base = from / 64 * 64; base < to; base += 64) {
      const std::uint64_t here = at(base).load(std::memory_order_seq_cst) & within(base, from, to);
      if (here) return base + std::countr_zero(here);
    }
    return -1;
  }

 private:
  struct alignas(64) word {
    MASLIN_ATOMIC<std::uint64_t> bits{0};
  };
  static std::uint64_t mask(int worker) { return std::uint64_t{1} << (worker % 64); }
  /// Gives the bits of [from, to) in the word that begins with `base`.
  static std::uint64_t within(int base, int from, int to) {
    std::uint64_t all = ~std::uint64_t{0};
    if (base < from) all &= all << (from - base);
    if (to - base < 64) all &= (std::uint64_t{1} << (to - base)) - 1;
    return all;
  }
  MASLIN_ATOMIC<std::uint64_t>& at(int worker) { return words_[static_cast<std::size_t>(worker / 64)].bits; }
  const MASLIN_ATOMIC<std::uint64_t>& at(int worker) const {
    return words_[static_cast<std::size_t>(worker / 64)].bits;
  }

  std::unique_ptr<word[]> words_;
};

}  // namespace maslin
