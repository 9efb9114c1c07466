// DNA reads: the stream parses a file of reads letter by letter, which is serial, and off-loads the search for
// minimizers, a loop over the reads.

#include <string>

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t length = 120;  // of a read
constexpr std::int64_t word = 21;
constexpr double letter_seconds = 2.8e-9;
constexpr double word_seconds = 2.3e-9;

const kernel minimizers_kernel{"minimizers"};

class reads final : public program {
 public:
  explicit reads(const size& what) : program(what, 24), reads_(small_or<std::int64_t>(200, 2'500)) {
    if (declared) return;
    for (std::int64_t k = 0; k < reads_; ++k) {
      file_ += fmt::format(">read {}\n", k);
      for (std::int64_t j = 0; j < length; ++j) {
        file_ += "ACGT"[letter(k, j)];
        if (j % 60 == 59) file_ += '\n';
      }
    }
    found_.resize(at(streams()));
  }

  void stream(std::int64_t i) override {
    const auto modulus = static_cast<std::uint64_t>(50 + i);
    std::vector<std::uint8_t> letters = room<std::uint8_t>(reads_ * length);
    std::uint64_t found = 0;
    for (std::int64_t round = 0; round < rounds(2, 27); ++round) {
      alone(static_cast<double>(reads_ * length) * letter_seconds, [&] { parse(letters); });
      off_load(minimizers_kernel, [&] {
        found =
            static_cast<std::uint64_t>(loop_sum(reads_, 25, static_cast<double>(length) * word_seconds, [&](range r) {
              std::int64_t sum = 0;
              for (std::int64_t k = r.first; k < r.last; ++k) sum += minimizers(&letters[at(k * length)], modulus);
              return static_cast<double>(sum);
            }));
      });
    }
    if (!declared) found_[at(i)] = found;
    digest(i, found);
  }

  void check() const override {
    std::vector<std::uint8_t> letters(at(reads_ * length));
    for (std::int64_t k = 0; k < reads_; ++k)
      for (std::int64_t j = 0; j < length; ++j) letters[at(k * length + j)] = letter(k, j);
    for (std::int64_t i = 0; i < streams(); ++i) {
      std::uint64_t expected = 0;
      for (std::int64_t k = 0; k < reads_; ++k)
        expected +=
            static_cast<std::uint64_t>(minimizers(&letters[at(k * length)], static_cast<std::uint64_t>(50 + i)));
      require(expected == found_[at(i)], "another number of minimizers");
    }
  }

 private:
  static std::uint8_t letter(std::int64_t k, std::int64_t j) {
    return static_cast<std::uint8_t>(mixed(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(j)) >> 62);
  }

  void parse(std::vector<std::uint8_t>& letters) const {
    bool heading = false;
    std::size_t count = 0;
    for (const char c : file_) {
      if (c == '>') heading = true;
      if (c == '\n') {
        heading = false;
      } else if (!heading) {
        letters[count++] = c == 'A' ? 0 : c == 'C' ? 1 : c == 'G' ? 2 : 3;
      }
    }
  }

  static std::int64_t minimizers(const std::uint8_t* read, std::uint64_t modulus) {
    constexpr std::uint64_t mask = (std::uint64_t{1} << (2 * word)) - 1;
    std::uint64_t now = 0;
    std::int64_t found = 0;
    for (std::int64_t j = 0; j < length; ++j) {
      now = (now << 2 | read[j]) & mask;
      if (j + 1 < word) continue;
      const std::uint64_t hash = now * 0x9e3779b97f4a7c15u;
      if ((hash ^ hash >> 32) % modulus == 0) ++found;
    }
    return found;
  }

  const std::int64_t reads_;
  std::string file_;
  std::vector<std::uint64_t> found_;
};

const listed<reads> here{"serial", "reads"};

}  // namespace

}  // namespace unseen
