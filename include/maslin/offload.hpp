#pragma once
// Kernels that a stream hands to accelerator workers. On a machine with CPU cores only, an off-load of width 1 is a
// direct call and a wider one is a team loop in which the caller takes part (DESIGN section 8).

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "maslin/access.hpp"
#include "maslin/api.hpp"
#include "maslin/body.hpp"

namespace maslin {

namespace detail {
/// Gives the number under which kernels of that name are counted; the same name gives the same number.
MASLIN_API std::uint32_t register_kernel(const char* name);
/// Runs `call(env)` as one off-load of that kernel: it may suspend the calling stream, before and meanwhile, and the
/// stream may continue on another worker. Its time counts towards the phase's throughput.
MASLIN_API void run_offload(std::uint32_t kernel, void (*call)(void*), void* env);
}  // namespace detail

/// A named function that streams off-load. Make it once, at namespace scope: `const ms::kernel newview{"newview",
/// body};`
template <class Body>
class kernel {
 public:
  /// `name` must outlive the program (a literal): it stands in traces and reports. Throws `error` for a name that is
  /// null and for an empty function.
  kernel(const char* name, Body function, location where = location::current())
      : body_(std::move(function)), id_(detail::register_kernel(name)) {
    detail::expect_body(body_, "kernel", where);
  }

  const Body& body() const { return body_; }  ///< the function
  std::uint32_t id() const { return id_; }    ///< the number under which it is counted

 private:
  Body body_;
  std::uint32_t id_;
};

/// Runs the kernel with the given accesses and arguments and gives what its body returns. The caller's stream is
/// suspended meanwhile where accelerator workers exist. Accesses arrive as views, other arguments as const references.
/// Loops in the body are shared by the stream's team. What the body throws comes out here.
template <class Body, class... Arguments>
auto offload(const kernel<Body>& k, const Arguments&... arguments) {
  using result = std::invoke_result_t<const Body&, decltype(detail::as_argument(arguments))...>;
  if constexpr (std::is_void_v<result>) {
    auto call = [&] { k.body()(detail::as_argument(arguments)...); };
    detail::run_offload(
        k.id(), [](void* env) { (*static_cast<decltype(call)*>(env))(); }, &call);
  } else {
    std::optional<result> value;
    auto call = [&] { value.emplace(k.body()(detail::as_argument(arguments)...)); };
    detail::run_offload(
        k.id(), [](void* env) { (*static_cast<decltype(call)*>(env))(); }, &call);
    return result(std::move(*value));
  }
}

}  // namespace maslin
