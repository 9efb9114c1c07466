// Two loops of 256 blocks: a block of the first takes as many microseconds as the argument says, one of the second 20.

#include <maslin/maslin.hpp>

#include <chrono>
#include <cstdlib>

namespace ms = maslin;
using std::chrono::microseconds;

int main(int count, char** words) {
  const microseconds each(count > 1 ? std::atoi(words[1]) : 20);
  ms::parallel_for(0, 256, [=](ms::range) { ms::cost(each); });
  ms::parallel_for(0, 256, [](ms::range) { ms::cost(microseconds(20)); });
}
