#pragma once
// Subtrees that show few different columns: near the tips most patterns repeat each other, and their conditional
// likelihoods need to be computed once only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "phylo/like/buffer.hpp"
#include "phylo/like/kernels.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Sorts the patterns, as the subtree behind a half-edge shows them, into classes of equal ones, if there are not more
/// than `most_classes`. They depend on the topology only, so a subtree is sorted once for many lengths. A tip's classes
/// are its codes.
class Classes {
 public:
  Classes() = default;
  /// `tip_codes` has a row of `padded` for each taxon and must stay where it is. There are so many `spare` places.
  /// Tips have `tip_groups` groups of codes.
  Classes(std::int32_t tips, int patterns, std::size_t padded, const std::uint8_t* tip_codes, std::int32_t spare = 0,
          int tip_groups = 1);

  /// Keeps the classes of `h` at another place from now on. What stands there becomes those of `h`; or, with `copied`,
  /// what `h` had is copied there and stays where it was as well.
  void place(HalfEdge h, std::int32_t at, bool copied);

  /// Finds the classes of `h`, whose subtrees are those behind `left` and `right`, and says whether it has few enough.
  bool find(HalfEdge h, HalfEdge left, HalfEdge right);
  /// Says that the CLV of `h` is kept for every pattern nevertheless, until the next `find`.
  void spoil(HalfEdge h) { entry(h).few = false; }

  /// Whether the CLV of `h` is kept for its classes.
  bool few(HalfEdge h) const { return h < tips_ || entry(h).few; }
  int count(HalfEdge h) const { return h < tips_ ? tip_groups_ * lanes : entry(h).count; }
  /// Groups that its CLV takes.
  int groups(HalfEdge h) const { return groups_of(count(h)); }
  const std::uint8_t* codes(HalfEdge h) const {
    return h < tips_ ? tip_codes_ + static_cast<std::size_t>(h) * padded_ : codes_.data() + index(h) * padded_;
  }
  /// The class of the left (right) subtree that each class of `h` consists of, for whole groups.
  const std::uint8_t* left_of(HalfEdge h) const { return origins_.data() + index(h) * 2 * most_classes; }
  const std::uint8_t* right_of(HalfEdge h) const { return left_of(h) + most_classes; }

 private:
  /// What the classes were found from, so that it can be told whether they still hold.
  struct Entry {
    HalfEdge left = none, right = none;
    std::uint32_t left_version = 0, right_version = 0;
    std::uint32_t version = 0;
    int count = 0;  ///< 0: too many
    bool few = false;
  };

  std::size_t index(HalfEdge h) const { return static_cast<std::size_t>(places_[static_cast<std::size_t>(h - tips_)]); }
  Entry& entry(HalfEdge h) { return entries_[index(h)]; }
  const Entry& entry(HalfEdge h) const { return entries_[index(h)]; }
  std::uint32_t version(HalfEdge h) const { return h < tips_ ? 0 : entry(h).version; }
  int sort(HalfEdge h, const std::uint8_t* left, const std::uint8_t* right);

  std::int32_t tips_ = 0;
  int patterns_ = 0;
  int tip_groups_ = 1;
  std::size_t padded_ = 0;
  const std::uint8_t* tip_codes_ = nullptr;
  std::vector<std::int32_t> places_;  ///< by inner half-edge
  std::vector<Entry> entries_;        ///< by place
  Buffer<std::uint8_t> codes_;        ///< a row of `padded` for each
  Buffer<std::uint8_t> origins_;      ///< left_of and right_of for each
  std::uint32_t latest_ = 0;
};

}  // namespace phylo
