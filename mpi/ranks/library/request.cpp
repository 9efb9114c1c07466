#include "request.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "maslin/error.hpp"
#include "recycled.hpp"
#include "state.hpp"

namespace mpi {

MPI_Status status_of(int source, int tag, std::size_t bytes) {
  MPI_Status made{source, tag, MPI_SUCCESS, 0, 0, 0};
  set_bytes(made, static_cast<long long>(bytes));
  return made;
}
void set_bytes(MPI_Status& status, long long bytes) {
  status.bytes_low = static_cast<unsigned>(bytes & 0xffffffff);
  status.bytes_high = static_cast<int>(bytes >> 32);
}
MPI_Status empty_status() { return status_of(MPI_ANY_SOURCE, MPI_ANY_TAG, 0); }
long long bytes_of(const MPI_Status& status) {
  return (static_cast<long long>(status.bytes_high) << 32) | status.bytes_low;
}

std::shared_ptr<request> new_request() { return std::allocate_shared<request>(recycled<request>()); }

checked check(bool is_send, const envelope& what) {
  communicator& in = communicator_of(what.comm);
  if (what.count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(what.count) + "; expected one from 0"};
  // What is received from nobody needs no type.
  const bool needs_type = is_send || what.peer != MPI_PROC_NULL || what.type != MPI_DATATYPE_NULL;
  const datatype& type = type_of(needs_type ? what.type : MPI_BYTE);
  if (what.peer != MPI_PROC_NULL) {
    if (is_send || what.peer != MPI_ANY_SOURCE) expect_peer(in, what.peer);
    if (what.tag < 0 && (is_send || what.tag != MPI_ANY_TAG))
      throw failure{MPI_ERR_TAG, "tag " + std::to_string(what.tag) + "; expected one from 0"};
  }
  // A type with addresses of its own begins at MPI_BOTTOM, which is null, too.
  if (!what.data && what.count > 0 && type.is_dense && type.size > 0 && type.lower == 0)
    throw failure{MPI_ERR_BUFFER, "the buffer is a null pointer"};
  const buffer data{what.data, static_cast<std::size_t>(what.count), &type};
  if (!threads) return {in, data};
  return {in, data, me.communicators.keep(what.comm), me.types.keep(needs_type ? what.type : MPI_BYTE)};
}

namespace {

std::shared_ptr<request> described(bool is_send, mode how, const envelope& what, std::shared_ptr<communicator> in,
                                   std::shared_ptr<const datatype> type) {
  auto made = new_request();
  made->is_send = is_send;
  made->how = how;
  made->what = what;
  made->in = std::move(in);
  made->type = std::move(type);
  return made;
}

}  // namespace

std::shared_ptr<request> describe(bool is_send, mode how, const envelope& what) {
  check(is_send, what);
  return described(is_send, how, what, me.communicators.keep(what.comm), me.types.keep(what.type));
}
std::shared_ptr<request> describe_again(const request& one) {
  return described(one.is_send, one.how, one.what, one.in, one.type);
}

void begin(request& one, std::unique_ptr<call_of_all> mine) {
  mine->copy_offers();
  one.joint = std::move(mine);
  one.started = one.joint->channel().start_together(*one.joint, one.joint->by.where);
}

void start(request& one, maslin::location where) {
  one.is_active = true;
  one.is_cancelled = false;
  one.over.reset();
  one.problem.reset();
  if (one.described) return begin(one, std::make_unique<call_of_all>(*one.described, where));
  if (one.what.peer == MPI_PROC_NULL) {
    one.over = status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return;
  }
  const buffer data = one.data();
  std::byte* bytes = data.dense();
  if (!one.type->is_dense || one.how == mode::buffered) {
    one.packed = std::make_unique_for_overwrite<std::byte[]>(data.bytes());
    bytes = one.packed.get();
    if (one.is_send) pack(data, bytes);
  }
  maslin::comm::bytes_as all = data.message(bytes);
  maslin::communicator& channel = one.in->channel;
  const int peer = one.what.peer == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : one.in->to_channel(one.what.peer);
  if (!one.is_send)
    one.started = channel.start_receive(all, peer, one.what.tag, where);
  else if (one.how == mode::synchronous)
    one.started = channel.start_synchronous_send(all, peer, one.what.tag, where);
  else
    one.started = channel.start_send(all, peer, one.what.tag, where);
}

void request::finish(maslin::location where) {
  if (!over) finish_own(where);
  if (!also) return;
  also->finish(where);
  if (!problem) problem = also->problem;
}

void request::finish_own(maslin::location where) {
  try {
    const maslin::message came = started.wait(where);
    if (joint) {
      over = empty_status();
      problem = joint->found_problem();
    } else {
      if (!is_send && packed) unpack(packed.get(), came.extent, data());
      over = status_of(in->from_channel(came.source), came.tag, came.extent);
    }
  } catch (const maslin::error& e) {
    me.world->look(MPI_ANY_SOURCE, MPI_ANY_TAG, where);  // throws if the job has failed
    problem = failure{class_of(e), e.what()};
    over = status_of(what.peer, what.tag, 0);
  }
  packed.reset();
  joint.reset();
}

void request::cancel(maslin::location where) {
  if (joint) throw failure{MPI_ERR_REQUEST, "a call of all ranks cannot be cancelled"};
  if (also) throw failure{MPI_ERR_REQUEST, "an exchange of two messages cannot be cancelled"};
  if (!is_active || is_awaited || (buffered && (buffered->is_awaited || buffered->is_tested))) return;
  if (is_tested) {
    is_to_be_cancelled = true;
    return;
  }
  maslin::request& message = buffered ? buffered->started : started;
  if (!message.cancel(where)) return;
  if (buffered) buffered->over = empty_status();
  packed.reset();
  over = empty_status();
  over->is_cancelled = 1;
}

bool request::test(maslin::location where) {
  if (is_over() || !is_active) return true;
  try {
    is_tested = true;
    const bool has_come = over || started.test();
    is_tested = false;
    const bool cancels = std::exchange(is_to_be_cancelled, false);
    if (!has_come && cancels) cancel(where);
    if (!has_come && !over) return false;
  } catch (const maslin::error&) {
    is_tested = false;  // `finish_own` gets it again
  }
  if (!over) finish_own(where);
  if (also && !also->test(where)) return false;
  finish(where);
  return true;
}

const MPI_Status& request::result() const {
  if (problem) throw failure{problem->error_class, problem->text, in};
  return *over;
}

MPI_Status deliver(void* data, int count, MPI_Datatype type, MPI_Message* message) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    return status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0);
  }
  const held_message* const held = me.messages.find(*message);
  if (!held) throw failure{MPI_ERR_REQUEST, "there is no such message"};
  const buffer into = checked_buffer(data, count, type);
  const std::size_t bytes = held->bytes.size();
  if (bytes > into.bytes())
    throw failure{
        MPI_ERR_TRUNCATE,
        "the message has " + std::to_string(bytes) + " bytes; there is room for " + std::to_string(into.bytes()),
        held->in};
  unpack(held->bytes.data(), bytes, into);
  const MPI_Status status = status_of(held->source, held->tag, bytes);
  me.messages.remove(*message);
  *message = MPI_MESSAGE_NULL;
  return status;
}

