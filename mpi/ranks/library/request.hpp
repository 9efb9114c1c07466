#pragma once
// Messages that are under way.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "communicator.hpp"
#include "datatype.hpp"
#include "failure.hpp"
#include "maslin/ranks.hpp"
#include "mpi.h"
#include "together.hpp"

namespace mpi {

enum class mode : unsigned char { standard, buffered, synchronous, ready };

/// One end of a message, as the program describes it.
struct envelope {
  void* data;
  int count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm comm;
};

/// A message that MPI_Mprobe has taken: it has come already.
struct held_message {
  std::vector<std::byte> bytes;
  int source = MPI_PROC_NULL, tag = MPI_ANY_TAG;
  std::shared_ptr<communicator> in;  ///< stays, even if its handle is freed
};

struct request;

/// Keeps a request. When nobody does, it stands for nothing and is used again.
class request_ptr {
 public:
  request_ptr() = default;
  explicit request_ptr(request* one) noexcept;
  request_ptr(const request_ptr& other) noexcept : request_ptr(other.it_) {}
  request_ptr(request_ptr&& other) noexcept : it_(other.release()) {}
  request_ptr& operator=(request_ptr other) noexcept {
    std::swap(it_, other.it_);
    return *this;
  }
  ~request_ptr() {
    if (it_) leave(*it_);
  }

  request* get() const noexcept { return it_; }
  request& operator*() const noexcept { return *it_; }
  request* operator->() const noexcept { return it_; }
  explicit operator bool() const noexcept { return it_ != nullptr; }
  request* release() noexcept { return std::exchange(it_, nullptr); }
  static request_ptr adopt(request& one) noexcept {
    request_ptr made;
    made.it_ = &one;
    return made;
  }

 private:
  static void leave(request& one) noexcept;

  request* it_ = nullptr;
};

/// How long the message was. Fortran aligns a status as its integers, so the number is in two parts.
inline long long bytes_of(const MPI_Status& status) {
  return (static_cast<long long>(status.bytes_high) << 32) | status.bytes_low;
}
inline void set_bytes(MPI_Status& status, long long bytes) {
  status.bytes_low = static_cast<unsigned>(bytes & 0xffffffff);
  status.bytes_high = static_cast<int>(bytes >> 32);
}
inline MPI_Status status_of(int source, int tag, std::size_t bytes) {
  MPI_Status made{source, tag, MPI_SUCCESS, 0, 0, 0};
  set_bytes(made, static_cast<long long>(bytes));
  return made;
}
inline MPI_Status empty_status() { return status_of(MPI_ANY_SOURCE, MPI_ANY_TAG, 0); }

/// What few requests have.
struct request_details {
  envelope what{};
  std::shared_ptr<const datatype> type;    ///< of `what`; stays, even if its handle is freed
  std::unique_ptr<call_of_all> described;  ///< what each start brings, of a call of all ranks that is persistent
  std::unique_ptr<call_of_all> joint;      ///< of a call of all ranks, which is no message
  std::shared_ptr<communicator> on;        ///< whose channel that uses, if it is not that of `in`
  std::unique_ptr<std::byte[]> packed;     ///< where the data lies apart
  request_ptr buffered;                    ///< the message, of a send that is over since its data was copied
  request_ptr also;                        ///< a send that belongs to it: it is complete when both are
  std::optional<failure> problem;          ///< complete, and what went wrong

  buffer data() const noexcept { return {what.data, static_cast<std::size_t>(what.count), type.get()}; }
};

/// A send, a receive or a call of all ranks, started once or again and again.
struct request {
  explicit request(MPI_Request its_handle) : handle(its_handle) {}

  const MPI_Request handle;
  int users = 0;          ///< so many keep it; the program, while it has the handle, is one of them
  bool is_named = false;  ///< the program has the handle
  bool is_send = false, is_persistent = false, is_active = false;
  bool is_awaited = false;          ///< with others, by one of the rank's threads: another cannot cancel it
  bool is_tested = false;           ///< by one of the rank's threads, which lets others call meanwhile
  bool is_to_be_cancelled = false;  ///< by the thread that tests it
  mode how = mode::standard;
  int peer = MPI_PROC_NULL, tag = MPI_ANY_TAG;
  std::shared_ptr<communicator> in;  ///< of the program; stays, even if its handle is freed
  std::optional<MPI_Status> over;    ///< complete, and what is to be said of it
  /// Of a message that has gone at once: it can be taken back by that until the program is told of its end.
  std::uint64_t sent = 0;
  std::unique_ptr<request_details> details;
  std::optional<maslin::request> started;  ///< if it is not over; uses what is in `details`
  request* next_free = nullptr;

