#include "together.hpp"

#include <cassert>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "state.hpp"

namespace mpi {

namespace {

// What is less in all ranks together is done by the last one to come: to wake the others takes longer.
constexpr std::size_t done_at_once = 16384;  // bytes

std::string described(const call_of_all& one) {
  const std::string with_root = one.given_root == MPI_UNDEFINED ? "" : " with root " + std::to_string(one.given_root);
  return "rank " + std::to_string(one.in.in_world(one.channel_rank)) + " calls " + one.by.name + with_root +
         " at @:" + std::to_string(one.by.where.line());
}

failure no_memory() { return {MPI_ERR_NO_MEM, "there is no memory for it"}; }

/// Do two ranks name the same root? In a communicator with two groups, who is in the root's group may not know it.
bool name_one_root(const call_of_all& a, const call_of_all& b) {
  return a.root == b.root || (a.in.is_inter() && (a.root == MPI_PROC_NULL || b.root == MPI_PROC_NULL));
}

std::optional<failure> disagreement(calls_of_all all) {
  const call_of_all& first = brought(all, 0);
  for (int rank = 1; rank < static_cast<int>(all.size()); ++rank) {
    const call_of_all& other = brought(all, rank);
    if (std::strcmp(first.by.name, other.by.name) != 0 || !name_one_root(first, other))
      return failure{MPI_ERR_OTHER,
                     "all ranks of a communicator must call the same: " + described(first) + ", " + described(other)};
  }
  return std::nullopt;
}

}  // namespace

bool call_of_all::meet(calls_of_all all) {
  const int ranks = static_cast<int>(all.size());
  std::optional<failure> wrong = disagreement(all);
  if (!wrong && part) wrong = problem_with_numbers(all);
  if (wrong) {
    for (int rank = 0; rank < ranks; ++rank) brought(all, rank).problem = wrong;
    return false;
  }
  bool wants_some = false;
  for (int rank = 0; rank < ranks; ++rank) wants_some |= brought(all, rank).wants.exists();
  if (!part || !wants_some || combine_few(all)) return false;
  std::size_t bytes = 0;
  for (int rank = 0; rank < ranks && bytes <= done_at_once; ++rank) {
    const call_of_all& its = brought(all, rank);
    bytes += its.op ? its.offers.bytes(1) : its.wants.bytes(its.in.peers().size());
  }
  if (bytes > done_at_once) return true;
  for (int rank = 0; rank < ranks; ++rank) do_part(all, rank);
  return false;
}

void call_of_all::do_part(calls_of_all all, int rank) {
  try {
    part(*this, all, rank);
  } catch (const failure& e) {
    // A rank of another process is told nothing: its root is.
    call_of_all& its = brought(all, rank);
    (its.is_stand_in() && its.root >= 0 ? brought(all, its.root) : its).problem = e;
  } catch (const std::bad_alloc&) {
    // Each part of a reduction is a share of all results.
    bool is_reduction = false;
    for (int its = 0; its < static_cast<int>(all.size()); ++its) is_reduction |= brought(all, its).op != nullptr;
    if (!is_reduction) brought(all, rank).problem = no_memory();
    for (int its = 0; is_reduction && its < static_cast<int>(all.size()); ++its)
      brought(all, its).lacks_memory.store(true, std::memory_order_relaxed);
  }
}

std::uint64_t call_of_all::kind() const noexcept {
  if (as == briefly::no || in.is_inter()) return 0;
  std::uint64_t of_what = 0;
  if (as == briefly::broadcast) {
    const buffer& data = numbers();
    if (!data.type->is_dense || data.bytes() > most_bytes) return 0;
    of_what = data.bytes();
  } else if (is_of_blocks()) {
    const buffer &gives = offers.whole, &takes = wants.whole;
    const bool are_blocks = wants.is == spread::kind::blocks && offers.is != spread::kind::listed;
    if (!are_blocks || !gives.type->is_dense || !takes.type->is_dense || gives.bytes() != takes.bytes()) return 0;
    of_what = gives.bytes();
    if (of_what > most_bytes) return 0;
  } else if (as != briefly::barrier) {
    of_what = numbers_of_few(*this);
    if (of_what == 0) return 0;
  }
  // From the high bits: which call, 4; is it started, 1; of what, 27; the root, 32.
  return std::uint64_t{static_cast<unsigned char>(as)} << 60 | std::uint64_t{keeps_} << 59 | of_what << 32 |
         static_cast<std::uint32_t>(given_root);
}

std::span<const std::byte> call_of_all::gives() const noexcept {
  if (!offers.exists()) return {};
  return {offers.whole.dense(), offers.bytes(in.peers().size())};
}

void call_of_all::make(std::span<const std::byte> given, calls_of_all all, std::span<const int> here) {
  if (given.empty()) return;
  if (is_of_blocks()) {
    const int ranks = in.peers().size();
    const std::size_t bytes = offers.whole.bytes();
    for (const int rank : here)
      for (int i = 0; i < ranks; ++i) {
        const int which = as == briefly::exchange ? i * ranks + rank : i;
        std::memcpy(brought(all, rank).wants.of(i).dense(), given.data() + static_cast<std::size_t>(which) * bytes,
                    bytes);
      }
    return;
  }
  if (as != briefly::broadcast) return make_few(*this, given, all, here);
  for (const int rank : here)
    if (const call_of_all& its = brought(all, rank); !its.is_root())
      std::memcpy(its.wants.whole.dense(), given.data(), given.size());
}

maslin::trace::moved_as call_of_all::moved() const noexcept {
  using pattern = maslin::trace::moved_as::pattern;
  if (in.is_inter() || offers.is == spread::kind::edges || (!offers.exists() && !wants.exists())) return {};
  const auto said = [this](pattern is, std::size_t bytes) {
    return maslin::trace::moved_as{is, static_cast<std::uint32_t>(root >= 0 ? root : 0), bytes};
  };
  if (op) return said(root >= 0 ? pattern::reduce : pattern::reduce_to_all, numbers().bytes());
  if (as == briefly::broadcast) return said(pattern::broadcast, numbers().bytes());
  const bool gives_all_the_same = offers.is == spread::kind::same;
  if (root < 0 && gives_all_the_same) return said(pattern::gather_to_all, offers.whole.bytes());
  if (root < 0) return said(pattern::all_to_all, offers.bytes(in.peers().size()));
  // The root of a scatter has a part for each; its ranks give nothing.
  const bool scatters = is_root() ? offers.exists() && !gives_all_the_same : !offers.exists();
  return scatters ? said(pattern::scatter, wants.bytes(1)) : said(pattern::gather, offers.bytes(1));
}

buffer call_of_all::checked(const void* data, int count, MPI_Datatype type) {
  const buffer made = checked_buffer(data, count, type);
  if ((keeps_ || threads) && made.type->predefined == 0) types_.push_back(me.types.keep(type));
  return made;
}

void call_of_all::set_root(int rank) {
  assert(comm_);
  given_root = rank;
  if (in.is_inter() && (rank == MPI_ROOT || rank == MPI_PROC_NULL)) {
    root = rank == MPI_ROOT ? channel_rank : MPI_PROC_NULL;
    return;
  }
  expect_peer(*comm_, rank, MPI_ERR_ROOT);
  root = in.to_channel(rank);
}

void call_of_all::set_operation(MPI_Op which, MPI_Datatype type) {
  op = &operation_of(which);
  if (keeps_ || threads) op_ = me.operations.keep(which);
  handle = type;
  // A function may ask what the type is, and the program may free its handle meanwhile.
  if ((keeps_ || threads) && op->function && type_of(type).predefined == 0)
    handle = own_handle_ = me.types.add(me.types.keep(type));
}

call_of_all::call_of_all(const call_of_all& described, maslin::location where)
    : in(described.in),
      channel_rank(described.channel_rank),
      by{described.by.name, where},
      part(described.part),
      as(described.as),
      given_root(described.given_root),
      root(described.root),
      offers(described.offers),
      wants(described.wants),
      op(described.op),
      handle(described.handle),
      counts(described.counts),
      is_inclusive(described.is_inclusive),
      copies_offers(described.copies_offers),
      comm_(described.comm_),
      keeps_(true) {}

call_of_all::~call_of_all() {
  if (me.types.find(own_handle_)) me.types.remove(own_handle_);  // at the end of the program they are gone
}

std::optional<failure> call_of_all::found_problem() const {
  if (lacks_memory.load(std::memory_order_relaxed)) return no_memory();
  return problem;
}

void call_of_all::copy_offers() {
  if (!copies_offers) return;
  const spread from = std::exchange(offers, {});
  const int ranks = in.peers().size();
  copied = std::make_unique_for_overwrite<std::byte[]>(from.bytes(ranks));
  std::byte* at = copied.get();
  if (from.is == spread::kind::same) {
    mpi::pack(from.whole, at);
    offers = {from.is, {at, from.whole.count, from.whole.type}, {}};
    return;
  }
  offers.is = spread::kind::listed;
  for (int i = 0; i < ranks; ++i) {
    const buffer part_of = from.of(i);
    mpi::pack(part_of, at);
    offers.parts.push_back({at, part_of.bytes(), &type_of(MPI_BYTE)});
    at += part_of.bytes();
  }
}

void complete(call_of_all& mine) {
  mine.copy_offers();
  mine.channel().together(mine, mine.by.where);
  if (std::optional<failure> problem = mine.found_problem()) throw failure(std::move(*problem));
}

MPI_Request start(std::unique_ptr<call_of_all> mine, MPI_Comm comm) {
  request_ptr made = me.requests.make();
  made->is_active = true;
  made->in = me.communicators.keep(comm);
  begin(*made, std::move(mine));
  return request_table::name(std::move(made));
}

MPI_Request prepare(std::unique_ptr<call_of_all> mine, std::shared_ptr<communicator> on, MPI_Comm comm) {
  request_ptr made = me.requests.make();
  made->is_persistent = true;
  made->in = me.communicators.keep(comm);
  made->more().on = std::move(on);
  made->details->described = std::move(mine);
  return request_table::name(std::move(made));
}

void meet(communicator& in, const call& by) {
  call_of_all mine(in, by, false);
  complete(mine);
}

buffer spread::of(int rank) const {
  switch (is) {
    case kind::none:
    case kind::edges:
      return {};
    case kind::same:
      return whole;
    case kind::blocks:
      return {whole.element(static_cast<std::size_t>(rank) * whole.count), whole.count, whole.type};
    case kind::listed:
      return parts[static_cast<std::size_t>(rank)];
  }
  return {};
}

std::size_t spread::bytes(int ranks) const {
  std::size_t all = 0;
  if (is == kind::same) all = whole.bytes();
  if (is == kind::blocks) all = static_cast<std::size_t>(ranks) * whole.bytes();
  for (const buffer& one : parts) all += one.bytes();
  return all;
}

void copy_part(const call_of_all& gives, const buffer& offered, const call_of_all& takes, const buffer& wanted) {
  // It is there already. A rank's types are its own; MPI_BOTTOM is the same for all.
  if (offered.data == wanted.data && offered.type == wanted.type) return;
  if (offered.bytes() > wanted.bytes())
    throw failure{MPI_ERR_TRUNCATE, "rank " + std::to_string(gives.in.in_world(gives.channel_rank)) + " gives " +
                                        std::to_string(offered.bytes()) + " bytes to rank " +
                                        std::to_string(takes.in.in_world(takes.channel_rank)) +
                                        ", which has room for " + std::to_string(wanted.bytes())};
  copy(offered, wanted);
}

void copy_between(calls_of_all all, int from, int to) {
  const call_of_all &gives = brought(all, from), &takes = brought(all, to);
  if (!gives.offers.exists() || !takes.wants.exists()) return;
  copy_part(gives, gives.offers.of(takes.in.place_of(to)), takes, takes.wants.of(gives.in.place_of(from)));
}

void expect_apart(const void* data, const buffer& result) {
  if (data == result.data && data && result.bytes() > 0)
    throw failure{MPI_ERR_BUFFER, "the same buffer is given and wanted; MPI_IN_PLACE says so"};
}

buffer checked_buffer(const void* data, int count, MPI_Datatype type) {
  if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
  const datatype& of = type_of(type);
  if (data == MPI_IN_PLACE) throw failure{MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning here"};
  if (!data && count > 0 && of.is_dense && of.size > 0 && of.lower == 0)
    throw failure{MPI_ERR_BUFFER, "the buffer is a null pointer"};
  return {const_cast<void*>(data), static_cast<std::size_t>(count), &of};
}

}  // namespace mpi
