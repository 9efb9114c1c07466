// What combines the numbers of all ranks. Results depend on the ranks alone: elements are combined in their order.

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "state.hpp"
#include "together.hpp"

using namespace mpi;

namespace {

using kind = spread::kind;

// A part is worked on in pieces that a core's first cache holds.
constexpr std::size_t piece_bytes = 8192;

struct reduction {
  const call& by;
  communicator& in;
  const operation& op;
  MPI_Datatype handle;
  buffer given, result;
};

/// Elements that are being combined.
class accumulator {
 public:
  accumulator(const reduction& r, std::size_t most) : r_(r), type_(*r.given.type) {
    const std::ptrdiff_t lower = std::min<std::ptrdiff_t>(type_.lower, type_.true_lower());
    const std::ptrdiff_t upper = std::max<std::ptrdiff_t>(type_.upper, type_.true_upper());
    const auto bytes =
        static_cast<std::size_t>(upper - lower) + most * static_cast<std::size_t>(std::abs(type_.extent()));
    memory_ = std::make_unique<std::byte[]>(2 * (bytes + 16));
    sum_ = memory_.get() - lower;
    next_ = sum_ + bytes + 16 - bytes % 16;
  }
  void set(const buffer& to) { copy(to, {sum_, to.count, &type_}); }
  void add(const buffer& more) {
    if (!r_.op.function) {
      r_.op.combine(more.data, sum_, more.count, type_, r_.handle);
      return;
    }
    // A function puts its result in the place of its second argument.
    copy(more, {next_, more.count, &type_});
    r_.op.combine(sum_, next_, more.count, type_, r_.handle);
    std::swap(sum_, next_);
  }
  void write(const buffer& into) const { copy(elements(into.count), into); }
  buffer elements(std::size_t count) const { return {sum_, count, &type_}; }

 private:
  const reduction& r_;
  const datatype& type_;
  std::unique_ptr<std::byte[]> memory_;
  std::byte* sum_;
  std::byte* next_;
};

buffer part_of(const buffer& all, std::size_t first, std::size_t count) {
  return {all.element(first), count, all.type};
}

/// Calls `some(first, count)` for pieces of the elements from `begin` to `end`.
template <class Some>
void in_pieces(const reduction& r, std::size_t begin, std::size_t end, Some&& some) {
  const auto extent = static_cast<std::size_t>(std::abs(r.given.type->extent()));
  const std::size_t most = std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, extent));
  accumulator sum(r, std::min(most, end - begin));
  for (; begin < end; begin += most) some(sum, begin, std::min(most, end - begin));
}

/// Sums elements over all ranks, in their order.
void sum_over_ranks(const reduction& r, accumulator& sum, std::size_t first, std::size_t count) {
  for (int rank = 0; rank < r.in.size(); ++rank) {
    const buffer its = part_of(brought(r.in, rank).offers.whole, first, count);
    rank == 0 ? sum.set(its) : sum.add(its);
  }
}

/// The part of the elements that the caller combines.
std::size_t begin_of_part(const reduction& r, int rank) {
  return r.given.count * static_cast<std::size_t>(rank) / static_cast<std::size_t>(r.in.size());
}

void expect_equal_counts(const reduction& r) {
  const buffer &mine = r.given, &first = brought(r.in, 0).offers.whole;
  if (mine.bytes() != first.bytes())
    throw failure{MPI_ERR_TRUNCATE, "rank " + std::to_string(r.in.in_world(r.in.rank)) + " gives " +
                                        std::to_string(mine.bytes()) + " bytes, rank " +
                                        std::to_string(r.in.in_world(0)) + " " + std::to_string(first.bytes()) +
                                        "; expected the same"};
}

void add_result(reduction& r, const void* data, void* result, std::size_t count) {
  r.result = checked_buffer(result, static_cast<int>(count), r.handle);
  expect_apart(data, r.result);
}

