// A shared object with a Maslin of its own, as a plug-in or a Python package has it.

#include <atomic>
#include <memory>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {
std::unique_ptr<ms::Runtime> runtime;
}

extern "C" {

/// Starts this copy's runtime and uses it; gives 0 if that worked.
[[gnu::visibility("default")]] int begin(int workers) {
  runtime = std::make_unique<ms::Runtime>(ms::Runtime::options{.workers = workers, .serial = false});
  std::atomic<int> ran{0};
  ms::parallel_for(0, 100, [&](ms::range some) { ran += static_cast<int>(some.size()); });
  return ran == 100 ? 0 : 1;
}

[[gnu::visibility("default")]] void end() { runtime.reset(); }
}
