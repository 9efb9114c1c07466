// Sends and receives that return when they are complete.

#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "checked.hpp"

using namespace mpi;

namespace {

/// The bytes of a message, packed if they lie apart.
class message_bytes {
 public:
  explicit message_bytes(const buffer& data) : data_(data) {
    if (!data.type->is_dense) packed_ = std::make_unique_for_overwrite<std::byte[]>(data.bytes());
  }
  maslin::comm::bytes_as all() const noexcept { return data_.message(packed_ ? packed_.get() : data_.dense()); }
  void pack() const noexcept {
    if (packed_) mpi::pack(data_, packed_.get());
  }
  void unpack(std::size_t bytes) const noexcept {
    if (packed_) mpi::unpack(packed_.get(), bytes, data_);
  }

 private:
  buffer data_;
  std::unique_ptr<std::byte[]> packed_;
};

MPI_Status status_of(const communicator& in, const maslin::message& came) {
  return mpi::status_of(in.from_channel(came.source), came.tag, came.extent);
}

/// From whom a message is to come, in the channel.
int source(const communicator& in, int from) { return from == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : in.to_channel(from); }

void send(const call& in, const envelope& what, bool is_synchronous = false) {
  const checked of = check(true, what);
  if (what.peer == MPI_PROC_NULL) return;
  const message_bytes bytes(of.data);
  bytes.pack();
  const int to = of.in.to_channel(what.peer);
  if (is_synchronous)
    of.in.channel.synchronous_send(bytes.all(), to, what.tag, in.where);
  else
    of.in.channel.send(bytes.all(), to, what.tag, in.where);
}

void receive(const call& in, const envelope& what, const checked& of, MPI_Status* status) {
  if (what.peer == MPI_PROC_NULL) {
    set(status, mpi::status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0));
    return;
  }
  const message_bytes bytes(of.data);
  const maslin::message came = of.in.channel.receive(bytes.all(), source(of.in, what.peer), what.tag, in.where);
  bytes.unpack(came.extent);
  set(status, status_of(of.in, came));
}

/// Receives, and then waits for what was sent before: also if what has come is wrong, since another rank waits for it.
template <class Finish>
void receive_and_finish(const call& in, const envelope& back, const checked& into, MPI_Status* status,
                        Finish&& finish) {
  std::exception_ptr wrong;
  try {
    receive(in, back, into, status);
  } catch (...) {
    wrong = std::current_exception();
  }
  finish();
  if (wrong) std::rethrow_exception(wrong);
}

void exchange(const call& in, const envelope& out, const envelope& back, MPI_Status* status) {
  const checked from = check(true, out), into = check(false, back);  // before anything is sent
  const request_ptr sent = begin(true, mode::standard, out, from, in.where);
  receive_and_finish(in, back, into, status, [&] { sent->finish(in.where); });
}

/// Takes a message that has come, if one has.
bool take(communicator& of, const call& in, const envelope& what, MPI_Message* message, MPI_Status* status) {
  const auto found = of.channel.look(source(of, what.peer), what.tag, in.where);
  if (!found) return false;
  auto held = std::make_shared<held_message>();
  held->bytes.resize(found->extent);
  held->source = of.from_channel(found->source);
  held->tag = found->tag;
  held->in = me.communicators.keep(what.comm);
  maslin::comm::bytes_as any{held->bytes.data(), held->bytes.size(), &typeid(void)};
  // Its sender may have cancelled it meanwhile.
  maslin::request started = of.channel.start_receive(any, found->source, found->tag, in.where);
  if (started.cancel(in.where)) return false;
  const maslin::message came = started.wait(in.where);
  held->bytes.resize(came.extent);  // it may be the one behind that
  set(status, status_of(of, came));
  *message = me.messages.add(held);
  return true;
}

checked looked_in(int from, int tag, MPI_Comm comm) {
  communicator& in = communicator_of(comm);
  if (from != MPI_ANY_SOURCE && from != MPI_PROC_NULL) expect_peer(in, from);
  if (tag < 0 && tag != MPI_ANY_TAG && from != MPI_PROC_NULL)
    throw failure{MPI_ERR_TAG, "tag " + std::to_string(tag) + "; expected one from 0"};
  return {in, {}, threads ? me.communicators.keep(comm) : nullptr};
}

}  // namespace

#define MASLIN_MPI_SEND(name, body)                                                                           \
  MASLIN_MPI_DEFINE(name, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)) { \
    const call in = MASLIN_MPI_CALL(name);                                                                    \
    return carry_out(in, comm, [&] {                                                                          \
      const envelope what{const_cast<void*>(data), count, type, to, tag, comm};                               \
      body;                                                                                                   \
    });                                                                                                       \
  }