/// Checks the arguments. What a rank gives is in the place of the result where MPI_IN_PLACE says so.
reduction described(const call& by, communicator& in, const void* data, void* result, std::size_t count,
                    MPI_Datatype type, MPI_Op op, bool gets_result = true) {
  if (count > INT_MAX) throw failure{MPI_ERR_COUNT, std::to_string(count) + " elements"};
  const operation& of = operation_of(op);
  const bool stays = data == MPI_IN_PLACE;
  const buffer given = checked_buffer(stays ? result : data, static_cast<int>(count), type);
  const std::string problem = of.problem_with(*given.type);
  if (!problem.empty()) throw failure{MPI_ERR_OP, problem};
  reduction made{by, in, of, type, given, {}};
  if (gets_result) add_result(made, data, result, count);
  return made;
}

/// Few numbers: all are combined where ranks meet.
bool reduced_at_once(const reduction& r, int root) {
  const std::size_t bytes = r.given.count * static_cast<std::size_t>(r.given.type->extent());
  if (r.op.function || bytes > small_data::most) return false;
  small_data data{r.given.count, r.given.type->reduces_as, r.op.predefined, {}};
  if (bytes > 0) std::memcpy(data.bytes, r.given.data, bytes);
  meet(r.in, r.by, root, &data);
  if (r.result.data && bytes > 0) std::memcpy(r.result.data, data.bytes, bytes);
  return true;
}

/// Combines; all that gave a place for the result get it.
void reduce(const reduction& r, int root) {
  if (reduced_at_once(r, root)) return;
  const call_of_all mine{r.by, root, {kind::same, r.given, {}}, {kind::same, r.result, {}}};
  together(r.in, mine, [&] {
    expect_equal_counts(r);
    in_pieces(r, begin_of_part(r, r.in.rank), begin_of_part(r, r.in.rank + 1),
              [&](accumulator& sum, std::size_t first, std::size_t count) {
                sum_over_ranks(r, sum, first, count);
                for (int rank = 0; rank < r.in.size(); ++rank) {
                  const buffer& its = brought(r.in, rank).wants.whole;
                  if (its.type) sum.write(part_of(its, first, count));
                }
              });
  });
}

/// Each rank gets what those before it gave, and its own if `inclusive`.
void scan(const reduction& r, bool inclusive) {
  const call_of_all mine{r.by, MPI_UNDEFINED, {kind::same, r.given, {}}, {kind::same, r.result, {}}};
  together(r.in, mine, [&] {
    expect_equal_counts(r);
    in_pieces(r, begin_of_part(r, r.in.rank), begin_of_part(r, r.in.rank + 1),
              [&](accumulator& sum, std::size_t first, std::size_t count) {
                // The result may lie where the rank's own numbers are: those are copied before it is written.
                accumulator own(r, count);
                for (int rank = 0; rank < r.in.size(); ++rank) {
                  const call_of_all& its = brought(r.in, rank);
                  const buffer result = part_of(its.wants.whole, first, count);
                  own.set(part_of(its.offers.whole, first, count));
                  if (!inclusive && rank > 0) sum.write(result);
                  rank == 0 ? sum.set(own.elements(count)) : sum.add(own.elements(count));
                  if (inclusive) sum.write(result);
                }
              });
  });
}

/// Each rank gets its part of the sums; rank i of them `counts[i]`.
void reduce_and_scatter(const reduction& r, const std::vector<std::size_t>& counts) {
  std::size_t begin = 0;
  for (int i = 0; i < r.in.rank; ++i) begin += counts[static_cast<std::size_t>(i)];
  const std::size_t end = begin + counts[static_cast<std::size_t>(r.in.rank)];
  const call_of_all mine{r.by, MPI_UNDEFINED, {kind::same, r.given, {}}, {}};
  together(r.in, mine, [&] {
    expect_equal_counts(r);
    in_pieces(r, begin, end, [&](accumulator& sum, std::size_t first, std::size_t count) {
      sum_over_ranks(r, sum, first, count);
      sum.write(part_of(r.result, first - begin, count));
    });
  });
}

