#pragma once
// Which model serves which sites: partition files as RAxML-NG has them, and in NEXUS as IQ-TREE has them.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/model/model.hpp"

namespace phylo {

/// Sites first, first + step, ... up to last; counted from 1.
struct SiteRange {
  static constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

  std::size_t first = 1;
  std::size_t last = 1;  ///< or `to_the_end` of the alignment, until `Scheme::fit` has said where that is
  std::size_t step = 1;
  position at;  ///< where it stands in its file

  bool operator==(const SiteRange& o) const { return first == o.first && last == o.last && step == o.step; }
};

/// A model and its sites.
struct SchemePart {
  Model model;
  std::string name;               ///< empty if the model is for all sites
  std::vector<SiteRange> ranges;  ///< empty if the model is for all sites
  double tree_length = 0;         ///< as IQ-TREE writes it behind a charset; 0: nothing is said
  position length_at;

  /// Gives the ranges as they stand in files: "1-100, 150-200\3".
  std::string sites() const;
};

/// All parts of a file, or one model for all sites.
struct Scheme {
  std::string source;  ///< for messages
  std::vector<SchemePart> parts;

  /// Takes an alignment's number of sites: ranges that go to its end end there. Lengths of trees become speeds unless
  /// they are `unlinked`: fixed ones, whose mean over the sites is 1. Throws `input_error` for speeds out of bounds.
  void fit(std::size_t sites, bool unlinked);
  /// Gives for each site (from 0) the number of its part. Throws `input_error` with the place of the range when a site
  /// is in two parts, in none, or behind the alignment's end.
  std::vector<int> parts_of_sites(std::size_t sites) const;
  /// Gives the alphabets of the sites, as far as that many.
  Alphabets alphabets(std::size_t most_sites) const;

 private:
  /// Gives the place of the last range that ends before a site, of the first one if there is none.
  position place_before(std::size_t site) const;
};

/// Gives the scheme of a text: one model, or in each line that is not blank and does not begin with '#'
///
///     MODEL, NAME = 1-100, 150-200\3
///
/// A text that begins with #NEXUS is read by `parse_nexus_scheme`. As in IQ-TREE, MODEL may also be a word of RAxML's
/// that needs a model beside the file: DNA, BIN, AA and MULTI stand for `beside`, which must be one of that data; a
/// published matrix (LG) has its rates over sites. Behind both, F stands for counted frequencies and X for optimized
/// ones (DNAF, LGX). Throws `input_error` with the place and what was expected, also if nothing needs `beside`.
Scheme parse_scheme(std::string_view text, const std::string& source, const Model* beside = nullptr);

/// Gives the text of the scheme with these models instead of its own, as asked for or with all values; a line a part.
std::string to_string(const Scheme& scheme);
std::string to_string_with_values(const Scheme& scheme, const std::vector<Model>& models);

}  // namespace phylo
