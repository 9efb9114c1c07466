// Fourier transforms of pictures, to and fro: loops that compute (rows) and loops that move memory (transpositions) in
// turn, each an off-load.

#include <complex>
#include <numbers>

#include "program.hpp"

namespace unseen {

namespace {

using number = std::complex<double>;

constexpr double butterfly_seconds = 5e-9;
constexpr std::int64_t tile = 16;

const kernel rows_kernel{"transform rows"};
const kernel transpose_kernel{"transpose"};

class fft final : public program {
 public:
  explicit fft(const size& what) : program(what, 10), n_(small_or<std::int64_t>(32, 256)) {
    for (std::int64_t k = 0; k < n_ / 2; ++k)
      roots_.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n_)));
    for (std::int64_t i = 0; i < streams(); ++i) {
      pictures_.emplace_back(room<number>(n_ * n_), room<number>(n_ * n_));
      std::vector<number>& a = pictures_.back().first;
      for (std::size_t k = 0; k < a.size(); ++k) a[k] = pixel(i, k);
    }
  }

  void stream(std::int64_t i) override {
    auto& [a, b] = pictures_[at(i)];
    for (std::int64_t round = 0; round < rounds(2, 18); ++round)
      for (const bool back : {false, true}) {
        transform(a, back);
        transpose(a, b);
        transform(b, back);
        transpose(b, a);
      }
    for (const number& one : a) digest(i, one.real());
  }

  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i)
      for (std::size_t k = 0; k < pictures_[at(i)].first.size(); ++k)
        require(std::abs(pictures_[at(i)].first[k] - pixel(i, k)) < 1e-10, "a picture does not come back");
  }

 private:
  static number pixel(std::int64_t i, std::size_t k) { return {uniform(static_cast<std::uint64_t>(i), k), 0}; }

  void transform(std::vector<number>& a, bool back) const {
    const double row_seconds = static_cast<double>(n_ / 2) * std::log2(n_) * butterfly_seconds;
    off_load(rows_kernel, [&] {
      loop(n_, 4, row_seconds, [&](range r) {
        for (std::int64_t y = r.first; y < r.last; ++y) row(&a[at(y * n_)], back);
      });
    });
  }

  void transpose(const std::vector<number>& from, std::vector<number>& to) const {
    off_load(transpose_kernel, [&] {
      loop(n_ / tile, 1, static_cast<double>(tile * n_) * moved(40), [&](range r) {
        for (std::int64_t y = r.first * tile; y < r.last * tile; y += tile)
          for (std::int64_t x = 0; x < n_; x += tile)
            for (std::int64_t k = 0; k < tile * tile; ++k)
              to[at((x + k / tile) * n_ + y + k % tile)] = from[at((y + k % tile) * n_ + x + k / tile)];
      });
    });
  }

  void row(number* a, bool back) const {
    for (std::int64_t k = 1, j = 0; k < n_; ++k) {
      std::int64_t bit = n_ >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (k < j) std::swap(a[k], a[j]);
    }
    for (std::int64_t half = 1; half < n_; half *= 2)
      for (std::int64_t begin = 0; begin < n_; begin += 2 * half)
        for (std::int64_t k = 0; k < half; ++k) {
          const number root = roots_[at(k * (n_ / 2 / half))];
          const double im = back ? -root.imag() : root.imag();
          const number v = a[begin + half + k];
          const number turned{v.real() * root.real() - v.imag() * im, v.real() * im + v.imag() * root.real()};
          a[begin + half + k] = a[begin + k] - turned;
          a[begin + k] += turned;
        }
    for (std::int64_t k = 0; back && k < n_; ++k) a[k] /= static_cast<double>(n_);
  }

  const std::int64_t n_;
  std::vector<number> roots_;
  std::vector<std::pair<std::vector<number>, std::vector<number>>> pictures_;
};

const listed<fft> here{"mixes", "fft"};

}  // namespace

}  // namespace unseen
