// The triad of McCalpin's STREAM: a = b + s c on arrays that no cache holds, loops of four streams.

#include "program.hpp"

namespace unseen {

namespace {

class triad final : public program {
 public:
  explicit triad(const size& what)
      : program(what, 4), length_(small_or<std::int64_t>(1 << 13, 1 << 21)), sweeps_(rounds(6, 130)) {
    for (std::int64_t i = 0; i < streams(); ++i)
      arrays_.push_back({room<double>(length_, 1), room<double>(length_, 2), room<double>(length_)});
  }

  /// The three arrays take turns.
  void stream(std::int64_t i) override {
    auto& [a, b, c] = arrays_[at(i)];
    for (std::int64_t sweep = 0; sweep < sweeps_; ++sweep) {
      loop(length_, 1 << 14, moved(32), [&](range r) {
        for (std::int64_t k = r.first; k < r.last; ++k) a[at(k)] = b[at(k)] + 0.5 * c[at(k)];
      });
      std::swap(a, b);
      std::swap(a, c);
    }
    for (std::size_t k = 0; k < a.size(); k += 83) digest(i, a[k]);
  }

  void check() const override {
    double a = 1, b = 2, c = 0;
    for (std::int64_t sweep = 0; sweep < sweeps_; ++sweep) {
      a = b + 0.5 * c;
      std::swap(a, b);
      std::swap(a, c);
    }
    for (const triple& one : arrays_)
      for (std::size_t k = 0; k < one.a.size(); ++k)
        require(one.a[k] == a && one.b[k] == b && one.c[k] == c, "an element is wrong");
  }

 private:
  struct triple {
    std::vector<double> a, b, c;
  };
  const std::int64_t length_, sweeps_;
  std::vector<triple> arrays_;
};

const listed<triad> here{"bandwidth", "triad"};

}  // namespace

}  // namespace unseen
