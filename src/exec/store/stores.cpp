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
#include "exec/tracing.hpp"
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
  writing writes;
  std::deque<thread_store> each;  ///< the workers', then that of all other threads

  std::size_t bytes() const { return each.front().bytes(); }
  thread_store& of(int track) {
    const std::size_t others = each.size() - 1;
    return each[track < 0 ? others : std::min(static_cast<std::size_t>(track), others)];
  }
  /// Somebody does this on memory.
  void show(std::span<const use> uses) noexcept {
    for (thread_store& one : each) one.show(uses);
  }
  /// A task begins whose copies have room in that store.
  void serve(const plan& of, places& at, const thread_store& in) noexcept {
    for (thread_store& one : each)
      if (&one != &in) one.serve(of, at);
  }
  /// A task begins in that store, or, null, not at all: what others have fetched for it is not needed.
  void drop_early(const task_node& task, const thread_store* in) noexcept {
    for (thread_store& one : each)
      if (&one != in) one.drop_early(&task);
  }
  /// A task ends: ends all copies of what it has written; gives the tick.
  std::uint64_t end_task(std::span<const use> uses) noexcept {
    if (keeps == keeping::none) return 0;
    if (std::ranges::any_of(uses, &use::writes))
      for (thread_store& one : each) one.end_copies(uses);
    return graph::tick_of_stores();
  }
};
std::atomic<all_stores*> now{nullptr};
base::short_lock ends;  ///< whoever asks what they did holds it, and who frees them
counts (*described)() = nullptr;
std::optional<counts> described_last;  ///< what that one said at its end

/// Gives where a body, whose copies are there, finds what the tasks that it creates write: they may have left dirty
/// copies of that.
std::vector<use> written_inside(const all_stores& stores, const std::vector<declared>& accesses, const plan& of,
                                const places& at) {
  std::vector<use> all;
  if (stores.writes != writing::back) return all;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (at.empty() || of.of_access[i] == plan::on_memory) all.push_back({graph::region(accesses[i]), true, true});
  for (std::size_t i = 0; i < at.size(); ++i) all.push_back({packed(of.copies[i].home, at[i].at), true, true});
  return all;
}

/// A version's memory is freed.
void forget_version(const graph::region& freed) noexcept {
  const base::locked held(ends);
  if (all_stores* const stores = now.load(std::memory_order_acquire))
    for (thread_store& one : stores->each) one.forget(freed);
}

/// The program has waited.
void show_everything() noexcept {
  const base::locked held(ends);
  if (all_stores* const stores = now.load(std::memory_order_acquire))
    for (thread_store& one : stores->each) one.show_everything();
}

/// Tasks that the body created, and has not waited for, may use its copies, or write what copies hold.
void await_children(executor& exec, all_stores& stores, std::span<const use> inside) {
  struct at_end {
    all_stores& stores;
    std::span<const use> inside;
    ~at_end() {
      if (!inside.empty()) stores.show(inside);
    }
  } const shown{stores, inside};
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
    if (const graph::region& home = of.copies[i].home;
        at[i].is_hit && !at[i].is_ahead && !is_as_in_memory(home, at[i].at))
      throw error(fmt::format(
          "{} bytes at {} changed in memory while a local store kept a copy of them (MASLIN_STORE_KEEP), and "
          "no task says that it writes them: declare what tasks write. The next task that reads them is the {}",
          home.size(), home.data(), graph::description(task)));
}

/// Finds bodies that go round their copies. Lives while one runs.
class copy_check {
 public:
  copy_check(const plan& of, const places& at) : of_(of), at_(at) {
    sums_.reserve(of.copies.size());
    for (std::size_t k = 0; k < of.copies.size(); ++k) sums_.push_back(is_ahead(k) ? 0 : sum(of.copies[k].home));
  }
  /// Throws `error` if memory has changed, or a copy that is only read.
  void verify(const task_node& task, const std::vector<declared>& accesses) const {
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      if (of_.of_access[i] == plan::on_memory) continue;
      const auto k = static_cast<std::size_t>(of_.of_access[i]);
      const copy& c = of_.copies[k];
      if (is_ahead(k)) continue;
      if (sum(c.home) != sums_[k])
        throw error(
            fmt::format("{} bytes at {} changed in memory while a task worked on a copy of them (MASLIN_STORE): its "
                        "body, and the tasks that it creates, must use the view that it gets. It is the {}",
                        c.home.size(), c.home.data(), graph::description(task)));
      if (!c.writes && graph::data_checks() && !is_as_in_memory(c.home, at_[k].at))
        graph::throw_written(accesses[i], task);
    }
  }

 private:
  /// Does memory get it when somebody looks, whenever that is?
  bool is_ahead(std::size_t k) const { return !of_.copies[k].writes && at_[k].is_ahead; }
  static std::uint64_t sum(const graph::region& r) {
    std::uint64_t all = 0;
    for (std::size_t c = 0; c < r.columns; ++c)
      all = base::checksum(all, static_cast<const char*>(r.data()) + c * r.stride, r.bytes);
    return all;
  }
  const plan& of_;
  const places& at_;
  std::vector<std::uint64_t> sums_;
};

