#pragma once
// What ranks have started and not yet completed.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "maslin/api.hpp"
#include "maslin/location.hpp"

namespace maslin {

/// In place of a rank that a message is received from: any.
inline constexpr int any_source = -1;
/// In place of a tag that a message is received with: any.
inline constexpr int any_tag = -1;

/// What was received.
struct message {
  int source = 0;          ///< the rank that sent it
  int tag = 0;             ///< under which it was sent
  std::size_t extent = 0;  ///< its elements
};

class request;

namespace detail {
struct started;
}  // namespace detail

/// Suspends the caller, a rank, until one of the requests is complete. Gives its index, the lowest if several are: its
/// `wait` returns at once. Empty requests are passed over. Throws `error` if all are empty, or if the wait is given up,
/// as `request::wait` does.
MASLIN_API std::size_t wait_any(std::span<request* const> requests, location where = location::current());

/// Suspends the caller, a rank, until all requests are complete: their `wait` returns at once. Empty requests are
/// passed over. Throws `error` if the wait is given up; what went wrong with a message is thrown by its `wait`.
MASLIN_API void wait_all(std::span<request* const> requests, location where = location::current());

/// A send, a receive or a call of all ranks that was started and goes on. Its data must stay until `wait` has returned
/// or `test` has given true. The destructor takes back what has not happened; an empty request stands for nothing. It
/// is the rank's own, as its communicator is: no other code waits for it or destroys it.
class request {
 public:
  MASLIN_API request() noexcept;
  MASLIN_API request(request&& from) noexcept;
  MASLIN_API request& operator=(request&& from) noexcept;
  MASLIN_API ~request();

  /// Suspends the caller until it is complete, and makes the request empty. Gives what was received; of a send, what
  /// was sent; of a call of all ranks, no elements. Throws `error` as the call does that does not return before.
  MASLIN_API message wait(location where = location::current());
  /// Gives whether it is complete; throws what `wait` would.
  MASLIN_API bool test();
  /// Takes back a send or a receive that nobody has matched, and makes the request empty. Gives false otherwise, also
  /// for a call of all ranks: then it is to be waited for.
  MASLIN_API bool cancel(location where = location::current());

 private:
  friend class communicator;
  friend std::size_t wait_any(std::span<request* const> requests, location where);
  friend void wait_all(std::span<request* const> requests, location where);
  friend struct detail::started;
  explicit request(std::unique_ptr<detail::started> started) noexcept;
  std::unique_ptr<detail::started> started_;
};

inline std::size_t wait_any(std::span<request> requests, location where = location::current()) {
  std::vector<request*> all;
  all.reserve(requests.size());
  for (request& one : requests) all.push_back(&one);
  return wait_any(std::span<request* const>(all), where);
}

inline void wait_all(std::span<request> requests, location where = location::current()) {
  std::vector<request*> all;
  all.reserve(requests.size());
  for (request& one : requests) all.push_back(&one);
  wait_all(std::span<request* const>(all), where);
}

/// What a rank brings to a call of all ranks that the program defines (`communicator::together`): a class is derived
/// from this, and all ranks bring objects of it.
class joint_call {
 public:
  joint_call() = default;
  joint_call(const joint_call&) = default;
  joint_call& operator=(const joint_call&) = default;
  virtual ~joint_call() = default;

  /// Called once when all ranks have come, on what the last of them brought. `all`: what they bring, in the order of
  /// the ranks. Gives whether there is more to do: a part for each rank. What it throws ends `ms::ranks`.
  virtual bool meet(std::span<joint_call* const> all) = 0;
  /// Does the part of that rank. Called once for each: by the rank itself when it waits or tests, or by another that
  /// waits for it; for several at a time. It is called on what the rank brought that does the work. What it throws is
  /// thrown in the rank whose part it is.
  virtual void do_part(std::span<joint_call* const> /*all*/, int /*rank*/) {}
};

}  // namespace maslin
