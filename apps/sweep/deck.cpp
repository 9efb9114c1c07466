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

constexpr int largest = 1 << 20;

/// A line of the input, value by value. What stands behind the values is a comment, as list-directed input has it.
class record {
 public:
  record(std::ifstream& file, const std::string& path, int number) : path_(path), number_(number) {
    if (!std::getline(file, text_)) refuse("the end of the file", "a line with values", "");
  }

  int integer(const char* field, int least, int most) {
    const std::string word = next(field, fmt::format("a whole number from {} to {}", least, most));
    int value = 0;
    const auto [end, wrong] = std::from_chars(word.data() + (word[0] == '+' ? 1 : 0), word.data() + word.size(), value);
    if (wrong != std::errc() || end != word.data() + word.size() || value < least || value > most)
      refuse("'" + word + "'", fmt::format("a whole number from {} to {}", least, most), field);
    return value;
  }

  /// A number as Fortran writes it: .1, 1.0d-3
  double real(const char* field, bool positive) {
    const char* const expected = positive ? "a number above 0" : "a number";
    const std::string word = next(field, expected);
    std::string c = word.substr(word[0] == '+' ? 1 : 0);
    std::replace_if(
        c.begin(), c.end(), [](char letter) { return letter == 'd' || letter == 'D'; }, 'e');
    double value = 0;
    const auto [end, wrong] = std::from_chars(c.data(), c.data() + c.size(), value);
    if (wrong != std::errc() || end != c.data() + c.size() || !std::isfinite(value) || (positive && value <= 0))
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
  return iteration >= most_iterations || (epsi < 0 ? iteration >= static_cast<int>(-epsi + .99) : error <= epsi);
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
  d.ranks_i = cut.integer("NPE_I", 1, largest);
  d.ranks_j = cut.integer("NPE_J", 1, largest);
  d.planes = cut.integer("MK", 1, largest);
  d.block_angles = cut.integer("MMI", 1, 6);
  cut.integer("NCPU", 1, largest);  // for an estimate that nothing here needs
  record grid(file, path, 2);
  d.cells[0] = grid.integer("IT_G", 1, largest);
  d.cells[1] = grid.integer("JT_G", 1, largest);
  d.cells[2] = grid.integer("KT", 1, largest);
  d.angles = grid.integer("MM", 3, 6);
  d.order = grid.integer("ISCT", 0, 1);
  record sizes(file, path, 3);
  d.width[0] = sizes.real("DX", true);
  d.width[1] = sizes.real("DY", true);
  d.width[2] = sizes.real("DZ", true);
  d.epsi = sizes.real("EPSI", false);
  record boundaries(file, path, 4);
  const char* const names[] = {"IBC", "JBC", "KBC"};
  for (int n = 0; n < 3; ++n) d.reflective[n] = boundaries.integer(names[n], 0, 1) != 0;
  record choices(file, path, 5);
  choices.integer("IPRINT", 0, 1);  // fluxes are not printed
  d.currents = choices.integer("IDSA", 0, 1) != 0;
  d.fixups = choices.integer("IFIXUPS", -largest, 1);
  d.planes = std::min(d.planes, d.cells[2]);
  if (d.angles != 3 && d.angles != 6)
    throw maslin::error(fmt::format("{}:2: MM is '{}'; expected 3 (S4) or 6 (S6)", path, d.angles));
  if (d.angles % d.block_angles != 0)
    throw maslin::error(
        fmt::format("{}:1: MMI is '{}'; expected a divisor of MM, which is {}", path, d.block_angles, d.angles));
  return d;
}

void expect_sound(const deck& of) {
  if (of.block_angles < 1 || of.angles % of.block_angles != 0)
    throw maslin::error(fmt::format("--mmi {}: {} angles cannot be cut into blocks of so many; expected {}",
                                    of.block_angles, of.angles, of.angles == 6 ? "1, 2, 3 or 6" : "1 or 3"));
  if (of.ranks_i > of.cells[0] || of.ranks_j > of.cells[1])
    throw maslin::error(fmt::format(
        "--ranks {}x{}: there are {} x {} cells in i and j; expected at most as many ranks in each direction",
        of.ranks_i, of.ranks_j, of.cells[0], of.cells[1]));
}

}  // namespace sweep
