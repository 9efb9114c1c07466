#include "exec/store/stores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/checksum.hpp"
#include "base/no_leak.hpp"
#include "base/settings.hpp"
#include "exec/in_place.hpp"
#include "exec/store/thread_platform.hpp"
#include "graph/describe.hpp"
#include "graph/domain.hpp"
#include "graph/poison.hpp"
#include "graph/read_check.hpp"
#include "graph/store_clock.hpp"
#include "graph/version.hpp"
#include "maslin/error.hpp"

namespace maslin::store {

using detail::access_record;
using detail::body_use;
using detail::declared;
using detail::task_node;

namespace {

using thread_store = local_store<thread_platform>;

struct all_stores {
  bool is_adverse;
  keeping keeps;
  std::deque<thread_store> each;  ///< the workers', then that of all other threads

  std::size_t bytes() const { return each.front().bytes(); }
  thread_store& of(int track) {
    const std::size_t others = each.size() - 1;
    return each[track < 0 ? others : std::min(static_cast<std::size_t>(track), others)];
  }
  /// A task ends that has written there: ends all copies of it; gives the tick.
  std::uint64_t end_task(std::span<const graph::region> written) noexcept {
    if (keeps == keeping::none) return 0;
    if (!written.empty())
      for (thread_store& one : each) one.end_copies(written);
    return graph::tick_of_stores();
  }
};
std::atomic<all_stores*> now{nullptr};
base::short_lock ends;  ///< whoever asks what they did holds it, and who frees them

[[noreturn, gnu::cold]] void refuse(const task_node& task, const plan& of, const all_stores& stores) {
  constexpr std::size_t most = 8;
  std::string sizes;
  for (std::size_t i = 0; i < of.copies.size() && i < most; ++i)
    fmt::format_to(std::back_inserter(sizes), "{}{}", i == 0 ? "" : ", ", of.copies[i].home.size());
  if (of.copies.size() > most) sizes += ", ...";
  throw error(
      fmt::format("the data of a task take {} bytes ({}), and its worker's local store has {}: cut them into smaller "
                  "blocks, or set MASLIN_STORE to more. It is the {}",
                  of.bytes(), sizes, stores.bytes(), graph::description(task)));
}

std::vector<graph::region> written_by(const std::vector<declared>& accesses) {
  std::vector<graph::region> all;
  for (const declared& a : accesses)
    if (const graph::region r(a); a.mode != access_mode::in && !r.empty()) all.push_back(r);
  return all;
}

/// Tasks that the body created, and has not waited for, may use its copies, or write what copies hold.
void await_children(executor& exec) {
  context& here = current_context();
  if (!here.children->quiet() || here.data) await_tasks_at_end(exec, here);
}

bool is_as_in_memory(const graph::region& home, const std::byte* copy) {
  for (std::size_t c = 0; c < home.columns; ++c)
    if (std::memcmp(copy + c * home.bytes, static_cast<const char*>(home.data()) + c * home.stride, home.bytes) != 0)
      return false;
  return true;
}

/// Finds copies that are not as memory is: something was written that no task declares. Throws `error`.
void check_hits(const task_node& task, const plan& of, const places& at) {
  for (std::size_t i = 0; i < of.copies.size(); ++i)
    if (const graph::region& home = of.copies[i].home; at[i].is_hit && !is_as_in_memory(home, at[i].at))
      throw error(fmt::format(
          "{} bytes at {} changed in memory while a local store kept a copy of them (MASLIN_STORE_KEEP), and "
          "no task says that it writes them: declare what tasks write. The next task that reads them is the {}",
          home.size(), home.data(), graph::description(task)));
}

/// Finds bodies that go round their copies. Lives while one runs.
class copy_check {
 public:
  copy_check(const plan& of) : of_(of) {
    for (const copy& c : of.copies) sums_.push_back(sum(c.home));
  }
  /// Throws `error` if memory has changed, or a copy that is only read.
  void verify(const task_node& task, const std::vector<declared>& accesses, const places& at) const {
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      if (of_.of_access[i] == plan::on_memory) continue;
      const auto k = static_cast<std::size_t>(of_.of_access[i]);
      const copy& c = of_.copies[k];
      if (sum(c.home) != sums_[k])
        throw error(
            fmt::format("{} bytes at {} changed in memory while a task worked on a copy of them (MASLIN_STORE): its "
                        "body, and the tasks that it creates, must use the view that it gets. It is the {}",
                        c.home.size(), c.home.data(), graph::description(task)));
      if (!c.writes && graph::data_checks() && !is_as_in_memory(c.home, at[k].at))
        graph::throw_written(accesses[i], task);
    }
  }