void hear_nothing() noexcept {
  graph::set_local_stores(false);
  graph::version_ends.store(nullptr, std::memory_order_relaxed);
  graph::program_looks.store(nullptr, std::memory_order_relaxed);
}

}  // namespace

[[gnu::cold]] void refuse(const task_node& task, const plan& of, std::size_t store_bytes) {
  constexpr std::size_t most = 8;
  std::string sizes;
  for (std::size_t i = 0; i < of.copies.size() && i < most; ++i)
    fmt::format_to(std::back_inserter(sizes), "{}{}", i == 0 ? "" : ", ", of.copies[i].home.size());
  if (of.copies.size() > most) sizes += ", ...";
  throw error(
      fmt::format("the data of a task take {} bytes ({}), and its worker's local store has {}: cut them into smaller "
                  "blocks, or set MASLIN_STORE to more. It is the {}",
                  of.bytes(), sizes, store_bytes, graph::description(task)));
}

std::vector<use> uses_of_own(task_node& task) {
  std::vector<use> all;
  if (!task.is_internal) return all;
  const graph::region from = graph::read_by_own(task), to = graph::written_by_own(task);
  if (!from.empty()) all.push_back({from, true, false});
  if (!to.empty()) all.push_back({to, from.empty(), true});
  return all;
}

void mark_lazy(plan& of, task_node& task, writing how) {
  for (int i = 0; i < task.accesses; ++i) {
    const int k = of.of_access[static_cast<std::size_t>(i)];
    const detail::version* const v = task.records()[i].of;
    if (k == plan::on_memory) continue;
    of.copies[static_cast<std::size_t>(k)].is_lazy =
        how == writing::back || (how == writing::renamed && v && v->bytes > 0);
  }
}

std::optional<std::uint64_t> birth_of(task_node& task) {
  return task.has_birth ? std::optional(task.birth()) : std::nullopt;
}

writing writing_of_the_run() {
  // MASLIN_CHECK compares memory before and after each body.
  return graph::data_checks() ? writing::through : base::choice_of<writing>("MASLIN_STORE_WRITE");
}

void tell_by(counts (*who)()) {
  const std::optional<counts> last = who ? std::nullopt : told();
  const base::locked held(ends);
  described = who;
  described_last = last;
}

std::uint32_t begin(int workers) {
  end();
  const std::optional<std::uint64_t> bytes = base::number_of("MASLIN_STORE");
  const std::optional<std::uint64_t> seed = base::number_of("MASLIN_STORE_SEED");
  const auto ahead = static_cast<std::uint32_t>(*base::number_of("MASLIN_STORE_AHEAD"));
  if (!bytes) return 0;
  auto made = std::make_unique<all_stores>();
  made->is_adverse = seed.has_value();
  made->keeps = base::choice_of<keeping>("MASLIN_STORE_KEEP");
  made->writes = writing_of_the_run();
  for (int i = 0; i <= workers; ++i) {
    made->each.emplace_back(*bytes, made->keeps,
                            seed ? std::optional(*seed * 4099 + static_cast<std::uint64_t>(i)) : std::nullopt);
    made->each.back().traced_as = i < workers ? i : -1;
  }
  const writing how = made->writes;
  now.store(made.release(), std::memory_order_release);
  if (how != writing::through) graph::version_ends.store(forget_version, std::memory_order_release);
  if (how == writing::back) graph::program_looks.store(show_everything, std::memory_order_release);
  graph::set_local_stores(true);
  return ahead;
}

void end() noexcept {
  graph::tell_program_looks();
  hear_nothing();
  const base::locked held(ends);
  delete now.exchange(nullptr, std::memory_order_acq_rel);
  described_last.reset();
}

void forget_after_fork() noexcept {
  hear_nothing();
  described = nullptr;
  described_last.reset();
  new (&ends) base::short_lock;
  base::keep_reachable(now.exchange(nullptr, std::memory_order_relaxed));
}

