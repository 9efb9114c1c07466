#pragma once
// What workers tell the scheduler of their memory.

#include <cstdint>
#include <list>
#include <unordered_map>

namespace cellss {

/// What a worker hints of: the data that its memory holds. Beyond its size, what was used least lately is left out.
class directory {
 public:
  explicit directory(std::uint64_t bytes) : bytes_(bytes) {}

  template <class Entered, class Left>
  void use(std::uint32_t region, std::uint32_t bytes, Entered entered, Left left) {
    if (const auto found = where_.find(region); found != where_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return;
    }
    order_.push_front({region, bytes});
    where_[region] = order_.begin();
    held_ += bytes;
    entered(region);
    while (held_ > bytes_ && order_.size() > 1) {
      held_ -= order_.back().bytes;
      where_.erase(order_.back().region);
      left(order_.back().region);
      order_.pop_back();
    }
  }

 private:
  struct held {
    std::uint32_t region;
    std::uint32_t bytes;
  };
  std::uint64_t bytes_;
  std::uint64_t held_ = 0;
  std::list<held> order_;
  std::unordered_map<std::uint32_t, std::list<held>::iterator> where_;
};

struct hint {
  std::uint32_t region;
  bool entered;
};

}  // namespace cellss
