// Transpositions of matrices, to and fro, each of which adds one: one side of each is read or written across the lines
// of memory. A transposition is an off-load, a loop over strips of tiles.

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t tile = 32;
constexpr double element_bytes = 30;

const kernel transpose_kernel{"transpose"};

class transposition final : public program {
 public:
  explicit transposition(const size& what)
      : program(what, 10), rows_(small_or<std::int64_t>(64, 1'440)), columns_(small_or<std::int64_t>(96, 1'568)) {
    for (std::int64_t i = 0; i < streams(); ++i) {
      matrices_.emplace_back(room<std::uint64_t>(rows_ * columns_), room<std::uint64_t>(rows_ * columns_));
      std::vector<std::uint64_t>& a = matrices_.back().first;
      for (std::size_t k = 0; k < a.size(); ++k) a[k] = mixed(static_cast<std::uint64_t>(i), k);
    }
  }

  void stream(std::int64_t i) override {
    auto& [a, b] = matrices_[at(i)];
    for (std::int64_t round = 0; round < rounds(2, 13); ++round) {
      off_load(transpose_kernel, [&] { transpose(a, rows_, columns_, b); });
      off_load(transpose_kernel, [&] { transpose(b, columns_, rows_, a); });
    }
    for (std::size_t k = 0; k < b.size(); k += 89) digest(i, b[k]);
  }

  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const auto& [a, b] = matrices_[at(i)];
      for (std::size_t k = 0; k < a.size(); ++k) {
        const std::size_t across = k % at(columns_) * at(rows_) + k / at(columns_);
        const std::uint64_t end =
            mixed(static_cast<std::uint64_t>(i), k) + 2 * static_cast<std::uint64_t>(rounds(2, 13));
        require(a[k] == end && b[across] == end - 1, "an element is elsewhere");
      }
    }
  }

 private:
  static void transpose(const std::vector<std::uint64_t>& from, std::int64_t rows, std::int64_t columns,
                        std::vector<std::uint64_t>& to) {
    loop(rows / tile, 1, static_cast<double>(tile * columns) * moved(element_bytes), [&](range r) {
      for (std::int64_t y = r.first * tile; y < r.last * tile; y += tile)
        for (std::int64_t x = 0; x < columns; x += tile)
          for (std::int64_t dx = 0; dx < tile; ++dx)
            for (std::int64_t dy = 0; dy < tile; ++dy)
              to[at((x + dx) * rows + y + dy)] = from[at((y + dy) * columns + x + dx)] + 1;
    });
  }

  const std::int64_t rows_, columns_;
  std::vector<std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>>> matrices_;
};

const listed<transposition> here{"bandwidth", "transposition"};

}  // namespace

}  // namespace unseen
