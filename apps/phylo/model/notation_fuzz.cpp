// Any bytes as a model: one whose text gives it back and whose probabilities are some, or an `input_error`.

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/model/spectrum.hpp"

namespace {

/// Probabilities after no, little and much time are numbers from 0 to 1 that sum to 1 for each state.
void check_probabilities(const phylo::Spectrum& spectrum) {
  constexpr double tolerated = 1e-6;
  const std::size_t states = spectrum.values.size();
  for (const double time : {0.0, 1e-6, 0.1, 100.0}) {
    const phylo::Matrix p = phylo::transition_matrix(spectrum, time);
    for (std::size_t i = 0; i < states; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < states; ++j) {
        check(p[states * i + j] >= 0 && p[states * i + j] <= 1 + tolerated);
        sum += p[states * i + j];
      }
      check(std::abs(sum - 1) <= tolerated);
    }
  }
}

void check_categories(const phylo::Model& model) {
  const auto rates = phylo::category_rates(model);
  const auto shares = phylo::category_shares(model);
  check(rates.size() == static_cast<std::size_t>(model.categories) && shares.size() == rates.size());
  for (const double rate : rates) check(rate >= 0 && std::isfinite(rate));
  for (const double share : shares) check(share > 0 && share <= 1 + 1e-9);
  check(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-9);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  phylo::Model model;
  try {
    model = phylo::parse_model({reinterpret_cast<const char*>(data), size});
  } catch (const phylo::input_error& e) {
    check_message(e);
    return 0;
  }
  check(phylo::parse_model(phylo::to_string(model)) == model);
  const std::string values = phylo::to_string_with_values(model);
  check(phylo::to_string_with_values(phylo::parse_model(values)) == values);
  check_categories(model);
  for (const phylo::Spectrum& spectrum : phylo::spectra(model)) check_probabilities(spectrum);
  return 0;
}
