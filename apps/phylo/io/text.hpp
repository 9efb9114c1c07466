#pragma once
// Text files as users hand them in: whatever the line ends, and also when they are no text at all.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "phylo/io/error.hpp"

namespace phylo {

/// Gives the file's content with every line end as '\n' and without a byte order mark. Reads pipes, standard input
/// ("-", once), and what gzip has compressed. Throws `input_error` when it can't be opened or read, is a folder, is
/// compressed and damaged, or holds a NUL byte (so is no text).
std::string read_text(const std::string& file);

/// Gives the text with CRLF and CR turned to '\n' and a leading byte order mark dropped.
std::string normalize_text(std::string text);

/// Gives the place of a byte in a text whose line ends are '\n'.
position position_of(std::string_view text, std::size_t offset);

/// Gives a byte as messages show it: 'x', or its number when it can't be printed.
std::string shown(char byte);

/// Whether a text is UTF-8 (RFC 3629) without control characters.
bool is_printable_utf8(std::string_view text);

/// Gives what is wrong with a taxon's name: it holds a control character. Empty if it does not; any encoding is fine.
std::string complaint_about(std::string_view name);

/// Gives a file's name as messages show it: in one line, the end of one that is too long for that.
std::string shown_path(const std::string& file);

/// Gives a word as messages show it: quoted, cut to a bearable length, what is no printable UTF-8 as \xNN.
std::string shown(std::string_view word);

/// Gives the first few of several words as messages show them, and how many more there are.
std::string first_few(const std::vector<std::string>& words);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
inline bool is_space(char c) { return is_blank(c) || c == '\n'; }

/// Gives the name that is fewest edits (letters missing, too many or wrong) away from what was written, if that is at
/// most a third of its letters; else nothing.
std::string nearest_name(std::string_view written, const std::vector<std::string>& names);

/// Whether two words are equal when case does not count (ASCII).
bool same_word(std::string_view a, std::string_view b);

}  // namespace phylo
