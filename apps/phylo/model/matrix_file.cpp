#include "phylo/model/matrix_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"

namespace phylo {
namespace {

/// Gives the numbers that stand first in a text.
std::vector<double> first_numbers(const std::string& file, const std::string& text, std::size_t rates,
                                  std::size_t states) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (numbers.size() < rates + states) {
    while (at != end && is_space(*at)) ++at;
    const char* word_end = at;
    while (word_end != end && !is_space(*word_end)) ++word_end;
    double value = 0;
    const auto [rest, status] = std::from_chars(at, word_end, value);
    const bool is_rate = numbers.size() < rates;
    if (status != std::errc() || rest != word_end || !std::isfinite(value) || value < 0 || (!is_rate && value == 0))
      fail(file, position_of(text, static_cast<std::size_t>(at - text.data())),
           fmt::format("found {}; expected {} {} of {} (the lower triangle of the matrix of rates, row by row, then a "
                       "frequency of each state)",
                       at == end ? std::string("the end of the file")
                                 : shown(std::string_view(at, static_cast<std::size_t>(word_end - at))),
                       is_rate ? "rate" : "frequency", is_rate ? numbers.size() + 1 : numbers.size() + 1 - rates,
                       is_rate ? rates : states));
    numbers.push_back(value);
    at = word_end;
  }
  return numbers;
}

}  // namespace

void read_matrix(const std::string& file, Model& model) {
  const auto states = static_cast<std::size_t>(model.states());
  const std::size_t rates = model.rates.size();
  const std::vector<double> numbers = first_numbers(file, read_text(file), rates, states);
  double sum = 0;
  for (std::size_t i = 0; i < states; ++i) sum += numbers[rates + i];
  constexpr double tolerated = 0.01;
  if (std::abs(sum - 1) > tolerated)
    fail(file, fmt::format("its {} frequencies sum to {:.6g}; expected 1", states, sum));
  std::size_t at = 0;
  for (std::size_t i = 0; i < states; ++i)
    for (std::size_t j = i + 1; j < states; ++j) model.rates[at++] = numbers[j * (j - 1) / 2 + i];
  const double unit = model.rates.back() > 0 ? model.rates.back() : 1;
  for (double& rate : model.rates) rate /= unit;
  for (std::size_t i = 0; i < states; ++i) {
    double all = 0;
    for (std::size_t j = 0; j < states; ++j)
      if (j != i) all += numbers[i > j ? i * (i - 1) / 2 + j : j * (j - 1) / 2 + i];
    if (all == 0)
      fail(file, fmt::format("all rates of {} are 0; expected one above 0", shown(model.alphabet->symbols[i])));
    model.frequencies[i] = numbers[rates + i] / sum;
  }
  model.rates_from = model.frequencies_from = Origin::fixed;
}

}  // namespace phylo
