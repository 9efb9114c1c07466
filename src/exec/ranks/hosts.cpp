#include "exec/ranks/hosts.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include "base/start_thread.hpp"
#include "comm/mailbox.hpp"
#include "exec/ranks/started.hpp"
#include "maslin/error.hpp"

namespace maslin {

using detail::host_functions;

std::string detail::signature_of(value_kind gives, std::span<const value_kind> takes) {
  const auto words = [](value_kind one) -> std::string {
    using enum value_kind::shape;
    if (one.is == nothing) return "void";
    if (one.is == text) return "text";
    return (one.is == array ? "array of " : "") + comm::name_of(*one.type);
  };
  std::string all;
  for (const value_kind one : takes) all += (all.empty() ? "" : ", ") + words(one);
  return words(gives) + '(' + all + ')';
}

// The functions.

host::host(host* further, location where)
    : its_(std::make_unique<detail::host_functions>(further ? further->its_.get() : nullptr)) {
  its_->start(where);
}
host::~host() { its_->stop(); }
void host::add(std::string_view name, const std::string& signature, detail::function_of_bytes function,
               location where) {
  its_->add(name, signature, std::move(function), where);
}
std::vector<std::byte> host::call(const detail::called& what) { return its_->call_further(what); }

void host_functions::add(std::string_view name, const std::string& signature, detail::function_of_bytes function,
                         location where) {
  if (!function) throw error(fmt::format("host::offer at {}: the function '{}' is empty", at_place(where), name));
  const base::locked held(lock_);
  if (!all_.try_emplace(std::string(name), entry{signature, std::move(function)}).second)
    throw error(fmt::format("host::offer at {}: there is a function '{}' already", at_place(where), name));
}

std::string host_functions::names() {
  std::string all;
  for (host_functions* one = this; one; one = one->further_) {
    const base::locked held(one->lock_);
    for (const auto& one_of_its : one->all_) all += (all.empty() ? "'" : ", '") + one_of_its.first + '\'';
  }
  return all;
}

// Calls.

std::vector<std::byte> remote_call::take_result(location where) {
  if (is_unknown) {
    const std::string here = asked ? asked->names() : "";
    problem = here + (here.empty() || problem.empty() ? "" : ", ") + problem;
    problem = "there is no such function; there are " + (problem.empty() ? "none" : problem);
  }
  if (!problem.empty()) throw error(fmt::format("call of '{}' at {}: {}", name, at_place(where), problem));
  return std::move(result);
}

bool host_functions::begin(remote_call& call) {
  for (host_functions* one = this; one; one = one->further_) {
    const entry* what = nullptr;
    {
      const base::locked held(one->lock_);
      const auto found = one->all_.find(call.name);
      if (found == one->all_.end()) continue;
      what = &found->second;
    }
    if (what->signature != call.signature) {
      call.problem = fmt::format("it is called as {}, but it is {}", call.signature, what->signature);
      return false;
    }
    one->add(call, *what);
    return true;
  }
  return false;
}

void host_functions::add(remote_call& call, const entry& what) {
  {
    const base::locked held(lock_);
    call.at_ = this;
    call.what_ = &what;
    (last_ ? last_->next_ : first_) = &call;
    last_ = &call;
  }
  rung_.fetch_add(1, std::memory_order_release);  // pairs with `serve`
  rung_.notify_one();
}

bool host_functions::take_back(remote_call& call) {
  const base::locked held(lock_);
  remote_call* before = nullptr;
  for (remote_call* one = first_; one; before = std::exchange(one, one->next_)) {
    if (one != &call) continue;
    (before ? before->next_ : first_) = call.next_;
    if (last_ == &call) last_ = before;
    return true;
  }
  return false;
}

// The thread.

void host_functions::start(location where) {
  try {
    thread_ = base::start_thread([] {}, [this] { serve(); });
  } catch (const std::system_error& e) {
    throw error(fmt::format("host at {}: the system has no thread for it ({}); allow more threads (ulimit -u)",
                            at_place(where), e.what()));
  }
}

void host_functions::stop() {
  is_ending_.store(true, std::memory_order_relaxed);
  rung_.fetch_add(1, std::memory_order_release);
  rung_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void host_functions::serve() {
  for (;;) {
    const std::uint32_t seen =
        rung_.load(std::memory_order_acquire);  // pairs with `add`: what was queued before is seen
    while (serve_one()) continue;
    if (is_ending_.load(std::memory_order_relaxed)) return;
    rung_.wait(seen, std::memory_order_acquire);
  }
}

bool host_functions::serve_one() {
  remote_call* call = nullptr;
  {
    const base::locked held(lock_);
    call = first_;
    if (!call) return false;
    first_ = call->next_;
    if (!first_) last_ = nullptr;
    running_by_.store(&call->of, std::memory_order_relaxed);  // `leave` holds the lock before it looks
  }
  try {
    static_cast<const entry*>(call->what_)->run(call->given, call->result);
  } catch (const std::exception& e) {
    call->problem = fmt::format("the function threw: {}", e.what());
  } catch (...) {
    call->problem = "the function threw what is no std::exception";
  }
  call->end();
  running_by_.store(nullptr, std::memory_order_release);  // pairs with `leave`
  running_by_.notify_all();
  return true;
}

struct host_functions::further_call final : remote_call {
  further_call(host_functions& from, world& by, const detail::called& what) noexcept
      : remote_call(by, what.name, what.signature, what.given), asker(from) {}
  void end() noexcept override {
    host_functions& told = asker;  // this is gone as soon as that is told
    told.further_ended_.store(1, std::memory_order_release);
    told.further_ended_.notify_one();
  }
  host_functions& asker;
};

std::vector<std::byte> host_functions::call_further(const detail::called& what) {
  world* const by = running_by_.load(std::memory_order_relaxed);
  if (!by || (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()))
    throw error(fmt::format("call_further of '{}' at {}: expected a function of this host, while it runs", what.name,
                            at_place(what.where)));
  further_call mine(*this, *by, what);
  further_ended_.store(0, std::memory_order_relaxed);
  by->begin_call(mine, further_);
  while (further_ended_.load(std::memory_order_acquire) == 0) further_ended_.wait(0, std::memory_order_acquire);
  return mine.take_result(what.where);
}

void host_functions::leave(const world& of) {
  remote_call* left = nullptr;
  {
    const base::locked held(lock_);
    remote_call** at = &first_;
    last_ = nullptr;
    while (remote_call* const one = *at)
      if (&one->of == &of) {
        *at = one->next_;
        one->next_ = std::exchange(left, one);
      } else {
        last_ = one;
        at = &one->next_;
      }
  }
  while (left) {
    remote_call* const one = std::exchange(left, left->next_);
    one->problem = "its host's ranks have ended";
    one->end();
  }
  for (world* by = running_by_.load(std::memory_order_acquire); by == &of;
       by = running_by_.load(std::memory_order_acquire))
    running_by_.wait(by, std::memory_order_acquire);
  if (further_) further_->leave(of);
}

}  // namespace maslin
