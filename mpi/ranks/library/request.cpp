#include "request.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "checked.hpp"
#include "maslin/error.hpp"

namespace mpi {

void request_ptr::leave(request& one) noexcept {
  if (--one.users == 0) me.requests.use_again(one);
}

void request_table::add() {
  all_.push_back(std::make_unique<request>(static_cast<MPI_Request>(all_.size()) + 1));
  free_ = all_.back().get();
}

void request::forget_more() noexcept {
  started.reset();  // before what it uses
  details.reset();
}

void throw_wrong_count(int count) {
  throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
}
void throw_wrong_tag(int tag) { throw failure{MPI_ERR_TAG, "tag " + std::to_string(tag) + "; expected one from 0"}; }
void throw_no_buffer() { throw failure{MPI_ERR_BUFFER, "the buffer is a null pointer"}; }

namespace {

request_ptr described(bool is_send, mode how, const envelope& what, const std::shared_ptr<communicator>& in,
                      const std::shared_ptr<const datatype>& type) {
  request_ptr made = made_for(is_send, how, what, in);
  made->more().what = what;
  made->details->type = type;
  return made;
}

void start_message(request& one, maslin::location where) {
  if (one.peer == MPI_PROC_NULL) {
    one.over = status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return;
  }
  const buffer data = one.details->data();
  std::byte* bytes = data.dense();
  if (!data.type->is_dense || one.how == mode::buffered) {
    one.details->packed = std::make_unique_for_overwrite<std::byte[]>(data.bytes());
    bytes = one.details->packed.get();
    if (one.is_send) pack(data, bytes);
  }
  start_bytes(one, data.message(bytes), where);
  if (one.over) one.details->packed.reset();
}

}  // namespace

request_ptr begin_apart(bool is_send, mode how, const envelope& what, maslin::location where) {
  request_ptr one = described(is_send, how, what, me.communicators.keep(what.comm), me.types.keep(what.type));
  start_message(*one, where);
  one->is_active = true;
  return one;
}

request_ptr describe(bool is_send, mode how, const envelope& what) {
  check(is_send, what);
  return described(is_send, how, what, me.communicators.keep(what.comm), me.types.keep(what.type));
}
request_ptr describe_again(const request& one) {
  return described(one.is_send, one.how, one.details->what, one.in, one.details->type);
}

void begin(request& one, std::unique_ptr<call_of_all> mine) {
  mine->copy_offers();
  call_of_all& joint = *(one.more().joint = std::move(mine));
  one.started.emplace(joint.channel().start_together(joint, joint.by.where));
}

void start(request& one, maslin::location where) {
  one.over.reset();
  one.sent = 0;
  one.details->problem.reset();
  if (one.details->described)
    begin(one, std::make_unique<call_of_all>(*one.details->described, where));
  else
    start_message(one, where);
  one.is_active = true;
}

bool request::end_if_complete() noexcept {
  maslin::message came;
  if (!started || !maslin::detail::take_complete(*started, came)) return false;
  end_as(came);
  return true;
}
void request::end_packed(std::size_t bytes) noexcept {
  if (!is_send && details->packed) unpack(details->packed.get(), bytes, details->data());
  details->packed.reset();
}

void request::finish(maslin::location where) {
  if (!over && !end_if_complete()) finish_own(where);
  sent = 0;
  if (!also()) return;
  also()->finish(where);
  if (!details->problem && also()->details) details->problem = also()->details->problem;
}

void request::finish_own(maslin::location where) {
  try {
    const maslin::message came = started->wait(where);
    if (!is_of_all()) return end_as(came);
    over = empty_status();
    details->problem = details->joint->found_problem();
  } catch (const maslin::error& e) {
    me.world->look(MPI_ANY_SOURCE, MPI_ANY_TAG, where);  // throws if the job has failed
    more().problem = failure{class_of(e), e.what()};
    over = status_of(peer, tag, 0);
  }
  started.reset();
  if (!details) return;
  details->packed.reset();
  details->joint.reset();
}

void request::cancel(maslin::location where) {
  if (is_of_all()) throw failure{MPI_ERR_REQUEST, "a call of all ranks cannot be cancelled"};
  if (also()) throw failure{MPI_ERR_REQUEST, "an exchange of two messages cannot be cancelled"};
  request* const copied = buffered();
  if (!is_active || is_awaited || (copied && (copied->is_awaited || copied->is_tested))) return;
  if (is_tested) {
    is_to_be_cancelled = true;
    return;
  }
  request& message = copied ? *copied : *this;
  const std::uint64_t number = std::exchange(message.sent, 0);
  const bool is_back =
      number == 0 ? message.started && message.started->cancel(where)
                  : maslin::detail::take_back(message.in->channel, message.in->to_channel(message.peer), number, where);
  if (!is_back) return;
  if (copied) copied->over = empty_status();
  if (details) details->packed.reset();
  over = empty_status();
  over->is_cancelled = 1;
}

bool request::test(maslin::location where) {
  if (is_over() || !is_active) {
    sent = 0;
    return true;
  }
  try {
    is_tested = true;
    const bool has_come = over || started->test();
    is_tested = false;
    const bool cancels = std::exchange(is_to_be_cancelled, false);
    if (!has_come && cancels) cancel(where);
    if (!has_come && !over) return false;
  } catch (const maslin::error&) {
    is_tested = false;  // `finish_own` gets it again
  }
  if (!over) finish_own(where);
  if (also() && !also()->test(where)) return false;
  finish(where);
  return true;
}

const MPI_Status& request::result() const {
  if (details && details->problem) throw failure{details->problem->error_class, details->problem->text, in};
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

MPI_Request add_complete(const MPI_Status& status, request_ptr buffered) {
  request_ptr one = me.requests.make();
  one->is_active = true;
  one->over = status;
  if (buffered) one->more().buffered = std::move(buffered);
  return request_table::name(std::move(one));
}

void send_buffered(const request_ptr& one, maslin::location where) {
  const std::size_t bytes = one->details->data().bytes();
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
  std::list<request_ptr> some = std::exchange(all_, {});
  some.remove_if([](const request_ptr& one) { return one->test(maslin::location::current("@", 0)); });
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
  for (const auto& one : all_) all += one->how == mode::buffered ? one->details->data().bytes() : 0;
  return all;
}

}  // namespace mpi
