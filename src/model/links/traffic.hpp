#pragma once
// Messages on hops: who comes first passes first. Callers ask in the order of time.

#include <cstdint>
#include <vector>

#include "model/links/network.hpp"

namespace maslin::links {

/// What receivers put into the sender's store or their host's queue, and senders behind the data.
constexpr std::int64_t descriptor_bytes = 64, flag_bytes = 4;

class traffic {
 public:
  explicit traffic(const network& on);

  /// Gives when a message that comes to the worker's instance at `now` has passed it.
  std::int64_t pass_out(std::uint32_t hop, std::uint32_t worker, std::int64_t bytes, std::int64_t now) {
    return pass(hop, out_, worker, bytes, now);
  }
  std::int64_t pass_in(std::uint32_t hop, std::uint32_t worker, std::int64_t bytes, std::int64_t now) {
    return pass(hop, in_, worker, bytes, now);
  }
  /// Gives when it has passed all hops of the route that both ends have. Its first byte is on the next hop while its
  /// last is still before the first.
  std::int64_t cross(const route& way, std::uint32_t from, std::uint32_t to, std::int64_t bytes, std::int64_t now);

 private:
  using instances = std::vector<std::vector<std::int64_t>>;  ///< by hop; when each is free
  std::int64_t pass(std::uint32_t hop, instances& of, std::uint32_t worker, std::int64_t bytes, std::int64_t now);

  const network& on_;
  instances out_, in_;
};

}  // namespace maslin::links
