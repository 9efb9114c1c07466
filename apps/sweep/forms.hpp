#pragma once
// The three forms of the program. They differ in how faces come from rank to rank, and in who sweeps a block.

#include <cstdint>
#include <functional>
#include <memory>

#include "maslin/ranks.hpp"
#include "sweep/rank.hpp"

namespace sweep {

/// What a rank is made of.
struct rank_form {
  std::unique_ptr<exchange> between;
  std::unique_ptr<block_sweeper> blocks;
};
using make_rank = std::function<rank_form(maslin::communicator& world, domain& d)>;

/// Iterates to the end, on as many ranks as the deck says.
solution solve_by_ranks(const problem& of, const make_rank& make);

/// Ranks send their faces as messages and sweep blocks where they lie.
solution solve_plain(const problem& of);

/// A rank controls: it off-loads the lines of a block, diagonal by diagonal. Faces go through memory.
solution solve_accelerated(const problem& of);
/// Gives how much memory its faces take.
double accelerated_faces_bytes(const deck& of);

/// A rank is a worker. Faces go from rank to rank, straight to where they are wanted. If a rank's part is larger than
/// the store, cells are copied into it and back. 0: there is no limit.
/// Throws `maslin::error` if the store is smaller than faces and a line of cells.
solution solve_reversed(const problem& of, std::int64_t store_bytes);

/// Sweeps the lines of a block one after the other, where they lie.
std::unique_ptr<block_sweeper> make_sweeper_in_place(domain& d);

}  // namespace sweep
