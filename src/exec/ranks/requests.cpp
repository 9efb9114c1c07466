// What goes on while its rank does something else, and waits for one of several or for all.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/ranks/started.hpp"
#include "exec/tracing.hpp"

namespace maslin {

using detail::rank_member;
using detail::started;

namespace {

/// A call of all ranks that was started.
struct started_call final : started {
  started_call(const rank_member& m, joint_call& mine, location where)
      : started(m), called(where), call(by, mine, where, rank_call::kind::started) {
    by.of.record(trace::event_kind::starts, 0, traced_number(this));
  }

  message wait(location where) override {
    const traced_await waits(by.of);
    call.wait(where, traced_number(this));
    return {by.rank, any_tag, 0};
  }
  bool test() override {
    begin_test(called);
    call.advance();
    if (call.is_over()) {
      by.of.record(trace::event_kind::completes, 0, traced_number(this));
      return call.tell_problem(called), true;
    }
    if (by.of.has_failed() && call.take_back()) by.of.throw_given_up(by.mine(), called);
    return false;
  }
  bool cancel() override { return false; }
  void advance() override { call.advance(); }
  bool is_over() const noexcept override { return call.is_over(); }
  bool has_moved() noexcept override { return call.has_moved(); }
  awaited_one awaits() const override { return call.awaits(); }

  const location called;
  rank_call call;
};

}  // namespace

std::string at_place(location where) { return fmt::format("{}:{}", where.file_name(), where.line()); }

request communicator::start_together(joint_call& mine, location where) {
  expect_call(*member_, "start_together", where);
  return request(std::make_unique<started_call>(*member_, mine, where));
}

request::request() noexcept = default;
request::request(std::unique_ptr<started> started) noexcept : started_(std::move(started)) {}
request::request(request&& from) noexcept = default;
request::~request() = default;

request& request::operator=(request&& from) noexcept {
  const std::unique_ptr<started> before = std::exchange(started_, std::move(from.started_));
  return *this;
}

message request::wait(location where) {
  if (!started_) throw error("request::wait at " + at_place(where) + ": nothing was started, or it was waited for");
  started_->by.expect_own_code("request::wait", where);
  const request over(std::move(*this));  // also where it is given up
  return over.started_->wait(where);
}

bool request::test() { return !started_ || started_->test(); }

bool request::cancel(location where) {
  if (!started_) return false;
  started_->by.expect_own_code("request::cancel", where);
  started_->by.of.catch_up();
  if (!started_->cancel()) return false;
  started_.reset();
  return true;
}

std::size_t wait_any(std::span<request* const> requests, location where) {
  started* some = nullptr;
  const auto find_over = [&] {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      started* const one = requests[i]->started_.get();
      if (!one) continue;
      if (one->is_over()) return i;
      one->advance();
      if (one->is_over()) return i;
    }
    return requests.size();
  };
  for (const request* one : requests) {
    if (!one->started_) continue;
    some = one->started_.get();
    some->by.expect_own_code("wait_any", where);
    some->by.of.catch_up();
  }
  if (!some)
    throw error(fmt::format("wait_any at {}: none of {} requests stands for anything; start something first",
                            at_place(where), requests.size()));
  const traced_await waits(some->by.of);
  for (;;) {
    const std::size_t found = find_over();
    if (found < requests.size()) return found;
    world& of = some->by.of;
    const int rank = some->by.mine();
    const auto moved = [&] {
      bool any = false;
      for (const request* one : requests) any |= one->started_ && one->started_->has_moved();
      return any;
    };
    const auto tells = [&](rank_wait& into) {
      into.where = where;
      into.is_one_enough = true;
      for (const request* one : requests)
        if (one->started_) into.all.push_back(one->started_->awaits());
    };
    if (!of.wait(rank, awaited(tells), moved)) of.throw_given_up(rank, where);
  }
}

namespace {

/// What is not over of several started things.
class unfinished {
 public:
  unfinished() = default;
  unfinished(const unfinished&) = delete;
  unfinished& operator=(const unfinished&) = delete;
  ~unfinished() {
    for (started* one : messages_) one->is_listed = false;
  }
  /// `most`: so many are added.
  void add(started& one, std::size_t most) {
    if (!one.is_message()) return calls_.push_back(&one);
    if (one.is_listed) return;  // the caller has named it twice
    if (messages_.empty()) messages_.reserve(most);
    messages_.push_back(&one);
    one.is_listed = true;
  }
  /// Does what can be done for calls of all, and forgets what is over.
  void advance() {
    for (started* one : calls_) one->advance();
    std::erase_if(calls_, [](const started* one) { return one->is_over(); });
    while (next_ < messages_.size() && messages_[next_]->is_over()) ++next_;
  }
  bool has_calls() const noexcept { return !calls_.empty(); }
  bool empty() const noexcept { return calls_.empty() && next_ == messages_.size(); }
  /// Of its messages, so many bytes are to come or to go.
  std::size_t bytes() const noexcept {
    std::size_t all = 0;
    for (std::size_t i = next_; i < messages_.size(); ++i) all += messages_[i]->message_bytes();
    return all;
  }
  started& any() const noexcept { return calls_.empty() ? *messages_[next_] : *calls_.front(); }
  void tell(rank_wait& into) const {
    for (const std::vector<started*>* some : {&messages_, &calls_})
      for (const started* one : *some)
        if (!one->is_over()) into.all.push_back(one->awaits());
  }

  /// Under the rank's lock: is everything over, or is there something that `advance` does for a call?
  bool operator()() noexcept {
    bool any_has_moved = false;
    for (started* one : calls_) any_has_moved |= one->has_moved();
    while (next_ < messages_.size() && messages_[next_]->is_over()) ++next_;
    return any_has_moved || empty();
  }
  /// So many messages end before that, if there are no calls.
  std::size_t changes() const noexcept {
    if (!calls_.empty()) return 0;
    return static_cast<std::size_t>(std::count_if(messages_.begin() + static_cast<std::ptrdiff_t>(next_),
                                                  messages_.end(), [](const started* one) { return !one->is_over(); }));
  }

 private:
  std::vector<started*> calls_, messages_;
  std::size_t next_ = 0;  ///< the messages before are over
};

}  // namespace

void wait_all(std::span<request* const> requests, location where) {
  unfinished left;
  const scope* own = nullptr;  // the caller's, if it is a rank's own code
  for (const request* one : requests) {
    if (!one->started_) continue;
    if (one->started_->by.own != own) one->started_->by.expect_own_code("wait_all", where);
    own = one->started_->by.own;
    if (!one->started_->is_over()) left.add(*one->started_, requests.size());
  }
  if (left.empty()) return;
  const traced_await waits(left.any().by.of);
  for (left.advance(); !left.empty(); left.advance()) {
    world& of = left.any().by.of;
    const int rank = left.any().by.mine();
    of.catch_up();
    const auto is_over = [&left] {
      left.advance();
      return left.empty();
    };
    rank_gate* const gate = of.at(rank).gate;
    const outside_gate others_go_on(gate);
    const bool needs_gate = gate && left.has_calls();  // for its parts of them
    if (!needs_gate && of.look_for_messages(others_go_on, rank, is_over, of.across() ? left.bytes() : 0)) return;
    const auto tells = [&](rank_wait& into) {
      into.where = where;
      left.tell(into);
    };
    if (!of.wait(others_go_on, rank, awaited(tells), left, world::at_failure::give_up, true))
      of.throw_given_up(rank, where);
  }
}

}  // namespace maslin
