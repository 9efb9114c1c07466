#pragma once
// What ranks of a recorded program did, each in its order, and how long it takes on a network. Messages and calls of
// all ranks may go on beside their ranks, and small messages are sent before they are received.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "maslin/trace.hpp"
#include "model/links/journeys.hpp"
#include "model/links/network.hpp"

namespace maslin::links {

struct deed {
  enum class kind : std::uint8_t {
    compute,
    loop,
    start_send,
    start_receive,
    wait_sent,
    wait_received,
    start_part,  ///< the rank's part of a call of all begins, and goes on beside it
    wait_part,   ///< until that part is over
  } is;
  /// Its message's place in `recording::messages`; of `loop`: in `speedups`; of the last two: in `parts`.
  std::uint32_t number = 0;
  std::int64_t ps = 0;  ///< of `compute`, and of `loop` on one worker

  static deed compute(std::int64_t ps) { return {kind::compute, 0, ps}; }
};

/// How many times as fast a loop is on several workers: points by workers, the first of one; straight lines between.
struct speedup {
  struct point {
    double workers, times;
  };
  std::vector<point> points;

  /// Beyond the last point it stays.
  double on(double workers) const;
};

/// A message that was sent and received. Who has started to send or to receive it waits later, or never.
struct sent_message {
  std::uint32_t from, to;
  std::int64_t bytes;
  bool is_synchronous = false;  ///< its sender waits for its receive, also if it is small
};

struct recording {
  std::vector<std::vector<deed>> ranks;
  std::vector<sent_message> messages;
  std::vector<speedup> speedups{};
  /// Each goes on beside the rank that starts it, and sends and receives one after another.
  std::vector<std::vector<deed>> parts{};
};

/// How the ranks are run again.
struct ranks_on {
  std::vector<std::uint32_t> workers;  ///< by rank; those of one worker take turns when they wait
  double speed = 1;                    ///< what computed for t takes t / speed
  /// A message of up to so many is sent before it is received; with 0 none is, as where ranks run.
  std::int64_t eager_bytes = 0;
  std::uint32_t sharing = 0;  ///< workers that share the loops of all ranks, in equal parts
};

/// Ranks that do what is recorded, in the order of time.
class doing {
 public:
  /// Their messages go over `moving`, perhaps among others. All four stay. Throws `error` if there is no such worker.
  doing(const network& on, journeys& moving, const recording& program, const ranks_on& how);
  ~doing();
  doing(const doing&) = delete;
  doing& operator=(const doing&) = delete;

  /// The rank, whose worker is its own then, begins at that time.
  void begin(std::uint32_t rank, std::int64_t at);
  /// Gives when something happens next; nothing where nothing does.
  std::optional<std::int64_t> next() const;
  /// Lets that happen: gives the ranks that have ended by it, in a list that is valid until the next step.
  const std::vector<std::uint32_t>& step();

 private:
  friend std::int64_t take_on(const network& on, const recording& program, const ranks_on& how);
  class taking;
  const std::unique_ptr<taking> all_;
};

/// Gives when the last rank has ended, in picoseconds. Throws `error` if ranks wait for each other, or if there is no
/// such worker.
std::int64_t take_on(const network& on, const recording& program, const ranks_on& how);

/// A call of all ranks of a communicator, which is carried out by messages between them.
struct call_of_ranks {
  enum class pattern : std::uint8_t {
    meet,  ///< nothing is moved
    broadcast,
    scatter,
    reduce,
    gather,
    reduce_to_all,
    gather_to_all,
    all_to_all,
    neighbours,  ///< each gives to those to which it has an edge, and nobody waits for others
  } is = pattern::meet;
  std::vector<std::uint32_t> ranks;  ///< who they are, of all ranks
  std::uint32_t root = 0;            ///< its place in `ranks`
  /// By place. Of a broadcast and of reductions all count as having the most.
  std::vector<std::int64_t> bytes;

  /// A rank brings what a trace would say of it.
  void add(std::size_t place, const trace::moved_as& moved);
  struct edge {
    std::uint32_t from, to;  ///< places
    std::int64_t bytes;
  };
  std::vector<edge> edges{};  ///< of neighbours
};

/// Does each of its ranks send a message for each other one? More ranks send too many.
bool is_long(const call_of_ranks& call);
inline constexpr std::size_t most_ranks_of_a_long_call = 4096;

/// Adds the call's messages to the program, and gives what each of its ranks does, by place.
std::vector<std::vector<deed>> carried_out(const call_of_ranks& call, recording& program);

}  // namespace maslin::links