MASLIN_MPI_SEND(Send, send(in, what))
MASLIN_MPI_SEND(Ssend, send(in, what, true))
MASLIN_MPI_SEND(Rsend, send(in, what))
MASLIN_MPI_SEND(Bsend, send_buffered(describe(true, mode::buffered, what), in.where))

MASLIN_MPI_DEFINE(Recv,
                  (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Recv);
  return carry_out(in, comm, [&] {
    const envelope what{data, count, type, from, tag, comm};
    receive(in, what, check(false, what), status);
  });
}
MASLIN_MPI_DEFINE(Sendrecv, (const void* data, int count, MPI_Datatype type, int to, int tag, void* into, int room,
                             MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Sendrecv);
  return carry_out(in, comm, [&] {
    exchange(in, {const_cast<void*>(data), count, type, to, tag, comm}, {into, room, into_type, from, from_tag, comm},
             status);
  });
}
MASLIN_MPI_DEFINE(Sendrecv_replace, (void* data, int count, MPI_Datatype type, int to, int tag, int from, int from_tag,
                                     MPI_Comm comm, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Sendrecv_replace);
  return carry_out(in, comm, [&] {
    // What is sent is copied first, so that what comes has the place.
    const checked of = check(true, {data, count, type, to, tag, comm});
    const auto copy = std::make_unique_for_overwrite<std::byte[]>(of.data.bytes());
    pack(of.data, copy.get());
    const envelope back{data, count, type, from, from_tag, comm};
    const checked into = check(false, back);
    maslin::request sent;
    maslin::comm::bytes_as all = of.data.message(copy.get());
    if (to != MPI_PROC_NULL) sent = of.in.channel.start_send(all, of.in.to_channel(to), tag, in.where);
    receive_and_finish(in, back, into, status, [&] {
      if (to != MPI_PROC_NULL) sent.wait(in.where);
    });
  });
}
MASLIN_MPI_DEFINE(Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Probe);
  return carry_out(in, comm, [&] {
    const checked looked = looked_in(from, tag, comm);
    communicator& of = looked.in;
    if (from == MPI_PROC_NULL)
      set(status, mpi::status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0));
    else
      set(status, status_of(of, of.channel.probe(source(of, from), tag, in.where)));
  });
}
MASLIN_MPI_DEFINE(Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Iprobe);
  return carry_out(in, comm, [&] {
    const checked looked = looked_in(from, tag, comm);
    communicator& of = looked.in;
    *flag = 1;
    if (from == MPI_PROC_NULL) {
      set(status, mpi::status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0));
      return;
    }
    const auto found = of.channel.look(source(of, from), tag, in.where);
    *flag = found.has_value();
    if (found) set(status, status_of(of, *found));
  });
}
MASLIN_MPI_DEFINE(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Mprobe);
  return carry_out(in, comm, [&] {
    const checked looked = looked_in(from, tag, comm);
    communicator& of = looked.in;
    if (from == MPI_PROC_NULL) {
      *message = MPI_MESSAGE_NO_PROC;
      set(status, mpi::status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0));
      return;
    }
    do of.channel.probe(source(of, from), tag, in.where);
    while (!take(of, in, {nullptr, 0, MPI_BYTE, from, tag, comm}, message, status));
  });
}
MASLIN_MPI_DEFINE(Improbe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Improbe);
  return carry_out(in, comm, [&] {
    const checked looked = looked_in(from, tag, comm);
    communicator& of = looked.in;
    *flag = 1;
    if (from == MPI_PROC_NULL) {
      *message = MPI_MESSAGE_NO_PROC;
      set(status, mpi::status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0));
      return;
    }
    *flag = take(of, in, {nullptr, 0, MPI_BYTE, from, tag, comm}, message, status);
  });
}
MASLIN_MPI_DEFINE(Mrecv, (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status)) {
  return carry_out(MASLIN_MPI_CALL(Mrecv), MPI_COMM_WORLD, [&] { set(status, deliver(data, count, type, message)); });
}
MASLIN_MPI_DEFINE(Buffer_attach, (void* buffer, int size)) {
  return carry_out(MASLIN_MPI_CALL(Buffer_attach), MPI_COMM_WORLD, [&] {
    if (me.buffered.room_bytes > 0) throw failure{MPI_ERR_BUFFER, "a buffer is attached already"};
    if (size < 0) throw failure{MPI_ERR_ARG, "size " + std::to_string(size)};
    me.buffered.room = buffer;
    me.buffered.room_bytes = size;
  });
}
MASLIN_MPI_DEFINE(Buffer_detach, (void* buffer, int* size)) {
  const call in = MASLIN_MPI_CALL(Buffer_detach);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    me.buffered.wait_for_buffered(in.where);
    std::memcpy(buffer, &me.buffered.room, sizeof(void*));
    *size = me.buffered.room_bytes;
    me.buffered.room = nullptr;
    me.buffered.room_bytes = 0;
  });
}
