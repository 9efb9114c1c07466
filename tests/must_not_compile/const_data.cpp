// The compiler says: An access says that the task writes data that are const.
#include <maslin/maslin.hpp>

#include <vector>

namespace ms = maslin;

void program(const std::vector<double>& x, ms::tile<const double> t) {
#if WRONG == 1
  ms::task([](ms::view<const double>) {}, ms::out(x));
#elif WRONG == 2
  ms::task([](ms::tile<const double>) {}, ms::inout(t));
#elif WRONG == 3
  ms::task([](ms::view<const double>) {}, ms::concurrent(x.data(), 3));
#else
  ms::task([](ms::view<const double>) {}, ms::in(x));
  ms::task([](ms::tile<const double>) {}, ms::in(t));
#endif
}
