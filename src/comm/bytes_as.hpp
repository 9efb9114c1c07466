#pragma once
// Messages of bytes that say which number they begin with: what a library of another interface than Maslin's sends.

#include <cstddef>
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

}  // namespace maslin::detail
