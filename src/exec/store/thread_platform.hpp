#pragma once
// The engine on CPU threads. With a seed it is an adversary: it does what the contract of `platform` lets it do.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "exec/store/platform.hpp"

namespace maslin::store {

class thread_platform {
 public:
  /// Without a seed each copy is made at once.
  explicit thread_platform(std::optional<std::uint64_t> seed)
      : is_adverse_(seed.has_value()), chance_(seed.value_or(0)) {}

  void get(void* to, const void* from, std::size_t bytes, tag t) noexcept;
  void get_from_peer(void* to, const void* from, std::size_t bytes, tag t) noexcept { get(to, from, bytes, t); }
  void put(void* to, const void* from, std::size_t bytes, tag t) noexcept { begin(to, from, bytes, t); }
  void wait(tag t) noexcept;
  bool is_adverse() const { return is_adverse_; }

 private:
  /// Copies are cut into such pieces: a packet of the Cell's bus.
  static constexpr std::size_t packet = 128;
  struct piece {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
    tag of;
  };
  void begin(void* to, const void* from, std::size_t bytes, tag t) noexcept;
  void copy_one() noexcept;

  bool is_adverse_;
  std::mt19937_64 chance_;
  std::vector<piece> pending_;
};
static_assert(platform<thread_platform>);

}  // namespace maslin::store
