#include "exec/in_place.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "exec/reports.hpp"

namespace maslin {

void loop_in_place(executor& exec, context& caller, const detail::loop& l) {
  const std::int64_t blocks = l.blocks();
  scope own(caller.children);
  context here(own);
  here.in_loop = true;
  here.in_offload = caller.in_offload;
  here.stream = caller.stream;
  {
    const entered in(here);
    for (std::int64_t i = 0; i < blocks && !own.has_errors(); ++i) run_to_end(exec, here, own, [&] { l.run_block(i); });
  }
  if (own.has_errors()) rethrow_first(own.take_errors());
}

namespace {

/// Runs what is ready one by one, the earliest in program order first; in place a chain would need a stack of its
/// length.
struct one_by_one final : graph::ready_sink {
  explicit one_by_one(std::size_t tasks) { open.reserve(tasks); }
  void ready(detail::task_node* task) noexcept override {
    open.push_back(task);
    std::push_heap(open.begin(), open.end(), later);
  }
  void run() {
    while (!open.empty()) {
      std::pop_heap(open.begin(), open.end(), later);
      detail::task_node* first = open.back();
      open.pop_back();
      graph::run(first, *this);
    }
  }
  static bool later(const detail::task_node* a, const detail::task_node* b) { return a->place > b->place; }

  std::vector<detail::task_node*> open;
};

}  // namespace

void run_recorded(executor& exec, recording::state& tasks) {
  void* stream = current_context().stream;
  if (exec.serial()) {
    one_by_one sink(tasks.tasks.size());
    tasks.begin(stream, sink);
    sink.run();
  } else {
    tasks.begin(stream, exec);
    await(exec, tasks.members);
  }
}

void phase_in_place(executor& exec, context& caller, const detail::phase& p) {
  const auto begin = std::chrono::steady_clock::now();
  const std::shared_ptr<live_report> report = begin_report(p);
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  error_list errors;
  for (std::int64_t i = 0; i < p.streams; ++i) {
    scope own(caller.children);
    context here(own);
    errors.add_all(static_cast<std::uint64_t>(i), run_enclosed(exec, here, own, [&] { p.run(p.env, i); }));
    report->change([&](phase_report& r) {
      ++r.done;
      r.seconds = elapsed();
    });
  }
  report->change([&](phase_report& r) {
    r.running = false;
    r.chosen = r.current;
    r.seconds = elapsed();
  });
  rethrow_first(std::move(errors));
}

}  // namespace maslin
