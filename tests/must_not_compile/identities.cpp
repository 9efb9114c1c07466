// The compiler says: The identity of parallel_reduce has a type that cannot hold what the body gives
#include <maslin/maslin.hpp>

#include <complex>
#include <functional>

namespace ms = maslin;

double part(ms::range r);

double program() {
  double sum = 0;
#if WRONG == 1
  sum += ms::parallel_reduce(0, 100, 0, std::plus<>(), part);
#elif WRONG == 2
  sum += ms::parallel_reduce(0, 100, 0.0F, std::plus<>(), part);
#elif WRONG == 3
  sum += ms::parallel_reduce(0, 100, 0, std::plus<>(), [](ms::range r) { return r.size(); });
#elif WRONG == 4
  sum += ms::parallel_reduce(0, 100, std::int64_t{0}, std::plus<>(), part, ms::schedule::gss);
#else
  sum += ms::parallel_reduce(0, 100, 0.0, std::plus<>(), part);
  sum += ms::parallel_reduce(0, 100, 0.0, std::plus<>(), [](ms::range r) { return r.size(); });
  sum += ms::parallel_reduce(0, 100, 0, std::plus<>(), [](ms::range r) { return r.first == 3; });
  sum += ms::parallel_reduce(0, 100, std::size_t{0}, std::plus<>(), [](ms::range) { return 1; });
  sum += ms::parallel_reduce(0, 100, 0, std::plus<>(), [](ms::range&) { return 1U; });
  sum += ms::parallel_reduce(0, 100, std::complex<double>(), std::plus<>(), part).real();
#endif
  return sum;
}
