#include "phylo/run/precision_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "phylo/io/error.hpp"

namespace phylo {

void PrecisionCheck::add(std::int64_t generation, double error) {
  ++times;
  largest_error = std::max(largest_error, error);
  if (error <= tolerated_error) return;
  throw input_error(
      fmt::format("--precision single: at generation {} the log-likelihood of a chain is {:.2g} off that in double "
                  "precision, and {} is tolerated; sample these data with --precision double, under another --prefix "
                  "or with --redo",
                  generation, error, tolerated_error));
}

}  // namespace phylo
