// What ranks of other processes need to know of a call of all ranks, and their stand-ins.

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "state.hpp"
#include "together.hpp"

namespace mpi {

/// A call as it is sent: this, its name, and what it offers, each beginning at a multiple of 16 bytes. What is offered
/// are numbers to be combined; or the same bytes for all, or the parts for the ranks that it is sent to, behind those
/// ranks, or edges, and the parts' lengths.
struct packed_call {
  int given_root, root;
  unsigned line;
  std::uint32_t name;  ///< its bytes
  spread::kind offers;
  bool is_of_second_group, has_operation, has_data;
  int predefined;           ///< of the operation: its handle; MPI_OP_NULL for a function of the program
  int type;                 ///< of numbers: the predefined type; 0 for one of the program
  std::size_t count, size;  ///< of numbers; the size is that of an element. Otherwise the bytes, and 1
};

namespace {

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

std::byte* add_room(std::vector<std::byte>& to, std::size_t bytes) {
  const std::size_t at = rounded(to.size());
  to.resize(at + bytes);
  return to.data() + at;
}
void add(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  add_room(to, 0);
  maslin::append(to, from, bytes);
}
/// What a buffer sends.
void add(std::vector<std::byte>& to, const buffer& from) {
  if (from.type->is_dense && from.bytes() > 0) return add(to, from.dense(), from.bytes());
  mpi::pack(from, add_room(to, from.bytes()));
}

/// What a rank offers to a peer, which is one of those with which it exchanges data.
struct given_part {
  edge along;
  buffer data;
};
/// What is for these ranks of the channel, which are sorted.
std::vector<given_part> parts_for(const sides& in, const spread& offers, std::span<const int> ranks) {
  std::vector<given_part> found;
  if (offers.is == spread::kind::edges) {
    for (std::size_t i = 0; i < offers.edges.size(); ++i)
      if (std::binary_search(ranks.begin(), ranks.end(), offers.edges[i].peer))
        found.push_back({offers.edges[i], offers.parts[i]});
    return found;
  }
  for (const int rank : ranks) {
    const int peer = in.from_channel(rank);
    if (peer >= 0 && peer < in.peers().size()) found.push_back({{peer, 0}, offers.of(peer)});
  }
  return found;
}

/// Elements of so many bytes, whatever they consist of.
std::shared_ptr<datatype> bytes_of(std::size_t size) {
  auto made = std::make_shared<datatype>();
  if (size > 0) made->pieces.push_back({0, number::u8, size});
  made->size = size;
  made->upper = static_cast<std::ptrdiff_t>(size);
  made->is_dense = made->is_committed = true;
  return made;
}

}  // namespace

void call_of_all::pack(std::span<const int> for_ranks, std::vector<std::byte>& into) {
  const bool second = in.is_inter() && channel_rank >= in.second_group();
  packed_call head{given_root,
                   root,
                   by.where.line(),
                   static_cast<std::uint32_t>(std::strlen(by.name) + 1),
                   offers.is,
                   second,
                   op != nullptr,
                   false,
                   op ? op->predefined : 0,
                   0,
                   0,
                   1};
  // With a root, what others offer is for it.
  head.has_data = offers.exists() &&
                  (root < 0 || is_root() || std::find(for_ranks.begin(), for_ranks.end(), root) != for_ranks.end());
  if (op) {
    const buffer& all = numbers();
    head.type = all.type->predefined;
    head.count = all.count;
    head.size = all.type->size;
  } else if (offers.is == spread::kind::same) {
    head.count = offers.whole.bytes();
  }
  const std::size_t at = into.size();
  add(into, &head, sizeof head);
  add(into, by.name, head.name);
  if (!head.has_data) return;
  if (offers.is == spread::kind::same) return add(into, offers.whole);
  const std::vector<given_part> parts = parts_for(in, offers, for_ranks);
  std::vector<edge> ends;
  std::vector<std::size_t> lengths;
  for (const given_part& one : parts) {
    ends.push_back(one.along);
    lengths.push_back(one.data.bytes());
  }
  add(into, ends.data(), ends.size() * sizeof(edge));
  add(into, lengths.data(), lengths.size() * sizeof(std::size_t));
  for (const given_part& one : parts) add(into, one.data);
  head.count = parts.size();
  std::memcpy(into.data() + rounded(at), &head, sizeof head);
}

/// A function of the program is the caller's own: another rank's knows other variables.
void call_of_all::unpack_numbers(call_of_all& into, const packed_call& head, const std::byte* data) {
  static const operation of_another{};
  into.op = head.predefined != MPI_OP_NULL ? &operation_of(head.predefined) : op && op->function ? op : &of_another;
  const datatype* type = head.type != 0 ? &type_of(head.type) : nullptr;
  if (!type) type = into.types_.emplace_back(bytes_of(head.size)).get();
  buffer all{nullptr, head.count, type};
  if (head.has_data && type->is_dense) {
    all.data = const_cast<std::byte*>(data) - type->lower;
  } else if (head.has_data) {
    // They are as the program has them: operations know their layout.
    into.copied =
        std::make_unique_for_overwrite<std::byte[]>(head.count * static_cast<std::size_t>(type->extent()) + 16);
    all.data = into.copied.get();
    mpi::unpack(data, all.bytes(), all);
  }
  if (head.offers == spread::kind::none)
    into.wants.whole = all;  // which is not wanted here: how much it is
  else
    into.offers = {spread::kind::same, all, {}};
}

std::unique_ptr<maslin::joint_call> call_of_all::unpack(int rank, std::span<const std::byte> packed) {
  packed_call head;
  std::memcpy(&head, packed.data(), sizeof head);
  const std::byte* at = packed.data() + rounded(sizeof head);
  const auto* const name = reinterpret_cast<const char*>(at);  // which stays while the call does
  at += rounded(head.name);
  const bool second = in.is_inter() && channel_rank >= in.second_group();
  if (head.is_of_second_group != second && !other_) {
    other_ = std::make_unique<sides>();
    other_->members = in.remote;
    other_->remote = in.members;
    other_->first_member = in.first_remote;
    other_->first_remote = in.first_member;
  }
  const sides& its = head.is_of_second_group != second ? *other_ : in;
  std::unique_ptr<call_of_all> made(new call_of_all(its, rank, {name, maslin::location::current("@", head.line)}));
  made->given_root = head.given_root;
  made->root = head.root;
  made->part = part;
  made->is_inclusive = is_inclusive;
  if (head.has_operation) {
    unpack_numbers(*made, head, at);
    return made;
  }
  const datatype& bytes = type_of(MPI_BYTE);
  if (head.offers == spread::kind::none) return made;
  if (head.offers == spread::kind::same || !head.has_data) {
    made->offers = {spread::kind::same, {const_cast<std::byte*>(at), head.count, &bytes}, {}};
    return made;
  }
  std::vector<edge> ends(head.count);
  if (!ends.empty()) std::memcpy(ends.data(), at, ends.size() * sizeof(edge));
  at += rounded(ends.size() * sizeof(edge));
  std::vector<std::size_t> lengths(head.count);
  if (!lengths.empty()) std::memcpy(lengths.data(), at, lengths.size() * sizeof(std::size_t));
  at += rounded(lengths.size() * sizeof(std::size_t));
  const bool along_edges = head.offers == spread::kind::edges;
  made->offers.is = along_edges ? spread::kind::edges : spread::kind::listed;
  if (!along_edges) made->offers.parts.assign(static_cast<std::size_t>(its.peers().size()), buffer{nullptr, 0, &bytes});
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const buffer its_part{const_cast<std::byte*>(at), lengths[i], &bytes};
    if (along_edges)
      made->offers.parts.push_back(its_part);
    else
      made->offers.parts[static_cast<std::size_t>(ends[i].peer)] = its_part;
    at += rounded(lengths[i]);
  }
  if (along_edges) made->offers.edges = std::move(ends);
  return made;
}

}  // namespace mpi
