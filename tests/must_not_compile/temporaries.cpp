// The compiler says: An access names a temporary object, which is gone when the task runs.
#include <maslin/maslin.hpp>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

namespace ms = maslin;

std::vector<double> make();
ms::view<double> part_of(std::vector<double>& x);

void reads(ms::view<const double>);
void writes(ms::view<double>);
void factor(ms::tile<double>);

void program(std::vector<double>& x, const std::vector<double>& y, double* pointer) {
#if WRONG == 1
  ms::task(reads, ms::in(make()));
#elif WRONG == 2
  ms::task(writes, ms::out(make()));
#elif WRONG == 3
  ms::task([](ms::view<std::unique_ptr<double> >) {}, ms::inout(std::make_unique<double>(1.0)));
#elif WRONG == 4
  ms::task(writes, ms::concurrent(std::array<double, 3>{}));
#elif WRONG == 5
  ms::task(writes, ms::reduction(3.0));
#elif WRONG == 6
  ms::task([](ms::view<double* const>) {}, ms::in(x.data()));
#elif WRONG == 7
  ms::task(reads, ms::in(std::move(x)));
#elif WRONG == 8
  ms::wait_on(make());
#elif WRONG == 9
  std::vector<bool> flags(3);
  ms::task([](const auto&) {}, ms::in(flags[1]));
#else
  double plain[3] = {};
  const std::vector<bool> flags(3);
  ms::task(reads, ms::in(x));
  ms::task(reads, ms::in(y));
  ms::task(reads, ms::in(x[1]));
  ms::task(reads, ms::in(plain));
  ms::task(reads, ms::in(std::span(y)));
  ms::task(reads, ms::in(ms::view<const double>(pointer, 3)));
  ms::task(reads, ms::in(part_of(x)));
  ms::task(reads, ms::in(pointer, 3));
  ms::task(reads, ms::in(x.data(), x.size()));
  ms::task([](ms::view<const char>) {}, ms::in(std::string_view("text")));
  ms::task([](ms::view<const std::vector<bool> >) {}, ms::in(flags));
  ms::task(writes, ms::out(std::span(x).subspan(1)));
  ms::task(writes, ms::inout(part_of(x)));
  ms::task(writes, ms::concurrent(pointer, 1));
  ms::task(writes, ms::reduction(std::span(x)));
  ms::task(factor, ms::inout(ms::tile<double>{pointer, 1, 1, 1}));
  ms::task([](ms::tile<const double>) {}, ms::in(ms::tile<const double>{pointer, 1, 1, 1}));
  ms::wait_on(part_of(x));
  ms::wait_on(y);
  ms::wait_on(ms::in(y));
#endif
}
