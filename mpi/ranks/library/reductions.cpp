// What combines the numbers of all ranks. Results depend on the ranks alone: elements are combined in their order.

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "state.hpp"
#include "together.hpp"

using namespace mpi;

namespace {

using kind = spread::kind;

// A part is worked on in pieces that a core's first cache holds.
constexpr std::size_t piece_bytes = 8192;
// Numbers of so few bytes are combined where ranks meet.
constexpr std::size_t few_bytes = 64;

/// Elements that are being combined, by that rank's operation.
class accumulator {
 public:
  accumulator(const call_of_all& by, const datatype& type, std::size_t most) : by_(by), type_(type) {
    const std::ptrdiff_t lower = std::min<std::ptrdiff_t>(type_.lower, type_.true_lower());
    const std::ptrdiff_t upper = std::max<std::ptrdiff_t>(type_.upper, type_.true_upper());
    const auto bytes =
        static_cast<std::size_t>(upper - lower) + most * static_cast<std::size_t>(std::abs(type_.extent()));
    memory_.reset(new (std::nothrow) std::byte[2 * (bytes + 16)]());
    if (!memory_) throw std::bad_alloc();  // sanitizers' new does not throw it
    sum_ = memory_.get() - lower;
    next_ = sum_ + bytes + 16 - bytes % 16;
  }
  void set(const buffer& to) { copy(to, {sum_, to.count, &type_}); }
  void add(const buffer& more) {
    if (!by_.op->function) {
      by_.op->combine(more.data, sum_, more.count, type_, by_.handle);
      return;
    }
    // A function puts its result in the place of its second argument.
    copy(more, {next_, more.count, &type_});
    by_.op->combine(sum_, next_, more.count, type_, by_.handle);
    std::swap(sum_, next_);
  }
  void write(const buffer& into) const { copy(elements(into.count), into); }
  buffer elements(std::size_t count) const { return {sum_, count, &type_}; }

 private:
  const call_of_all& by_;
  const datatype& type_;
  std::unique_ptr<std::byte[]> memory_;
  std::byte* sum_;
  std::byte* next_;
};

buffer part_of(const buffer& all, std::size_t first, std::size_t count) {
  return {all.element(first), count, all.type};
}

/// The ranks of one group, in the channel.
struct side {
  int begin, end;
};
side side_of(const sides& in, bool second) {
  return second ? side{in.second_group(), in.all()} : side{0, in.second_group()};
}
/// Those whose numbers that rank gets: its own group's, or, where there are two, the other's.
side givers_for(const sides& in, int rank) { return side_of(in, in.is_inter() && rank < in.second_group()); }

/// The first rank of a group that gives numbers; null where none does.
const call_of_all* first_giver(calls_of_all all, const side& from) {
  const call_of_all& first = brought(all, from.begin);
  return first.offers.exists() ? &first : nullptr;
}

/// Calls `some(sum, first, count)` for pieces of the elements from `begin` to `end`.
template <class Some>
void in_pieces(const call_of_all& by, const datatype& type, std::size_t begin, std::size_t end, Some&& some) {
  if (begin >= end) return;
  const auto extent = static_cast<std::size_t>(std::abs(type.extent()));
  const std::size_t most = std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, extent));
  accumulator sum(by, type, std::min(most, end - begin));
  for (; begin < end; begin += most) some(sum, begin, std::min(most, end - begin));
}

/// Who combines: the caller, by its own operation; if it brought none, since another of its group is the root, by that
/// of a rank of this process.
const call_of_all& with_operation(const call_of_all& by, calls_of_all all) {
  if (by.op) return by;
  int rank = 0;
  while (!brought(all, rank).op || brought(all, rank).is_stand_in()) ++rank;  // who wants the result has one
  return brought(all, rank);
}

bool wants_some(calls_of_all all, const side& ranks) {
  for (int rank = ranks.begin; rank < ranks.end; ++rank)
    if (brought(all, rank).wants.exists()) return true;
  return false;
}

