// Any bytes as a trace: events or an `error`, nothing else. The blocks' checksums are put right first, or no input
// would come behind them.

#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzz/input_file.hpp"
#include "maslin/error.hpp"
#include "maslin/trace.hpp"
#include "trace/format.hpp"

namespace {

void put_checksums_right(std::vector<unsigned char>& bytes) {
  using maslin::trace::internal::block_head;
  std::size_t at = maslin::trace::internal::preamble_bytes;
  while (bytes.size() >= at + sizeof(block_head)) {
    block_head head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    const std::size_t payload = at + sizeof head;
    if (head.bytes > bytes.size() - payload) return;
    head.checksum = maslin::trace::internal::checksum(head, bytes.data() + payload);
    std::memcpy(bytes.data() + at, &head, sizeof head);
    at = payload + head.bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static input_file file;
  std::vector<unsigned char> bytes(data, data + size);
  if (size % 8 != 0) put_checksums_right(bytes);  // some are left as they are
  try {
    const maslin::trace::file trace(file.holding(bytes.data(), bytes.size()));
    std::size_t named = 0;
    trace.each_event([&](const maslin::trace::event& e) { named += trace.name(e.id).size(); });
    if (named > SIZE_MAX / 2) std::abort();
  } catch (const maslin::error&) {
  }
  return 0;
}
