#pragma once
// Ranks: flows of control of one program that exchange messages. Each is a task that keeps its worker; while it waits,
// its worker goes on with others.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "maslin/access.hpp"
#include "maslin/api.hpp"
#include "maslin/body.hpp"
#include "maslin/host.hpp"
#include "maslin/location.hpp"
#include "maslin/request.hpp"

namespace maslin {

namespace detail {

/// Elements in memory, as messages see them.
struct elements {
  void* data;
  std::size_t extent;
  std::size_t bytes;  ///< of one
  const std::type_info* type;
};

template <class Data>
elements elements_of(Data& data) {
  if constexpr (contiguous<Data>) {
    const std::span whole(data);
    using element = typename decltype(whole)::value_type;
    static_assert(std::is_trivially_copyable_v<element>, "the elements of a message are copied as bytes");
    return {const_cast<element*>(whole.data()), whole.size(), sizeof(element), &typeid(element)};
  } else {
    using object = std::remove_cv_t<Data>;
    static_assert(std::is_trivially_copyable_v<object>,
                  "a message is a contiguous range of elements, or one object, that can be copied as bytes");
    static_assert(!std::is_pointer_v<object>, "a pointer says nothing of how much there is: send a span or a view");
    static_assert(!is_tile<object>::value && !is_ndarray<object>::value,
                  "the elements of a message lie side by side: copy those of a tile or an ndarray to such a place");
    return {const_cast<object*>(std::addressof(data)), 1, sizeof(object), &typeid(object)};
  }
}

template <class Data>
elements elements_to_fill(Data& data) {
  if constexpr (contiguous<Data>)
    static_assert(!std::is_const_v<typename decltype(std::span(data))::element_type>,
                  "these elements are const; nothing can be received into them");
  else
    static_assert(!std::is_const_v<Data>, "this object is const; nothing can be received into it");
  return elements_of(data);
}

/// Refuses data that is gone before a started send or receive is complete. `R`: the type of a forwarding reference.
template <class R>
constexpr void expect_to_outlive_the_call() {
  static_assert(lasts<R>,
                "This starts to send or to receive a temporary object, which is gone when the call has returned. Name "
                "an object that lives until the request is complete, or pass a span or a view.");
}

/// What a message or a contribution consists of.
template <class Data>
struct element_of {
  using type = std::remove_cv_t<Data>;
};
template <class Data>
  requires contiguous<const Data>
struct element_of<Data> {
  using type = typename decltype(std::span(std::declval<const Data&>()))::value_type;
};

/// Combines `count` elements into others, one by one: into[i] = operation(into[i], from[i]).
struct combination {
  void (*apply)(const void* operation, void* into, const void* from, std::size_t count);
  const void* operation;
  const std::type_info* type;  ///< of the operation
};
template <class Element, class Operation>
combination combination_by(const Operation& operation) {
  return {[](const void* by, void* into, const void* from, std::size_t count) {
            auto& combine = body_at<const Operation>(const_cast<void*>(by));
            auto* const to = static_cast<Element*>(into);
            const auto* const more = static_cast<const Element*>(from);
            for (std::size_t i = 0; i < count; ++i) to[i] = combine(to[i], more[i]);
          },
          address_of(operation), &typeid(Operation)};
}

enum class collective : unsigned char { barrier, broadcast, reduce, gather, scatter, all_to_all, scan, split };

/// What a rank brings to a call that all make.
struct contribution {
  collective what;
  int root = any_source;  ///< `any_source`: all ranks get the result
  elements given = {};
  elements result = {};
  combination by = {};
  int color = 0, key = 0;
};

struct rank_member;

}  // namespace detail

/// The ranks that exchange messages with each other, as one of them sees them. Belongs to the code of its rank, and to
/// what that waits for; `split` makes smaller ones. Messages of one communicator are not received in another.
///
/// A message is a contiguous range of elements, or one object. Messages from one rank to another arrive in the order in
/// which they were sent. `send` returns when its data may be changed: at once if the message is small and there is room
/// for it at the receiver, otherwise when the receiver has it.
///
/// A call throws `error` if a rank, tag or size is wrong, and in all ranks if a rank has failed, or if all ranks wait
/// for each other; the message says who waits for whom and from where.
class communicator {
 public:
  MASLIN_API communicator(communicator&& from) noexcept;
  communicator& operator=(communicator&&) = delete;
  MASLIN_API ~communicator();

  MASLIN_API int rank() const noexcept;  ///< from 0
  MASLIN_API int size() const noexcept;  ///< how many ranks there are

