#pragma once
// What a library of another interface than Maslin's sends: messages of bytes that say which number they begin with. It
// has requests of its own, so where a message has gone or come at once it needs none of Maslin's.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <typeinfo>

#include "maslin/error.hpp"
#include "maslin/ranks.hpp"

namespace maslin::comm {

/// Bytes that begin with a number of that type; void: with anything. They are received as such.
struct bytes_as {
  std::byte* data;
  std::size_t extent;
  const std::type_info* type;
};

/// A message has elements of another type than the receive that took it.
struct other_elements : error {
  using error::error;
};

}  // namespace maslin::comm

namespace maslin::detail {

template <>
inline elements elements_of(comm::bytes_as& some) {
  return {some.data, some.extent, 1, some.type};
}
template <>
inline elements elements_of(const comm::bytes_as& some) {
  return {some.data, some.extent, 1, some.type};
}

/// `communicator::start_send` of a message that goes at once: gives the number by which it can be taken back; there is
/// nothing to wait for. 0: nothing was sent.
MASLIN_API std::uint64_t send_at_once(communicator& in, const elements& data, int to, int tag, location where);
/// `request::cancel` of what `send_at_once` has sent to that rank.
MASLIN_API bool take_back(communicator& in, int to, std::uint64_t number, location where);
/// `communicator::start_receive`; where the message is there, and nothing is wrong with it, it is received, and there
/// is no request: then it gives what has come.
MASLIN_API std::optional<request> receive_if_there(communicator& in, const elements& into, int from, int tag,
                                                   location where, message& came);
/// Is the request a message that has gone or come, and nothing is wrong with it? Then it gives what `wait` gives, and
/// the request is empty.
MASLIN_API bool take_complete(request& one, message& came) noexcept;

}  // namespace maslin::detail
