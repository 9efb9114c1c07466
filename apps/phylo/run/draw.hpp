#pragma once
// Trees as text pictures.

#include <string>
#include <vector>

#include "phylo/tree/tree.hpp"

namespace phylo {

/// How a tree is drawn.
struct DrawOptions {
  int columns = 80;     ///< width of the terminal; the picture keeps within it unless it is hopelessly small
  bool unicode = true;  ///< box-drawing characters, else - | + and `
};

/// Gives the tree as lines of text, one a taxon, rooted for the eye at the middle of its longest path, branches to
/// scale, larger subtrees below. `supports` holds for every half-edge its branch's support in [0, 1], or a negative
/// number where there is none; it is shown as per cent before the node. May be empty. Of a tree that would be many
/// times as wide as a terminal, it gives a line that says so.
std::string draw(const Tree& tree, const std::vector<std::string>& names, const std::vector<double>& supports,
                 const DrawOptions& options);

/// Gives the width of the terminal behind standard output, else of COLUMNS, else 80.
int terminal_columns();

/// Gives the number of columns that a UTF-8 text takes, one a code point.
std::size_t columns_of(const std::string& text);

}  // namespace phylo
