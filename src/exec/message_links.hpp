#pragma once
// The links of a described machine, as ranks use them: what goes on there beside what workers do.

#include <cstdint>
#include <utility>

#include "model/links/journeys.hpp"
#include "model/links/network.hpp"

namespace maslin {

/// Something on the links that goes on by itself.
class link_event {
 public:
  /// The time for which it was expected has come: nobody's code runs.
  virtual void happens(std::int64_t now_ps) = 0;

  link_event() = default;
  virtual ~link_event() = default;
  link_event(const link_event&) = delete;
  link_event& operator=(const link_event&) = delete;
};

class message_links {
 public:
  explicit message_links(links::network on) : network_(std::move(on)), moving_(network_) {}
  virtual ~message_links() = default;
  message_links(const message_links&) = delete;
  message_links& operator=(const message_links&) = delete;

  const links::network& network() const noexcept { return network_; }
  links::journeys& moving() noexcept { return moving_; }
  /// Gives the worker on which `executor::start_apart` starts that one of so many.
  virtual int worker_apart(int index, int count) const = 0;

  /// The caller, a rank, looks whether something has come, perhaps again and again. That takes time, also where none
  /// passes but what is declared.
  virtual void look() = 0;

  // Within a `moment`, in which the caller does not wait, or while something happens.
  /// Gives the caller's time, in picoseconds.
  virtual std::int64_t now() const = 0;
  virtual void expect(link_event& what, std::int64_t at_ps) = 0;

  /// It does not happen, if it was expected.
  virtual void forget(link_event& what) = 0;

 private:
  friend class moment;
  /// Gives whether time passed for the caller before.
  virtual bool begin_moment() = 0;
  virtual void end_moment(bool passed) noexcept = 0;

  const links::network network_;
  links::journeys moving_;
};

/// While it lives no time passes for its creator, a rank, but what it declares. Without links it is nothing.
class moment {
 public:
  explicit moment(message_links* of) : of_(of) {
    if (of_) [[unlikely]]
      passed_ = of_->begin_moment();
  }
  ~moment() {
    if (of_) [[unlikely]]
      of_->end_moment(passed_);
  }
  moment(const moment&) = delete;
  moment& operator=(const moment&) = delete;

 private:
  message_links* const of_;
  bool passed_ = false;
};

}  // namespace maslin
