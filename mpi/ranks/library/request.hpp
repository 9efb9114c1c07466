#pragma once
// Messages that are under way.

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
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

/// A send, a receive or a call of all ranks, started once or again and again.
struct request {
  bool is_send = false, is_persistent = false, is_active = false, is_cancelled = false;
  bool is_awaited = false;          ///< with others, by one of the rank's threads: another cannot cancel it
  bool is_tested = false;           ///< by one of the rank's threads, which lets others call meanwhile
  bool is_to_be_cancelled = false;  ///< by the thread that tests it
  mode how = mode::standard;
  envelope what{};
  std::shared_ptr<communicator> in;        ///< of the program; stays, even if its handle is freed
  std::shared_ptr<communicator> on;        ///< whose channel is used, if it is not that one's
  std::shared_ptr<const datatype> type;    ///< stays, too
  std::unique_ptr<call_of_all> described;  ///< what each start brings, of a call of all ranks that is persistent
  std::unique_ptr<call_of_all> joint;      ///< of a call of all ranks, which is no message
  std::unique_ptr<std::byte[]> packed;     ///< where the data lies apart
  maslin::request started;                 ///< uses these two
  std::shared_ptr<request> buffered;       ///< the message, of a send that is over since its data was copied
  std::shared_ptr<request> also;           ///< a send that belongs to it: it is complete when both are
  std::optional<MPI_Status> over;          ///< complete, and what is to be said of it
  std::optional<failure> problem;          ///< complete, and what went wrong

  buffer data() const noexcept { return {what.data, static_cast<std::size_t>(what.count), type.get()}; }
  bool is_over() const noexcept { return over && (!also || also->over); }
  bool test(maslin::location where);
  /// Takes the message back, unless it has been received.
  void cancel(maslin::location where);
  /// Suspends the caller until it is complete.
  void finish(maslin::location where);
  /// Gives the status of what is complete; throws `failure`.
  const MPI_Status& result() const;

 private:
  void finish_own(maslin::location where);
};

/// Messages that go on without the program: sends whose data has been copied, and what MPI_Request_free was called for.
class kept_messages {
 public:
  void add(std::shared_ptr<request> one) { all_.push_back(std::move(one)); }
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
    std::list<std::shared_ptr<request>> some;
    for (auto next = all_.begin(); next != all_.end();)
      if (const auto one = next++; which(**one)) some.splice(some.end(), all_, one);
    for (const auto& one : some) one->finish(where);
  }

  std::list<std::shared_ptr<request>> all_;
};

/// What an envelope stands for.
struct checked {
  communicator& in;
  buffer data;
  // Where another thread of the rank may free them while the call waits.
  std::shared_ptr<const communicator> kept_in = nullptr;
  std::shared_ptr<const datatype> kept_type = nullptr;
};
/// Throws `failure` if there is no such message.
checked check(bool is_send, const envelope& what);

MPI_Status status_of(int source, int tag, std::size_t bytes);
/// How long the message was. Fortran aligns a status as its integers, so the number is in two parts.
long long bytes_of(const MPI_Status& status);
void set_bytes(MPI_Status& status, long long bytes);

std::shared_ptr<request> new_request();
/// Begins a call of all ranks.
void begin(request& one, std::unique_ptr<call_of_all> mine);
/// Starts what the request describes.
void start(request& one, maslin::location where);
/// Describes a send or receive; throws `failure`.
std::shared_ptr<request> describe(bool is_send, mode how, const envelope& what);
/// Describes the same one once more: handles that it was described with may be gone.
std::shared_ptr<request> describe_again(const request& one);

MPI_Status empty_status();
/// Gives the handle of a request that is complete. `buffered`: the message, if it goes on.
MPI_Request add_complete(const MPI_Status& status, std::shared_ptr<request> buffered = nullptr);
/// Copies the data of what was described, and sends it. Throws `failure` where MPI_Buffer_attach gave less room.
void send_buffered(const std::shared_ptr<request>& one, maslin::location where);
/// Puts a message that was taken where it is wanted; throws `failure`.
MPI_Status deliver(void* data, int count, MPI_Datatype type, MPI_Message* message);
/// Tells the program, if it asked.
void set(MPI_Status* status, const MPI_Status& to);

}  // namespace mpi
