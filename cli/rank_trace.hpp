#pragma once
// What the ranks of a trace did, as a described network can do it again.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maslin/error.hpp"
#include "maslin/trace.hpp"
#include "model/links/deeds.hpp"

/// A message of which a trace holds both ends.
struct recorded_message {
  /// A send or a receive.
  struct end {
    int worker = 0;
    std::int64_t begun_ns = 0;
    std::int64_t complete_ns = 0;  ///< its data may be changed, or are there
  };
  end sent, received;
  std::uint64_t bytes = 0, tag = 0;
};

struct recorded_ranks {
  maslin::links::recording program;
  std::string name;  ///< of the program
  int workers = 0;   ///< on which it ran
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of these
  std::uint64_t calls = 0;  ///< of all ranks of a communicator
  double seconds = 0;       ///< from the first rank's begin to the last one's end, in the process that took longest
  double longest_computation = 0;  ///< seconds; of the rank that computed most
  double computation = 0;          ///< of all ranks
  /// A loop of a rank, which computed it alone.
  struct loop {
    std::uint32_t rank;
    std::size_t deed;  ///< that it is part of
    std::int64_t blocks;
    double seconds;
    double before;  ///< seconds of the deed that are before it
  };
  std::vector<loop> loops;  ///< in the order of ranks, deeds, and time
};

/// Thrown for a trace of whose messages some cannot be told.
class no_messages : public maslin::error {
 public:
  using error::error;
};

/// Reads what ranks did; nothing if the program asked for something else first. Several traces are those of the
/// processes of one job. `trimmed`: without what each rank computed before its first message and after its last. Throws
/// `maslin::error` for traces that do not hold all of it.
std::optional<recorded_ranks> read_ranks(const std::vector<std::string>& paths, bool trimmed);

/// Gives the messages between the ranks of a trace, whatever else its program does. Throws `no_messages` for one that
/// lacks events, or whose calls of `ms::ranks` overlap.
std::vector<recorded_message> messages_of(const maslin::trace::file& trace, const std::string& path);
