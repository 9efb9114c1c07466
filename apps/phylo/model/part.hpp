#pragma once
// The data of a run: sites that share a model, once or several times.

#include <string>
#include <vector>

#include "phylo/io/patterns.hpp"
#include "phylo/model/model.hpp"

namespace phylo {

struct Part {
  std::string name;
  Patterns patterns;
  Model model;
};
using Parts = std::vector<Part>;

}  // namespace phylo