namespace {

/// Calls the body of a task where its data are, and ends copies of what it writes.
void call_on_memory(executor& exec, task_node& task, all_stores& stores, std::span<const use> uses,
                    std::span<const use> inside) {
  stores.show(uses);
  struct at_end {
    all_stores& stores;
    std::span<const use> uses;
    ~at_end() { stores.end_task(uses); }
  } const end{stores, uses};
  std::exception_ptr thrown = run_with_children([&] { task.run(task.callable, task.records(), body_use::call); },
                                                [&] {
                                                  if (stores.keeps != keeping::none)
                                                    await_children(exec, stores, inside);
                                                });
  if (thrown) std::rethrow_exception(std::move(thrown));
}

/// Begins to fetch the data of a ready task, which will probably begin in that store next. Where that cannot be,
/// nothing happens. Values of reductions are set when their task begins.
void fetch_early(all_stores& stores, thread_store& in, task_node& task) noexcept {
  if (in.is_early(&task)) return;
  stores.drop_early(task, &in);  // from there it came with others
  try {
    const std::vector<declared> accesses = graph::accesses_of(task);
    if (accesses.empty() || accesses.size() < task.accesses) return;
    plan copies = make_plan(accesses);
    copies.task = traced_number(&task);
    if (copies.copies.empty() || std::ranges::any_of(copies.copies, &copy::is_value)) return;
    mark_lazy(copies, task, stores.writes);
    places at;
    if (!in.take_early(copies, at, birth_of(task))) return;
    stores.serve(copies, at, in);
    in.begin_early(&task, std::move(copies), std::move(at), graph::data_checks() || stores.is_adverse,
                   graph::store_clock.load(std::memory_order_relaxed));
  } catch (const std::bad_alloc&) {  // it is fetched when the task begins
  }
}

void set_next_aside(executor& exec, all_stores& stores, thread_store& in) noexcept {
  struct where {
    all_stores& stores;
    thread_store& in;
  } here{stores, in};
  exec.set_next_aside(
      [](void* env, task_node& task) {
        const where& its = *static_cast<where*>(env);
        fetch_early(its.stores, its.in, task);
      },
      &here);
}

}  // namespace

void drop_early(const task_node& task) noexcept {
  all_stores* const stores = now.load(std::memory_order_acquire);
  if (!stores) return;
  stores->drop_early(task, nullptr);
  graph::tick_of_stores();  // this is its end
}

void call_on_copies(executor& exec, task_node& task) {
  all_stores* const stores = now.load(std::memory_order_acquire);
  if (!stores) return task.run(task.callable, task.records(), body_use::call);
  const std::vector<declared> accesses = graph::accesses_of(task);
  if (accesses.size() < task.accesses) return call_on_memory(exec, task, *stores, uses_of_own(task), {});
  thread_store& here = stores->of(exec.track());
  stores->drop_early(task, &here);
  const bool checks = graph::data_checks() || stores->is_adverse;
  plan copies;
  places at;
  if (!here.find_early(&task, copies, at)) {
    copies = make_plan(accesses);
    copies.task = traced_number(&task);
    if (copies.bytes() > stores->bytes()) refuse(task, copies, stores->bytes());
    mark_lazy(copies, task, stores->writes);
    if (copies.copies.empty() || !here.take(copies, at, birth_of(task))) {
      here.note_on_memory();
      return call_on_memory(exec, task, *stores, copies.uses, written_inside(*stores, accesses, copies, {}));
    }
    stores->serve(copies, at, here);
    here.begin_stage_in(copies, at, checks, graph::store_clock.load(std::memory_order_relaxed));
  }
  std::vector<use> inside;
  std::vector<access_record> records;
  std::deque<detail::version> layouts;
  try {
    inside = written_inside(*stores, accesses, copies, at);
    // The node's own records stay: others may look at them.
    records.assign(task.records(), task.records() + task.accesses);
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const int k = copies.of_access[i];
      if (k == plan::on_memory) continue;
      void* const data = at[static_cast<std::size_t>(k)].at;
      records[i].data = data;
      records[i].of = &layouts.emplace_back(data, accesses[i].columns > 1 ? accesses[i].bytes : 0, 0);
    }
  } catch (...) {
    here.give(copies, at);
    graph::tick_of_stores();
    throw;
  }
  set_next_aside(exec, *stores, here);
  std::optional<copy_check> found;
  run_on_copies(
      here, copies, at,
      [&] {
        if (checks) {
          check_hits(task, copies, at);
          found.emplace(copies, at);
        }
        task.run(task.callable, records.data(), body_use::call);
      },
      [&] {
        await_children(exec, *stores, inside);
        if (found) found->verify(task, accesses);
      },
      [&]() noexcept { return stores->end_task(copies.uses); });
}

std::optional<counts> told() {
  const base::locked held(ends);
  const all_stores* const stores = now.load(std::memory_order_acquire);
  if (!stores) return described ? std::optional(described()) : described_last;
  counts sum;
  for (const thread_store& one : stores->each) sum += one.told();
  return sum;
}

}  // namespace maslin::store
