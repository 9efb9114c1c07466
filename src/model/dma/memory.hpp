#pragma once
// Main memory behind the caches: banks, each with one page open. An access to the open page is a page hit; another
// one opens its page.

#include <cstdint>
#include <vector>

#include "model/dma/operation.hpp"

namespace maslin::dma {

class memory {
 public:
  explicit memory(const parameters& p)
      : by_(p.banks_by),
        banks_(static_cast<std::uint64_t>(p.banks)),
        packets_a_page_(p.page_bytes / p.packet_bytes),
        open_(banks_, none) {}

  /// The packet of that number (its address divided by the packet's bytes) is read or written.
  void access(std::uint64_t packet) {
    const auto [bank, page] = place_of(packet);
    if (open_[bank] == page) {
      ++hits_;
    } else {
      ++misses_;
      open_[bank] = page;
    }
  }

  std::uint64_t page_hits() const { return hits_; }
  std::uint64_t page_misses() const { return misses_; }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  struct place {
    std::uint64_t bank;
    std::uint64_t page;  ///< within the bank
  };

  place place_of(std::uint64_t packet) const {
    if (by_ == interleaving::packets) return {packet % banks_, packet / banks_ / packets_a_page_};
    const std::uint64_t page = packet / packets_a_page_;
    const std::uint64_t row = page / banks_;
    return {by_ == interleaving::pages ? page % banks_ : (page ^ row) % banks_, row};
  }

  interleaving by_;
  std::uint64_t banks_;
  std::uint64_t packets_a_page_;
  std::vector<std::uint64_t> open_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace maslin::dma
