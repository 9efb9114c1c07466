#pragma once
// Which of an engine's arrays are in a cache, so that its loops can say what they move to and from memory.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace phylo {

/// A cache of whole arrays, of which those that were used least recently go first. A loop takes each block of patterns
/// through all that it uses before the next block starts, so within a loop nothing is fetched twice.
class Cache {
 public:
  Cache() = default;
  explicit Cache(std::size_t arrays) : entries_(arrays + 1), end_(arrays) {
    entries_[end_].older = entries_[end_].newer = end_;
  }

  /// Begins a loop, in which there is room for so many bytes.
  void begin_loop(std::int64_t room) {
    ++loop_;
    room_ = room;
  }

  /// Gives the bytes that move because the loop uses an array: what is not there is fetched, also to be written, and
  /// what was written is written back when it goes.
  std::int64_t use(std::size_t array, std::int64_t bytes, bool writes) {
    Entry& e = entries_[array];
    const bool again = e.loop == loop_;
    e.loop = loop_;
    std::int64_t moved = 0;
    if (e.bytes == 0) {
      if (again) return 0;
      moved = e.bytes = bytes;
      held_ += bytes;
    } else {
      unlink(e);
    }
    e.is_written |= writes;
    e.older = entries_[end_].older;
    e.newer = end_;
    entries_[e.older].newer = entries_[e.newer].older = array;
    while (held_ > room_) moved += drop(entries_[end_].newer);
    return moved;
  }

 private:
  /// In a ring by the time of its last use, if it is held. The last entry is none: it stands between the newest, which
  /// is its `older`, and the oldest.
  struct Entry {
    std::size_t older = 0, newer = 0;
    std::int64_t bytes = 0;  ///< 0: it is not held
    std::int64_t loop = 0;   ///< which has used it last
    bool is_written = false;
  };

  void unlink(const Entry& e) {
    entries_[e.older].newer = e.newer;
    entries_[e.newer].older = e.older;
  }

  /// Gives the bytes that are written back.
  std::int64_t drop(std::size_t array) {
    Entry& e = entries_[array];
    unlink(e);
    const std::int64_t bytes = e.bytes;
    held_ -= bytes;
    e.bytes = 0;
    const bool writes_back = e.is_written;
    e.is_written = false;
    return writes_back ? bytes : 0;
  }

  std::vector<Entry> entries_;
  std::size_t end_ = 0;    ///< the entry that is none
  std::int64_t held_ = 0;  ///< bytes
  std::int64_t room_ = 0;
  std::int64_t loop_ = 0;
};

}  // namespace phylo
