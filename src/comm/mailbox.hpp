#pragma once
// What one rank receives: receives that wait for a message, and messages that wait for a receive. Who calls holds the
// rank's lock.

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>

#include "base/atomic.hpp"
#include "maslin/location.hpp"
#include "maslin/ranks.hpp"

namespace maslin::comm {

/// What a message says of itself. `group`: the communicator that it was sent in.
struct envelope {
  int source = 0;
  int tag = 0;
  std::uint32_t group = 0;
};

/// Which messages a receive takes.
struct pattern {
  int source = any_source;
  int tag = any_tag;
  std::uint32_t group = 0;

  bool takes(const envelope& of) const noexcept {
    return of.group == group && (source == any_source || source == of.source) && (tag == any_tag || tag == of.tag);
  }
};

/// One send or receive: its owner's alone, queued in a mailbox (and perhaps taken back), matched, done.
/// Who matches it is the only one to touch it until it is done.
struct transfer {
  enum class state : std::uint8_t { alone, queued, matched, done };

  transfer* before = nullptr;
  transfer* after = nullptr;
  /// Who waits for it reads this under its own lock, and the mailbox that it is queued in has another.
  MASLIN_ATOMIC<state> is{state::alone};
  bool is_copy = false;         ///< a message that its sender does not wait for: the bytes are behind it
  bool is_synchronous = false;  ///< a send that waits for its receive in any case
  bool is_elsewhere = false;    ///< a message of another process; if it is no copy, its bytes are there
  int owner = 0;                ///< the rank that waits for it, in the world
  envelope said;                ///< a send's; a receive's when it is matched
  pattern wanted;               ///< a receive's
  detail::elements data{};
  /// A receive's: the elements of the message that it has got. The number of a copy, and of a send that was copied; how
  /// its sender knows a message whose bytes are elsewhere; 0 for others.
  std::size_t came = 0;
  const std::type_info* came_as = nullptr;  ///< and of which type
  location where;

  std::size_t bytes() const noexcept { return data.extent * data.bytes; }
  /// Acquire, and release below: its owner may look without a lock, and take it away.
  bool is_done() const noexcept { return is.load(std::memory_order_acquire) == state::done; }
  bool is_alone() const noexcept { return is.load(std::memory_order_relaxed) == state::alone; }
  void set(state to) noexcept { is.store(to, std::memory_order_release); }
};

/// Gives whether a message of so many bytes may be kept for its receiver, so that its sender goes on. Messages of up to
/// `most` bytes may; with 0 no message may, not even an empty one.
inline bool is_eager(std::size_t bytes, bool is_synchronous, std::size_t most) noexcept {
  return most > 0 && bytes <= most && !is_synchronous;
}
/// How many bytes of memory a copy of a message of so many bytes takes.
constexpr std::size_t size_of_copy(std::size_t bytes) noexcept { return sizeof(transfer) + bytes; }
/// Makes a message for which nobody waits in that memory, without its bytes, for which there is room.
transfer* make_copy(void* memory, const envelope& said, const detail::elements& data, int owner) noexcept;
/// Makes a message of the same bytes, for which nobody waits, in that memory.
transfer* copy_into(void* memory, const transfer& message) noexcept;

/// In the order in which they came.
class transfers {
 public:
  bool empty() const noexcept { return !first_; }
  transfer* first() const noexcept { return first_; }
  void add(transfer& one) noexcept;
  void remove(transfer& one) noexcept;

 private:
  transfer* first_ = nullptr;
  transfer* last_ = nullptr;
};

class mailbox {
 public:
  /// Gives the first receive that takes the message, which is its no more; null where none does.
  transfer* match_receive(const envelope& message) noexcept;
  /// Gives the first message that the receive takes, which is no more in the box; null where there is none.
  transfer* match_message(const pattern& wanted) noexcept;
  /// Gives the same message, which stays.
  const transfer* find_message(const pattern& wanted) const noexcept;
  /// Gives the copy with that number, of a message from that rank of the world, or the message that its sender, in
  /// another process, knows by it; null where it is not in the box.
  transfer* find_sent(int owner, std::uint64_t number, bool is_copy) const noexcept;
  void add_receive(transfer& one) noexcept { receives_.add(one); }
  void add_message(transfer& one) noexcept { messages_.add(one); }
  /// Takes out what is queued.
  void remove_receive(transfer& one) noexcept { receives_.remove(one); }
  void remove_message(transfer& one) noexcept { messages_.remove(one); }
  bool empty() const noexcept { return receives_.empty() && messages_.empty(); }
  /// Takes out any message; null where there is none.
  transfer* take_message() noexcept { return match_message({any_source, any_tag, any_group}); }

  static constexpr std::uint32_t any_group = ~std::uint32_t{0};

 private:
  transfers receives_;
  transfers messages_;
};

/// Are the elements of one received as those of the other? Bytes of which nothing is known (void) are.
inline bool are_alike(const std::type_info& a, const std::type_info& b) noexcept {
  return &a == &b || a == b || a == typeid(void) || b == typeid(void);
}
/// Can so many elements of that type be received there?
inline bool is_right(std::size_t came, const std::type_info& as, const detail::elements& into) noexcept {
  return came <= into.extent && are_alike(as, *into.type);
}
/// Is what a receive has got what it takes?
inline bool is_right(const transfer& receive) noexcept {
  return is_right(receive.came, *receive.came_as, receive.data);
}
/// Says in a receive what has come; gives whether its elements are those that it takes, and not too many.
inline bool say(const envelope& said, const detail::elements& data, transfer& receive) noexcept {
  receive.said = said;
  receive.came = data.extent;
  receive.came_as = data.type;
  return is_right(receive);
}
inline bool say(const transfer& message, transfer& receive) noexcept {
  return say(message.said, message.data, receive);
}
/// The same, and copies the message if so.
void deliver(const transfer& message, transfer& receive) noexcept;
/// Gives what is wrong with what a receive has got.
std::string problem_with(const transfer& receive, int rank);

/// Types that the bytes of a message may begin with (`bytes_as`), as processes tell each other: 0 is void, and what
/// is none of them.
std::uint8_t number_of(const std::type_info& type) noexcept;
const std::type_info& type_numbered(std::uint8_t number) noexcept;

/// Gives a type's name as it is written.
std::string name_of(const char* type);
inline std::string name_of(const std::type_info& type) { return name_of(type.name()); }

}  // namespace maslin::comm
