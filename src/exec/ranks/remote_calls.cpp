// Calls of a host's functions: by ranks of this process, and by those of others.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "exec/ranks/hosts.hpp"
#include "exec/ranks/started.hpp"

namespace maslin {

using detail::called;
using detail::host_functions;

namespace {

struct call_of_rank final : remote_call {
  call_of_rank(world& by, int its_rank, const called& what) noexcept
      : remote_call(by, what.name, what.signature, what.given), rank(its_rank) {}
  void end() noexcept override { of.end_call(rank, is_over); }

  const int rank;
  bool is_over = false;  ///< under the rank's lock
};

/// What comes back from another process: the result, why there is none, or the names of the functions that there are.
enum answered : std::uint32_t { result, problem, unknown };

/// The head of a call's text, behind which are its name, its signature and what is given.
struct packed_call {
  std::size_t name, signature;
};

/// A call by another process, which this one has been sent.
struct call_from_elsewhere final : remote_call {
  call_from_elsewhere(world& here, int from, std::uint64_t its_id, std::vector<std::byte> packed, packed_call head)
      : remote_call(here, words(packed, sizeof head, head.name), words(packed, sizeof head + head.name, head.signature),
                    std::span(packed).subspan(sizeof head + head.name + head.signature)),
        process(from),
        id(its_id),
        text(std::move(packed)) {}
  void end() noexcept override {
    of.answer_call(process, id, *this);
    delete this;
  }
  static std::string_view words(const std::vector<std::byte>& in, std::size_t from, std::size_t size) {
    return {reinterpret_cast<const char*>(in.data()) + from, size};
  }

  const int process;
  const std::uint64_t id;
  const std::vector<std::byte> text;  ///< all of it
};

}  // namespace

std::vector<std::byte> communicator::call_host(const called& what) {
  const detail::rank_member& m = *member_;
  expect_call(m, "call", what.where);
  call_of_rank mine(m.of, m.mine(), what);
  m.of.begin_call(mine, m.of.its_host());
  m.of.await_call(mine, mine.rank, mine.is_over, what.where);
  return mine.take_result(what.where);
}

/// Where others do not run while a rank waits, its thread waits. Then one call at a time is made.
bool world::blocks_for_calls() const noexcept { return exec_.serial() || exec_.is_described(); }

void world::begin_call(remote_call& call, host_functions* at) {
  if (at && at->begin(call)) return;
  if (call.problem.empty()) {
    call.is_unknown = true;
    call.asked = at;
    if (across_ && across_->mine() != 0) return send_call(call);
  }
  call.end();
}

void world::await_call(remote_call& call, int rank, const bool& is_over, location where) {
  if (blocks_for_calls()) {
    while (!call_ended_.load(std::memory_order_acquire)) call_ended_.wait(false, std::memory_order_acquire);
    return call_ended_.store(false, std::memory_order_relaxed);
  }
  const auto done = [&] { return is_over; };
  if (wait(rank, awaited(), done)) return;
  if (call.take_back()) throw_given_up(rank, where);
  wait(rank, awaited(), done, at_failure::go_on);
}

void world::end_call(int rank, bool& is_over) noexcept {
  if (!blocks_for_calls()) return wake(rank, [&] { is_over = true; });
  call_ended_.store(true, std::memory_order_release);
  call_ended_.notify_one();
}

void world::leave_host() noexcept {
  if (host_) host_->leave(*this);
  if (host_of_job_) host_of_job_->leave(*this);
}

// Between processes: what a process's hosts do not have is called at the job's host, in the first process.

void world::send_call(const remote_call& call) {
  const packed_call head{call.name.size(), call.signature.size()};
  letter one{letter::what::call, 0, 0, reinterpret_cast<std::uintptr_t>(&call), {}};
  one.text.reserve(sizeof head + head.name + head.signature + call.given.size());
  append(one.text, &head, sizeof head);
  append(one.text, call.name.data(), head.name);
  append(one.text, call.signature.data(), head.signature);
  append(one.text, call.given.data(), call.given.size());
  across_->send_letter(0, std::move(one));
}

void world::read_call(int from, letter one) {
  packed_call head;
  std::memcpy(&head, one.text.data(), sizeof head);
  auto* const call = new call_from_elsewhere(*this, from, one.id, std::move(one.text), head);
  begin_call(*call, host_of_job_);  // which deletes it when it is over
}

void world::answer_call(int process, std::uint64_t id, const remote_call& call) noexcept {
  try {
    const std::string names = call.is_unknown && call.asked ? call.asked->names() : "";
    const std::string& words = call.is_unknown ? names : call.problem;
    const answered is = call.is_unknown ? unknown : words.empty() ? result : problem;
    letter one{letter::what::result, is, 0, id, {}};
    if (is == result)
      append(one.text, call.result.data(), call.result.size());
    else
      append(one.text, words.data(), words.size());
    across_->send_letter(process, std::move(one));
  } catch (...) {
    fail(here_.front(), std::current_exception());
  }
}

void world::read_result(letter one) {
  auto* const call = reinterpret_cast<remote_call*>(static_cast<std::uintptr_t>(one.id));
  call->is_unknown = one.group == unknown;
  if (one.group == result)
    call->result = std::move(one.text);
  else
    call->problem.assign(reinterpret_cast<const char*>(one.text.data()), one.text.size());
  call->end();
}

}  // namespace maslin
