#pragma once
// Arrays for the kernels: aligned to cache lines, of a size that is set once.

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace phylo {

/// An array, 64-byte aligned: zeros, or whatever was there, which costs nothing where it is never used.
template <class T>
class Buffer {
  static_assert(std::is_trivial_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : Buffer(size, undefined) {
    if (size > 0) std::memset(static_cast<void*>(data_.get()), 0, size * sizeof(T));
  }
  struct Undefined {};
  static constexpr Undefined undefined{};
  Buffer(std::size_t size, Undefined) : size_(size) {
    const std::size_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<T*>(::operator new (bytes, std::align_val_t{alignment})));
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t alignment = 64;
  struct Release {
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{alignment}); }
  };
  std::unique_ptr<T[], Release> data_;
  std::size_t size_ = 0;
};

}  // namespace phylo
