// MPI_Type_*: making types of others, and what they are like.

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "state.hpp"

using namespace mpi;

namespace {

using numbers = std::vector<int>;
using addresses = std::vector<MPI_Aint>;

/// Gives the new type its handle. What made it is kept: the standard says which numbers in which order.
MPI_Datatype add(std::shared_ptr<datatype> made, int combiner, numbers integers, addresses at,
                 const std::vector<MPI_Datatype>& of) {
  made->by = {combiner, std::move(integers), std::move(at), {}};
  for (const MPI_Datatype type : of) made->by.types.push_back(me.types.keep(type));
  return me.types.add(std::move(made));
}

/// Numbers behind each other.
numbers joined(numbers first, std::initializer_list<std::span<const int>> more) {
  for (const auto& some : more) first.insert(first.end(), some.begin(), some.end());
  return first;
}
std::span<const int> all(int count, const int* values) { return {values, static_cast<std::size_t>(count)}; }
addresses all(int count, const MPI_Aint* values) { return {values, values + count}; }

void expect_count(int count) {
  if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
}

/// Blocks of the same type; `length_of(i)` elements lie `at(i)` bytes from the beginning.
template <class Length, class At>
std::shared_ptr<datatype> blocks(int count, MPI_Datatype of, Length&& length_of, At&& at) {
  expect_count(count);
  const datatype& type = type_of(of, false);
  std::vector<placed> parts;
  for (int i = 0; i < count; ++i) {
    expect_count(length_of(i));
    parts.push_back({at(i), length_of(i), &type});
  }
  return mpi::type_of(parts);
}

/// That of a type which is predefined, or known by its precision.
MPI_Datatype predefined_handle(const datatype& of) {
  return of.by.combiner == 0 ? of.predefined : me.by_precision.at({of.by.combiner, of.by.integers});
}

std::ptrdiff_t extent_of(MPI_Datatype type) { return type_of(type, false).extent(); }

/// Elements of one dimension of an array, side by side.
struct run {
  int from, count;
};

/// A part of an array, whose other elements belong to the extent. `runs_of(d)`: its elements of that dimension.
template <class Runs>
std::shared_ptr<datatype> part_of_array(int dimensions, const int* sizes, int order, MPI_Datatype of, Runs&& runs_of) {
  if (dimensions < 1) throw failure{MPI_ERR_ARG, std::to_string(dimensions) + " dimensions; expected 1 or more"};
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
    throw failure{MPI_ERR_ARG, "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN"};
  std::shared_ptr<datatype> inner = std::make_shared<datatype>(type_of(of, false));
  std::ptrdiff_t stride = inner->extent();
  for (int k = 0; k < dimensions; ++k) {
    const int d = order == MPI_ORDER_C ? dimensions - 1 - k : k;  // from the one that varies fastest
    std::vector<placed> rows;
    for (const run& one : runs_of(d)) {
      if (k == 0) rows.push_back({one.from * stride, one.count, inner.get()});
      for (int i = 0; k > 0 && i < one.count; ++i) rows.push_back({(one.from + i) * stride, 1, inner.get()});
    }
    inner = mpi::type_of(rows);
    stride *= sizes[d];
  }
  inner->lower = 0;
  inner->upper = stride;
  inner->has_set_bounds = true;
  complete(*inner);
  return inner;
}

std::shared_ptr<datatype> subarray(int dimensions, const int* sizes, const int* parts, const int* starts, int order,
                                   MPI_Datatype of) {
  return part_of_array(dimensions, sizes, order, of, [&](int d) {
    if (parts[d] < 1 || starts[d] < 0 || starts[d] > sizes[d] - parts[d])
      throw failure{MPI_ERR_ARG, "dimension " + std::to_string(d) + ": " + std::to_string(parts[d]) +
                                     " elements from " + std::to_string(starts[d]) + " are not within " +
                                     std::to_string(sizes[d])};
    return std::vector<run>{{starts[d], parts[d]}};
  });
}

/// One dimension of an array, divided among processes, one of which is at `place`.
struct distribution {
  int elements, how, argument, processes, place;
  std::string problem() const;
  long long block() const;  ///< so many elements lie side by side
  std::vector<run> owned() const;
};

long long distribution::block() const {
  if (argument != MPI_DISTRIBUTE_DFLT_DARG) return argument;
  return how == MPI_DISTRIBUTE_CYCLIC ? 1 : (elements - 1LL) / processes + 1;
}
std::string distribution::problem() const {
  if (elements < 1) return std::to_string(elements) + " elements; expected 1 or more";
  if (processes < 1) return std::to_string(processes) + " processes; expected 1 or more";
  if (how == MPI_DISTRIBUTE_NONE)
    return processes == 1 ? "" : "MPI_DISTRIBUTE_NONE among " + std::to_string(processes) + " processes; expected 1";
  if (how != MPI_DISTRIBUTE_BLOCK && how != MPI_DISTRIBUTE_CYCLIC)
    return "the distribution is none of MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC and MPI_DISTRIBUTE_NONE";
  if (block() < 1) return "blocks of " + std::to_string(block()) + " elements; expected 1 or more";
  if (how == MPI_DISTRIBUTE_BLOCK && block() * processes < elements)
    return "blocks of " + std::to_string(block()) + " elements for " + std::to_string(processes) +
           " processes do not hold " + std::to_string(elements);
  return "";
}
std::vector<run> distribution::owned() const {
  if (how == MPI_DISTRIBUTE_NONE) return {{0, elements}};
  std::vector<run> made;
  // A block for each process, and with MPI_DISTRIBUTE_CYCLIC again.
  for (long long from = block() * place; from < elements; from += block() * processes)
    made.push_back({static_cast<int>(from), static_cast<int>(std::min(block(), elements - from))});
  return made;
}

/// What a process has of an array. Processes are a grid, whose last dimension varies fastest, whatever the array's
/// order.
std::shared_ptr<datatype> distributed(int processes, int rank, int dimensions, const int* sizes, const int* ways,
                                      const int* arguments, const int* sides, int order, MPI_Datatype of) {
  long long in_grid = 1;
  for (int d = 0; d < dimensions && in_grid <= INT_MAX; ++d) in_grid *= std::max(sides[d], 0);
  if (in_grid != processes)
    throw failure{MPI_ERR_ARG,
                  "a grid of " + std::to_string(in_grid) + " processes; expected " + std::to_string(processes)};
  if (rank < 0 || rank >= processes)
    throw failure{MPI_ERR_ARG,
                  "there is no rank " + std::to_string(rank) + "; expected 0 to " + std::to_string(processes - 1)};
  std::vector<int> places(static_cast<std::size_t>(std::max(dimensions, 0)));
  for (int d = dimensions, left = rank; d-- > 0; left /= sides[d])
    places[static_cast<std::size_t>(d)] = left % sides[d];
  return part_of_array(dimensions, sizes, order, of, [&](int d) {
    const distribution its{sizes[d], ways[d], arguments[d], sides[d], places[static_cast<std::size_t>(d)]};
    const std::string problem = its.problem();
    if (!problem.empty()) throw failure{MPI_ERR_ARG, "dimension " + std::to_string(d) + ": " + problem};
    return its.owned();
  });
}

}  // namespace

