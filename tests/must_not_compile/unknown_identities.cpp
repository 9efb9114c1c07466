// The compiler says: Say what the identity is: specialize maslin::identity_of.
#include <maslin/maslin.hpp>

#include <chrono>

namespace ms = maslin;

struct cost {
  double seconds;
  friend bool operator<(const cost& a, const cost& b) { return a.seconds < b.seconds; }
};
struct known : cost {};
template <>
struct maslin::identity_of<ms::minimum, known> {
  static constexpr known value{1e300};
};

void program([[maybe_unused]] std::chrono::nanoseconds& best, [[maybe_unused]] cost& least, double& number,
             known& said) {
  const auto body = [](auto) {};
#if WRONG == 1
  ms::task(body, ms::reduction<ms::minimum>(best));
#elif WRONG == 2
  ms::task(body, ms::reduction<ms::maximum>(best));
#elif WRONG == 3
  ms::task(body, ms::reduction<ms::minimum>(least));
#else
  ms::task([](ms::view<double>) {}, ms::reduction<ms::minimum>(number));
  ms::task([](ms::view<known>) {}, ms::reduction<ms::minimum>(said));
#endif
  (void)body;
}
