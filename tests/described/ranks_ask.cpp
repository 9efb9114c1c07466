// Ranks that compute for declared times and exchange messages of all kinds; what a replay of them takes on links can be
// worked out by hand.
//
//     ranks_ask exchange|overlap|tasks|loops|unequal|phases|twice|later

#include <maslin/maslin.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

/// A long message from rank 0 to rank 3, which comes 300 us later; then all meet.
void exchange(ms::communicator& world) {
  std::vector<std::byte> data(1'000'000);
  ms::cost(100us * (world.rank() + 1));
  if (world.rank() == 0) world.send(data, 3, 7);
  if (world.rank() == 3) world.receive(data, ms::any_source, ms::any_tag);
  world.all_reduce(1.0, std::plus{});
}

/// Messages of two tags that are received in the other order, beside what ranks 0 and 1 compute.
void overlap(ms::communicator& world) {
  std::vector<double> first(1000, 1), second(2000, 2);
  if (world.rank() == 0) {
    std::array sent{world.start_send(first, 2, 1), world.start_synchronous_send(second, 2, 2)};
    ms::cost(50us);
    for (ms::request& one : sent) one.wait();
  } else if (world.rank() == 2) {
    ms::request late = world.start_receive(second, 0, 2);
    ms::request never = world.start_receive(first, 1, 5);
    never.cancel();
    ms::cost(20us);
    world.receive(first, 0, 1);
    late.wait();
  }
}

}  // namespace

int main(int, char** words) {
  const std::string what = words[1];
  if (what == "later") ms::parallel_for(0, 100, [](ms::range) { ms::cost(1us); });
  ms::ranks(4, [&](ms::communicator& world) {
    if (what == "overlap") return overlap(world);
    if (what == "tasks") {
      ms::task([] { ms::cost(1ms); });
      ms::wait();
    }
    if (what == "loops") ms::parallel_for(0, 100, [](ms::range some) { ms::cost(10us * (some.last - some.first)); });
    if (what == "unequal")
      for (const auto each : {5us, 15us})
        ms::parallel_for(0, 100, [=](ms::range some) { ms::cost(each * (some.last - some.first)); });
    if (what == "phases") ms::phase("phase", 2, [](int) { ms::cost(1us); });
    exchange(world);
  });
  if (what == "twice") ms::ranks(4, exchange);
}
