// Two loops of 256 blocks: a block of the first takes as many microseconds as the first argument says, and moves as
// many bytes as the second says; one of the second loop takes 20, and says nothing of what it moves.

#include <maslin/maslin.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ms = maslin;
using std::chrono::microseconds;

int main(int count, char** words) {
  const microseconds each(count > 1 ? std::atoi(words[1]) : 20);
  const std::int64_t bytes = count > 2 ? std::atoll(words[2]) : 0;
  ms::parallel_for(0, 256, [=](ms::range) {
    if (bytes > 0) ms::memory_traffic(bytes);
    ms::cost(each);
  });
  ms::parallel_for(0, 256, [](ms::range) { ms::cost(microseconds(20)); });
  std::printf("%.9f\n", ms::time().count());
}
