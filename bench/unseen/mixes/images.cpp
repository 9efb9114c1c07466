// Pictures of cells: a stream unpacks a picture (serial), off-loads its smoothing (loops), finds connected parts
// (serial) and off-loads their measurement (a loop), picture after picture.

#include <numeric>

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t spacing = 32;  // of the discs
constexpr double unpack_seconds = 1.2e-9;
constexpr double smooth_seconds = 0.27e-9;
constexpr double join_seconds = 4e-9;
constexpr double measure_seconds = 0.7e-9;

const kernel smooth_kernel{"smooth"};
const kernel measure_kernel{"measure"};

class images final : public program {
 public:
  explicit images(const size& what)
      : program(what, 120), side_(small_or<std::int64_t>(64, 256)), parts_(at(streams())), areas_(at(streams())) {}

  void stream(std::int64_t i) override {
    std::vector<float> picture = room<float>(side_ * side_), smooth = picture;
    std::vector<std::int32_t> part = room<std::int32_t>(side_ * side_);
    const auto pixels = static_cast<double>(side_ * side_);
    for (std::int64_t round = 0; round < rounds(2, 10); ++round) {
      alone(pixels * unpack_seconds, [&] { unpack(i, picture); });
      off_load(smooth_kernel, [&] {
        for (int pass = 0; pass < 24; ++pass) {
          loop(side_ - 2, 8, static_cast<double>(side_) * smooth_seconds, [&](range r) {
            for (std::int64_t k = (r.first + 1) * side_ + 1; k < (r.last + 1) * side_ - 1; ++k)
              smooth[at(k)] = 0.2F * (picture[at(k)] + picture[at(k - 1)] + picture[at(k + 1)] +
                                      picture[at(k - side_)] + picture[at(k + side_)]);
          });
          std::swap(picture, smooth);
        }
      });
      alone(pixels * join_seconds, [&] { parts_[at(i)] = joined(picture, part); });
      off_load(measure_kernel, [&] {
        areas_[at(i)] = loop_sum(side_, 8, static_cast<double>(side_) * measure_seconds, [&](range r) {
          double area = 0;
          for (std::int64_t k = r.first * side_; k < r.last * side_; ++k) area += part[at(k)] >= 0;
          return area;
        });
      });
    }
    digest(i, picture);
    digest(i, areas_[at(i)]);
  }

  void check() const override {
    const std::int64_t discs = (side_ / spacing) * (side_ / spacing);
    for (std::int64_t i = 0; i < streams(); ++i) {
      const double disc = 3.1416 * radius(i) * radius(i);
      require(parts_[at(i)] == discs, "another number of parts");
      require(std::abs(areas_[at(i)] / (disc * static_cast<double>(discs)) - 1) < 0.25, "the area is wrong");
    }
  }

 private:
  static double radius(std::int64_t i) { return 9 + static_cast<double>(i % 4); }

  /// A disc in the middle of each square; its inside is noisy.
  void unpack(std::int64_t i, std::vector<float>& picture) const {
    const double square = radius(i) * radius(i);
    std::uint64_t noise = static_cast<std::uint64_t>(i);
    const shapes::affine step;
    for (std::int64_t k = 0; k < side_ * side_; ++k) {
      const auto x = static_cast<double>(k % side_ % spacing - spacing / 2);
      const auto y = static_cast<double>(k / side_ % spacing - spacing / 2);
      noise = step(noise);
      const bool inside = x * x + y * y < square;
      picture[at(k)] = inside ? 0.9F + 0.2F * static_cast<float>(noise >> 40) * 0x1p-24F : 0.0F;
    }
  }

  /// Gives the number of connected parts (union-find); of pixels outside of all, `part` is negative.
  std::int64_t joined(const std::vector<float>& picture, std::vector<std::int32_t>& part) const {
    const auto root = [&](std::int32_t k) {
      while (part[at(k)] != k) k = part[at(k)] = part[at(part[at(k)])];
      return k;
    };
    std::int64_t parts = 0;
    for (std::int32_t k = 0; k < side_ * side_; ++k) {
      part[at(k)] = picture[at(k)] > 0.5F ? k : -1;
      if (part[at(k)] < 0) continue;
      ++parts;
      for (const std::int64_t before : {k - 1, static_cast<int>(k - side_)}) {
        if (before < 0 || part[at(before)] < 0) continue;
        const std::int32_t a = root(static_cast<std::int32_t>(before)), b = root(k);
        if (a != b) part[at(std::max(a, b))] = std::min(a, b), --parts;
      }
    }
    return parts;
  }

  const std::int64_t side_;
  std::vector<std::int64_t> parts_;
  std::vector<double> areas_;
};

const listed<images> here{"mixes", "images"};

}  // namespace

}  // namespace unseen
