// Any bytes as a described machine: a machine or an `error`, nothing else.

#include <cstdint>

#include "fuzz/input_file.hpp"
#include "maslin/error.hpp"
#include "maslin/machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static input_file file;
  try {
    const auto machine = maslin::machine::read_spec(file.holding(data, size));
    if (machine.workers.count < 1 || machine.nodes < 1) std::abort();  // the reader promised to refuse it
  } catch (const maslin::error&) {
  }
  return 0;
}