 private:
  static std::uint64_t sum(const graph::region& r) {
    std::uint64_t all = 0;
    for (std::size_t c = 0; c < r.columns; ++c)
      all = base::checksum(all, static_cast<const char*>(r.data()) + c * r.stride, r.bytes);
    return all;
  }
  const plan& of_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

void begin(int workers) {
  end();
  const std::optional<std::uint64_t> bytes = base::number_of("MASLIN_STORE");
  const std::optional<std::uint64_t> seed = base::number_of("MASLIN_STORE_SEED");
  if (!bytes) return;
  auto made = std::make_unique<all_stores>();
  made->is_adverse = seed.has_value();
  made->keeps = base::choice_of<keeping>("MASLIN_STORE_KEEP");
  for (int i = 0; i <= workers; ++i)
    made->each.emplace_back(*bytes, made->keeps,
                            seed ? std::optional(*seed * 4099 + static_cast<std::uint64_t>(i)) : std::nullopt);
  now.store(made.release(), std::memory_order_release);
  graph::set_local_stores(true);
}

void end() noexcept {
  graph::set_local_stores(false);
  const base::locked held(ends);
  delete now.exchange(nullptr, std::memory_order_acq_rel);
}

void forget_after_fork() noexcept {
  graph::set_local_stores(false);
  new (&ends) base::short_lock;
  base::keep_reachable(now.exchange(nullptr, std::memory_order_relaxed));
}

namespace {

/// Calls the body of a task where its data are, and ends copies of what it writes.
void call_on_memory(executor& exec, task_node& task, all_stores& stores, std::span<const graph::region> written) {
  struct at_end {
    all_stores& stores;
    std::span<const graph::region> written;
    ~at_end() { stores.end_task(written); }
  } const end{stores, written};
  std::exception_ptr thrown = run_with_children([&] { task.run(task.callable, task.records(), body_use::call); },
                                                [&] {
                                                  if (stores.keeps != keeping::none) await_children(exec);
                                                });
  if (thrown) std::rethrow_exception(std::move(thrown));
}

}  // namespace

void call_on_copies(executor& exec, task_node& task) {
  all_stores* const stores = now.load(std::memory_order_acquire);
  if (!stores) return task.run(task.callable, task.records(), body_use::call);
  const std::vector<declared> accesses = graph::accesses_of(task);
  if (accesses.size() < task.accesses) {  // the graph's own; or it only waits
    const graph::region written = task.is_internal ? graph::written_by_own(task) : graph::region();
    return call_on_memory(exec, task, *stores, {&written, written.empty() ? 0u : 1u});
  }
  const std::vector<graph::region> written = written_by(accesses);
  const plan copies = make_plan(accesses);
  if (copies.bytes() > stores->bytes()) refuse(task, copies, *stores);
  thread_store& here = stores->of(exec.track());
  places at;
  if (copies.copies.empty() || !here.take(copies, at, task.has_birth ? std::optional(task.birth()) : std::nullopt)) {
    here.note_on_memory();
    return call_on_memory(exec, task, *stores, written);
  }
  const bool checks = graph::data_checks() || stores->is_adverse;
  if (checks) {
    try {
      check_hits(task, copies, at);
    } catch (...) {
      here.give(at);
      throw;
    }
  }
  // The node's own records stay: others may look at them.
  std::vector<access_record> records(task.records(), task.records() + task.accesses);
  std::deque<detail::version> layouts;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const int k = copies.of_access[i];
    if (k == plan::on_memory) continue;
    void* const data = at[static_cast<std::size_t>(k)].at;
    records[i].data = data;
    records[i].of = &layouts.emplace_back(data, accesses[i].columns > 1 ? accesses[i].bytes : 0, 0);
  }
  std::optional<copy_check> found;
  if (checks) found.emplace(copies);
  run_on_copies(
      here, copies, at, checks, [&] { task.run(task.callable, records.data(), body_use::call); },
      [&] {
        await_children(exec);
        if (found) found->verify(task, accesses, at);
      },
      [&]() noexcept { return stores->end_task(written); });
}

std::optional<counts> told() {
  const base::locked held(ends);
  const all_stores* const stores = now.load(std::memory_order_acquire);
  if (!stores) return std::nullopt;
  counts sum;
  for (const thread_store& one : stores->each) {
    const counts c = one.told();
    sum.tasks += c.tasks;
    sum.on_memory += c.on_memory;
    sum.bytes_in += c.bytes_in;
    sum.bytes_out += c.bytes_out;
    sum.most_bytes = std::max(sum.most_bytes, c.most_bytes);
    sum.hits += c.hits;
    sum.bytes_kept += c.bytes_kept;
    sum.evictions += c.evictions;
  }
  return sum;
}

}  // namespace maslin::store
