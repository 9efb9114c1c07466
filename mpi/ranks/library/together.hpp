#pragma once
// Calls of all ranks of a communicator. Ranks of one process see what the others bring, and copy what concerns them:
// nothing is sent. Ranks of other processes send what they offer, and have stand-ins.

#include <atomic>
#include <cassert>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/processes.hpp"
#include "communicator.hpp"
#include "datatype.hpp"
#include "failure.hpp"
#include "operation.hpp"

namespace mpi {

/// A buffer that is the same for all ranks, or has a part for each, or for each edge; or none.
struct spread {
  enum class kind : unsigned char { none, same, blocks, listed, edges };
  kind is = kind::none;
  buffer whole{};             ///< `same`: it; `blocks`: the first of the parts, which lie behind each other
  std::vector<buffer> parts;  ///< `listed` and `edges`
  /// Along which the parts go or come, sorted; several may join two ranks, and keep their order.
  std::vector<edge> edges{};

  bool exists() const noexcept { return is != kind::none; }
  buffer of(int rank) const;  ///< along edges there is none
  std::size_t bytes(int ranks) const;
};

class call_of_all;
struct packed_call;
using calls_of_all = std::span<maslin::joint_call* const>;

/// What a rank brings: what it offers to each and what it wants from each. Ranks are counted as in the channel of the
/// communicator; where it has two groups, parts are those of the other group's ranks.
class call_of_all final : public maslin::brief_call, public maslin::combined_call, public maslin::told_call {
 public:
  /// Does a part with what `by`, the rank that does it, has brought of operations and types: functions of other ranks
  /// know other variables. Throws `failure`.
  using part_function = void(const call_of_all& by, calls_of_all all, int rank);

  call_of_all(communicator& comm, const call& of, bool is_started)
      : in(comm), channel_rank(comm.channel.rank()), by(of), comm_(&comm), keeps_(is_started) {}
  /// The same call once more; `described` must stay.
  call_of_all(const call_of_all& described, maslin::location where);
  ~call_of_all() override;
  call_of_all(const call_of_all&) = delete;
  call_of_all& operator=(const call_of_all&) = delete;

  bool meet(calls_of_all all) override;
  void do_part(calls_of_all all, int rank) override;
  void pack(std::span<const int> for_ranks, std::vector<std::byte>& into) override;
  std::unique_ptr<maslin::joint_call> unpack(int rank, std::span<const std::byte> packed) override;

  /// What may be a brief call: one that moves few bytes which lie side by side, and a reduction of few numbers by an
  /// operation of MPI's own.
  enum class briefly : unsigned char { no, barrier, broadcast, gather_to_all, exchange, reduce, reduce_to_all };
  std::uint64_t kind() const noexcept override;
  int giver() const noexcept override { return as == briefly::broadcast ? root : each; }
  std::span<const std::byte> gives() const noexcept override;
  void make(std::span<const std::byte> given, calls_of_all all, std::span<const int> here) override;

  /// A reduction of MPI's own numbers by an operation of MPI's own, to one rank or to all.
  std::uint64_t combined_kind() const noexcept override;
  elements combines() const noexcept override;
  places lie_at() const noexcept override;
  void combine(const std::byte* more, std::byte* sum, std::size_t count) const noexcept override;

  /// What a call of two groups moves is not told.
  maslin::trace::moved_as moved() const noexcept override;
  std::optional<std::size_t> neighbour_parts() const noexcept override {
    return offers.is == spread::kind::edges ? std::optional(offers.edges.size()) : std::nullopt;
  }
  to_neighbour neighbour_part(std::size_t i) const noexcept override {
    return {offers.edges[i].peer, offers.parts[i].bytes()};
  }

  /// Gives a buffer of the program, checked; throws `failure`. Its type stays while the call does.
  buffer checked(const void* data, int count, MPI_Datatype type);
  spread same(const void* data, int count, MPI_Datatype type) {
    return {spread::kind::same, checked(data, count, type), {}};
  }
  spread blocks(const void* data, int count, MPI_Datatype type) {
    return {spread::kind::blocks, checked(data, count, type), {}};
  }
  /// Says who the root is, as the program does. Throws `failure`.
  void set_root(int rank);
  bool is_root() const noexcept { return root == channel_rank; }
  /// It stands for a rank of another process: only what that offers is known.
  bool is_stand_in() const noexcept { return !comm_; }
  const communicator& comm() const noexcept {
    assert(comm_);
    return *comm_;
  }
  maslin::communicator& channel() const noexcept {
    assert(comm_);
    return comm_->channel;
  }
  /// The caller's number in its group.
  int rank() const noexcept { return channel_rank - in.first_member; }
  /// Is the caller the root, or one that the root exchanges data with?
  bool takes_part() const noexcept { return root >= 0; }
  void set_operation(MPI_Op op, MPI_Datatype type);
  /// Copies what is offered, where results get its place. The last step before the ranks meet.
  void copy_offers();
  /// Says that it exchanges these parts with each rank.
  void exchange_with_all(spread to, spread from);
  /// Says that it exchanges these parts with its neighbours, one along each edge.
  void exchange_along(const neighbourhood& edges, std::vector<buffer> to, std::vector<buffer> from);
  /// The numbers that are combined: what the rank gives, or the place for the result where it only gets them.
  const buffer& numbers() const;
  /// Their type.
  const datatype* offers_type() const;

  const sides& in;
  const int channel_rank;
  const call by;
  part_function* part = nullptr;  ///< null: ranks only meet
  briefly as = briefly::no;

