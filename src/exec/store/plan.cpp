#include "exec/store/plan.hpp"

#include <algorithm>

#include "exec/store/arena.hpp"

namespace maslin::store {

using detail::declared;
using graph::region;

namespace {

struct named {
  region is;
  std::size_t access;
  bool stays;  ///< on memory
};

/// Those whose spans of addresses touch: only they can overlap.
void mark_overlaps(std::vector<named>::iterator first, std::vector<named>::iterator last) {
  for (auto a = first; a != last; ++a)
    for (auto b = a + 1; b != last && b->is.start < a->is.end(); ++b)
      if (!(a->is == b->is) && overlap(a->is, b->is)) a->stays = b->stays = true;
}

}  // namespace

std::size_t plan::bytes() const {
  std::size_t sum = 0;
  for (const copy& c : copies) sum += arena::rounded(c.home.size());
  return sum;
}

plan make_plan(const std::vector<declared>& accesses) {
  plan made;
  made.of_access.assign(accesses.size(), plan::on_memory);
  std::vector<named> all;
  all.reserve(accesses.size());
  made.uses.reserve(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (const region r(accesses[i]); !r.empty()) {
      const access_mode mode = accesses[i].mode;
      all.push_back({r, i, !accesses[i].renames});
      made.uses.push_back({r, mode != access_mode::out || !accesses[i].renames, mode != access_mode::in});
    }
  const auto key = [](const named& n) {
    return std::tuple(n.is.start, n.is.bytes, n.is.columns, n.is.stride, n.access);
  };
  std::ranges::sort(all, {}, key);
  mark_overlaps(all.begin(), all.end());
  made.copies.reserve(all.size());
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(), [&](const named& n) { return !(n.is == first->is); });
    if (std::none_of(first, last, [](const named& n) { return n.stays; })) {
      copy c{first->is};
      for (auto n = first; n != last; ++n) {
        const access_mode mode = accesses[n->access].mode;
        c.reads = c.reads || mode != access_mode::out;
        c.writes = c.writes || mode != access_mode::in;
        c.is_value = mode == access_mode::reduction;  // which has no other access of the task beside it
        made.of_access[n->access] = static_cast<int>(made.copies.size());
      }
      made.copies.push_back(c);
    }
    first = last;
  }
  return made;
}

}  // namespace maslin::store
