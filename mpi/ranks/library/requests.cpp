// Sends and receives that go on while the program does something else, and their ends.

#include <algorithm>
#include <climits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checked.hpp"

using namespace mpi;

namespace {

void set_empty(MPI_Status* status) {
  if (status) *status = empty_status();
}

mpi::request& request_of(MPI_Request handle) {
  mpi::request* const found = me.requests.find(handle);
  if (!found) throw failure{MPI_ERR_REQUEST, "there is no request " + std::to_string(handle)};
  return *found;
}

/// Does something to that request. Its communicator's handler is told what is wrong, as where it is waited for.
template <class Body>
void to_request(MPI_Request handle, Body&& body) {
  mpi::request& one = request_of(handle);
  try {
    body(one);
  } catch (failure& e) {
    if (!e.in) e.in = one.in;
    throw;
  }
}

/// Gives the request, if there is something to wait for.
mpi::request* active(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  mpi::request& found = request_of(handle);
  return found.is_active ? &found : nullptr;
}

/// Waits for it, and tells its end: it can be started again, or is gone.
void wait_and_end(MPI_Request* handle, maslin::location where, MPI_Status* status) {
  mpi::request& one = request_of(*handle);
  one.finish(where);
  one.is_active = false;
  if (one.is_persistent) return set(status, one.result());
  *handle = MPI_REQUEST_NULL;
  const request_ptr gone = request_table::take(one);
  set(status, gone->result());
}

[[gnu::always_inline]] inline void begin(const call& in, bool is_send, mode how, const envelope& what,
                                         MPI_Request* handle) {
  expect_pointer(handle, "the request");
  *handle = request_table::name(mpi::begin(is_send, how, what, check(is_send, what), in.where));
}

/// Begins to send and to receive, as one request.
void begin_exchange(const call& in, mode how, const envelope& out, const envelope& back, MPI_Request* handle) {
  expect_pointer(handle, "the request");
  request_ptr sent = describe(true, how, out);
  request_ptr one = describe(false, mode::standard, back);
  start(*sent, in.where);
  one->details->also = std::move(sent);
  start(*one, in.where);
  *handle = request_table::name(std::move(one));
}

MPI_Status status_of_copied(const mpi::request& message) {
  return status_of(message.peer, message.tag, message.details->data().bytes());
}
MPI_Request begin_buffered(const envelope& what, maslin::location where) {
  request_ptr message = describe(true, mode::buffered, what);
  send_buffered(message, where);
  const MPI_Status status = status_of_copied(*message);
  return add_complete(status, std::move(message));
}

void prepare(bool is_send, mode how, const envelope& what, MPI_Request* handle) {
  expect_pointer(handle, "the request");
  request_ptr one = describe(is_send, how, what);
  one->is_persistent = true;
  *handle = request_table::name(std::move(one));
}

void start_again(mpi::request& one, maslin::location where) {
  if (!one.is_persistent || one.is_active)
    throw failure{MPI_ERR_REQUEST, one.is_active ? "the request is active" : "the request is not persistent"};
  if (one.how == mode::buffered) {
    request_ptr& message = one.details->buffered = describe_again(one);
    send_buffered(message, where);
    one.over = status_of_copied(*message);
    one.is_active = true;
  } else {
    start(one, where);
  }
}

/// Ends several requests. What went wrong is in their statuses, and is told once.
class ends {
 public:
  ends(maslin::location where, MPI_Status* statuses) : where_(where), statuses_(statuses) {}
  /// Writes the status with that index.
  void end_one(MPI_Request* handle, int index) {
    MPI_Status* const status = statuses_ ? &statuses_[index] : nullptr;
    set_empty(status);
    try {
      if (active(*handle)) wait_and_end(handle, where_, status);
    } catch (const failure& e) {
      if (status)
        status->MPI_ERROR = e.error_class;
      else if (problem_.text.empty())
        problem_.error_class = e.error_class;
      problem_.text += (problem_.text.empty() ? "" : "; ") + e.text;
      if (!problem_.in) problem_.in = e.in;
    }
  }
  void tell_problems() const {
    if (!problem_.text.empty()) throw problem_;
  }

