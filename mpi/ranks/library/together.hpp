#pragma once
// Calls of all ranks of a communicator. They live in one process, so each sees what the others bring and copies what
// concerns it: nothing is sent.

#include <cstddef>
#include <exception>
#include <vector>

#include "communicator.hpp"
#include "datatype.hpp"
#include "failure.hpp"
#include "operation.hpp"

namespace mpi {

/// A buffer that is the same for all ranks, or has a part for each.
struct spread {
  enum class kind : unsigned char { same, blocks, listed };
  kind is = kind::same;
  buffer whole{};             ///< `same`: it; `blocks`: the first of the parts, which lie behind each other
  std::vector<buffer> parts;  ///< `listed`

  buffer of(int rank) const;
};

/// What a rank brings: what it offers to each and what it wants from each.
struct call_of_all {
  call in;
  int root = MPI_UNDEFINED;  ///< of a call that has none
  spread offers{};
  spread wants{};
};

/// A little data that goes along where ranks meet: what the root has, or numbers that are combined.
struct small_data {
  static constexpr std::size_t most = 64;  ///< bytes
  std::size_t count = 0;                   ///< numbers to combine, or bytes
  number kind = number::none;
  int operation = MPI_OP_NULL;  ///< a predefined one, or none: the root's bytes are wanted
  alignas(16) std::byte bytes[most]{};
};

/// Suspends the caller until all ranks have come to the same call, with the same root. `data` becomes what all get.
/// Throws `failure` in all if they come to different calls, or bring others.
void meet(communicator& in, const call& by, int root, small_data* data = nullptr);

/// Meets, calls `body`, and returns when all ranks are done with it: meanwhile what they brought is there for all.
template <class Body>
void together(communicator& in, const call_of_all& mine, Body&& body) {
  in.place->calls[static_cast<std::size_t>(in.rank)] = &mine;
  meet(in, mine.in, mine.root);
  std::exception_ptr problem;
  try {
    body();
  } catch (...) {
    problem = std::current_exception();  // the others may still read what this rank brought
  }
  meet(in, mine.in, mine.root);
  if (problem) std::rethrow_exception(problem);
}
/// Within `together`: what that rank brought.
inline const call_of_all& brought(const communicator& in, int rank) {
  return *in.place->calls[static_cast<std::size_t>(rank)];
}

/// Copies what rank `from` offers to rank `to` where that wants it. Throws MPI_ERR_TRUNCATE.
void copy_between(const communicator& in, int from, int to);

/// Throws MPI_ERR_BUFFER where a call would read and write the same buffer.
void expect_apart(const void* data, const buffer& result);

/// The buffer of a program, checked; throws `failure`.
buffer checked_buffer(const void* data, int count, MPI_Datatype type);

}  // namespace mpi
