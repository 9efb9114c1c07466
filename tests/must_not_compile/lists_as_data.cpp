// The compiler says: This names a list of accesses, not data
#include <maslin/maslin.hpp>

#include <vector>

namespace ms = maslin;

void program(std::vector<decltype(ms::out(std::declval<double&>()))>& list, double& x) {
#if WRONG == 1
  ms::wait_on(list);
#elif WRONG == 2
  ms::task([](auto) {}, ms::in(list));
#else
  ms::wait_on(x);
  ms::wait_on(ms::in(x));
  ms::task([](auto) {}, list);
#endif
}
