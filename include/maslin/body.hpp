#pragma once
// Bodies: the functions that calls of Maslin are given.

#include <cstddef>
#include <type_traits>

#include "maslin/api.hpp"
#include "maslin/location.hpp"

namespace maslin::detail {

MASLIN_API [[noreturn]] void throw_empty_body(const char* call, location where);

/// Throws `error` where the body is a null pointer or an empty std::function.
template <class Body>
void expect_body(const Body& body, const char* call, location where) {
  constexpr bool may_be_empty = std::is_pointer_v<Body> ||
                                (std::is_constructible_v<Body, std::nullptr_t> && std::is_constructible_v<bool, Body&>);
  if constexpr (may_be_empty)
    if (!body) [[unlikely]]
      throw_empty_body(call, where);
}

}  // namespace maslin::detail
