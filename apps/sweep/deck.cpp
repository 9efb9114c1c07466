#include "sweep/deck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <vector>

#include "maslin/error.hpp"

namespace sweep {

namespace {

constexpr int largest = 1 << 20;  // of a number that is not a number of cells

/// Gives a number without its plus sign, which std::from_chars does not read.
std::string without_plus(const std::string& word) {
  return word.substr(word.starts_with('+') && !word.starts_with("+-") ? 1 : 0);
}

/// A line of the input, value by value. What stands behind the values is a comment, as list-directed input has it.
class record {
 public:
  record(std::ifstream& file, const std::string& path, int number) : path_(path), number_(number) {
    if (!std::getline(file, text_)) refuse("the end of the file", "a line with values", "");
  }

  int integer(const char* field, int least, int most) {
    const std::string word = next(field, fmt::format("a whole number from {} to {}", least, most));
    int value = 0;
    const std::string digits = without_plus(word);
    const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (wrong != std::errc() || end != digits.data() + digits.size() || value < least || value > most)
      refuse("'" + word + "'", fmt::format("a whole number from {} to {}", least, most), field);
    return value;
  }

  /// A number as Fortran writes it: .1, 1.0d-3
  double real(const char* field, double least, double most) {
    const std::string expected = fmt::format("a number from {} to {}", least, most);
    const std::string word = next(field, expected);
    std::string digits = without_plus(word);
    std::ranges::replace(digits, 'd', 'e');
    std::ranges::replace(digits, 'D', 'e');
    double value = 0;
    const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (wrong != std::errc() || end != digits.data() + digits.size() || !(value >= least && value <= most))
      refuse("'" + word + "'", expected, field);
    return value;
  }

 private:
  std::string next(const char* field, const std::string& expected) {
    const auto separates = [](char letter) {
      return letter == ' ' || letter == '\t' || letter == ',' || letter == '\r';
    };
    while (at_ < text_.size() && separates(text_[at_])) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !separates(text_[at_])) ++at_;
    if (begin == at_) refuse("the end of the line", expected, field);
    return text_.substr(begin, at_ - begin);
  }

  [[noreturn]] void refuse(const std::string& found, const std::string& expected, const std::string& field) const {
    throw maslin::error(
        fmt::format("{}:{}: {}{}; expected {}", path_, number_, field.empty() ? "" : field + " is ", found, expected));
  }

  std::string path_, text_;
  std::size_t at_ = 0;
  int number_;
};

}  // namespace

bool deck::ends_after(int iteration, double error) const {
  return iteration >= most_iterations || (epsi < 0 ? iteration >= std::floor(-epsi + .99) : error <= epsi);
}

double deck::bytes() const {
  const double i = cells[0], j = cells[1], k = cells[2];
  const double a_cell = 3 + (1 + order) + 3 * moments() + (currents ? 3 : 0);
  return sizeof(double) * (a_cell * i * j * k + 8.0 * angles * (i * j + i * k + j * k));
}

deck read_deck(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw maslin::error(path + ": cannot be read; expected an input file of Sweep3D");
  deck d;
  record cut(file, path, 1);
  d.ranks_i = cut.integer("NPE_I", 1, most_ranks);
  d.ranks_j = cut.integer("NPE_J", 1, most_ranks);
  d.planes = cut.integer("MK", 1, largest);
  d.block_angles = cut.integer("MMI", 1, 6);
  cut.integer("NCPU", 1, largest);  // for an estimate that nothing here needs
  record grid(file, path, 2);
  d.cells[0] = grid.integer("IT_G", 1, most_cells);
  d.cells[1] = grid.integer("JT_G", 1, most_cells);
  d.cells[2] = grid.integer("KT", 1, most_cells);
  d.angles = grid.integer("MM", 3, 6);
  d.order = grid.integer("ISCT", 0, 1);
  record sizes(file, path, 3);
  constexpr double least_width = 1e-6, most_width = 1e6;  // so that nothing overflows
  d.width[0] = sizes.real("DX", least_width, most_width);
  d.width[1] = sizes.real("DY", least_width, most_width);
  d.width[2] = sizes.real("DZ", least_width, most_width);
  d.epsi = sizes.real("EPSI", -largest, 1);
  record boundaries(file, path, 4);
  const char* const names[] = {"IBC", "JBC", "KBC"};
  for (int n = 0; n < 3; ++n) d.reflective[n] = boundaries.integer(names[n], 0, 1) != 0;
  record choices(file, path, 5);
  choices.integer("IPRINT", 0, 1);  // fluxes are not printed
  d.currents = choices.integer("IDSA", 0, 1) != 0;
  d.fixups = choices.integer("IFIXUPS", -largest, 1);
  if (d.angles != 3 && d.angles != 6)
    throw maslin::error(fmt::format("{}:2: MM is '{}'; expected 3 (S4) or 6 (S6)", path, d.angles));
  if (d.angles % d.block_angles != 0)
    throw maslin::error(
        fmt::format("{}:1: MMI is '{}'; expected a divisor of MM, which is {}", path, d.block_angles, d.angles));
  const auto expect_cells = [&](const char* ranks, int count, const char* cells, int in_row) {
    if (count > in_row)
      throw maslin::error(
          fmt::format("{}:1: {} is '{}'; expected at most {}, which is {}", path, ranks, count, cells, in_row));
  };
  expect_cells("NPE_I", d.ranks_i, "IT_G", d.cells[0]);
  expect_cells("NPE_J", d.ranks_j, "JT_G", d.cells[1]);
  if (d.ranks() > most_ranks)
    throw maslin::error(
        fmt::format("{}:1: NPE_J is '{}'; expected at most {} ranks in all", path, d.ranks_j, most_ranks));
  return d;
}

void expect_sound(const deck& of) {
  if (of.block_angles < 1 || of.angles % of.block_angles != 0)
    throw maslin::error(fmt::format("--mmi {}: {} angles cannot be cut into blocks of so many; expected {}",
                                    of.block_angles, of.angles, of.angles == 6 ? "1, 2, 3 or 6" : "1 or 3"));
  if (of.ranks() > most_ranks)
    throw maslin::error(
        fmt::format("--ranks {}x{}: expected at most {} ranks in all", of.ranks_i, of.ranks_j, most_ranks));
  if (of.ranks_i > of.cells[0] || of.ranks_j > of.cells[1])
    throw maslin::error(fmt::format(
        "--ranks {}x{}: there are {} x {} cells in i and j; expected at most as many ranks in each direction",
        of.ranks_i, of.ranks_j, of.cells[0], of.cells[1]));
}

}  // namespace sweep
