#pragma once
// Forwards packets between the processes of a node and the forwarders of other nodes. ACROSS.md states the protocol.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "comm/packet_ring.hpp"
#include "comm/processes.hpp"
#include "exec/ranks/node_memory.hpp"

namespace maslin {

class forwarder {
 public:
  forwarder(node_network& by, const process_of_job& of, int ranks, void* memory);

  /// See `forward_between_nodes`.
  std::optional<std::vector<int>> run();

 private:
  using clock = std::chrono::steady_clock;

  /// What forwarders tell each other, in the place of a packet.
  struct notice {
    enum class what : std::uint32_t {
      kept,    ///< `number`: a rank of that node; `value`: so many copies wait for it
      report,  ///< how the node's ranks are; `number`: which report; `value`: its first process with ranks that sleep
      ended,   ///< all processes of that node have
      early,   ///< the job ends before its time
      bye      ///< the last one; `value`: the node's status
    };
    what is = what::kept;
    std::int32_t number = 0, value = 0;
    comm::ranks_found found{};             ///< of all its processes
    std::uint64_t sent = 0, received = 0;  ///< packets, by its forwarder
    bool is_like(const notice& later) const noexcept {
      return found == later.found && sent == later.sent && received == later.received;
    }
  };
  /// Of a parcel: bytes that the packet does not hold follow, up to a multiple of 8.
  struct record {
    static constexpr std::int32_t forwarder = -1;
    comm::packet head;
    std::int32_t from, to;  ///< processes; or a node and its forwarder, and in the head's place is a notice
  };
  static_assert(sizeof(record) == 64 && sizeof(notice) <= sizeof(comm::packet));

  /// A message whose bytes are sent from where they are.
  struct fetch {
    record wanted;  ///< as it came
    std::uint64_t sent = 0;
  };
  /// What goes to another node.
  struct link {
    int node;
    std::byte* room = nullptr;  ///< of the parcel that is being filled
    std::size_t used = 0;
    std::deque<notice> notices;
    std::deque<fetch> fetches;
    std::vector<bool> is_told_full;  ///< of each rank of this node
  };
  /// What waits for room in a ring, without bytes.
  struct short_one {
    comm::packet head;
    int from;
  };

  // To other nodes.
  bool has_room(link& to, std::size_t bytes);
  void add(link& to, const record& head, const void* bytes, std::size_t size);
  bool send_parcels();
  bool read_rings();
  bool say_notices();
  bool say_kept();
  bool send_fetched();
  bool send_piece(link& to);

  // From them.
  bool read_parcels();
  bool read_parcel();
  void hear(int node, const notice& one);
  bool write(int member, const comm::packet& head, int from, const std::byte* bytes);
  bool write_or_wait(int member, const comm::packet& head, int from, const std::byte* bytes);
  bool write_waiting();
  bool begin_fetch(const record& wanted);
  bool read_memory(int process, std::uint64_t from, std::byte* to, std::size_t bytes) noexcept;
  void rouse_written();

  // Do all ranks wait for each other?
  /// Nothing, where some process has not told enough of how it is.
  std::optional<notice> own_report() const;
  void add_report(int node, const notice& one);
  void compare_reports();
  bool report();

  // The end.
  bool come_to_end();
  bool has_ended() const;
  void tell_all(const notice& one);

  void rest();

  node_network& by_;
  const node_memory node_;
  const int me_;  ///< as a member of the node
  const int own_node_, nodes_;
  const std::vector<int> ranks_here_;
  std::vector<link> links_;    ///< to each other node
  std::vector<bool> is_held_;  ///< of each process of the node: its first packet has no room in a parcel
  bool reads_directly_;
  std::optional<bool> has_cores_;  ///< is there one for each worker of the node, and the forwarder?

  std::span<const std::byte> parcel_;  ///< that is being read, up to `read_`
  std::size_t parcel_read_ = 0;
  std::vector<std::deque<short_one>> waiting_;  ///< for each process of the node
  enum class news : std::uint8_t { none, some, urgent };
  std::vector<news> written_;  ///< to each process, and it is not roused
  std::size_t next_rank_ = 0;  ///< whose copies are looked at next
  unsigned rounds_ = 0;

  std::uint64_t packets_sent_ = 0, packets_received_ = 0;
  int report_ = 1;  ///< the number of the next
  bool has_reported_ = false;
  std::vector<std::uint64_t> numbers_before_;  ///< of the processes' reports, when all last ones were there
  std::vector<std::optional<notice>> reports_[2], before_;  ///< by their numbers; of all nodes

  bool is_over_ = false;  ///< nobody needs what is under way
  bool is_early_ = false, has_ended_ = false, has_said_bye_ = false;
  int ended_ = 0;  ///< nodes
  std::vector<std::optional<int>> statuses_;
  clock::time_point said_bye_at_, active_at_ = clock::now();
};

}  // namespace maslin
