#include "phylo/like/classes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace phylo {

Classes::Classes(std::int32_t tips, int patterns, std::size_t padded, const std::uint8_t* tip_codes, std::int32_t spare,
                 int tip_groups)
    : tips_(tips),
      patterns_(patterns),
      tip_groups_(tip_groups),
      padded_(padded),
      tip_codes_(tip_codes),
      places_(static_cast<std::size_t>(3 * (tips - 2))),
      entries_(places_.size() + static_cast<std::size_t>(spare)),
      codes_(entries_.size() * padded, Buffer<std::uint8_t>::undefined),
      origins_(entries_.size() * 2 * most_classes) {
  std::iota(places_.begin(), places_.end(), 0);
}

void Classes::place(HalfEdge h, std::int32_t at, bool copied) {
  const std::size_t from = index(h), to = static_cast<std::size_t>(at);
  places_[static_cast<std::size_t>(h - tips_)] = at;
  if (!copied || from == to) return;
  entries_[to] = entries_[from];
  if (entries_[to].count == 0) return;
  std::copy_n(codes_.data() + from * padded_, padded_, codes_.data() + to * padded_);
  std::copy_n(origins_.data() + from * 2 * most_classes, 2 * most_classes, origins_.data() + to * 2 * most_classes);
}

bool Classes::find(HalfEdge h, HalfEdge left, HalfEdge right) {
  Entry& e = entry(h);
  e.few = few(left) && few(right);
  if (!e.few) return false;
  const bool known =
      e.left == left && e.right == right && e.left_version == version(left) && e.right_version == version(right);
  if (!known) {
    e.left = left;
    e.right = right;
    e.left_version = version(left);
    e.right_version = version(right);
    e.version = ++latest_;
    e.count = sort(h, codes(left), codes(right));
  }
  e.few = e.count > 0;
  return e.few;
}

/// Gives the number of classes and writes their codes and origins; 0 if there are too many.
int Classes::sort(HalfEdge h, const std::uint8_t* left, const std::uint8_t* right) {
  constexpr std::uint8_t unseen = 255;
  std::array<std::uint8_t, most_classes * most_classes> seen;
  seen.fill(unseen);
  std::uint8_t* const to = codes_.data() + index(h) * padded_;
  std::uint8_t* const from_left = origins_.data() + index(h) * 2 * most_classes;
  std::uint8_t* const from_right = from_left + most_classes;
  int count = 0;
  for (int p = 0; p < patterns_; ++p) {
    std::uint8_t& code = seen[std::size_t{left[p]} * most_classes + right[p]];
    if (code == unseen) {
      if (count == most_classes) return 0;
      from_left[count] = left[p];
      from_right[count] = right[p];
      code = static_cast<std::uint8_t>(count++);
    }
    to[p] = code;
  }
  // What fills up the last groups repeats the first class.
  std::fill(to + patterns_, to + padded_, std::uint8_t{0});
  std::fill(from_left + count, from_left + most_classes, from_left[0]);
  std::fill(from_right + count, from_right + most_classes, from_right[0]);
  return count;
}

}  // namespace phylo
