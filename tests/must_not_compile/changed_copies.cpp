// The compiler says: The body of a task takes an argument by a reference that is not const
#include <maslin/maslin.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace ms = maslin;

void add_one(std::vector<int>& x);

void program(int& count, std::vector<int>& x, ms::group& group) {
#if WRONG == 1
  ms::task([](int& n) { ++n; }, count);
#elif WRONG == 2
  ms::task(add_one, x);
#elif WRONG == 3
  group.task([](ms::view<const int>, int& n) { ++n; }, ms::in(x), 3);
#else
  (void)group;
  ms::task([](int n) { return n; }, count);
  ms::task([](const int& n) { return n; }, count);
  ms::task([](int* n) { ++*n; }, &count);
  ms::task([](int& n) { ++n; }, std::ref(count));
  ms::task(add_one, std::ref(x));
  ms::task([](auto n) { ++n; }, count);
  ms::task([](const auto& n) { return n; }, count);
  ms::task([](ms::view<int> n) { ++n[0]; }, ms::inout(count));
  ms::task([](const std::unique_ptr<int>& n) { ++*n; }, std::make_unique<int>(3));
#endif
}