/// Sums elements over the ranks of a group, in their order.
void sum_over(calls_of_all all, const side& ranks, accumulator& sum, std::size_t first, std::size_t count) {
  for (int rank = ranks.begin; rank < ranks.end; ++rank) {
    const buffer its = part_of(brought(all, rank).offers.whole, first, count);
    rank == ranks.begin ? sum.set(its) : sum.add(its);
  }
}

/// The part of the elements that a rank combines.
std::pair<std::size_t, std::size_t> share(calls_of_all all, const call_of_all& giver, int rank) {
  const auto at = static_cast<std::size_t>(rank);
  return {giver.offers.whole.count * at / all.size(), giver.offers.whole.count * (at + 1) / all.size()};
}

/// Combines a share of the elements; all ranks get it that gave a place for the result.
void reduce_share(const call_of_all& by, calls_of_all all, int rank) {
  const sides& in = by.in;
  for (const bool second : {false, true}) {
    if (second && !in.is_inter()) return;
    const side from = side_of(in, second), to = in.is_inter() ? side_of(in, !second) : from;
    const call_of_all* const giver = first_giver(all, from);
    if (!giver || !wants_some(all, to)) continue;
    const call_of_all& mine = with_operation(by, all);
    const auto [begin, end] = share(all, *giver, rank);
    in_pieces(mine, *mine.offers_type(), begin, end, [&](accumulator& sum, std::size_t first, std::size_t count) {
      sum_over(all, from, sum, first, count);
      for (int its = to.begin; its < to.end; ++its)
        if (brought(all, its).wants.exists()) sum.write(part_of(brought(all, its).wants.whole, first, count));
    });
  }
}

/// Each rank gets what those before it gave, and its own if that is wanted.
void scan_share(const call_of_all& by, calls_of_all all, int rank) {
  const auto [begin, end] = share(all, by, rank);
  const datatype& type = *by.offers_type();
  in_pieces(by, type, begin, end, [&](accumulator& sum, std::size_t first, std::size_t count) {
    // The result may lie where the rank's own numbers are: those are copied before it is written.
    accumulator own(by, type, count);
    for (int its = 0; its < static_cast<int>(all.size()); ++its) {
      const spread& wants = brought(all, its).wants;
      const auto write = [&] {
        if (wants.exists()) sum.write(part_of(wants.whole, first, count));
      };
      own.set(part_of(brought(all, its).offers.whole, first, count));
      if (!by.is_inclusive && its > 0) write();
      its == 0 ? sum.set(own.elements(count)) : sum.add(own.elements(count));
      if (by.is_inclusive) write();
    }
  });
}

/// Each rank gets its part of the sums; the i-th of its group `counts[i]`.
void reduce_part(const call_of_all& by, calls_of_all all, int rank) {
  const call_of_all& its = brought(all, rank);
  if (!its.wants.exists()) return;  // it is in another process
  const auto own = its.counts.begin() + its.in.place_of(rank);
  const std::size_t begin = std::accumulate(its.counts.begin(), own, std::size_t{0});
  const side from = givers_for(by.in, rank);
  in_pieces(by, *by.offers_type(), begin, begin + *own, [&](accumulator& sum, std::size_t first, std::size_t count) {
    sum_over(all, from, sum, first, count);
    sum.write(part_of(its.wants.whole, first - begin, count));
  });
}

void expect_count(int count) {
  if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
}

/// The place for the result.
void want(call_of_all& mine, const void* data, void* result, std::size_t count, MPI_Datatype type) {
  mine.wants = mine.same(result, static_cast<int>(count), type);
  expect_apart(data, mine.wants.whole);
}

