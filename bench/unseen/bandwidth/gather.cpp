// Gathers along a permutation: every element comes from another line of memory. A gather is an off-load.

#include "program.hpp"

namespace unseen {

namespace {

constexpr double element_bytes = 44;  // its line is seldom used again
constexpr double fill_seconds = 1.6e-9;

const kernel gather_kernel{"gather"};

class gather final : public program {
 public:
  explicit gather(const size& what)
      : program(what, 12), length_(small_or<std::int64_t>(1 << 13, 1 << 21)), gathers_(rounds(3, 10)) {
    from_ = room<std::uint32_t>(length_);
    for (std::size_t k = 0; k < from_.size(); ++k)
      from_[k] = static_cast<std::uint32_t>(shapes::affine{}(k) % static_cast<std::uint64_t>(length_));
    data_.assign(at(streams()), {room<std::uint64_t>(length_), room<std::uint64_t>(length_)});
  }

  void stream(std::int64_t i) override {
    auto& [now, next] = data_[at(i)];
    loop(length_, 1 << 13, fill_seconds, [&](range r) {
      for (std::int64_t k = r.first; k < r.last; ++k)
        now[at(k)] = mixed(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k));
    });
    for (std::int64_t step = 0; step < gathers_; ++step) {
      off_load(gather_kernel, [&] {
        loop(length_, 1 << 13, moved(element_bytes), [&](range r) {
          for (std::int64_t k = r.first; k < r.last; ++k) next[at(k)] = now[from_[at(k)]];
        });
      });
      std::swap(now, next);
    }
    for (std::size_t k = 0; k < now.size(); k += 97) digest(i, now[k]);
  }

  /// A permutation n times over is known without running it.
  void check() const override {
    const shapes::affine all = shapes::affine{}.times(static_cast<std::uint64_t>(gathers_));
    for (std::int64_t i = 0; i < streams(); ++i)
      for (std::size_t k = 0; k < from_.size(); ++k)
        require(data_[at(i)].first[k] == mixed(static_cast<std::uint64_t>(i), all(k) % from_.size()),
                "an element comes from elsewhere");
  }

 private:
  const std::int64_t length_, gathers_;
  std::vector<std::uint32_t> from_;
  std::vector<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>> data_;
};

const listed<gather> here{"bandwidth", "gather"};

}  // namespace

}  // namespace unseen
