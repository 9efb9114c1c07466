#pragma once
// The software cache in a worker's local store (cellss-scheduling, 5.3.3): whole objects of any size, known by address
// and version, in the order of their last use. Which kinds of access it keeps is configurable.

#include <cstdint>
#include <list>
#include <unordered_map>

namespace maslin::dma {

/// An object as the cache knows it.
struct object {
  std::uint64_t address;
  std::uint64_t version;
  bool operator==(const object&) const = default;
};

enum class access_kind : std::uint8_t { in, out, inout };

/// Which kinds of access the cache keeps the objects of.
struct kept_kinds {
  bool in = true;
  bool out = true;
  bool inout = true;

  bool keeps(access_kind k) const { return k == access_kind::in ? in : k == access_kind::out ? out : inout; }
};

class software_cache {
 public:
  explicit software_cache(std::uint64_t bytes, kept_kinds kinds = {}) : bytes_(bytes), kinds_(kinds) {}

  /// An access reads an object. Gives whether it is there, so that nothing must be fetched; it is the latest used then.
  bool read(const object& o) {
    ++reads_;
    const auto found = where_.find(o);
    if (found == where_.end()) return false;
    order_.splice(order_.begin(), order_, found->second);
    ++hits_;
    return true;
  }
  /// The object lies in the local store now. It is kept if its kind is kept and if it fits; what was used least lately
  /// makes room.
  void keep(const object& o, std::uint64_t bytes, access_kind kind) {
    if (!kinds_.keeps(kind) || bytes > bytes_) return;
    if (const auto found = where_.find(o); found != where_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return;
    }
    while (held_bytes_ + bytes > bytes_) drop_oldest();
    order_.push_front({o, bytes});
    where_.emplace(o, order_.begin());
    held_bytes_ += bytes;
  }
  /// An object of that address and version is overwritten in place: it is there no more.
  void drop(const object& o) {
    const auto found = where_.find(o);
    if (found == where_.end()) return;
    held_bytes_ -= found->second->bytes;
    order_.erase(found->second);
    where_.erase(found);
  }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t held_bytes() const { return held_bytes_; }

 private:
  struct held {
    object what;
    std::uint64_t bytes;
  };
  struct hash {
    std::size_t operator()(const object& o) const {
      return static_cast<std::size_t>((o.address ^ o.version * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u >> 7);
    }
  };

  void drop_oldest() { drop(order_.back().what); }

  std::uint64_t bytes_;
  kept_kinds kinds_;
  std::list<held> order_;  ///< the latest used first
  std::unordered_map<object, std::list<held>::iterator, hash> where_;
  std::uint64_t held_bytes_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace maslin::dma