  request_details& more() {
    if (!details) details = std::make_unique<request_details>();
    return *details;
  }
  request* also() const noexcept { return details ? details->also.get() : nullptr; }
  request* buffered() const noexcept { return details ? details->buffered.get() : nullptr; }
  bool is_of_all() const noexcept { return details && details->joint; }
  bool is_over() const noexcept { return over && (!also() || also()->over); }
  /// Is it a message that has come or gone, with nothing wrong? Then it is over.
  bool end_if_complete() noexcept;
  /// It is over, since that message has come or gone.
  void end_as(const maslin::message& came) noexcept {
    started.reset();
    over = status_of(in->from_channel(came.source), came.tag, came.extent);
    if (details) [[unlikely]]
      end_packed(came.extent);
  }
  bool test(maslin::location where);
  /// Takes the message back, unless it has been received.
  void cancel(maslin::location where);
  /// Suspends the caller until it is complete.
  void finish(maslin::location where);
  /// Gives the status of what is complete; throws `failure`.
  const MPI_Status& result() const;

 private:
  friend class request_table;
  void finish_own(maslin::location where);
  void end_packed(std::size_t bytes) noexcept;
  /// It can stand for something else.
  void forget() noexcept {
    is_named = is_send = is_persistent = is_active = is_awaited = is_tested = is_to_be_cancelled = false;
    how = mode::standard;
    peer = MPI_PROC_NULL;
    tag = MPI_ANY_TAG;
    over.reset();
    sent = 0;
    if (started || details) [[unlikely]]
      forget_more();
    in.reset();
  }
  void forget_more() noexcept;
};

/// The requests of a rank, by their handles. There are as many as there were at a time; each has its handle for good.
class request_table {
 public:
  /// Gives null where the handle stands for nothing.
  request* find(MPI_Request handle) const noexcept {
    const std::size_t place = static_cast<unsigned>(handle) - 1u;  // none for 0, as for negative ones
    request* const one = place < all_.size() ? all_[place].get() : nullptr;
    return one && one->is_named ? one : nullptr;
  }
  /// Gives one that stands for nothing.
  request_ptr make() {
    if (!free_) [[unlikely]]
      add();
    return request_ptr(std::exchange(free_, free_->next_free));
  }
  /// Gives its handle to the program.
  static MPI_Request name(request_ptr one) noexcept {
    one->is_named = true;
    return one.release()->handle;
  }
  /// The program has a handle, and gives it back: it stands for nothing from now on.
  static request_ptr take(request& named) noexcept {
    named.is_named = false;
    return request_ptr::adopt(named);
  }
  /// The same, and the caller does not keep it.
  void end(request& named) noexcept {
    named.is_named = false;
    if (--named.users == 0) use_again(named);
  }
  /// Takes all handles. Threads of the rank may still be in calls, and keep some.
  void clear() noexcept {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i]->is_named) take(*all_[i]);
  }
  void use_again(request& one) noexcept {
    one.forget();
    one.next_free = std::exchange(free_, &one);
  }

 private:
  void add();

  std::vector<std::unique_ptr<request>> all_;
  request* free_ = nullptr;
};

inline request_ptr::request_ptr(request* one) noexcept : it_(one) {
  if (one) ++one->users;
}

/// Messages that go on without the program: sends whose data has been copied, and what MPI_Request_free was called for.
class kept_messages {
 public:
  void add(request_ptr one) { all_.push_back(std::move(one)); }
  void forget_complete();
  void wait(maslin::location where);
  void wait_for_buffered(maslin::location where);
  /// For those of that communicator.
  void wait_for(const communicator& in, maslin::location where);
  void clear() { all_.clear(); }
  std::size_t bytes() const;

  void* room = nullptr;  ///< of MPI_Buffer_attach
  int room_bytes = 0;

 private:
  template <class Which>
  void wait_for_those(Which&& which, maslin::location where) {
    std::list<request_ptr> some;
    for (auto next = all_.begin(); next != all_.end();)
      if (const auto one = next++; which(**one)) some.splice(some.end(), all_, one);
    for (const auto& one : some) one->finish(where);
  }

  std::list<request_ptr> all_;
};

/// What an envelope stands for.
struct checked {
  communicator& in;
  buffer data;
  // Where another thread of the rank may free them while the call waits.
  std::shared_ptr<const communicator> kept_in = nullptr;
  std::shared_ptr<const datatype> kept_type = nullptr;
};

/// Begins a call of all ranks.
void begin(request& one, std::unique_ptr<call_of_all> mine);
/// Starts a send or a receive once, whose data may lie apart and whose envelope was checked.
request_ptr begin_apart(bool is_send, mode how, const envelope& what, maslin::location where);
/// Describes a send or receive, to be started; throws `failure`.
request_ptr describe(bool is_send, mode how, const envelope& what);
/// Starts what was described.
void start(request& one, maslin::location where);
/// Describes the same one once more: handles that it was described with may be gone.
request_ptr describe_again(const request& one);

/// Gives the handle of a request that is complete. `buffered`: the message, if it goes on.
MPI_Request add_complete(const MPI_Status& status, request_ptr buffered = {});
/// Copies the data of what was described, and sends it. Throws `failure` where MPI_Buffer_attach gave less room.
void send_buffered(const request_ptr& one, maslin::location where);
/// Puts a message that was taken where it is wanted; throws `failure`.
MPI_Status deliver(void* data, int count, MPI_Datatype type, MPI_Message* message);
/// Tells the program, if it asked.
void set(MPI_Status* status, const MPI_Status& to);

}  // namespace mpi
