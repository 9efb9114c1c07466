#pragma once
// Numbers that stand for objects.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mpi {

/// Objects by their handles. Handle 0 is none.
template <class T>
class handles {
 public:
  /// Adds one that stays until `clear`: who keeps it beyond its handle counts nothing.
  int add_for_good(std::shared_ptr<T> object) {
    T* const it = object.get();
    for_good_.push_back(std::move(object));
    return add(std::shared_ptr<T>(std::shared_ptr<T>(), it));
  }
  int add(std::shared_ptr<T> object) {
    if (!free_.empty()) {
      const int handle = free_.back();
      free_.pop_back();
      all_[static_cast<std::size_t>(handle)] = std::move(object);
      return handle;
    }
    if (all_.empty()) all_.emplace_back();
    all_.push_back(std::move(object));
    return static_cast<int>(all_.size()) - 1;
  }
  /// Gives null where the handle stands for nothing.
  T* find(int handle) const noexcept {
    return handle > 0 && static_cast<std::size_t>(handle) < all_.size() ? all_[static_cast<std::size_t>(handle)].get()
                                                                        : nullptr;
  }
  /// Gives the object's handle; 0 where none stands for it.
  int handle_of(const T* object) const noexcept {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [object](const auto& one) { return one && one.get() == object; });
    return found == all_.end() ? 0 : static_cast<int>(found - all_.begin());
  }
  /// The object, to be kept beyond its handle.
  const std::shared_ptr<T>& keep(int handle) const noexcept { return all_[static_cast<std::size_t>(handle)]; }
  /// The object, which is the caller's from now on; its handle stands for nothing.
  std::shared_ptr<T> take(int handle) {
    std::shared_ptr<T> taken = std::move(all_[static_cast<std::size_t>(handle)]);
    free_.push_back(handle);
    return taken;
  }
  void remove(int handle) {
    all_[static_cast<std::size_t>(handle)].reset();
    free_.push_back(handle);
  }
  void clear() {
    all_.clear();
    free_.clear();
    for_good_.clear();
  }
  template <class Some>
  void each(Some&& some) {
    for (auto& one : all_)
      if (one) some(*one);
  }

 private:
  std::vector<std::shared_ptr<T>> all_;
  std::vector<int> free_;
  std::vector<std::shared_ptr<T>> for_good_;
};

}  // namespace mpi
