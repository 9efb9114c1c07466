#include "store_transfers.hpp"

#include <algorithm>
#include <utility>

using namespace maslin::trace;

bool is_of_transfer(event_kind kind) {
  return kind == event_kind::transfer_task || kind == event_kind::transfer_time || kind == event_kind::transfer;
}

std::size_t sort_of(const transfer_of& what) {
  const auto found = std::ranges::find_if(
      transfer_sorts, [&](const transfer_sort& s) { return s.goes == what.goes && s.is_early == what.is_early; });
  return static_cast<std::size_t>(std::min(found, transfer_sorts.end() - 1) - transfer_sorts.begin());
}

std::optional<store_transfer> store_transfers::add(const event& e) {
  if (!is_of_transfer(e.kind)) return std::nullopt;
  said& t = e.worker < 0 ? tracks_.back() : tracks_[static_cast<std::size_t>(e.worker)];
  if (e.kind == event_kind::transfer_task) {
    t = {.task = e.argument};
    return std::nullopt;
  }
  if (e.kind == event_kind::transfer_time) {
    if (t.count < t.times.size()) t.times[t.count] = static_cast<std::int64_t>(e.argument);
    ++t.count;
    return std::nullopt;
  }
  const said all = std::exchange(t, {});
  const store_transfer one{static_cast<int>(e.id), unpack<transfer_of>(e.argument), all.task, all.times[0],
                           all.times[1]};
  const auto is_there = [&](int worker) { return worker >= -1 && worker + 1 < static_cast<int>(tracks_.size()); };
  if (all.count != all.times.size() || one.begin_ns > one.end_ns) return std::nullopt;
  if (!is_there(one.store) || !is_there(one.what.peer)) return std::nullopt;
  return one;
}