/// What is given, and by what it is combined. It is in the place of the result where MPI_IN_PLACE says so.
void give(call_of_all& mine, const void* data, void* result, std::size_t count, MPI_Datatype type, MPI_Op op) {
  if (count > INT_MAX) throw failure{MPI_ERR_COUNT, std::to_string(count) + " elements"};
  mine.set_operation(op, type);
  mine.offers = mine.same(data == MPI_IN_PLACE ? result : data, static_cast<int>(count), type);
  const std::string problem = mine.op->problem_with(*mine.offers.whole.type);
  if (!problem.empty()) throw failure{MPI_ERR_OP, problem};
}

void reduce(call_of_all& mine, const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, int root) {
  mine.part = reduce_share;
  mine.as = call_of_all::briefly::reduce;
  mine.set_root(root);
  if (!mine.takes_part()) return;
  expect_count(count);
  const auto elements = static_cast<std::size_t>(count);
  if (!mine.is_root() || !mine.in.is_inter()) give(mine, data, result, elements, type, op);
  if (!mine.is_root()) return;
  if (mine.in.is_inter()) mine.set_operation(op, type);
  want(mine, mine.in.is_inter() ? nullptr : data, result, elements, type);
}

void reduce_to_all(call_of_all& mine, const void* data, void* result, int count, MPI_Datatype type, MPI_Op op) {
  mine.part = reduce_share;
  mine.as = call_of_all::briefly::reduce_to_all;
  expect_count(count);
  give(mine, data, result, static_cast<std::size_t>(count), type, op);
  want(mine, data, result, static_cast<std::size_t>(count), type);
}

void scan(call_of_all& mine, const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, bool inclusive) {
  if (mine.in.is_inter()) throw failure{MPI_ERR_COMM, "an intercommunicator has no order of all ranks"};
  reduce_to_all(mine, data, result, count, type, op);
  mine.part = scan_share;
  mine.as = call_of_all::briefly::no;
  mine.is_inclusive = inclusive;
}

void reduce_and_scatter(call_of_all& mine, const void* data, void* result, std::vector<std::size_t> counts,
                        MPI_Datatype type, MPI_Op op) {
  mine.part = reduce_part;
  give(mine, data, result, std::accumulate(counts.begin(), counts.end(), std::size_t{0}), type, op);
  want(mine, data, result, counts[static_cast<std::size_t>(mine.rank())], type);
  mine.counts = std::move(counts);
  if (data != MPI_IN_PLACE) return;
  // Others read what the caller gave while its result is written.
  const datatype& its = *mine.offers.whole.type;
  if (!its.is_dense || its.lower != 0) throw failure{MPI_ERR_TYPE, "MPI_IN_PLACE needs elements that lie side by side"};
  mine.copies_offers = true;
}

std::vector<std::size_t> listed(const call_of_all& mine, const int* counts) {
  std::vector<std::size_t> all;
  for (int i = 0; i < mine.in.size(); ++i) {
    expect_count(counts[i]);
    all.push_back(static_cast<std::size_t>(counts[i]));
  }
  return all;
}
std::vector<std::size_t> equal(const call_of_all& mine, int count) {
  expect_count(count);
  return std::vector(static_cast<std::size_t>(mine.in.size()), static_cast<std::size_t>(count));
}

bool is_few(const call_of_all& one) {
  const buffer& given = one.offers.whole;
  return one.part == reduce_share && !one.in.is_inter() && !one.op->function &&
         given.count * static_cast<std::size_t>(given.type->extent()) <= few_bytes;
}

std::string described(const call_of_all& one) {
  return "rank " + std::to_string(one.in.in_world(one.channel_rank)) + " calls " + one.by.name +
         " at @:" + std::to_string(one.by.where.line());
}

}  // namespace

const buffer& call_of_all::numbers() const { return offers.exists() ? offers.whole : wants.whole; }
const datatype* call_of_all::offers_type() const { return numbers().type; }

