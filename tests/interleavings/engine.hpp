#pragma once
// A program on the archetype of a machine, for the explorer.

#include <functional>
#include <string>
#include <utility>

#include "archetype.hpp"
#include "blocks.hpp"
#include "exec/in_place.hpp"
#include "well.hpp"

namespace maslin {

/// A machine whose workers sleep when there is nothing to do; one of them, the last unless said, may do something
/// before.
struct engine : explorer::scenario {
  archetype machine;

  explicit engine(int workers, archetype::mistake m = archetype::none, std::function<void()> of_last = nullptr)
      : engine(workers, m, workers - 1, std::move(of_last)) {}
  engine(int workers, archetype::mistake m, int caller, std::function<void()> calls, placement policy = placement::dbs)
      : machine(workers, m, policy) {
    forget_given_blocks();
    thread_locals = archetype::thread_locals();
    for (int i = 0; i < workers; ++i)
      servants.push_back([this, i, what = i == caller ? std::move(calls) : nullptr] { machine.work(i, what); });
  }
  void outside(std::function<void()> body) {
    threads.push_back([this, what = std::move(body)] { machine.from_outside(what); });
  }

  /// Makes a task ready that is a member of `in`.
  void submit(scope& in, std::function<void()>& body) {
    const detail::task_storage storage = detail::new_task_storage(sizeof(void*), alignof(void*), 0);
    *static_cast<std::function<void()>**>(storage.callable) = &body;
    const detail::task_function run = [](void* callable, const detail::access_record*, detail::body_use use) {
      if (use != detail::body_use::destroy) (**static_cast<std::function<void()>**>(callable))();
    };
    machine.ready(new (storage.node)
                      detail::task_node(in, nullptr, storage, {run, nullptr, location::current(), 0, nullptr, 0}));
  }
  void shared_loop(std::int64_t blocks, std::function<void(std::int64_t)>& body, schedule policy = schedule::dbs) {
    const auto run = [](const detail::loop& l, std::int64_t& next, std::int64_t end) {
      detail::each_block(l, next, end,
                         [&](range, std::int64_t i) { (*static_cast<std::function<void(std::int64_t)>*>(l.env))(i); });
    };
    machine.run_loop(current_context(), {0, blocks, 1, run, &body, policy, location::current()});
  }
  void phase(const char* name, std::int64_t streams, std::function<void(std::int64_t)>& body) {
    const auto run = [](void* env, std::int64_t i) { (*static_cast<std::function<void(std::int64_t)>*>(env))(i); };
    machine.run_phase(current_context(), {name, streams, run, &body, location::current()});
  }
  void offload(std::function<void()>& body) {
    machine.run_offload(
        current_context(), 0, [](void* env) { (*static_cast<std::function<void()>*>(env))(); }, &body);
  }
};

/// How often something was done.
struct counted {
  explorer::atomic<int> times{0};
  void operator()() { times.fetch_add(1); }
  void check(int expected, const char* what) {
    if (times.load() != expected)
      explorer::fail(std::string(what) + " was done " + std::to_string(times.load()) + " times");
  }
};

}  // namespace maslin