MASLIN_MPI_DEFINE(Type_contiguous, (int count, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_contiguous), MPI_COMM_WORLD, [&] {
    *made = add(blocks(
                    1, of, [&](int) { return count; }, [](int) { return 0; }),
                MPI_COMBINER_CONTIGUOUS, {count}, {}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_vector, (int count, int length, int stride, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_vector), MPI_COMM_WORLD, [&] {
    const std::ptrdiff_t step = stride * extent_of(of);
    *made = add(blocks(
                    count, of, [&](int) { return length; }, [&](int i) { return i * step; }),
                MPI_COMBINER_VECTOR, {count, length, stride}, {}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_create_hvector, (int count, int length, MPI_Aint stride, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_hvector), MPI_COMM_WORLD, [&] {
    *made = add(blocks(
                    count, of, [&](int) { return length; }, [&](int i) { return i * stride; }),
                MPI_COMBINER_HVECTOR, {count, length}, {stride}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_hvector, (int count, int length, MPI_Aint stride, MPI_Datatype of, MPI_Datatype* made)) {
  return PMPI_Type_create_hvector(count, length, stride, of, made);
}
MASLIN_MPI_DEFINE(Type_indexed,
                  (int count, const int* lengths, const int* displacements, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_indexed), MPI_COMM_WORLD, [&] {
    const std::ptrdiff_t extent = extent_of(of);
    *made = add(blocks(
                    count, of, [&](int i) { return lengths[i]; }, [&](int i) { return displacements[i] * extent; }),
                MPI_COMBINER_INDEXED, joined({count}, {all(count, lengths), all(count, displacements)}), {}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_create_hindexed,
                  (int count, const int* lengths, const MPI_Aint* displacements, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_hindexed), MPI_COMM_WORLD, [&] {
    *made = add(blocks(
                    count, of, [&](int i) { return lengths[i]; }, [&](int i) { return displacements[i]; }),
                MPI_COMBINER_HINDEXED, joined({count}, {all(count, lengths)}), all(count, displacements), {of});
  });
}
MASLIN_MPI_DEFINE(Type_hindexed,
                  (int count, int* lengths, MPI_Aint* displacements, MPI_Datatype of, MPI_Datatype* made)) {
  return PMPI_Type_create_hindexed(count, lengths, displacements, of, made);
}
MASLIN_MPI_DEFINE(Type_create_indexed_block,
                  (int count, int length, const int* displacements, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_indexed_block), MPI_COMM_WORLD, [&] {
    const std::ptrdiff_t extent = extent_of(of);
    *made = add(blocks(
                    count, of, [&](int) { return length; }, [&](int i) { return displacements[i] * extent; }),
                MPI_COMBINER_INDEXED_BLOCK, joined({count, length}, {all(count, displacements)}), {}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_create_hindexed_block,
                  (int count, int length, const MPI_Aint* displacements, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_hindexed_block), MPI_COMM_WORLD, [&] {
    *made = add(blocks(
                    count, of, [&](int) { return length; }, [&](int i) { return displacements[i]; }),
                MPI_COMBINER_HINDEXED_BLOCK, {count, length}, all(count, displacements), {of});
  });
}
MASLIN_MPI_DEFINE(Type_create_struct, (int count, const int* lengths, const MPI_Aint* displacements,
                                       const MPI_Datatype* of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_struct), MPI_COMM_WORLD, [&] {
    expect_count(count);
    std::vector<placed> parts;
    for (int i = 0; i < count; ++i) {
      expect_count(lengths[i]);
      parts.push_back({displacements[i], lengths[i], &type_of(of[i], false)});
    }
    const auto type = mpi::type_of(parts);
    align(*type);
    *made = add(type, MPI_COMBINER_STRUCT, joined({count}, {all(count, lengths)}), all(count, displacements),
                {of, of + count});
  });
}
MASLIN_MPI_DEFINE(Type_struct,
                  (int count, int* lengths, MPI_Aint* displacements, MPI_Datatype* of, MPI_Datatype* made)) {
  return PMPI_Type_create_struct(count, lengths, displacements, of, made);
}
MASLIN_MPI_DEFINE(Type_create_subarray, (int dimensions, const int* sizes, const int* parts, const int* starts,
                                         int order, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_subarray), MPI_COMM_WORLD, [&] {
    auto part = subarray(dimensions, sizes, parts, starts, order, of);  // first: it finds wrong arguments
    *made = add(
        std::move(part), MPI_COMBINER_SUBARRAY,
        joined({dimensions}, {all(dimensions, sizes), all(dimensions, parts), all(dimensions, starts), all(1, &order)}),
        {}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_create_darray,
                  (int processes, int rank, int dimensions, const int* sizes, const int* ways, const int* arguments,
                   const int* sides, int order, MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_darray), MPI_COMM_WORLD, [&] {
    auto part = distributed(processes, rank, dimensions, sizes, ways, arguments, sides, order, of);
    *made =
        add(std::move(part), MPI_COMBINER_DARRAY,
            joined({processes, rank, dimensions}, {all(dimensions, sizes), all(dimensions, ways),
                                                   all(dimensions, arguments), all(dimensions, sides), all(1, &order)}),
            {}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_create_resized, (MPI_Datatype of, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_create_resized), MPI_COMM_WORLD, [&] {
    const auto type = std::make_shared<datatype>(type_of(of, false));
    type->lower = lower;
    type->upper = lower + extent;
    type->has_set_bounds = true;
    type->predefined = 0;
    type->is_committed = false;
    type->reduces_as = number::none;
    type->name.clear();
    type->attributes.clear();
    complete(*type);
    *made = add(type, MPI_COMBINER_RESIZED, {}, {lower, extent}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_dup, (MPI_Datatype of, MPI_Datatype* made)) {
  return carry_out(MASLIN_MPI_CALL(Type_dup), MPI_COMM_WORLD, [&] {
    *made = MPI_DATATYPE_NULL;  // if a function that copies attributes fails
    const auto type = std::make_shared<datatype>(type_of(of, false));
    type->predefined = 0;
    type->attributes.clear();
    copy_attributes(of, type_of(of, false).attributes, type->attributes);
    *made = add(type, MPI_COMBINER_DUP, {}, {}, {of});
  });
}
MASLIN_MPI_DEFINE(Type_get_envelope, (MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner)) {
  return carry_out(MASLIN_MPI_CALL(Type_get_envelope), MPI_COMM_WORLD, [&] {
    const datatype& of = type_of(type, false);
    *integers = static_cast<int>(of.by.integers.size());
    *addresses = static_cast<int>(of.by.addresses.size());
    *types = static_cast<int>(of.by.types.size());
    *combiner = of.by.combiner == 0 ? MPI_COMBINER_NAMED : of.by.combiner;
  });
}
MASLIN_MPI_DEFINE(Type_get_contents, (MPI_Datatype type, int most_integers, int most_addresses, int most_types,
                                      int* integers, MPI_Aint* addresses, MPI_Datatype* types)) {
  return carry_out(MASLIN_MPI_CALL(Type_get_contents), MPI_COMM_WORLD, [&] {
    const datatype& of = type_of(type, false);
    if (of.by.combiner == 0) throw failure{MPI_ERR_TYPE, of.name + " was made of nothing"};
    const auto fits = [](int most, std::size_t count) { return most >= 0 && static_cast<std::size_t>(most) >= count; };
    if (!fits(most_integers, of.by.integers.size()) || !fits(most_addresses, of.by.addresses.size()) ||
        !fits(most_types, of.by.types.size()))
      throw failure{MPI_ERR_ARG, "there is less room than MPI_Type_get_envelope says"};
    std::copy(of.by.integers.begin(), of.by.integers.end(), integers);
    std::copy(of.by.addresses.begin(), of.by.addresses.end(), addresses);
    for (const auto& one : of.by.types)  // the program frees those that are not predefined
      *types++ = one->predefined ? predefined_handle(*one) : me.types.add(std::make_shared<datatype>(*one));
  });
}
MASLIN_MPI_DEFINE(Type_commit, (MPI_Datatype * type)) {
  return carry_out(MASLIN_MPI_CALL(Type_commit), MPI_COMM_WORLD, [&] {
    expect_pointer(type, "the datatype");
    editable_type(*type).is_committed = true;
  });
}
MASLIN_MPI_DEFINE(Type_free, (MPI_Datatype * type)) {
  return carry_out(MASLIN_MPI_CALL(Type_free), MPI_COMM_WORLD, [&] {
    expect_pointer(type, "the datatype");
    datatype& gone = editable_type(*type);
    if (gone.predefined)
      throw failure{MPI_ERR_TYPE, (gone.by.combiner == 0 ? gone.name : "a type by its precision") + " cannot be freed"};
    delete_attributes(*type, gone.attributes);
    me.types.remove(*type);
    *type = MPI_DATATYPE_NULL;
  });
}
MASLIN_MPI_DEFINE(Type_size, (MPI_Datatype type, int* size)) {
  return carry_out(MASLIN_MPI_CALL(Type_size), MPI_COMM_WORLD, [&] {
    const std::size_t bytes = type_of(type, false).size;
    *size = bytes > INT_MAX ? MPI_UNDEFINED : static_cast<int>(bytes);
  });
}
MASLIN_MPI_DEFINE(Type_size_x, (MPI_Datatype type, MPI_Count* size)) {
  return carry_out(MASLIN_MPI_CALL(Type_size_x), MPI_COMM_WORLD,
                   [&] { *size = static_cast<MPI_Count>(type_of(type, false).size); });
}
MASLIN_MPI_DEFINE(Type_extent, (MPI_Datatype type, MPI_Aint* extent)) {
  return carry_out(MASLIN_MPI_CALL(Type_extent), MPI_COMM_WORLD, [&] { *extent = extent_of(type); });
}
MASLIN_MPI_DEFINE(Type_lb, (MPI_Datatype type, MPI_Aint* lower)) {
  return carry_out(MASLIN_MPI_CALL(Type_lb), MPI_COMM_WORLD, [&] { *lower = type_of(type, false).lower; });
}
MASLIN_MPI_DEFINE(Type_ub, (MPI_Datatype type, MPI_Aint* upper)) {
  return carry_out(MASLIN_MPI_CALL(Type_ub), MPI_COMM_WORLD, [&] { *upper = type_of(type, false).upper; });
}
MASLIN_MPI_DEFINE(Type_get_extent, (MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent)) {
  return carry_out(MASLIN_MPI_CALL(Type_get_extent), MPI_COMM_WORLD, [&] {
    *lower = type_of(type, false).lower;
    *extent = extent_of(type);
  });
}
MASLIN_MPI_DEFINE(Type_get_true_extent, (MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent)) {
  return carry_out(MASLIN_MPI_CALL(Type_get_true_extent), MPI_COMM_WORLD, [&] {
    const datatype& of = type_of(type, false);
    *lower = of.true_lower();
    *extent = of.true_upper() - of.true_lower();
  });
}
MASLIN_MPI_DEFINE(Type_get_extent_x, (MPI_Datatype type, MPI_Count* lower, MPI_Count* extent)) {
  return carry_out(MASLIN_MPI_CALL(Type_get_extent_x), MPI_COMM_WORLD, [&] {
    *lower = type_of(type, false).lower;
    *extent = extent_of(type);
  });
}
MASLIN_MPI_DEFINE(Type_get_true_extent_x, (MPI_Datatype type, MPI_Count* lower, MPI_Count* extent)) {
  return carry_out(MASLIN_MPI_CALL(Type_get_true_extent_x), MPI_COMM_WORLD, [&] {
    const datatype& of = type_of(type, false);
    *lower = of.true_lower();
    *extent = of.true_upper() - of.true_lower();
  });
}
MASLIN_MPI_DEFINE(Type_set_name, (MPI_Datatype type, const char* name)) {
  return carry_out(MASLIN_MPI_CALL(Type_set_name), MPI_COMM_WORLD,
                   [&] { editable_type(type).name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1)); });
}
MASLIN_MPI_DEFINE(Type_get_name, (MPI_Datatype type, char* name, int* length)) {
  return carry_out(MASLIN_MPI_CALL(Type_get_name), MPI_COMM_WORLD, [&] {
    const std::string its = type == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : type_of(type, false).name;
    std::memcpy(name, its.c_str(), its.size() + 1);
    *length = static_cast<int>(its.size());
  });
}
