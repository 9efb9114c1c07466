#include "blocks.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "task/node.hpp"
#include "task/pool.hpp"

namespace maslin {

namespace {
std::set<void*> taken;
std::vector<void*> given;
}  // namespace

const std::set<void*>& taken_blocks() { return taken; }
void forget_given_blocks() {
  for (void* block : given) std::free(block);
  given.clear();
}

void pool::begin_thread() noexcept {}
void* pool::take(std::size_t bytes) {
  void* block = std::malloc(bytes);
  taken.insert(block);
  return block;
}
void pool::give(void* block, std::size_t bytes) noexcept {
  if (taken.erase(block) == 0) return explorer::fail("a block was given back twice");
  std::memset(block, 0, bytes);
  given.push_back(block);
}

detail::task_storage detail::new_task_storage(std::size_t bytes, std::size_t, std::size_t accesses) {
  const std::size_t front = sizeof(task_node) + accesses * sizeof(access_record);
  const std::size_t whole = (front + bytes + 15) / 16 * 16;
  auto* node = static_cast<char*>(pool::take(whole));
  return {node, reinterpret_cast<access_record*>(node + sizeof(task_node)), node + front,
          static_cast<std::uint32_t>(whole)};
}
void detail::discard_task(const task_storage& storage) noexcept { pool::give(storage.node, storage.bytes); }
void detail::set_room_for_birth(bool) noexcept {}  // there are no local stores here

}  // namespace maslin