  /// Returns when `data` may be changed: the message was kept for rank `to`, or that rank has received it.
  template <class Data>
  void send(const Data& data, int to, int tag = 0, location where = location::current()) {
    send_elements(detail::elements_of(data), to, tag, false, where);
  }
  /// The same, but it returns when rank `to` receives the message, also if that is small.
  template <class Data>
  void synchronous_send(const Data& data, int to, int tag = 0, location where = location::current()) {
    send_elements(detail::elements_of(data), to, tag, true, where);
  }
  /// Suspends the caller until it has received a message. Throws `error` if that has more elements than there is room
  /// for, or others.
  template <class Data>
  message receive(Data&& into, int from = any_source, int tag = any_tag, location where = location::current()) {
    return receive_elements(detail::elements_to_fill(into), from, tag, where);
  }
  /// `send` that goes on while the caller does something else. `data` must stay as it is until the request is complete.
  template <class Data>
  request start_send(Data&& data, int to, int tag = 0, location where = location::current()) {
    detail::expect_to_outlive_the_call<Data>();
    return start_send_elements(detail::elements_of(data), to, tag, false, where);
  }
  /// `synchronous_send` that goes on while the caller does something else.
  template <class Data>
  request start_synchronous_send(Data&& data, int to, int tag = 0, location where = location::current()) {
    detail::expect_to_outlive_the_call<Data>();
    return start_send_elements(detail::elements_of(data), to, tag, true, where);
  }
  /// `receive` that goes on while the caller does something else.
  template <class Data>
  request start_receive(Data&& into, int from = any_source, int tag = any_tag, location where = location::current()) {
    detail::expect_to_outlive_the_call<Data>();
    return start_receive_elements(detail::elements_to_fill(into), from, tag, where);
  }
  /// Sends and receives at once, both with that tag, so that ranks which do so in a circle do not wait for each other.
  template <class Data, class Into>
  message exchange(const Data& data, int to, Into&& into, int from = any_source, int tag = 0,
                   location where = location::current()) {
    request sent = start_send(data, to, tag, where);
    const message received = receive(into, from, tag, where);
    sent.wait(where);
    return received;
  }
  /// Suspends the caller until there is such a message, which it then can receive.
  MASLIN_API message probe(int from = any_source, int tag = any_tag, location where = location::current());
  /// Gives the message that `receive` would receive now, if there is one.
  MASLIN_API std::optional<message> look(int from = any_source, int tag = any_tag,
                                         location where = location::current());

  /// Calls a function that the host of these ranks has, or one further out, with copies of the values, and suspends the
  /// caller until it has returned: `world.call<double>("norm", vector)`. `Result` is what it gives: an object, a
  /// std::string or a std::vector. Throws `error` if there is no such function, if it takes or gives something else, or
  /// if it throws.
  template <class Result = void, class... Values>
  Result call(function_name name, const Values&... values) {
    return detail::call_by_value<Result>(
        name.text(), name.where(), [this](const detail::called& what) { return call_host(what); }, values...);
  }

  // All ranks of the communicator call these, in the same order. Elements are combined in the order of the ranks, so
  // results do not depend on who comes first, nor on the number of workers.

