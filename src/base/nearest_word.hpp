#pragma once
// What somebody meant who wrote a word that does not exist.

#include <string>
#include <string_view>
#include <vector>

namespace maslin::base {

/// Gives the word that is fewest edits away from `written`: letters that are missing, too many, wrong, or two that
/// changed places. Gives nothing if all are more than a third of its length away, because that is another word and not
/// a slip.
std::string nearest_word(std::string_view written, const std::vector<std::string>& words);

}  // namespace maslin::base
