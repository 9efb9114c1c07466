#include "exec/store/stores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <iterator>
#include <string>

#include "base/checksum.hpp"
#include "base/no_leak.hpp"
#include "base/settings.hpp"
#include "exec/in_place.hpp"
#include "exec/store/thread_platform.hpp"
#include "graph/describe.hpp"
#include "graph/poison.hpp"
#include "graph/read_check.hpp"
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
  std::deque<thread_store> each;  ///< the workers', then that of all other threads

  std::size_t bytes() const { return each.front().bytes(); }
  thread_store& of(int track) {
    const std::size_t others = each.size() - 1;
    return each[track < 0 ? others : std::min(static_cast<std::size_t>(track), others)];
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

/// Tasks that the body created, and has not waited for, may use its copies.
void await_children(executor& exec) {
  context& here = current_context();
  if (!here.children->quiet() || here.data) await_tasks_at_end(exec, here);
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
      if (!c.writes && graph::data_checks() && !is_as_in_memory(c.home, at[k])) graph::throw_written(accesses[i], task);
    }
  }

 private:
  static std::uint64_t sum(const graph::region& r) {
    std::uint64_t all = 0;
    for (std::size_t c = 0; c < r.columns; ++c)
      all = base::checksum(all, static_cast<const char*>(r.data()) + c * r.stride, r.bytes);
    return all;
  }
  static bool is_as_in_memory(const graph::region& home, const std::byte* copy) {
    for (std::size_t c = 0; c < home.columns; ++c)
      if (std::memcmp(copy + c * home.bytes, static_cast<const char*>(home.data()) + c * home.stride, home.bytes) != 0)
        return false;
    return true;
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
  for (int i = 0; i <= workers; ++i)
    made->each.emplace_back(*bytes, seed ? std::optional(*seed * 4099 + static_cast<std::uint64_t>(i)) : std::nullopt);
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

void call_on_copies(executor& exec, task_node& task) {
  all_stores* const stores = now.load(std::memory_order_acquire);
  const auto call = [&](const access_record* records) { task.run(task.callable, records, body_use::call); };
  const std::vector<declared> accesses = graph::accesses_of(task);
  if (!stores || accesses.size() < task.accesses) return call(task.records());  // the graph's own say nothing
  const plan copies = make_plan(accesses);
  if (copies.bytes() > stores->bytes()) refuse(task, copies, *stores);
  thread_store& here = stores->of(exec.track());
  places at;
  if (copies.copies.empty() || !here.take(copies, at)) {
    here.note_on_memory();
    return call(task.records());
  }
  // The node's own records stay: others may look at them.
  std::vector<access_record> records(task.records(), task.records() + task.accesses);
  std::deque<detail::version> layouts;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const int k = copies.of_access[i];
    if (k == plan::on_memory) continue;
    void* const data = at[static_cast<std::size_t>(k)];
    records[i].data = data;
    records[i].of = &layouts.emplace_back(data, accesses[i].columns > 1 ? accesses[i].bytes : 0, 0);
  }
  const bool checks = graph::data_checks() || stores->is_adverse;
  std::optional<copy_check> found;
  if (checks) found.emplace(copies);
  run_on_copies(
      here, copies, at, checks, [&] { call(records.data()); },
      [&] {
        await_children(exec);
        if (found) found->verify(task, accesses, at);
      });
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
  }
  return sum;
}

}  // namespace maslin::store