MPI_Request add_complete(const MPI_Status& status, std::shared_ptr<request> buffered) {
  auto one = new_request();
  one->is_active = true;
  one->over = status;
  one->buffered = std::move(buffered);
  return me.requests.add(std::move(one));
}

void send_buffered(const std::shared_ptr<request>& one, maslin::location where) {
  const std::size_t bytes = one->data().bytes();
  me.buffered.forget_complete();
  const auto room = static_cast<std::size_t>(me.buffered.room_bytes);
  const std::size_t used = me.buffered.bytes();
  if (bytes > room - std::min(room, used))
    throw failure{MPI_ERR_BUFFER, std::to_string(bytes) + " bytes do not fit into what MPI_Buffer_attach gave (" +
                                      std::to_string(room) + " bytes, " + std::to_string(used) + " of them used)"};
  start(*one, where);
  me.buffered.add(one);
}

void set(MPI_Status* status, const MPI_Status& to) {
  if (!status) return;
  const int error = status->MPI_ERROR;  // not for single calls to change
  *status = to;
  status->MPI_ERROR = error;
}

// Other threads of the rank may add some, while one is waited for or tested.
void kept_messages::forget_complete() {
  std::list<std::shared_ptr<request>> some = std::exchange(all_, {});
  some.remove_if([](const std::shared_ptr<request>& one) { return one->test(maslin::location::current("@", 0)); });
  all_.splice(all_.begin(), some);
}
void kept_messages::wait(maslin::location where) {
  wait_for_those([](const request& one) { return one.is_active; }, where);
  all_.clear();
}
void kept_messages::wait_for_buffered(maslin::location where) {
  wait_for_those([](const request& one) { return one.how == mode::buffered; }, where);
}
void kept_messages::wait_for(const communicator& in, maslin::location where) {
  wait_for_those([&](const request& one) { return one.in.get() == &in; }, where);
}
std::size_t kept_messages::bytes() const {
  std::size_t all = 0;
  for (const auto& one : all_) all += one->how == mode::buffered ? one->data().bytes() : 0;
  return all;
}

}  // namespace mpi