namespace {

/// Gives the call, its type and its operation. The program's own have no names that tell them apart.
std::string described_with_numbers(const call_of_all& one) {
  const datatype& type = *one.numbers().type;
  return described(one) + " with " + (type.predefined != 0 && !type.name.empty() ? type.name : "a type of its own") +
         " and " + (one.op->predefined != MPI_OP_NULL ? one.op->name : "an operation of its own");
}

}  // namespace

std::optional<failure> mpi::problem_with_numbers(calls_of_all all) {
  const call_of_all* first = nullptr;
  for (int rank = 0; rank < static_cast<int>(all.size()); ++rank) {
    const call_of_all& its = brought(all, rank);
    if (!its.op) continue;
    if (!first) first = &its;
    const buffer &a = first->numbers(), &b = its.numbers();
    if (first->op->predefined != its.op->predefined || a.type->reduces_as != b.type->reduces_as)
      return failure{MPI_ERR_OP, "all ranks must name the same type and operation: " + described_with_numbers(*first) +
                                     ", " + described_with_numbers(its)};
    // Types of a program may differ in both: its operations count elements.
    if (a.bytes() == b.bytes() && a.count == b.count) continue;
    if (a.bytes() <= few_bytes || a.bytes() == b.bytes())
      return failure{MPI_ERR_TRUNCATE, "all ranks must bring as many elements: " + described(*first) + " with " +
                                           std::to_string(a.count) + ", " + described(its) + " with " +
                                           std::to_string(b.count)};
    return failure{MPI_ERR_TRUNCATE, "rank " + std::to_string(its.in.in_world(rank)) + " gives " +
                                         std::to_string(b.bytes()) + " bytes, rank " +
                                         std::to_string(first->in.in_world(first->channel_rank)) + " " +
                                         std::to_string(a.bytes()) + "; expected the same"};
  }
  return std::nullopt;
}

namespace {

/// Combines numbers of so many ranks, in their order, as that call says. `numbers(rank)`: where they are.
template <class Numbers>
void combine_in_order(const call_of_all& as, std::size_t bytes, int ranks, Numbers&& numbers, std::byte* sum) {
  const buffer& given = as.offers.whole;
  std::memcpy(sum, numbers(0), bytes);
  for (int rank = 1; rank < ranks; ++rank)
    combine_predefined(as.op->predefined, given.type->reduces_as, numbers(rank), sum, given.count);
}

}  // namespace

bool mpi::combine_few(calls_of_all all) {
  const call_of_all& first = brought(all, 0);
  if (!first.op || !first.offers.exists() || !is_few(first)) return false;
  const buffer& given = first.offers.whole;
  const std::size_t bytes = given.count * static_cast<std::size_t>(given.type->extent());
  if (bytes == 0) return true;
  alignas(16) std::byte sum[few_bytes];
  const int ranks = static_cast<int>(all.size());
  combine_in_order(
      first, bytes, ranks, [&](int rank) { return brought(all, rank).offers.whole.data; }, sum);
  for (int rank = 0; rank < ranks; ++rank)
    if (const spread& its = brought(all, rank).wants; its.exists()) std::memcpy(its.whole.data, sum, bytes);
  return true;
}

namespace {

/// How numbers are combined, in 13 bits; 0 where that is not by MPI's own, or they do not lie side by side. From the
/// high bits: how the types combine, of which some have several names, 8; by what, which is not 0, 5.
std::uint32_t combination_of(const call_of_all& one) noexcept {
  static_assert(MPI_NO_OP < 1 << 5);
  if (!one.op || one.op->function || !one.offers.exists()) return 0;
  const datatype& type = *one.offers.whole.type;
  if (type.predefined == 0 || !type.is_dense || type.lower != 0) return 0;
  return std::uint32_t{static_cast<unsigned char>(type.reduces_as)} << 5 |
         static_cast<std::uint32_t>(one.op->predefined);
}

}  // namespace

