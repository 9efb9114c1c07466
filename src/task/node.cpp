#include "task/node.hpp"

#include <cstddef>
#include <string>

#include "maslin/error.hpp"
#include "task/pool.hpp"

namespace maslin::detail {

static_assert(sizeof(task_node) + 3 * sizeof(access_record) <= 224, "a task with three accesses has 256 bytes");

namespace {
constexpr std::size_t most = 0xffff;  // of accesses, and of granules
}

task_storage new_task_storage(std::size_t bytes, std::size_t alignment, std::size_t accesses) {
  // The node is aligned as operator new aligns; the callable lies at the next address that suits it.
  const std::size_t front = sizeof(task_node) + accesses * sizeof(access_record);
  const std::size_t slack = alignment > alignof(task_node) ? alignment : 0;
  if (accesses > most || front + slack + bytes > most * task_node::granule)
    throw error("a task with " + std::to_string(accesses) + " accesses and " + std::to_string(bytes) +
                " bytes of arguments: expected at most a mebibyte in all; pass large data by an access");
  const std::size_t whole = (front + slack + bytes + task_node::granule - 1) / task_node::granule * task_node::granule;
  auto* node = static_cast<char*>(pool::take(whole));
  const auto end = reinterpret_cast<std::uintptr_t>(node) + front;
  return {node, reinterpret_cast<access_record*>(node + sizeof(task_node)),
          node + ((end + alignment - 1) / alignment * alignment - reinterpret_cast<std::uintptr_t>(node)),
          static_cast<std::uint32_t>(whole)};
}

void discard_task(const task_storage& storage) noexcept { pool::give(storage.node, storage.bytes); }

}  // namespace maslin::detail
