#pragma once
// The stacks of fibers, cut from slabs. README.md says what guards them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace maslin {

/// A stack, and what lies below it. It belongs to its `fiber_stacks`.
struct fiber_stack {
  /// What stands below a stack that has no guard; a fiber looks at it when it is left.
  static constexpr std::uint64_t canary = 0x6d61736c696e2121;
  static constexpr std::size_t canary_words = 8;
  /// So much of an idle stack keeps its memory.
  static constexpr std::size_t kept_bytes = std::size_t{64} << 10;

  char* bottom = nullptr;
  std::size_t bytes = 0;
  bool has_guard = true;  ///< an access below it is a fault

  char* top() const { return bottom + bytes; }
  /// False once something wrote below a stack that has no guard.
  bool is_intact() const noexcept;
  /// Gives the memory below the first `kept_bytes` back to the system if some of it was used. Nothing runs on the
  /// stack, or what runs does not reach so far.
  void return_memory() const noexcept;
};

/// Gives the part of the calling thread's own stack, from the caller down, that is there whenever it is used; one of no
/// bytes where nothing is known.
fiber_stack stack_of_this_thread() noexcept;

/// Hands out stacks of one size and unmaps all of them at its end. One thread at a time may take.
class fiber_stacks {
 public:
  /// At most `most_guarded` stacks get a guard that is a mapping of its own; the others get one that is none, if the
  /// system `has_light_guards`, or a canary.
  explicit fiber_stacks(std::size_t bytes, std::size_t most_guarded = guards_at_most(), bool has_light_guards = true);
  ~fiber_stacks();
  fiber_stacks(const fiber_stacks&) = delete;
  fiber_stacks& operator=(const fiber_stacks&) = delete;

  /// Throws std::bad_alloc when the system gives no more memory or mappings.
  fiber_stack take();
  std::size_t bytes() const { return bytes_; }
  /// Any thread, also in a signal handler: does the address lie among the stacks and their guards?
  bool contains(const void* address) const noexcept;

  /// Gives how many stacks may have a guard that is a mapping of its own: those take a quarter of the mappings that a
  /// process may have (vm.max_map_count).
  static std::size_t guards_at_most() noexcept;

 private:
  /// One mapping, cut into stacks with a gap below each.
  struct slab {
    char* base;
    std::size_t stride;  ///< from stack to stack
    std::size_t count;
    std::size_t taken = 0;
    bool is_closed;                           ///< nobody may access it but where a stack was taken
    std::vector<std::uintptr_t> in_valgrind;  ///< its stacks, under valgrind
    slab* before;
  };

  void add_slab(bool closed);

  const std::size_t bytes_;
  std::size_t guards_left_;
  bool has_light_guards_;
  std::size_t next_count_;
  std::atomic<slab*> latest_{nullptr};
};

}  // namespace maslin
