#pragma once
// Memory of objects that come and go in great numbers.

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace mpi {

/// An allocator that uses the memory of objects which are gone again. It is the rank's own, as its program is.
template <class T>
struct recycled {
  using value_type = T;

  recycled() = default;
  template <class Other>
  explicit(false) recycled(const recycled<Other>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count != 1 || free.empty()) return std::allocator<T>().allocate(count);
    T* const one = free.back();
    free.pop_back();
    return one;
  }
  void deallocate(T* at, std::size_t count) noexcept {
    if (count != 1 || free.size() == most) return std::allocator<T>().deallocate(at, count);
    free.push_back(at);  // there is room
  }
  template <class Other>
  bool operator==(const recycled<Other>&) const noexcept {
    return true;
  }

 private:
#ifdef __SANITIZE_ADDRESS__
  static constexpr std::size_t most = 0;  // it sees their lives
#else
  static constexpr std::size_t most = 256;
#endif
  // Exit handlers and destructors of the program may use it, so it has no destructor.
  alignas(std::vector<T*>) static inline std::byte place[sizeof(std::vector<T*>)];
  static inline std::vector<T*>& free = *[] {
    auto* const made = new (place) std::vector<T*>;
    made->reserve(most);
    return made;
  }();
};

}  // namespace mpi