  /// Returns when all ranks have called it.
  void barrier(location where = location::current()) { meet({detail::collective::barrier}, where); }
  /// Copies the root's elements to all.
  template <class Data>
  void broadcast(Data&& data, int root = 0, location where = location::current()) {
    const detail::elements all = detail::elements_to_fill(data);
    meet({detail::collective::broadcast, root, all, all}, where);
  }
  /// Combines all ranks' elements, one by one, into the root's `result`; the others' may be empty.
  template <class Data, class Result, class Operation>
  void reduce(const Data& mine, Result&& result, const Operation& operation, int root = 0,
              location where = location::current()) {
    const detail::elements given = detail::elements_of(mine);
    meet({detail::collective::reduce, root, given, detail::elements_to_fill(result), combine<Data>(operation)}, where);
  }
  /// Combines all ranks' elements, one by one, into every rank's `result`.
  template <class Data, class Result, class Operation>
    requires(!std::same_as<Operation, location>)
  void all_reduce(const Data& mine, Result&& result, const Operation& operation, location where = location::current()) {
    const detail::elements given = detail::elements_of(mine);
    meet({detail::collective::reduce, any_source, given, detail::elements_to_fill(result), combine<Data>(operation)},
         where);
  }
  /// Gives all ranks' objects, combined.
  template <class Object, class Operation>
    requires(!detail::contiguous<const Object>)
  Object all_reduce(const Object& mine, const Operation& operation, location where = location::current()) {
    Object result = mine;
    all_reduce(mine, result, operation, where);
    return result;
  }
  /// Combines the elements of ranks 0 to the caller's.
  template <class Data, class Result, class Operation>
  void scan(const Data& mine, Result&& result, const Operation& operation, location where = location::current()) {
    const detail::elements given = detail::elements_of(mine);
    meet({detail::collective::scan, any_source, given, detail::elements_to_fill(result), combine<Data>(operation)},
         where);
  }
  /// Puts all ranks' elements behind each other, in the order of the ranks, into the root's `all`; the others' may be
  /// empty. All give equally many.
  template <class Data, class All>
  void gather(const Data& mine, All&& all, int root = 0, location where = location::current()) {
    meet({detail::collective::gather, root, detail::elements_of(mine), detail::elements_to_fill(all)}, where);
  }
  /// The same into every rank's `all`.
  template <class Data, class All>
  void all_gather(const Data& mine, All&& all, location where = location::current()) {
    meet({detail::collective::gather, any_source, detail::elements_of(mine), detail::elements_to_fill(all)}, where);
  }
  /// Gives each rank its part of the root's `all`, in the order of the ranks; the others' may be empty.
  template <class All, class Data>
  void scatter(const All& all, Data&& mine, int root = 0, location where = location::current()) {
    meet({detail::collective::scatter, root, detail::elements_of(all), detail::elements_to_fill(mine)}, where);
  }
  /// Gives rank i the i-th part of each rank's `all`; it gets them behind each other, in the order of the ranks.
  template <class All, class Parts>
  void all_to_all(const All& all, Parts&& parts, location where = location::current()) {
    meet({detail::collective::all_to_all, any_source, detail::elements_of(all), detail::elements_to_fill(parts)},
         where);
  }
  /// Gives the caller the communicator of those ranks that said the same color, in the order of their keys, and of
  /// their ranks where keys are equal.
  MASLIN_API communicator split(int color, int key = 0, location where = location::current());
  /// A call that the program defines: returns when all ranks have come and their parts are done.
  MASLIN_API void together(joint_call& mine, location where = location::current());
  /// `together` that goes on while the caller does something else. `mine` must stay until the request is complete.
  MASLIN_API request start_together(joint_call& mine, location where = location::current());

  // Only some ranks call this.

  /// Gives the communicator of these ranks, in this order. Only they call it, with the same ranks and tag, and none
  /// waits for the others. Calls with different tags need not come in the same order.
  MASLIN_API communicator among(std::span<const int> ranks, int tag = 0, location where = location::current());

 private:
  friend struct detail::rank_member;
  explicit communicator(std::shared_ptr<const detail::rank_member> member) noexcept;

  template <class Data, class Operation>
  static detail::combination combine(const Operation& operation) {
    return detail::combination_by<typename detail::element_of<Data>::type>(operation);
  }

  MASLIN_API void send_elements(const detail::elements& data, int to, int tag, bool is_synchronous, location where);
  MASLIN_API message receive_elements(const detail::elements& into, int from, int tag, location where);
  MASLIN_API request start_send_elements(const detail::elements& data, int to, int tag, bool is_synchronous,
                                         location where);
  MASLIN_API request start_receive_elements(const detail::elements& into, int from, int tag, location where);
  MASLIN_API void meet(const detail::contribution& mine, location where);
  MASLIN_API std::vector<std::byte> call_host(const detail::called& what);

  std::shared_ptr<const detail::rank_member> member_;  ///< it stays while something lives that it has started
};

namespace detail {
MASLIN_API void run_ranks(int count, void (*run)(void* body, communicator& world), void* body, location where,
                          host* of = nullptr);
template <class Body>
void run_rank_bodies(int count, Body& body, location where, host* of) {
  expect_body(body, "ranks", where);
  const auto run = [](void* its, communicator& world) { body_at<Body>(its)(world); };
  run_ranks(count, run, address_of(body), where, of);
}
}  // namespace detail

/// Runs `body(world)` for `count` ranks, each with its `ms::communicator`, and returns when all have ended. The ranks
/// are divided among the caller's team in blocks, or as MASLIN_RANK_PLACE says, and each stays on its worker. If ranks
/// throw, all calls of the others that wait for messages throw, too; the exception of the lowest rank that threw by
/// itself is rethrown. Throws `error` for less than one rank, for an empty body, where the system has no stack for a
/// rank, and where MASLIN_RANK_PLACE names a file that does not fit.
template <class Body>
void ranks(int count, Body&& body, location where = location::current()) {
  detail::run_rank_bodies<std::remove_reference_t<Body>>(count, body, where, nullptr);
}
/// The same for ranks that may call functions of that host (`communicator::call`).
template <class Body>
void ranks(int count, host& of, Body&& body, location where = location::current()) {
  detail::run_rank_bodies<std::remove_reference_t<Body>>(count, body, where, &of);
}

}  // namespace maslin
