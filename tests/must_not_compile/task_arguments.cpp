// The compiler says: The body of a task does not take what the call passes.
#include <maslin/maslin.hpp>

#include <memory>
#include <vector>

namespace ms = maslin;

void scale(ms::view<const double> from, double by, ms::view<double> to);

void program(std::vector<double>& x, std::vector<double>& y, ms::group& group) {
#if WRONG == 1
  ms::task(scale, ms::in(x), ms::out(y));
#elif WRONG == 2
  ms::task(scale, ms::in(x), 2.0, ms::out(y), 3);
#elif WRONG == 3
  ms::task([](ms::view<double>) {}, ms::in(x));
#elif WRONG == 4
  ms::task([](int) {});
#elif WRONG == 5
  group.task([] {}, ms::inout(x));
#elif WRONG == 6
  ms::task([](ms::view<const double>, ms::priority) {}, ms::in(x), ms::priority{1});
#elif WRONG == 7
  ms::task(x);
#elif WRONG == 8
  ms::task([](std::unique_ptr<int>) {}, std::make_unique<int>(3));
#else
  ms::task(scale, ms::in(x), 2.0, ms::out(y));
  ms::task(scale, ms::in(x), 2, ms::out(y), ms::priority{1});
  ms::task([](ms::view<const double>) {}, ms::inout(x));
  group.task([](auto...) {}, ms::inout(x), 1, ms::priority{1});
  group.task([] {});
#endif
}
