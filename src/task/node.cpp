#include "task/node.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "maslin/error.hpp"
#include "task/pool.hpp"

namespace maslin::detail {

static_assert(sizeof(task_node) + 3 * sizeof(access_record) <= 224, "a task with three accesses has 256 bytes");

namespace {

constexpr std::size_t most = 0xffff;  // of accesses, and of granules
constexpr std::size_t most_bytes = most * task_node::granule;

/// So large a block is taken without another look. None is while blocks have room for `birth`: then there is no second
/// question where there are no local stores.
std::atomic<std::size_t> largest_plain{most_bytes};

/// `bytes`: the node, its records, and what the callable takes wherever it begins. `birth`: its own, or none.
[[gnu::always_inline]] inline task_storage take_block(std::size_t bytes, std::size_t alignment, std::size_t accesses,
                                                      std::size_t birth) {
  const std::size_t whole = (bytes + birth + task_node::granule - 1) / task_node::granule * task_node::granule;
  auto* node = static_cast<char*>(pool::take(whole));
  const std::size_t front = sizeof(task_node) + accesses * sizeof(access_record);
  const auto end = reinterpret_cast<std::uintptr_t>(node) + front;
  return {node, reinterpret_cast<access_record*>(node + sizeof(task_node)),
          node + ((end + alignment - 1) / alignment * alignment - reinterpret_cast<std::uintptr_t>(node)),
          static_cast<std::uint32_t>(whole + birth)};
}

[[gnu::noinline, gnu::cold]] task_storage take_other_block(std::size_t callable, std::size_t alignment,
                                                           std::size_t accesses, std::size_t bytes) {
  if (accesses > most || bytes + task_node::birth_bytes > most_bytes)
    throw error("a task with " + std::to_string(accesses) + " accesses and " + std::to_string(callable) +
                " bytes of arguments: expected at most a mebibyte in all; pass large data by an access");
  return take_block(bytes, alignment, accesses, task_node::birth_bytes);
}

}  // namespace

void set_room_for_birth(bool on) noexcept { largest_plain.store(on ? 0 : most_bytes, std::memory_order_relaxed); }

task_storage new_task_storage(std::size_t bytes, std::size_t alignment, std::size_t accesses) {
  // The node is aligned as operator new aligns; the callable lies at the next address that suits it.
  const std::size_t slack = alignment > alignof(task_node) ? alignment : 0;
  const std::size_t all = sizeof(task_node) + accesses * sizeof(access_record) + slack + bytes;
  if (accesses > most || all > largest_plain.load(std::memory_order_relaxed)) [[unlikely]]
    return take_other_block(bytes, alignment, accesses, all);
  return take_block(all, alignment, accesses, 0);
}

void discard_task(const task_storage& storage) noexcept {
  pool::give(storage.node, storage.bytes / task_node::granule * task_node::granule);
}

}  // namespace maslin::detail
