#pragma once
// Bodies: the functions that calls of Maslin are given.

#include <functional>
#include <type_traits>

#include "maslin/api.hpp"
#include "maslin/location.hpp"

namespace maslin::detail {

MASLIN_API [[noreturn]] void throw_empty_body(const char* call, location where);

template <class Body>
constexpr bool is_function = false;
template <class Signature>
inline constexpr bool is_function<std::function<Signature>> = true;

/// Throws `error` where the body is a null pointer or an empty std::function.
template <class Body>
void expect_body(const Body& body, const char* call, location where) {
  if constexpr (std::is_pointer_v<Body> || std::is_member_pointer_v<Body> || is_function<Body>)
    if (!body) [[unlikely]]
      throw_empty_body(call, where);
}

}  // namespace maslin::detail