  int given_root = MPI_UNDEFINED;  ///< as the program says it
  int root = MPI_UNDEFINED;        ///< in the channel; MPI_PROC_NULL: another of this group is
  spread offers, wants;

  // Of a call that combines numbers.
  const operation* op = nullptr;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::vector<std::size_t> counts;  ///< each rank's part of the result
  bool is_inclusive = false;        ///< of a scan

  bool copies_offers = false;           ///< the result has the place of what is offered
  std::unique_ptr<std::byte[]> copied;  ///< what is offered then
  std::optional<failure> problem;
  std::atomic<bool> lacks_memory = false;  ///< a part had none, and all results need it

  /// What went wrong, once the call is over.
  std::optional<failure> found_problem() const;

 private:
  call_of_all(const sides& ranks, int its_rank, const call& of)
      : in(ranks), channel_rank(its_rank), by(of), keeps_(false) {}
  /// Each rank gives all others as many bytes, or each of them so many of its own.
  bool is_of_blocks() const noexcept { return as == briefly::gather_to_all || as == briefly::exchange; }
  void unpack_numbers(call_of_all& into, const packed_call& head, const std::byte* data);

  communicator* const comm_ = nullptr;
  const bool keeps_;
  std::unique_ptr<sides> other_;  ///< as ranks of the other group see them; stand-ins use it
  std::vector<std::shared_ptr<const datatype>> types_;
  std::shared_ptr<const operation> op_;
  MPI_Datatype own_handle_ = MPI_DATATYPE_NULL;  ///< `handle`, where the program may free its own
};

/// What that rank brings.
inline call_of_all& brought(calls_of_all all, int rank) {
  return static_cast<call_of_all&>(*all[static_cast<std::size_t>(rank)]);
}

/// Suspends the caller until all ranks have come and the call is over. Throws `failure`.
void complete(call_of_all& mine);
/// Begins it; gives the handle of its request.
MPI_Request start(std::unique_ptr<call_of_all> mine, MPI_Comm comm);
/// Gives the handle of a request that can be started again and again. `on`: the communicator of the call, with a
/// channel of its own: requests may be started in another order by each rank.
MPI_Request prepare(std::unique_ptr<call_of_all> mine, std::shared_ptr<communicator> on, MPI_Comm comm);
/// All ranks meet and do nothing: throws `failure` in all if they come to different calls.
void meet(communicator& in, const call& by);

/// Copies what one rank offers to where another one wants it. Throws MPI_ERR_TRUNCATE.
void copy_part(const call_of_all& gives, const buffer& offered, const call_of_all& takes, const buffer& wanted);
/// The same for what rank `from` offers to rank `to`, if that wants it.
void copy_between(calls_of_all all, int from, int to);

/// Throws MPI_ERR_BUFFER where a call would read and write the same buffer.
void expect_apart(const void* data, const buffer& result);

/// The buffer of a program, checked; throws `failure`.
buffer checked_buffer(const void* data, int count, MPI_Datatype type);

/// Gives what is wrong with the numbers that ranks bring to be combined; empty where nothing is.
std::optional<failure> problem_with_numbers(calls_of_all all);
/// Combines numbers that are few; false where they are more.
bool combine_few(calls_of_all all);
/// Are they combined by the ranks, in so few bytes? Then brief calls say what is combined, and in which way.
std::uint32_t numbers_of_few(const call_of_all& one) noexcept;
/// Combines what all have given, for those ranks that want it.
void make_few(const call_of_all& by, std::span<const std::byte> given, calls_of_all all, std::span<const int> here);

}  // namespace mpi

/// Defines a function that all ranks call, the one that starts it, and the one that prepares it to be started again and
/// again. `describe` is an expression that says what `mine` brings; the parameters follow it, and do not contain the
/// communicator.
#define MASLIN_MPI_OF_ALL(name, started, describe, ...)                                                         \
  MASLIN_MPI_DEFINE(name, (__VA_ARGS__ __VA_OPT__(, ) MPI_Comm comm)) {                                         \
    const call by = MASLIN_MPI_CALL(name);                                                                      \
    return carry_out(by, comm, [&] {                                                                            \
      call_of_all mine(communicator_of(comm), by, false);                                                       \
      describe;                                                                                                 \
      complete(mine);                                                                                           \
    });                                                                                                         \
  }                                                                                                             \
  MASLIN_MPI_DEFINE(started, (__VA_ARGS__ __VA_OPT__(, ) MPI_Comm comm, MPI_Request * request)) {               \
    const call by = MASLIN_MPI_CALL(started);                                                                   \
    return carry_out(by, comm, [&] {                                                                            \
      expect_pointer(request, "the request");                                                                   \
      auto kept = std::make_unique<call_of_all>(communicator_of(comm), by, true);                               \
      call_of_all& mine = *kept;                                                                                \
      describe;                                                                                                 \
      *request = start(std::move(kept), comm);                                                                  \
    });                                                                                                         \
  }                                                                                                             \
  MASLIN_MPI_DEFINE(name##_init, (__VA_ARGS__ __VA_OPT__(, ) MPI_Comm comm, MPI_Info, MPI_Request * request)) { \
    const call by = MASLIN_MPI_CALL(name##_init);                                                               \
    return carry_out(by, comm, [&] {                                                                            \
      expect_pointer(request, "the request");                                                                   \
      auto on = with_own_channel(communicator_of(comm), by.where);                                              \
      auto kept = std::make_unique<call_of_all>(*on, by, true);                                                 \
      call_of_all& mine = *kept;                                                                                \
      describe;                                                                                                 \
      *request = prepare(std::move(kept), std::move(on), comm);                                                 \
    });                                                                                                         \
  }
