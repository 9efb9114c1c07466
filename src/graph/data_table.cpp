#include "graph/data_table.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "base/room.hpp"
#include "task/pool.hpp"

namespace maslin::graph {

namespace {

void destroy(datum* d) {
  d->~datum();
  pool::give(d, sizeof(datum));
}

}  // namespace

bool datum::is_over() {
  return !pending && !updated && !(more && more->turns) && writers.all_well_done() && readers.all_done();
}

datum::~datum() {
  if (current) release(*current);
  if (!more) return;
  if (more->turns) release(*more->turns);
  for (detail::version* v : more->values) release(*v);
}

void datum::set_writer(detail::task_node& task) noexcept {
  writers.clear();
  readers.clear();
  if (updated) {
    more->written_before.clear();
    more->read_before.clear();
    updated = false;
  }
  writers.add(task);
}

data_table::~data_table() {
  for (datum* d : data_) destroy(d);
}

void data_table::clear() {
  for (datum* d : data_) destroy(d);
  data_.clear();
  table_.clear();
  granules_.clear();
  on_a_grid_ = true;
  is_indexed_ = false;
  grid_size_ = 0;
  classes_ = 0;
}

// Lines of 64 bytes are scattered, what lies in one stays in order: neighbours share cache lines of the table, and runs
// of full slots stay short.
std::size_t data_table::slot_of(std::uintptr_t start) const {
  return (((start >> 6) * 0x9E3779B97F4A7C15u >> 32 << 3) + (start >> 3 & 7)) & (table_.size() - 1);
}

void data_table::enter(datum* d) {
  std::size_t i = slot_of(d->home.start);
  while (table_[i].of) i = (i + 1) & (table_.size() - 1);
  table_[i] = {d->home.start, d};
}

void data_table::make_room(std::size_t more) {
  ++addition_;
  names_one_again_ = false;
  if ((data_.size() + more) * 2 <= table_.size()) return base::make_room(data_, more);
  // What is over and done can go, unless other data know of it.
  std::vector<datum*> kept;
  kept.reserve(2 * (data_.size() + more));
  std::vector<datum*> gone;
  gone.reserve(data_.size());
  for (datum* d : data_) (d->is_over() && !d->has_aliases() ? gone : kept).push_back(d);
  std::vector<slot> larger(std::bit_ceil(std::max<std::size_t>((kept.size() + more) * 4, 64)));
  for (datum* d : gone) destroy(d);
  data_.swap(kept);
  table_.swap(larger);
  for (datum* d : data_) enter(d);
  if (!on_a_grid_) index_all();
}

/// Where there is no memory for it, the next addition tries again.
void data_table::index_all() {
  is_indexed_ = false;
  granules_.clear();
  classes_ = 0;
  for (datum* d : data_) index(*d);
  is_indexed_ = true;
}

template <class Visit>
void data_table::for_each_overlapping(const region& r, Visit&& visit) {
  for (std::uint64_t left = classes_; left; left &= left - 1) {
    const int k = std::countr_zero(left);
    const std::uintptr_t first = r.start >> k;
    const std::uintptr_t last = (r.end() - 1) >> k;
    if (last - first >= data_.size()) {
      for (datum* d : data_)
        if (overlap(d->home, r)) visit(*d);
      return;
    }
    for (std::uintptr_t granule = first; granule <= last; ++granule) {
      const auto here = granules_.find(granule << 6 | static_cast<unsigned>(k));
      if (here == granules_.end()) continue;
      for (datum* d : here->second)
        if (overlap(d->home, r)) visit(*d);
    }
  }
}

/// Enters the datum where others that overlap it will look: in the one or two granules of its size that it touches.
void data_table::index(datum& d) {
  const int k = std::bit_width(d.home.end() - d.home.start - 1);
  for (std::uintptr_t granule = d.home.start >> k; granule <= (d.home.end() - 1) >> k; ++granule)
    granules_[granule << 6 | static_cast<unsigned>(k)].push_back(&d);
  classes_ |= std::uint64_t{1} << k;
}

bool datum::hides_failures() const {
  return has_aliases() && std::any_of(more->aliases.begin(), more->aliases.end(), [this](datum* other) {
           return !other->writers.all_well_done() && other->more->written < more->written;
         });
}

void data_table::retire(datum& d) {
  if (d.has_aliases())
    for (datum* other : std::exchange(d.more->aliases, {})) std::erase(other->more->aliases, &d);
  d.writers.clear();
  d.readers.clear();
  d.home = region();
}

void data_table::find_aliases(datum& d) {
  if (on_a_grid_) {
    const std::size_t size = d.home.bytes;
    if (grid_size_ == 0) {
      grid_size_ = size;
      grid_rest_ = d.home.start % size;
    }
    if (d.home.columns == 1 && size == grid_size_ && d.home.start % size == grid_rest_) return;
    on_a_grid_ = false;
  }
  if (!is_indexed_) index_all();
  for_each_overlapping(d.home, [&](datum& other) {
    // What an earlier part of the program did with the same memory is no reason to treat this data otherwise.
    if (other.named_in != addition_ && other.is_over() && !other.hides_failures()) return retire(other);
    std::vector<datum*>& theirs = other.extended().aliases;
    if (!theirs.empty() && theirs.back() == &d) return;
    theirs.push_back(&d);
    d.extended().aliases.push_back(&other);
  });
  index(d);
}

/// Gives the datum of exactly that region; `make_room` made room for it.
datum& data_table::find(const region& r) {
  std::size_t i = slot_of(r.start);
  for (; table_[i].of; i = (i + 1) & (table_.size() - 1))
    if (table_[i].start == r.start && table_[i].of->home == r) {
      datum& known = *table_[i].of;
      known.named_lately = true;
      names_one_again_ |= known.named_in == addition_;
      known.named_in = addition_;
      return known;
    }
  datum* d = new (pool::take(sizeof(datum))) datum(r);
  d->named_in = addition_;
  try {
    find_aliases(*d);
  } catch (...) {
    // An alias may know of it already.
    for (datum* other : data_)
      if (other->more) std::erase(other->more->aliases, d);
    for (auto& [granule, all] : granules_) std::erase(all, d);
    destroy(d);
    throw;
  }
  data_.push_back(d);
  table_[i] = {r.start, d};
  return *d;
}

}  // namespace maslin::graph
