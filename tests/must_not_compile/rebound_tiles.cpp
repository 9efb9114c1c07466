// The compiler says: only a contiguous range or one object can be replaced
#include <maslin/maslin.hpp>

#include <vector>

namespace ms = maslin;

void program(ms::recording& tasks, std::vector<double>& x, std::vector<double>& y) {
  ms::tile<double> here{x.data(), 2, 2, 4}, there{y.data(), 2, 2, 4};
  double *at = x.data(), *to = y.data();
#if WRONG == 1
  ms::replay(tasks, ms::rebind(here, there));
#elif WRONG == 2
  ms::replay(tasks, ms::rebind(at, to));
#else
  ms::replay(tasks, ms::rebind(x, y));
#endif
  (void)here, (void)there, (void)at, (void)to;
}
