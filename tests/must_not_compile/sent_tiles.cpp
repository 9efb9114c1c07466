// The compiler says: the elements of a message lie side by side
#include <maslin/ranks.hpp>

#include <span>
#include <vector>

namespace ms = maslin;

void program(ms::communicator& world, std::vector<double>& x) {
  ms::tile<double> part{x.data(), 2, 2, 4};
#if WRONG == 1
  world.send(part, 0);
#elif WRONG == 2
  world.start_receive(part).wait();
#elif WRONG == 3
  world.start_send(ms::tile<double>{x.data(), 2, 2, 4}, 0).wait();
#else
  world.send(std::span(x).first(2), 0);
#endif
  (void)part;
}