 private:
  maslin::location where_;
  MPI_Status* statuses_;
  failure problem_{MPI_ERR_IN_STATUS, {}};  ///< without statuses, the class of the first one
};

/// While it lives, the rank's other threads know that the caller waits for these.
class awaited {
 public:
  explicit awaited(std::span<const MPI_Request> requests) : all_(threads ? requests : std::span<const MPI_Request>()) {
    mark(true);
  }
  ~awaited() { mark(false); }
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;

 private:
  void mark(bool is) const noexcept {
    for (const MPI_Request handle : all_)
      if (mpi::request* const one = me.requests.find(handle)) one->is_awaited = is;
  }

  const std::span<const MPI_Request> all_;
};

/// Ends a message that is complete, if nothing is to be told but its status; gives whether it was so.
inline bool end_at_once(MPI_Request* handle, MPI_Status* status) {
  mpi::request* const one = me.requests.find(*handle);
  if (!one || !one->is_active || one->details) return false;
  if (!one->over && !one->end_if_complete()) return false;
  set(status, *one->over);
  *handle = MPI_REQUEST_NULL;
  me.requests.end(*one);
  return true;
}

/// Suspends the caller until all are complete, if they are several.
void wait_for_started(std::span<const MPI_Request> requests, maslin::location where) {
  std::vector<maslin::request*> started;
  started.reserve(2 * requests.size());  // an exchange has two
  for (const MPI_Request handle : requests) {
    mpi::request* const one = me.requests.find(handle);
    if (!one || !one->is_active) continue;
    if (!one->over) started.push_back(&*one->started);
    if (one->also() && !one->also()->over) started.push_back(&*one->also()->started);
  }
  if (started.size() <= 1) return;
  const awaited others_know(requests);
  maslin::wait_all(std::span<maslin::request* const>(started), where);
}

void wait_for_all(const call& in, int count, MPI_Request* requests, MPI_Status* statuses) {
  const auto status = [statuses](int i) { return statuses ? &statuses[i] : nullptr; };
  const auto end_from = [&](int i) {
    for (; i < count; ++i) {
      set_empty(status(i));
      if (!end_at_once(&requests[i], status(i))) return i;
    }
    return count;
  };
  int next = end_from(0);
  if (next == count) return;
  wait_for_started({&requests[next], static_cast<std::size_t>(count - next)}, in.where);
  ends all(in.where, statuses);
  for (; next < count; next = end_from(next + 1)) all.end_one(&requests[next], next);
  all.tell_problems();
}

/// Gives the first request that is complete, from `first` on; `count` if none is.
int find_complete(int count, const MPI_Request* requests, int first, maslin::location where) {
  for (int i = first; i < count; ++i) {
    mpi::request* const one = active(requests[i]);
    if (one && one->test(where)) return i;
  }
  return count;
}

int count_active(int count, const MPI_Request* requests) {
  int found = 0;
  for (int i = 0; i < count; ++i) found += active(requests[i]) != nullptr;
  return found;
}

/// Waits until one of several is complete, and gives its index. There is one at least.
int wait_for_one(int count, const MPI_Request* requests, maslin::location where) {
  if (count_active(count, requests) == 1) {
    int only = 0;
    while (!active(requests[only])) ++only;
    return only;  // who ends it waits
  }
  std::vector<maslin::request*> started;
  std::vector<int> indices;
  for (;; started.clear(), indices.clear()) {
    for (int i = 0; i < count; ++i) {
      mpi::request* const one = active(requests[i]);
      if (!one) continue;
      if (one->is_over()) return i;
      started.push_back(one->over ? &*one->also()->started : &*one->started);
      indices.push_back(i);
    }
    int found = 0;
    {
      const awaited others_know({requests, static_cast<std::size_t>(count)});
      found = indices[maslin::wait_any(started, where)];
    }
    mpi::request& one = request_of(requests[found]);
    if (!one.also() || one.test(where)) return found;  // of an exchange, half may be complete
  }
}

/// Ends those that are complete.
void end_some(const call& in, int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  ends some(in.where, statuses);
  *done = 0;
  for (int i = 0; (i = find_complete(count, requests, i, in.where)) < count; ++i) {
    indices[*done] = i;
    some.end_one(&requests[i], *done);
    ++*done;
  }
  some.tell_problems();
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): the name of a parameter stands in none
#define MASLIN_MPI_START(name, is_send, how, pointer, peer, what_to_do)                                             \
  MASLIN_MPI_DEFINE(                                                                                                \
      name, (pointer data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request)) { \
    [[maybe_unused]] const call in = MASLIN_MPI_CALL(name);                                                         \
    return carry_out(in, comm, [&] {                                                                                \
      const envelope what{const_cast<void*>(data), count, type, peer, tag, comm};                                   \
      what_to_do;                                                                                                   \
    });                                                                                                             \
  }
// NOLINTEND(bugprone-macro-parentheses)
#define MASLIN_MPI_BEGIN(name, how) \
  MASLIN_MPI_START(name, true, how, const void*, to, begin(in, true, how, what, request))
#define MASLIN_MPI_PREPARE(name, how) \
  MASLIN_MPI_START(name, true, how, const void*, to, prepare(true, how, what, request))
MASLIN_MPI_BEGIN(Isend, mode::standard)
MASLIN_MPI_BEGIN(Issend, mode::synchronous)
MASLIN_MPI_BEGIN(Irsend, mode::ready)
MASLIN_MPI_START(Ibsend, true, mode::buffered, const void*, to, *request = begin_buffered(what, in.where))
MASLIN_MPI_START(Irecv, false, mode::standard, void*, from, begin(in, false, mode::standard, what, request))
MASLIN_MPI_PREPARE(Send_init, mode::standard)
MASLIN_MPI_PREPARE(Ssend_init, mode::synchronous)
MASLIN_MPI_PREPARE(Rsend_init, mode::ready)
MASLIN_MPI_PREPARE(Bsend_init, mode::buffered)
MASLIN_MPI_START(Recv_init, false, mode::standard, void*, from, prepare(false, mode::standard, what, request))

MASLIN_MPI_DEFINE(Imrecv, (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request)) {
  return carry_out(MASLIN_MPI_CALL(Imrecv), MPI_COMM_WORLD,
                   [&] { *request = add_complete(deliver(data, count, type, message)); });
}
MASLIN_MPI_DEFINE(Isendrecv, (const void* data, int count, MPI_Datatype type, int to, int tag, void* into, int room,
                              MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, MPI_Request* request)) {
  const call in = MASLIN_MPI_CALL(Isendrecv);
  return carry_out(in, comm, [&] {
    begin_exchange(in, mode::standard, {const_cast<void*>(data), count, type, to, tag, comm},
                   {into, room, into_type, from, from_tag, comm}, request);
  });
}
MASLIN_MPI_DEFINE(Isendrecv_replace, (void* data, int count, MPI_Datatype type, int to, int tag, int from, int from_tag,
                                      MPI_Comm comm, MPI_Request* request)) {
  const call in = MASLIN_MPI_CALL(Isendrecv_replace);
  return carry_out(in, comm, [&] {
    // What is sent is copied first, so that what comes has the place.
    begin_exchange(in, mode::buffered, {data, count, type, to, tag, comm}, {data, count, type, from, from_tag, comm},
                   request);
  });
}
MASLIN_MPI_DEFINE(Start, (MPI_Request * request)) {
  const call in = MASLIN_MPI_CALL(Start);
  return carry_out(in, MPI_COMM_WORLD,
                   [&] { to_request(*request, [&](mpi::request& one) { start_again(one, in.where); }); });
}
MASLIN_MPI_DEFINE(Startall, (int count, MPI_Request* requests)) {
  const call in = MASLIN_MPI_CALL(Startall);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    for (int i = 0; i < count; ++i) to_request(requests[i], [&](mpi::request& one) { start_again(one, in.where); });
  });
}
MASLIN_MPI_DEFINE(Wait, (MPI_Request * request, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Wait);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    expect_pointer(request, "the request");
    if (end_at_once(request, status)) return;
    if (active(*request))
      wait_and_end(request, in.where, status);
    else
      set_empty(status);
  });
}
MASLIN_MPI_DEFINE(Waitall, (int count, MPI_Request* requests, MPI_Status* statuses)) {
  const call in = MASLIN_MPI_CALL(Waitall);
  return carry_out(in, MPI_COMM_WORLD, [&] { wait_for_all(in, count, requests, statuses); });
}
MASLIN_MPI_DEFINE(Waitany, (int count, MPI_Request* requests, int* index, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Waitany);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    *index = MPI_UNDEFINED;
    set_empty(status);
    if (count_active(count, requests) == 0) return;
    const int found = wait_for_one(count, requests, in.where);
    *index = found;
    wait_and_end(&requests[found], in.where, status);
  });
}
MASLIN_MPI_DEFINE(Waitsome, (int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses)) {
  const call in = MASLIN_MPI_CALL(Waitsome);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    *done = MPI_UNDEFINED;
    if (count_active(count, requests) == 0) return;
    const int first = wait_for_one(count, requests, in.where);
    request_of(requests[first]).finish(in.where);
    end_some(in, count, requests, done, indices, statuses);
  });
}
MASLIN_MPI_DEFINE(Test, (MPI_Request * request, int* flag, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Test);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    expect_pointer(request, "the request");
    *flag = 1;
    if (!active(*request))
      set_empty(status);
    else if ((*flag = find_complete(1, request, 0, in.where) == 0))
      wait_and_end(request, in.where, status);
  });
}
MASLIN_MPI_DEFINE(Testall, (int count, MPI_Request* requests, int* flag, MPI_Status* statuses)) {
  const call in = MASLIN_MPI_CALL(Testall);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    *flag = 1;
    for (int i = 0; i < count && *flag; ++i)
      if (active(requests[i])) *flag = find_complete(1, &requests[i], 0, in.where) == 0;
    if (*flag) wait_for_all(in, count, requests, statuses);
  });
}
MASLIN_MPI_DEFINE(Testany, (int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Testany);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    *index = MPI_UNDEFINED;
    *flag = 1;
    set_empty(status);
    if (count_active(count, requests) == 0) return;
    const int found = find_complete(count, requests, 0, in.where);
    *flag = found < count;
    if (!*flag) return;
    *index = found;
    wait_and_end(&requests[found], in.where, status);
  });
}
MASLIN_MPI_DEFINE(Testsome, (int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses)) {
  const call in = MASLIN_MPI_CALL(Testsome);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    *done = MPI_UNDEFINED;
    if (count_active(count, requests) > 0) end_some(in, count, requests, done, indices, statuses);
  });
}
MASLIN_MPI_DEFINE(Request_get_status, (MPI_Request request, int* flag, MPI_Status* status)) {
  const call in = MASLIN_MPI_CALL(Request_get_status);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    mpi::request* const one = active(request);
    *flag = !one || one->test(in.where);
    if (*flag && one) set(status, *one->over);
    if (!one) set_empty(status);
  });
}
MASLIN_MPI_DEFINE(Request_free, (MPI_Request * request)) {
  return carry_out(MASLIN_MPI_CALL(Request_free), MPI_COMM_WORLD, [&] {
    expect_pointer(request, "the request");
    to_request(*request, [](mpi::request& one) {
      if (one.is_of_all()) throw failure{MPI_ERR_REQUEST, "a call of all ranks cannot be given up; wait for it"};
      if (one.is_active && !one.is_over()) {  // it goes on
        me.buffered.forget_complete();
        me.buffered.add(request_ptr(&one));
      }
      request_table::take(one);
    });
    *request = MPI_REQUEST_NULL;
  });
}
MASLIN_MPI_DEFINE(Cancel, (MPI_Request * request)) {
  const call in = MASLIN_MPI_CALL(Cancel);
  return carry_out(in, MPI_COMM_WORLD, [&] { to_request(*request, [&](mpi::request& one) { one.cancel(in.where); }); });
}
MASLIN_MPI_DEFINE(Test_cancelled, (const MPI_Status* status, int* flag)) {
  *flag = status->is_cancelled;
  return MPI_SUCCESS;
}

