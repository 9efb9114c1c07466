#pragma once
// The tasks that a datum names: a few in place, more on the heap.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "graph/edges.hpp"

namespace maslin::graph {

/// Names its tasks; unnames them when they leave it.
class task_list {
 public:
  task_list() = default;
  ~task_list() { clear(); }
  task_list(task_list&& other) noexcept
      : count_(std::exchange(other.count_, 0)),
        capacity_(std::exchange(other.capacity_, near_count)),
        far_(std::move(other.far_)) {
    for (std::uint32_t i = 0; i < near_count; ++i) near_[i] = other.near_[i];
  }
  task_list& operator=(task_list&& other) noexcept {
    if (this != &other) {
      this->~task_list();
      new (this) task_list(std::move(other));
    }
    return *this;
  }

  bool empty() const { return count_ == 0; }
  std::uint32_t size() const { return count_; }
  detail::task_node** begin() { return far_ ? far_.get() : near_; }
  detail::task_node** end() { return begin() + count_; }

  /// Makes room for one more; drops those that are done (and did not fail) first. Throws std::bad_alloc.
  void reserve_one() {
    if (count_ < capacity_) return;
    drop_succeeded();
    if (count_ <= capacity_ / 2) return;
    auto larger = std::make_unique<detail::task_node*[]>(capacity_ * 2);
    for (std::uint32_t i = 0; i < count_; ++i) larger[i] = begin()[i];
    far_ = std::move(larger);
    capacity_ *= 2;
  }
  /// After `reserve_one`.
  void add(detail::task_node& task) noexcept {
    name(task);
    begin()[count_++] = &task;
  }
  void clear() noexcept {
    for (detail::task_node* task : *this) unname(*task);
    count_ = 0;
  }
  bool all_done() noexcept {
    return std::all_of(begin(), end(), [](detail::task_node* task) { return is_done(*task); });
  }
  /// Is what they wrote there, and none of it void?
  bool all_well_done() noexcept {
    return std::all_of(begin(), end(), [](detail::task_node* task) { return has_succeeded(*task); });
  }
  void drop_done() noexcept { drop_if(is_done); }
  /// Takes out those that are done, unless they failed: what those wrote is still void.
  void drop_succeeded() noexcept { drop_if(has_succeeded); }
  template <class Predicate>
  void drop_if(Predicate&& goes) noexcept {
    detail::task_node** all = begin();
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (goes(*all[i]))
        unname(*all[i]);
      else
        all[kept++] = all[i];
    }
    count_ = kept;
  }

 private:
  static bool has_succeeded(detail::task_node& task) noexcept {
    return is_done(task) && !(task.failed() && failed_for(task));
  }

  static constexpr std::uint32_t near_count = 2;

  detail::task_node* near_[near_count] = {};
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = near_count;
  std::unique_ptr<detail::task_node*[]> far_;
};

}  // namespace maslin::graph
