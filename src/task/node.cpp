#include "task/node.hpp"

#include <cstddef>
#include <new>
#include <utility>

namespace maslin {

namespace detail {

task_storage new_task_storage(std::size_t bytes, std::size_t alignment) {
  // The node is aligned as operator new aligns; the callable lies at the next address that suits it.
  const std::size_t slack = alignment > alignof(std::max_align_t) ? alignment : 0;
  auto* node = static_cast<char*>(::operator new(sizeof(task_node) + bytes + slack + alignof(std::max_align_t)));
  const auto end = reinterpret_cast<std::uintptr_t>(node) + sizeof(task_node);
  return {node, node + ((end + alignment - 1) / alignment * alignment - reinterpret_cast<std::uintptr_t>(node))};
}

void discard_task(task_storage storage) noexcept { ::operator delete(storage.node); }

}  // namespace detail

namespace {

/// Takes a finished task off its scope, and every ancestor that was only waiting for it.
void finish(detail::task_node* task) noexcept {
  while (task) {
    scope* in = task->in;
    if (task->children.has_errors()) in->add_errors(task->place, task->children.take_errors());
    task->~task_node();
    detail::discard_task({task, nullptr});
    // Read before leaving: the scope may be gone afterwards, unless this was the last that kept its owner.
    detail::task_node* owner = in->owner();
    task = in->leave() ? owner : nullptr;
  }
}

}  // namespace

void run_task(detail::task_node* task) noexcept {
  {
    context here(task->children);
    here.stream = task->stream;
    entered in(here);
    try {
      task->run(task->callable);
    } catch (...) {
      // After everything that the body had created before it threw.
      task->children.add_error(~std::uint64_t{0}, std::current_exception());
    }
  }
  if (task->children.leave()) finish(task);
}

}  // namespace maslin