namespace {

/// How many numbers of the type have come; MPI_UNDEFINED where one is cut off.
MPI_Count elements_of(const MPI_Status& status, MPI_Datatype type) {
  const datatype& of = type_of(type, false);
  auto bytes = static_cast<std::size_t>(bytes_of(status));
  if (of.size == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  std::size_t found = bytes / of.size * of.numbers();
  bytes %= of.size;
  for (const piece& p : of.pieces) {
    const std::size_t some = std::min(p.count, bytes / size_of(p.kind));
    found += some;
    bytes -= some * size_of(p.kind);
    if (some < p.count) break;
  }
  return bytes == 0 ? static_cast<MPI_Count>(found) : MPI_UNDEFINED;
}

void set_elements(MPI_Status& status, MPI_Datatype type, MPI_Count count) {
  const datatype& of = type_of(type, false);
  if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
  const std::size_t each = of.numbers(), all = static_cast<std::size_t>(count);
  if (each == 0) return set_bytes(status, 0);
  std::size_t bytes = all / each * of.size, left = all % each;
  for (const piece& p : of.pieces) {
    const std::size_t some = std::min(p.count, left);
    bytes += some * size_of(p.kind);
    left -= some;
  }
  set_bytes(status, static_cast<long long>(bytes));
}

}  // namespace

MASLIN_MPI_DEFINE(Get_count, (const MPI_Status* status, MPI_Datatype type, int* count)) {
  return carry_out(MASLIN_MPI_CALL(Get_count), MPI_COMM_WORLD, [&] {
    const auto size = static_cast<long long>(type_of(type, false).size);
    const long long bytes = bytes_of(*status);
    *count = bytes == 0 ? 0 : MPI_UNDEFINED;
    if (size > 0 && bytes % size == 0 && bytes / size <= INT_MAX) *count = static_cast<int>(bytes / size);
  });
}
MASLIN_MPI_DEFINE(Get_elements, (const MPI_Status* status, MPI_Datatype type, int* count)) {
  return carry_out(MASLIN_MPI_CALL(Get_elements), MPI_COMM_WORLD, [&] {
    const MPI_Count found = elements_of(*status, type);
    *count = found <= INT_MAX ? static_cast<int>(found) : MPI_UNDEFINED;
  });
}
MASLIN_MPI_DEFINE(Get_elements_x, (const MPI_Status* status, MPI_Datatype type, MPI_Count* count)) {
  return carry_out(MASLIN_MPI_CALL(Get_elements_x), MPI_COMM_WORLD, [&] { *count = elements_of(*status, type); });
}
MASLIN_MPI_DEFINE(Status_set_elements, (MPI_Status * status, MPI_Datatype type, int count)) {
  return carry_out(MASLIN_MPI_CALL(Status_set_elements), MPI_COMM_WORLD, [&] { set_elements(*status, type, count); });
}
MASLIN_MPI_DEFINE(Status_set_elements_x, (MPI_Status * status, MPI_Datatype type, MPI_Count count)) {
  return carry_out(MASLIN_MPI_CALL(Status_set_elements_x), MPI_COMM_WORLD, [&] { set_elements(*status, type, count); });
}
MASLIN_MPI_DEFINE(Status_set_cancelled, (MPI_Status * status, int flag)) {
  status->is_cancelled = flag != 0;
  return MPI_SUCCESS;
}
