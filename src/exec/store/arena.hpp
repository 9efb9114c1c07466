#pragma once
// The memory of a local store: so many bytes and no more.

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace maslin::store {

class arena {
 public:
  /// Where pieces begin: no element of a task's data asks for more.
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  explicit arena(std::size_t bytes)
      : bytes_(bytes / alignment * alignment),
        memory_(static_cast<std::byte*>(::operator new (bytes_, std::align_val_t{alignment}))) {}

  /// Gives the first gap that is large enough; null where none is. Throws std::bad_alloc, of its own books.
  std::byte* take(std::size_t bytes);
  /// Gives one back that was taken.
  void give(const std::byte* piece) noexcept;

  std::size_t bytes() const { return bytes_; }
  std::size_t taken() const { return taken_; }
  bool holds(const void* at) const { return at >= memory_.get() && at < memory_.get() + bytes_; }

 private:
  struct piece {
    std::size_t begin, bytes;
  };
  struct freeing {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, freeing> memory_;
  std::vector<piece> pieces_;  ///< what is taken, by address
  std::size_t taken_ = 0;
};

}  // namespace maslin::store
