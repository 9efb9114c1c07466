// The blocks of tasks: what lies in them, one thing beside the other.

#include "task/node.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "maslin/error.hpp"

namespace {

using namespace maslin;
using detail::task_node;
using detail::task_storage;

constexpr std::size_t largest = 0xffff * task_node::granule;

task_node& make(scope& in, const task_storage& storage, std::uint32_t accesses) {
  detail::task_description what{};
  what.access_count = accesses;
  return *new (storage.node) task_node(in, 0, nullptr, storage, what);
}

TEST(TaskBlock, HasRoomForABirthBehindTheCallableWhereThereAreLocalStores) {
  for (const bool stores : {false, true}) {
    detail::set_room_for_birth(stores);
    for (std::size_t accesses = 0; accesses < 4; ++accesses)
      for (std::size_t alignment = 1; alignment <= 256; alignment *= 2)
        for (std::size_t bytes = alignment; bytes < 5 * alignment; bytes += alignment) {
          scope members{nullptr};
          const task_storage storage = detail::new_task_storage(bytes, alignment, accesses);
          task_node& task = make(members, storage, static_cast<std::uint32_t>(accesses));
          const auto end = reinterpret_cast<std::uintptr_t>(storage.node) + task.granules * task_node::granule;
          const auto callable = reinterpret_cast<std::uintptr_t>(storage.callable);
          ASSERT_EQ(callable % alignment, 0u);
          ASSERT_GE(storage.callable, static_cast<void*>(task.records() + accesses));
          ASSERT_EQ(task.has_birth, stores);
          ASSERT_LE(callable + bytes, stores ? reinterpret_cast<std::uintptr_t>(&task.birth()) : end);
          ASSERT_LE(reinterpret_cast<std::uintptr_t>(&task.birth() + 1), end);
          task.~task_node();
          detail::discard_task(storage);
        }
  }
  detail::set_room_for_birth(false);
}

TEST(TaskBlock, IsAMebibyteAtMostWithABirthOrWithout) {
  for (const bool stores : {false, true}) {
    detail::set_room_for_birth(stores);
    const std::size_t rest = largest - sizeof(task_node) - (stores ? task_node::birth_bytes : 0);
    detail::discard_task(detail::new_task_storage(rest, 1, 0));
    EXPECT_THROW(detail::new_task_storage(rest + 1, 1, 0), error);
  }
  detail::set_room_for_birth(false);
}

}  // namespace