std::uint64_t call_of_all::combined_kind() const noexcept {
  constexpr int most_roots = 1 << 4;
  // Each rank waits twice, and calls the system for each other one: less than this is combined sooner by all processes.
  constexpr std::size_t divided_bytes = 32 << 10;
  const bool reduces = as == briefly::reduce || as == briefly::reduce_to_all;
  if (!reduces || keeps_ || in.is_inter() || root + 1 >= most_roots) return 0;
  const std::uint32_t how = combination_of(*this);
  if (how == 0 || offers.whole.bytes() < divided_bytes) return 0;
  // From the high bits: it is no brief call, 1; which call, 3; how, 13; the root, 4; how many, 32.
  return std::uint64_t{8U | static_cast<unsigned char>(as)} << 60 | std::uint64_t{how} << 47 |
         static_cast<std::uint64_t>(root < 0 ? 0 : root + 1) << 43 | offers.whole.count;
}
maslin::combined_call::elements call_of_all::combines() const noexcept {
  return {offers.whole.count, offers.whole.type->size};
}
maslin::combined_call::places call_of_all::lie_at() const noexcept {
  return {static_cast<const std::byte*>(offers.whole.data),
          wants.exists() ? static_cast<std::byte*>(wants.whole.data) : nullptr};
}
void call_of_all::combine(const std::byte* more, std::byte* sum, std::size_t count) const noexcept {
  combine_predefined(op->predefined, offers.whole.type->reduces_as, more, sum, count);
}

std::uint32_t mpi::numbers_of_few(const call_of_all& one) noexcept {
  const std::uint32_t how = combination_of(one);
  if (how == 0 || !is_few(one)) return 0;
  const buffer& given = one.offers.whole;
  // From the high bits: how, 13; how many, 7; in how many bytes, 7.
  static_assert(few_bytes < 1 << 7);
  return how << 14 | static_cast<std::uint32_t>(given.count) << 7 | static_cast<std::uint32_t>(given.bytes());
}

void mpi::make_few(const call_of_all& by, std::span<const std::byte> given, calls_of_all all,
                   std::span<const int> here) {
  const auto wants = [&](int rank) { return brought(all, rank).wants.exists(); };
  if (std::none_of(here.begin(), here.end(), wants)) return;  // the root is in another process
  const std::size_t bytes = by.offers.whole.bytes();
  alignas(16) std::byte sum[few_bytes];
  combine_in_order(
      by, bytes, static_cast<int>(given.size() / bytes),
      [&](int rank) { return given.data() + static_cast<std::size_t>(rank) * bytes; }, sum);
  for (const int rank : here)
    if (wants(rank)) std::memcpy(brought(all, rank).wants.whole.data, sum, bytes);
}

MASLIN_MPI_OF_ALL(Reduce, Ireduce, reduce(mine, data, result, count, type, op, root), const void* data, void* result,
                  int count, MPI_Datatype type, MPI_Op op, int root)
MASLIN_MPI_OF_ALL(Allreduce, Iallreduce, reduce_to_all(mine, data, result, count, type, op), const void* data,
                  void* result, int count, MPI_Datatype type, MPI_Op op)
MASLIN_MPI_OF_ALL(Scan, Iscan, scan(mine, data, result, count, type, op, true), const void* data, void* result,
                  int count, MPI_Datatype type, MPI_Op op)
MASLIN_MPI_OF_ALL(Exscan, Iexscan, scan(mine, data, result, count, type, op, false), const void* data, void* result,
                  int count, MPI_Datatype type, MPI_Op op)
MASLIN_MPI_OF_ALL(Reduce_scatter, Ireduce_scatter,
                  reduce_and_scatter(mine, data, result, listed(mine, counts), type, op), const void* data,
                  void* result, const int* counts, MPI_Datatype type, MPI_Op op)
MASLIN_MPI_OF_ALL(Reduce_scatter_block, Ireduce_scatter_block,
                  reduce_and_scatter(mine, data, result, equal(mine, count), type, op), const void* data, void* result,
                  int count, MPI_Datatype type, MPI_Op op)
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
