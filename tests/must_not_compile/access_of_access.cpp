// The compiler says: An access names another access.
#include <maslin/maslin.hpp>

#include <vector>

namespace ms = maslin;

void program(std::vector<double>& x) {
#if WRONG == 1
  ms::task([](auto) {}, ms::in(ms::in(x)));
#elif WRONG == 2
  auto of_x = ms::inout(x);
  ms::task([](auto) {}, ms::inout(of_x));
#else
  const auto of_x = ms::inout(x);
  ms::task([](auto) {}, of_x);
#endif
}
