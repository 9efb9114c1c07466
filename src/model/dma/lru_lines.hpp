#pragma once
// The lines that a fully associative cache holds, in the order of their last use.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace maslin::dma {

class lru_lines {
 public:
  /// A place in the cache; it stays a line's as long as the line is held.
  using place = std::uint32_t;
  static constexpr place absent = ~place{0};

  /// `capacity` is in lines, and less than 2^30.
  explicit lru_lines(std::size_t capacity)
      : capacity_(static_cast<place>(capacity)),
        mask_(std::bit_ceil(capacity > 0 ? 2 * capacity : 2) - 1),
        shift_(64 - std::popcount(mask_)),
        table_(mask_ + 1, absent) {}

  std::size_t capacity() const { return capacity_; }
  bool full() const { return lines_.size() - free_.size() == capacity_; }
  std::size_t dirty() const { return dirty_; }

  place find(std::uint64_t line) const {
    for (std::size_t at = home(line); table_[at] != absent; at = (at + 1) & mask_)
      if (lines_[table_[at]].line == line) return table_[at];
    return absent;
  }
  bool oldest_is_dirty() const { return lines_[oldest_].dirty; }

  /// The line at that place is used.
  void touch(place p, bool written) {
    mark(p, written);
    if (p == newest_) return;
    take_out(p);
    put_in_front(p);
  }

  /// The line at that place is held no more, and is not written back.
  void drop(place p) {
    if (lines_[p].dirty) --dirty_;
    erase(lines_[p].line);
    take_out(p);
    free_.push_back(p);
  }

  struct evicted {
    bool dirty;  ///< it must be written back
    std::uint64_t line;
  };
  /// Takes in a line that is not held. Gives what it pushed out; where nothing was, that is not dirty.
  evicted insert(std::uint64_t line, bool written) {
    evicted out{false, 0};
    place p = static_cast<place>(lines_.size());
    if (full()) {
      p = oldest_;
      out = {lines_[p].dirty, lines_[p].line};
      if (out.dirty) --dirty_;
      erase(out.line);
      take_out(p);
      lines_[p] = {line, absent, absent, false};
    } else if (!free_.empty()) {
      p = free_.back();
      free_.pop_back();
      lines_[p] = {line, absent, absent, false};
    } else {
      lines_.push_back({line, absent, absent, false});
    }
    mark(p, written);
    put_in_front(p);
    std::size_t at = home(line);
    while (table_[at] != absent) at = (at + 1) & mask_;
    table_[at] = p;
    return out;
  }

 private:
  struct held {
    std::uint64_t line;
    place newer;
    place older;
    bool dirty;
  };

  std::size_t home(std::uint64_t line) const { return line * 0x9e3779b97f4a7c15u >> shift_; }
  void mark(place p, bool written) {
    if (!written || lines_[p].dirty) return;
    lines_[p].dirty = true;
    ++dirty_;
  }
  void take_out(place p) {
    const held& h = lines_[p];
    (h.newer == absent ? newest_ : lines_[h.newer].older) = h.older;
    (h.older == absent ? oldest_ : lines_[h.older].newer) = h.newer;
  }
  void put_in_front(place p) {
    lines_[p].newer = absent;
    lines_[p].older = newest_;
    (newest_ == absent ? oldest_ : lines_[newest_].newer) = p;
    newest_ = p;
  }
  /// Open addressing without gaps: what stands behind the line and may stand in its place moves there.
  void erase(std::uint64_t line) {
    std::size_t gap = home(line);
    while (lines_[table_[gap]].line != line) gap = (gap + 1) & mask_;
    for (std::size_t at = (gap + 1) & mask_; table_[at] != absent; at = (at + 1) & mask_) {
      const std::size_t wanted = home(lines_[table_[at]].line);
      if (((at - wanted) & mask_) < ((at - gap) & mask_)) continue;
      table_[gap] = table_[at];
      gap = at;
    }
    table_[gap] = absent;
  }

  place capacity_;
  std::size_t mask_;
  int shift_;
  std::vector<place> table_;  ///< at most half full
  std::vector<held> lines_;
  std::vector<place> free_;  ///< places that hold no line
  place newest_ = absent;
  place oldest_ = absent;
  std::size_t dirty_ = 0;
};

}  // namespace maslin::dma
