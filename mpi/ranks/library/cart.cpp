// Ranks that form a grid.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "state.hpp"

namespace mpi {

std::vector<int> grid::coordinates_of(int rank) const {
  std::vector<int> found(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    found[d] = rank % sizes[d];
    rank /= sizes[d];
  }
  return found;
}

int grid::rank_at(const int* where) const {
  int rank = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    int at = where[d];
    if (is_periodic[d]) at = (at % sizes[d] + sizes[d]) % sizes[d];
    if (at < 0 || at >= sizes[d]) return MPI_PROC_NULL;
    rank = rank * sizes[d] + at;
  }
  return rank;
}

namespace {

grid& grid_of(MPI_Comm comm) {
  grid* const found = std::get_if<grid>(&communicator_of(comm).topology);
  if (!found) throw failure{MPI_ERR_TOPOLOGY, "the communicator is no grid; expected one of MPI_Cart_create"};
  return *found;
}

int dimensions_of(const grid& of) { return static_cast<int>(of.sizes.size()); }

/// The ranks that a grid of these sizes has.
long long ranks_in(int dimensions, const int* sizes) {
  if (dimensions < 0) throw failure{MPI_ERR_DIMS, std::to_string(dimensions) + " dimensions"};
  long long all = 1;
  for (int d = 0; d < dimensions; ++d) {
    if (sizes[d] < 1)
      throw failure{MPI_ERR_DIMS, "dimension " + std::to_string(d) + " has size " + std::to_string(sizes[d])};
    all *= sizes[d];
    if (all > 1LL << 31) throw failure{MPI_ERR_DIMS, "a grid of more than 2^31 ranks"};
  }
  return all;
}

/// From the smallest.
std::vector<int> divisors_of(int number) {
  std::vector<int> low, high;
  for (int d = 1; d <= number / d; ++d) {
    if (number % d != 0) continue;
    low.push_back(d);
    if (d != number / d) high.push_back(number / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

/// Divides `left` into `count` of the divisors that are as equal as can be, largest first and up to `most`.
void balance(int left, int count, int most, const std::vector<int>& divisors, std::vector<int>& now,
             std::vector<int>& best) {
  if (count == 1) {
    if (left > most) return;
    now.push_back(left);
    // How far apart the largest and the least are; then the sum, which is least where the others are alike.
    const auto unlikeness = [](const std::vector<int>& f) {
      return std::pair(f.front() - f.back(), std::accumulate(f.begin(), f.end(), 0LL));
    };
    if (best.empty() || unlikeness(now) < unlikeness(best)) best = now;
    now.pop_back();
    return;
  }
  for (auto next = std::upper_bound(divisors.begin(), divisors.end(), std::min(left, most));
       next != divisors.begin();) {
    const int factor = *--next;
    if (left % factor != 0) continue;
    double rest = 1;
    for (int i = 0; i < count - 1; ++i) rest *= factor;
    const int remaining = left / factor;
    if (rest < remaining) break;  // smaller factors cannot make it up
    now.push_back(factor);
    balance(remaining, count - 1, factor, divisors, now, best);
    now.pop_back();
  }
}

}  // namespace

}  // namespace mpi

using namespace mpi;

MASLIN_MPI_DEFINE(Cart_create,
                  (MPI_Comm comm, int dimensions, const int* sizes, const int* periods, int, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Cart_create);
  return carry_out(in, comm, [&] {
    communicator& from = intracommunicator_of(comm);
    const long long ranks = ranks_in(dimensions, sizes);
    if (ranks > from.size())
      throw failure{MPI_ERR_DIMS, "a grid of " + std::to_string(ranks) + " ranks; the communicator has " +
                                      std::to_string(from.size())};
    const auto part = split(from, from.rank < ranks ? 0 : MPI_UNDEFINED, from.rank, in);
    *made = MPI_COMM_NULL;
    if (!part) return;
    grid shape{std::vector(sizes, sizes + dimensions), std::vector<bool>(periods, periods + dimensions), {}};
    shape.coordinates = shape.coordinates_of(part->rank);
    part->topology = std::move(shape);
    *made = me.communicators.add(part);
  });
}
MASLIN_MPI_DEFINE(Cart_get, (MPI_Comm comm, int dimensions, int* sizes, int* periods, int* coordinates)) {
  return carry_out(MASLIN_MPI_CALL(Cart_get), comm, [&] {
    const grid& of = grid_of(comm);
    for (int d = 0; d < std::min(dimensions, dimensions_of(of)); ++d) {
      const auto at = static_cast<std::size_t>(d);
      sizes[d] = of.sizes[at];
      periods[d] = of.is_periodic[at];
      coordinates[d] = of.coordinates[at];
    }
  });
}
MASLIN_MPI_DEFINE(Cart_coords, (MPI_Comm comm, int rank, int dimensions, int* coordinates)) {
  return carry_out(MASLIN_MPI_CALL(Cart_coords), comm, [&] {
    const grid& of = grid_of(comm);
    expect_rank(communicator_of(comm), rank);
    const std::vector<int> found = of.coordinates_of(rank);
    std::copy_n(found.begin(), std::min(dimensions, dimensions_of(of)), coordinates);
  });
}
MASLIN_MPI_DEFINE(Cart_rank, (MPI_Comm comm, const int* coordinates, int* rank)) {
  return carry_out(MASLIN_MPI_CALL(Cart_rank), comm, [&] {
    *rank = grid_of(comm).rank_at(coordinates);
    if (*rank == MPI_PROC_NULL) throw failure{MPI_ERR_ARG, "the coordinates lie outside the grid"};
  });
}
MASLIN_MPI_DEFINE(Cart_shift, (MPI_Comm comm, int dimension, int by, int* from, int* to)) {
  return carry_out(MASLIN_MPI_CALL(Cart_shift), comm, [&] {
    const grid& of = grid_of(comm);
    if (dimension < 0 || dimension >= dimensions_of(of))
      throw failure{MPI_ERR_DIMS, "there is no dimension " + std::to_string(dimension)};
    std::vector<int> at = of.coordinates;
    at[static_cast<std::size_t>(dimension)] += by;
    *to = of.rank_at(at.data());
    at[static_cast<std::size_t>(dimension)] -= 2 * by;
    *from = of.rank_at(at.data());
  });
}
MASLIN_MPI_DEFINE(Cart_sub, (MPI_Comm comm, const int* remain, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Cart_sub);
  return carry_out(in, comm, [&] {
    const grid& of = grid_of(comm);
    communicator& from = communicator_of(comm);
    // Ranks that differ in remaining dimensions only belong together.
    grid part;
    int color = 0, key = 0;
    for (std::size_t d = 0; d < of.sizes.size(); ++d) {
      int& number = remain[d] ? key : color;
      number = number * of.sizes[d] + of.coordinates[d];
      if (!remain[d]) continue;
      part.sizes.push_back(of.sizes[d]);
      part.is_periodic.push_back(of.is_periodic[d]);
      part.coordinates.push_back(of.coordinates[d]);
    }
    // A grid without dimensions has one rank: other implementations give it to rank 0 alone, too.
    if (part.sizes.empty()) color = from.rank == 0 ? 0 : MPI_UNDEFINED;
    const auto slice = split(from, color, key, in);
    *made = MPI_COMM_NULL;
    if (!slice) return;
    slice->topology = std::move(part);
    *made = me.communicators.add(slice);
  });
}
MASLIN_MPI_DEFINE(Cartdim_get, (MPI_Comm comm, int* dimensions)) {
  return carry_out(MASLIN_MPI_CALL(Cartdim_get), comm, [&] { *dimensions = dimensions_of(grid_of(comm)); });
}
MASLIN_MPI_DEFINE(Cart_map, (MPI_Comm comm, int dimensions, const int* sizes, const int*, int* rank)) {
  return carry_out(MASLIN_MPI_CALL(Cart_map), comm, [&] {
    const communicator& in = communicator_of(comm);
    *rank = in.rank < ranks_in(dimensions, sizes) ? in.rank : MPI_UNDEFINED;
  });
}
MASLIN_MPI_DEFINE(Dims_create, (int ranks, int dimensions, int* sizes)) {
  return carry_out(MASLIN_MPI_CALL(Dims_create), MPI_COMM_WORLD, [&] {
    int left = ranks, open = 0;
    for (int d = 0; d < dimensions; ++d) {
      if (sizes[d] < 0)
        throw failure{MPI_ERR_DIMS, "dimension " + std::to_string(d) + " has size " + std::to_string(sizes[d])};
      if (sizes[d] == 0)
        ++open;
      else if (left % sizes[d] != 0)
        throw failure{MPI_ERR_DIMS,
                      std::to_string(ranks) + " ranks do not form a grid with a side of " + std::to_string(sizes[d])};
      else
        left /= sizes[d];
    }
    if (ranks < 1 || (open == 0 && left != 1))
      throw failure{MPI_ERR_DIMS, std::to_string(ranks) + " ranks do not form such a grid"};
    if (open == 0) return;
    std::vector<int> now, best;
    balance(left, open, left, divisors_of(left), now, best);
    auto next = best.begin();
    for (int d = 0; d < dimensions; ++d)
      if (sizes[d] == 0) sizes[d] = *next++;
  });
}
