// The compiler says: This starts to send or to receive a temporary object, which is gone when the call has returned.
#include <maslin/ranks.hpp>

#include <array>
#include <span>
#include <vector>

namespace ms = maslin;

std::vector<double> make();

void program(ms::communicator& world, std::vector<double>& x, int number) {
#if WRONG == 1
  world.start_send(number + 1, 0).wait();
#elif WRONG == 2
  world.start_send(make(), 0).wait();
#elif WRONG == 3
  world.start_receive(std::array<double, 3>{}).wait();
#elif WRONG == 4
  world.start_receive(std::move(x)).wait();
#else
  const std::vector<double> fixed = make();
  world.start_send(number, 0).wait();
  world.start_send(fixed, 0).wait();
  world.start_send(std::span(x).first(2), 0).wait();
  world.start_receive(x).wait();
  world.start_receive(std::span(x)).wait();
  world.send(number + 1, 0);
#endif
}
