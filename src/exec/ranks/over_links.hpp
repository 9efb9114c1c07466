#pragma once
// Messages between ranks on a described machine: they take the times of its links and hops (model/links).

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/atomic.hpp"
#include "comm/mailbox.hpp"
#include "exec/message_links.hpp"

namespace maslin {

class joint_call;
class world;
struct rank_group;
struct rank_meeting;

/// Which message a receive takes is known when both have begun; the bytes are copied then. That the sender is done, and
/// that the receiver has the message, each of them is told at its time.
class over_links {
 public:
  /// `workers`: those of the ranks.
  over_links(world& of, message_links& by, std::vector<std::uint32_t> workers);
  ~over_links();
  over_links(const over_links&) = delete;
  over_links& operator=(const over_links&) = delete;

  // The caller is in a moment.
  /// A rank begins to receive from that rank, or from any.
  void ask(const comm::transfer& receive, int from);
  /// A rank sends what `receive` takes; or that is null, and `queued` lies in the mailbox of rank `to`: the message, or
  /// a copy of it, and then it may be sent before it is received. Gives whether its sender is done.
  bool send(comm::transfer& message, comm::transfer* receive, const comm::transfer& queued, int to) noexcept;
  /// It receives what has lain in its mailbox: gives whether it has it.
  bool receive(const comm::transfer& queued, comm::transfer& receive) noexcept;
  /// The rank at that place of the group has come to that call, with this.
  void come(rank_group& in, rank_meeting& at, int place, const joint_call& brings) noexcept;
  /// All have. Throws `error` if the messages that would do it are too many.
  void all_have_come(const rank_meeting& at);
  /// They are told of its parts, by that, without a signal.
  void share(const rank_meeting& at, std::function<void()> tell);
  /// The call has been carried out: its ranks are told of its end when they have had their messages. If it has no parts
  /// the meeting is given back then.
  void complete(const rank_meeting& at);
  /// What lay in a mailbox is not sent after all, or not received.
  void withdraw(const comm::transfer& queued);

  message_links& links() const noexcept { return by_; }
  /// Is there something of which ranks will be told? Any thread may ask.
  bool go_on() const noexcept { return expected_.load(std::memory_order_acquire) > 0; }

 private:
  struct going_on;
  struct under_way;
  struct call_under_way;
  struct question {
    std::int64_t begun_at;
    std::optional<std::int64_t> told_at;  ///< when its descriptor is there; nothing where it is not known from whom
    bool is_eager;                        ///< there is none, since what it has room for may be sent before
  };

  /// That receive takes the message.
  links::progress answer(under_way& m, comm::transfer& receive);
  void follow(under_way& m, const links::progress& brings);
  void tell(comm::transfer& its);
  std::uint32_t worker_of(int rank) const { return workers_[static_cast<std::size_t>(rank)]; }

  world& of_;
  message_links& by_;
  const std::vector<std::uint32_t> workers_;
  MASLIN_ATOMIC<std::int64_t> expected_{0};  ///< so many of these are
  std::list<under_way> all_;
  std::list<call_under_way> calls_;
  std::unordered_map<const rank_meeting*, std::list<call_under_way>::iterator> call_at_;
  std::unordered_map<const comm::transfer*, std::list<under_way>::iterator> queued_;  ///< by what lies in a mailbox
  std::unordered_map<const comm::transfer*, question> questions_;                     ///< by the receive
};

}  // namespace maslin
