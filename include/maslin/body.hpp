#pragma once
// Bodies: the functions that calls of Maslin are given.

#include <functional>
#include <memory>
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

/// The address by which a call passes a body on, and the body there. It may be a function.
template <class Body>
void* address_of(Body& body) noexcept {
  if constexpr (std::is_function_v<Body>)
    return reinterpret_cast<void*>(&body);
  else
    return const_cast<void*>(static_cast<const void*>(std::addressof(body)));
}
template <class Body>
Body& body_at(void* address) noexcept {
  if constexpr (std::is_function_v<Body>)
    return *reinterpret_cast<Body*>(address);
  else
    return *static_cast<Body*>(address);
}

}  // namespace maslin::detail
