#pragma once
// Messages whose envelopes are checked, and how they are started. All of it is inlined: programs start many.

#include <cstddef>

#include "state.hpp"

namespace mpi {

[[noreturn]] void throw_wrong_count(int count);
[[noreturn]] void throw_wrong_tag(int tag);
[[noreturn]] void throw_no_buffer();

/// Throws `failure` if there is no such message.
[[gnu::always_inline]] inline checked check(bool is_send, const envelope& what) {
  communicator& in = communicator_of(what.comm);
  if (what.count < 0) [[unlikely]]
    throw_wrong_count(what.count);
  // What is received from nobody needs no type.
  const bool needs_type = is_send || what.peer != MPI_PROC_NULL || what.type != MPI_DATATYPE_NULL;
  const MPI_Datatype its_type = needs_type ? what.type : MPI_BYTE;
  const datatype& type = type_of(its_type);
  if (what.peer != MPI_PROC_NULL) {
    if (is_send || what.peer != MPI_ANY_SOURCE) expect_peer(in, what.peer);
    if (what.tag < 0 && (is_send || what.tag != MPI_ANY_TAG)) [[unlikely]]
      throw_wrong_tag(what.tag);
  }
  // A type with addresses of its own begins at MPI_BOTTOM, which is null, too.
  if (!what.data && what.count > 0 && type.is_dense && type.size > 0 && type.lower == 0) [[unlikely]]
    throw_no_buffer();
  const buffer data{what.data, static_cast<std::size_t>(what.count), &type};
  if (!threads) return {in, data};
  return {in, data, me.communicators.keep(what.comm), me.types.keep(its_type)};
}

/// Gives one that is to be started.
[[gnu::always_inline]] inline request_ptr made_for(bool is_send, mode how, const envelope& what,
                                                   const std::shared_ptr<communicator>& in) {
  request_ptr made = me.requests.make();
  made->is_send = is_send;
  made->how = how;
  made->peer = what.peer;
  made->tag = what.tag;
  made->in = in;
  return made;
}

/// Starts it; its bytes lie side by side.
[[gnu::always_inline]] inline void start_bytes(request& one, maslin::comm::bytes_as bytes,
                                               const maslin::location& where) {
  maslin::communicator& channel = one.in->channel;
  const int peer = one.peer == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : one.in->to_channel(one.peer);
  if (!one.is_send) {
    maslin::message came;
    one.started =
        maslin::detail::receive_if_there(channel, maslin::detail::elements_of(bytes), peer, one.tag, where, came);
    if (!one.started) one.end_as(came);
    return;
  }
  if (one.how == mode::synchronous) {
    one.started.emplace(channel.start_synchronous_send(bytes, peer, one.tag, where));
    return;
  }
  one.sent = maslin::detail::send_at_once(channel, maslin::detail::elements_of(bytes), peer, one.tag, where);
  if (one.sent == 0) {
    one.started.emplace(channel.start_send(bytes, peer, one.tag, where));
    return;
  }
  const int mine = one.in->from_channel(one.in->first_member + one.in->rank);
  one.over = status_of(mine, one.tag, bytes.extent);
}

/// Starts a send or a receive once.
[[gnu::always_inline]] inline request_ptr begin(bool is_send, mode how, const envelope& what, const checked& of,
                                                const maslin::location& where) {
  if (what.peer == MPI_PROC_NULL || !of.data.type->is_dense) [[unlikely]]
    return begin_apart(is_send, how, what, where);
  request_ptr one = made_for(is_send, how, what, me.communicators.keep(what.comm));
  start_bytes(*one, of.data.message(of.data.dense()), where);
  one->is_active = true;
  return one;
}

}  // namespace mpi
