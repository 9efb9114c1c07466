#pragma once
// What an ms::request stands for: a message, or a call of all ranks.

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "exec/ranks/world.hpp"

namespace maslin {

/// Gives a place as messages name it.
std::string at_place(location where);
/// The call can be made, and what comes before it has happened.
inline void expect_call(const detail::rank_member& m, const char* call, const location& where) {
  m.expect_own_code(call, where);
  m.of.catch_up();
  if (m.of.has_failed()) m.of.throw_given_up(m.mine(), where);
}

/// A trace knows that the rank waits for what it has started, or has probed for, while this lives.
class traced_await {
 public:
  explicit traced_await(const world& of) noexcept : of_(of) { of_.record(trace::event_kind::awaits, 1); }
  ~traced_await() { of_.record(trace::event_kind::awaits, 0); }
  traced_await(const traced_await&) = delete;
  traced_await& operator=(const traced_await&) = delete;

 private:
  const world& of_;
};

namespace detail {

struct started {
  explicit started(const rank_member& member) noexcept : by(member) { ++by.users; }
  virtual ~started() { rank_member::leave(&by); }
  started(const started&) = delete;
  started& operator=(const started&) = delete;

  /// What the members of `request` of these names do.
  virtual message wait(location where) = 0;
  virtual bool test() = 0;
  virtual bool cancel() = 0;
  /// Is it a message that is over, and nothing is wrong or to be recorded? Then it says what `wait` gives, and is gone.
  virtual bool end_if_well_over(message& /*its*/) noexcept { return false; }
  static request as_request(std::unique_ptr<started> it) noexcept { return request(std::move(it)); }
  /// `take_complete`.
  static bool take(request& one, message& its) noexcept {
    if (!one.started_ || !one.started_->end_if_well_over(its)) return false;
    static_cast<void>(one.started_.release());
    return true;
  }
  /// Does what the caller, its rank, can do for it.
  virtual void advance() {}
  virtual bool is_over() const noexcept = 0;
  /// It ends at one change under the rank's lock, and the rank does nothing for it until then.
  virtual bool is_message() const noexcept { return false; }
  virtual std::size_t message_bytes() const noexcept { return 0; }  ///< of one
  /// Is it over, or can `advance` do something? Called under its rank's lock, by a rank that then sleeps.
  virtual bool has_moved() noexcept { return is_over(); }
  /// What it is.
  virtual awaited_one awaits() const = 0;

  const rank_member& by;
  bool is_listed = false;  ///< its rank waits for it and others

 protected:
  /// What every test of something begun there begins with.
  void begin_test(location begun) const {
    by.expect_own_code("request::test", begun);
    by.of.let_others_run(by.mine());
  }
};

}  // namespace detail

/// Puts what other processes have sent into a meeting; `by` reads it.
void read_packages(rank_meeting& at, joint_call& by);

/// A call of all ranks, from a rank's coming to its end.
class rank_call {
 public:
  enum class kind : std::uint8_t { of_library, together, started };
  /// Comes to it. If that makes all, the calls meet: what that throws is thrown in the caller, and ends the world. A
  /// brief call that is not started is over then.
  rank_call(const detail::rank_member& m, joint_call& mine, location where, kind is);
  /// Takes back what has not happened.
  ~rank_call();
  rank_call(const rank_call&) = delete;
  rank_call& operator=(const rank_call&) = delete;

  /// Suspends the caller until it is over. Throws what is to be thrown in this rank. A trace knows a call that was
  /// started by that number.
  void wait(location where, std::uint64_t number = 0);
  bool is_over() const noexcept { return mine_.is() == rank_arrival::state::over; }
  /// Is it over, or are there parts that the caller can do? Under its rank's lock.
  bool has_moved() noexcept;
  /// Does parts that nobody has begun: the caller's first.
  void advance();
  awaited_one awaits() const;
  /// Throws if it was given up or has failed; may be called when it is over.
  void tell_problem(location where) const;
  /// Gives whether it is taken back: if not all have come, or, once the world has failed, not from all processes.
  bool take_back();

 private:
  /// Says in the group's slots what the rank brings. Gives whether that was all, and the call is over.
  bool meet_in_slots(bool is_started);
  bool meet_in_slots(brief_call& brings, std::uint64_t its_kind, std::span<const std::byte> gives);
  /// It is combined by all ranks.
  bool meet_in_slots(const combined_call& brings, std::uint64_t its_kind);
  /// Waits until all have come, or not longer than the world goes on.
  call_slots::others await_in_slots(std::uint64_t number, world::at_failure then);
  void rouse_in_slots();
  void meet();
  void meet_briefly();
  /// Nobody can carry it out: throws what has been thrown, once the others are told.
  [[noreturn]] void give_up(const std::exception_ptr& thrown);
  /// Calls `some` for the arrivals of this process.
  template <class Some>
  void each_here(Some&& some) {
    const std::vector<rank_arrival*>& all = mine_.at->arrivals;
    if (is_across())
      for (const int place : m_.in.places_here) some(*all[static_cast<std::size_t>(place)], m_.in_world(place));
    else
      for (std::size_t i = 0; i < all.size(); ++i) some(*all[i], m_.in.ranks[i]);
  }
  void await(location where, world::at_failure then);
  void await_end(location where);
  bool is_across() const noexcept { return !m_.in.other_processes.empty(); }
  /// Meets if this is the first rank of its process to see that all have come.
  void meet_across();
  void end();
  void do_part(std::size_t rank);
  void share();
  void a_part_is_done();

  void drop() noexcept;

  const detail::rank_member& m_;
  rank_arrival mine_;
  const int exceptions_ = std::uncaught_exceptions();  ///< on their way when it began
  bool is_taken_back_ = false;
  bool has_helped_ = false;  ///< every part has been begun
};

}  // namespace maslin
