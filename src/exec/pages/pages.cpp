#include "exec/pages/pages.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <new>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "base/sanitizers.hpp"
#include "exec/fiber/overflow.hpp"
#include "exec/pages/page_map.hpp"
#include "exec/pages/words.hpp"
#include "graph/describe.hpp"
#include "graph/domain.hpp"
#include "graph/store_clock.hpp"
#include "maslin/error.hpp"
#include "task/context.hpp"
#include "task/context_watcher.hpp"
#include "task/node.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace maslin::pages {

using detail::declared;
using detail::task_node;

namespace {

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Asks the system for the page as a write would, and leaves it as it is.
bool is_writable(std::uintptr_t start) noexcept {
  return madvise(reinterpret_cast<void*>(start), page_bytes(), MADV_POPULATE_WRITE) == 0;
}

page_system::outcome set_rights(std::uintptr_t start, std::uintptr_t end, right now) noexcept {
  using enum page_system::outcome;
  constexpr int protection[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
  auto* const first = reinterpret_cast<void*>(start);
  if (mprotect(first, end - start, protection[static_cast<int>(now)]) == 0) return done;
  if (errno != ENOMEM) return not_such_pages;
  const bool is_mapped = msync(first, end - start, MS_ASYNC) == 0 || errno != ENOMEM;
  return is_mapped ? no_mappings : not_such_pages;
}

struct state {
  page_map map{{set_rights, is_writable}};
  std::unordered_map<const task_node*, watched_task> tasks;

  watched_task* find(const task_node& task) {
    const auto found = tasks.find(&task);
    return found == tasks.end() ? nullptr : &found->second;
  }
  void add(const task_node& task, watched_task&& made) {
    map.add(tasks.insert_or_assign(&task, std::move(made)).first->second);
  }
  /// In whose name does the code of that context run?
  code code_of(const context* here) {
    code who;
    for (const scope* at = here ? here->children : nullptr; at; at = at->outer()) {
      const task_node* const task = at->owner();
      if (!task) continue;
      if (watched_task* const known = find(*task)) return {known, known->is_adrift, !who.is_adrift};
      who.is_adrift = true;
    }
    return who;
  }
};

std::atomic<bool> is_on{false};
constinit base::short_lock lock;
state* all MASLIN_GUARDED_BY(lock) = nullptr;  ///< stays when it is over: where the system has no mappings, pages do

/// No inline: a fiber may continue on another thread.
[[gnu::noinline]] runner& this_thread() noexcept {
  asm volatile("");
  static thread_local runner mine;
  return mine;
}

/// From now on nothing is watched.
void give_up(const char* why) noexcept MASLIN_REQUIRES(lock) {
  if (!is_on.exchange(false)) return;
  all->map.lift();
  std::fprintf(stderr, "maslin: MASLIN_CHECK=pages: %s, so from here on pages are not watched\n", why);
}

/// Calls `step(state, prepare())` while pages are watched, and `prepare` without the lock: it asks a task, whose code
/// is the program's. Where memory ends, that ends.
template <class Prepare, class Step>
void if_on(Prepare&& prepare, Step&& step) noexcept MASLIN_UNCHECKED {
  if (!on()) return;
  try {
    auto made = prepare();
    const base::locked held(lock);
    if (!on()) return;
    step(*all, std::move(made));
    if (all->map.is_exhausted()) give_up("the system gives no more mappings (vm.max_map_count)");
  } catch (const std::bad_alloc&) {
    const base::locked held(lock);
    give_up("there is no memory for it");
  }
}
template <class Step>
void if_on(Step&& step) noexcept {
  if_on([] { return 0; }, [&](state& s, int) { step(s); });
}

void add_uses(std::vector<use>& to, const graph::region& of, right own, right left) {
  bool is_first = true;
  for_whole_pages(of, page_bytes(), [&](std::uintptr_t start, std::uintptr_t end) {
    to.push_back({start, end, own, left, std::exchange(is_first, false)});
  });
}

/// Gives what is known of a task, but who created it. `accesses`: where the program declared its data; null where they
/// lie there.
watched_task watch(const task_node& task, const declared* accesses) {
  watched_task made;
  const std::vector<declared> now = graph::accesses_of(task);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool reads_only = now[i].mode == access_mode::in;
    add_uses(made.uses, graph::region(now[i]), reads_only ? right::read : right::all,
             reads_only ? right::read : right::none);
    // Who reads a version is not waited for when the data come home.
    if (accesses && accesses[i].data != now[i].data)
      add_uses(made.uses, graph::region(accesses[i]), right::none, reads_only ? right::all : right::none);
  }
  made.words = graph::description(task);
  return made;
}

void created(task_node& task, const declared* accesses, const context& creator) noexcept {
  if_on([&] { return watch(task, accesses); },
        [&](state& s, watched_task&& made) {
          const code by = s.code_of(&creator);
          made.creator = by.in;
          made.is_adrift = by.is_adrift;
          s.add(task, std::move(made));
          if (by.in) ++by.in->creates;
        });
}

/// A task of the graph's own begins, of which nothing was known.
void own_begins(task_node& task) noexcept {
  if_on(
      [&] {
        watched_task made;
        add_uses(made.uses, graph::read_by_own(task), right::read, right::read);
        add_uses(made.uses, graph::written_by_own(task), right::all, right::none);
        made.words = graph::description(task);
        return made;
      },
      [&](state& s, watched_task&& made) { s.add(task, std::move(made)); });
}

void code_changes(context*) noexcept {
  runner& mine = this_thread();
  if_on([&](state& s) { s.map.run(mine, s.code_of(known_context())); });
}

/// Has the refused access been a write? Where the processor does not say, it counts as a read.
bool is_write(const void* machine) noexcept {
  [[maybe_unused]] const mcontext_t& registers = static_cast<const ucontext_t*>(machine)->uc_mcontext;
#if defined(__x86_64__)
  constexpr greg_t writes = 2;
  return registers.gregs[REG_ERR] & writes;
#elif defined(__aarch64__)
  // Records follow each other, each with its size; that with ESR_MAGIC holds the syndrome.
  for (const std::byte* at = reinterpret_cast<const std::byte*>(registers.__reserved);;) {
    const auto& head = *reinterpret_cast<const _aarch64_ctx*>(at);
    if (head.magic == 0 || head.size == 0) return false;
    constexpr std::uint64_t write_not_read = 1 << 6;
    if (head.magic == ESR_MAGIC) return reinterpret_cast<const esr_context*>(at)->esr & write_not_read;
    at += head.size;
  }
#else
  return false;
#endif
}

/// Has an access that is allowed not failed again and again? Else somebody else has protected the page. It may fail
/// more than once where other threads change rights.
bool makes_progress(std::uintptr_t at) noexcept {
  static thread_local std::uintptr_t last = 0;
  static thread_local int times = 0;
  constexpr int most_times = 1000;
  times = at == last ? times + 1 : 0;
  last = at;
  return times < most_times;
}

/// The access is that of the calling thread's code, so nothing of ours was going on in it.
overflow::answer explain(const siginfo_t& fault, const void* machine) noexcept {
  using kind = page_map::finding::kind;
  if (fault.si_code != SEGV_ACCERR) return overflow::answer::not_mine;
  const auto at = reinterpret_cast<std::uintptr_t>(fault.si_addr);
  const bool writes = is_write(machine);
  const context* const here = known_context();
  fixed_text text;
  {
    const base::locked held(lock);
    if (!all) return overflow::answer::not_mine;
    const code who = all->code_of(here);
    const page_map::finding why = all->map.look(at, who, writes);
    if (why.is == kind::unknown) return overflow::answer::not_mine;
    if (why.is == kind::allowed) return makes_progress(at) ? overflow::answer::go_on : overflow::answer::not_mine;
    say(why, at, writes, who, here, text);
  }
  const std::string_view line = text.view();
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  return overflow::answer::told;
}

void hear_nothing() noexcept {
  if (!graph::task_is_created.load(std::memory_order_relaxed)) return;
  graph::task_is_created.store(nullptr, std::memory_order_relaxed);
  detail::set_room_for_birth(false);
  set_rights_watcher(nullptr);
}

}  // namespace

