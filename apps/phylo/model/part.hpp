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

/// Gives how many sites each part has.
inline std::vector<double> sites_of(const Parts& parts) {
  std::vector<double> sites;
  for (const Part& part : parts) sites.push_back(part.patterns.sites());
  return sites;
}

/// Gives the patterns of each.
inline std::vector<const Patterns*> patterns_of(const Parts& parts) {
  std::vector<const Patterns*> all;
  for (const Part& part : parts) all.push_back(&part.patterns);
  return all;
}

}  // namespace phylo
