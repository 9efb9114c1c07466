#pragma once
// For readers of partition files: ranges of sites, and files in NEXUS.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "phylo/model/scheme.hpp"

namespace phylo {

/// Reads a number, 1 at least. The cursor walks over a text (`offset`, `at_end`, `peek`, `take`), `skip`s what counts
/// as a blank, gives the `place_of` an offset and throws `fail_at` one, with what was expected there.
template <class Cursor>
std::size_t read_number(Cursor& in, const std::string& expected) {
  constexpr std::size_t most = 2147483647;
  in.skip();
  const std::size_t begin = in.offset();
  std::size_t value = 0;
  while (!in.at_end() && in.peek() >= '0' && in.peek() <= '9') {
    value = value * 10 + static_cast<std::size_t>(in.peek() - '0');
    if (value > most) in.fail_at(begin, expected);
    in.take();
  }
  if (value == 0) in.fail_at(begin, expected);
  return value;
}

/// Reads 7, 1-100, 101-. or 150-200\3 (or 150-200/3).
template <class Cursor>
SiteRange read_range(Cursor& in) {
  in.skip();
  SiteRange range;
  range.at = in.place_of(in.offset());
  range.first = range.last = read_number(in, "the number of a site, from 1 on");
  in.skip();
  if (in.at_end() || in.peek() != '-') return range;
  in.take();
  in.skip();
  const std::size_t last = in.offset();
  const bool to_the_end = !in.at_end() && in.peek() == '.';
  if (to_the_end) in.take();
  range.last = to_the_end ? SiteRange::to_the_end
                          : read_number(in, "the number of the last site, or '.' for the alignment's last one");
  if (range.last < range.first) in.fail_at(last, fmt::format("a site from {} on", range.first));
  in.skip();
  if (!in.at_end() && (in.peek() == '\\' || in.peek() == '/')) {
    in.take();
    range.step = read_number(in, "a stride, as in 1-100\\3");
  }
  return range;
}

/// Gives the scheme of a NEXUS text as IQ-TREE takes it: in SETS blocks
///
///     charset NAME = 1-100 150-200\3;
///     charset NAME = DNA, 201-.;
///     charpartition NAME = MODEL:CHARSET, MODEL:CHARSET{LENGTH};
///
/// of which the last says which charsets are the partitions, and their models; without it, all of them are, and have
/// the model `beside`. Other commands and blocks are skipped. Throws `input_error` with the place and what was
/// expected.
Scheme parse_nexus_scheme(std::string_view text, const std::string& source, const Model* beside = nullptr);

/// Gives the type of data that a word of IQ-TREE's or RAxML's stands for: DNA, AA, BIN, MULTI or MORPH.
std::optional<DataType> find_data_type(std::string_view word);

/// Says that a model was given beside a file that needs none.
[[noreturn]] void refuse_beside(const std::string& source);

}  // namespace phylo