void reduce_and_scatter(const call& by, MPI_Comm comm, const void* data, void* result,
                        const std::vector<std::size_t>& counts, MPI_Datatype type, MPI_Op op) {
  communicator& in = communicator_of(comm);
  std::size_t all = 0;
  for (const std::size_t count : counts) all += count;
  reduction r = described(by, in, data, result, all, type, op, false);
  add_result(r, data, result, counts[static_cast<std::size_t>(in.rank)]);
  if (data != MPI_IN_PLACE) {
    reduce_and_scatter(r, counts);
    return;
  }
  // Others read what the caller gave while its result is written.
  const auto copy = std::make_unique_for_overwrite<std::byte[]>(r.given.bytes());
  if (!r.given.type->is_dense || r.given.type->lower != 0)
    throw failure{MPI_ERR_TYPE, "MPI_IN_PLACE needs elements that lie side by side"};
  pack(r.given, copy.get());
  r.given.data = copy.get();
  reduce_and_scatter(r, counts);
}

}  // namespace

MASLIN_MPI_DEFINE(Reduce,
                  (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Reduce);
  return carry_out(by, comm, [&] {
    communicator& in = communicator_of(comm);
    expect_rank(in, root, MPI_ERR_ROOT);
    if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
    reduce(described(by, in, data, result, static_cast<std::size_t>(count), type, op, in.rank == root), root);
  });
}
MASLIN_MPI_DEFINE(Allreduce, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Allreduce);
  return carry_out(by, comm, [&] {
    if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
    reduce(described(by, communicator_of(comm), data, result, static_cast<std::size_t>(count), type, op),
           MPI_UNDEFINED);
  });
}
MASLIN_MPI_DEFINE(Scan, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Scan);
  return carry_out(by, comm, [&] {
    if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
    scan(described(by, communicator_of(comm), data, result, static_cast<std::size_t>(count), type, op), true);
  });
}
MASLIN_MPI_DEFINE(Exscan, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Exscan);
  return carry_out(by, comm, [&] {
    if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
    scan(described(by, communicator_of(comm), data, result, static_cast<std::size_t>(count), type, op), false);
  });
}
MASLIN_MPI_DEFINE(Reduce_scatter,
                  (const void* data, void* result, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Reduce_scatter);
  return carry_out(by, comm, [&] {
    std::vector<std::size_t> all;
    for (int i = 0; i < communicator_of(comm).size(); ++i) {
      if (counts[i] < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(counts[i]) + "; expected one from 0"};
      all.push_back(static_cast<std::size_t>(counts[i]));
    }
    reduce_and_scatter(by, comm, data, result, all, type, op);
  });
}
MASLIN_MPI_DEFINE(Reduce_scatter_block,
                  (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Reduce_scatter_block);
  return carry_out(by, comm, [&] {
    if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
    const auto ranks = static_cast<std::size_t>(communicator_of(comm).size());
    reduce_and_scatter(by, comm, data, result, std::vector(ranks, static_cast<std::size_t>(count)), type, op);
  });
}
MASLIN_MPI_DEFINE(Reduce_local, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op)) {
  return carry_out(MASLIN_MPI_CALL(Reduce_local), MPI_COMM_WORLD, [&] {
    const buffer from = checked_buffer(data, count, type);
    const operation& of = operation_of(op);
    const std::string problem = of.problem_with(*from.type);
    if (!problem.empty()) throw failure{MPI_ERR_OP, problem};
    of.combine(data, result, from.count, *from.type, type);
  });
}
MASLIN_MPI_DEFINE(Op_create, (MPI_User_function * function, int commutes, MPI_Op* op)) {
  return carry_out(MASLIN_MPI_CALL(Op_create), MPI_COMM_WORLD, [&] {
    auto made = std::make_shared<operation>();
    made->function = function;
    made->commutes = commutes != 0;
    *op = me.operations.add(std::move(made));
  });
}
MASLIN_MPI_DEFINE(Op_free, (MPI_Op * op)) {
  return carry_out(MASLIN_MPI_CALL(Op_free), MPI_COMM_WORLD, [&] {
    expect_pointer(op, "the operation");
    if (!operation_of(*op).function) throw failure{MPI_ERR_OP, operation_of(*op).name + " cannot be freed"};
    me.operations.remove(*op);
    *op = MPI_OP_NULL;
  });
}
MASLIN_MPI_DEFINE(Op_commutative, (MPI_Op op, int* commutes)) {
  return carry_out(MASLIN_MPI_CALL(Op_commutative), MPI_COMM_WORLD, [&] { *commutes = operation_of(op).commutes; });
}