bool on() noexcept { return is_on.load(std::memory_order_relaxed); }

void begin() {
#if defined(MASLIN_ASAN) || defined(MASLIN_TSAN)
  throw error("MASLIN_CHECK=pages: this build has a sanitizer, whose own handler takes the faults; set MASLIN_CHECK=1");
#endif
  void* const probe = mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool can_ask = probe != MAP_FAILED && is_writable(reinterpret_cast<std::uintptr_t>(probe));
  if (probe != MAP_FAILED) munmap(probe, page_bytes());
  if (!can_ask)
    throw error(
        "MASLIN_CHECK=pages: the system does not say which pages may be written (MADV_POPULATE_WRITE, Linux 5.14 and "
        "newer); set MASLIN_CHECK=1");
  {
    const base::locked held(lock);
    delete all;
    all = nullptr;
    all = new state;
  }
  overflow::ask(explain);
  is_on = true;
  graph::task_is_created.store(created, std::memory_order_release);
  detail::set_room_for_birth(true);
  set_rights_watcher(code_changes);
}

void end() noexcept {
  const base::locked held(lock);
  if (!all) return;
  is_on = false;
  hear_nothing();
  all->map.lift();
}

body::body(task_node& task) : task_(task) {
  if (task.is_internal) own_begins(task);
  runner& mine = this_thread();
  if_on([&](state& s) {
    if (watched_task* const known = s.find(task)) known->has_begun = true;
    s.map.run(mine, s.code_of(known_context()));
  });
}
body::~body() { forget(task_); }

void forget(const task_node& task) noexcept {
  if_on([&](state& s) {
    const watched_task* const known = s.find(task);
    if (!known) return;
    s.map.remove(*known);
    if (known->creator) --known->creator->creates;
    if (known->creates > 0)  // one of a group, say, is not done
      for (auto& [_, other] : s.tasks)
        if (other.creator == known) {
          other.creator = known->creator;
          if (known->creator) ++known->creator->creates;
        }
    s.tasks.erase(&task);
  });
}

void replay(std::span<task_node* const> tasks) noexcept {
  for (task_node* task : tasks)
    if (task->accesses > 0 && !task->is_internal) created(*task, nullptr, current_context());
}

void around_fork(bool begins) noexcept MASLIN_UNCHECKED { begins ? lock.lock() : lock.unlock(); }

void forget_after_fork() noexcept { end(); }

}  // namespace maslin::pages
