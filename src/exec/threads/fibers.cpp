// How a caller is suspended and resumed on its worker.

#include <thread>

#include "exec/threads/threads.hpp"

namespace maslin {

namespace {

thread_local worker* this_worker = nullptr;

void unlock(void* lock) { static_cast<base::short_lock*>(lock)->unlock(); }
void nothing(void*) {}

}  // namespace

[[gnu::noinline]] worker* self() noexcept {
  asm volatile("");
  return this_worker;
}
[[gnu::noinline]] void set_self(worker* w) noexcept { this_worker = w; }

void task_fiber::sleep(base::short_lock& held, const scope* covered) {
  worker& w = *self();
  home = &w;
  in_place = false;
  waits_for.store(covered, std::memory_order_relaxed);
  asleep.store(true, std::memory_order_relaxed);
  ++w.suspended;
  if (!w.exec.leave_fiber(w, unlock, &held)) {
    in_place = true;
    stance.store(waiting_here, std::memory_order_relaxed);
    held.unlock();
    w.exec.wait_in_place(*this, covered);
    --w.suspended;
  }
  asleep.store(false, std::memory_order_relaxed);
}

void task_fiber::wake() noexcept {
  worker& w = *home;
  // Acquire and release: a waiter in place that sees it is woken also sees what it was woken for.
  const bool listens = in_place && stance.exchange(woken, std::memory_order_acq_rel) == waiting_here;
  if (!listens) {
    next_ready = w.inbox.load(std::memory_order_relaxed);
    // Sequentially consistent: it pairs with the look around before parking (README, the race).
    while (!w.inbox.compare_exchange_weak(next_ready, this, std::memory_order_seq_cst, std::memory_order_relaxed)) {
    }
  }
  w.exec.rouse(w);
}

bool threads_executor::leave_fiber(worker& w, void (*after)(void*), void* argument) {
  task_fiber* next = take_ready(w);
  if (!next) next = idle_or_new_fiber(w);
  if (!next) return false;
  task_fiber& me = *w.running;
  w.running = next;
  fiber::switch_to(me.machine, next->machine, after, argument);
  return true;
}

void threads_executor::replace_fiber(worker& w, task_fiber& next) {
  task_fiber& me = *w.running;
  me.next_ready = w.idle_fibers;
  w.idle_fibers = &me;
  w.running = &next;
  fiber::switch_to(me.machine, next.machine, nothing, nullptr);
}

void threads_executor::enter_loop(worker& w) {
  task_fiber* next = idle_or_new_fiber(w);
  if (!next) throw std::bad_alloc();
  task_fiber& stack = *w.running;
  w.running = next;
  fiber::switch_to(stack.machine, next->machine, nothing, nullptr);
}

task_fiber* threads_executor::take_ready(worker& w) {
  if (!w.ready) {
    task_fiber* latest = w.inbox.load(std::memory_order_relaxed) ? w.inbox.exchange(nullptr, std::memory_order_acquire) : nullptr;
    while (latest) {
      task_fiber* earlier = latest->next_ready;
      latest->next_ready = w.ready;
      w.ready = latest;
      latest = earlier;
    }
  }
  task_fiber* first = w.ready;
  if (!first) return nullptr;
  w.ready = first->next_ready;
  --w.suspended;
  return first;
}

task_fiber* threads_executor::idle_or_new_fiber(worker& w) {
  if (task_fiber* idle = w.idle_fibers) {
    w.idle_fibers = idle->next_ready;
    return idle;
  }
  try {
    std::lock_guard held(fibers_lock_);
    return &fibers_.emplace_back(stack_bytes_, [](void* e) { static_cast<threads_executor*>(e)->work_loop(); }, this);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void threads_executor::wait_in_place(task_fiber& me, const scope* covered) {
  worker& w = *self();
  auto within = [covered](const work& item) {
    const scope* s = item.task ? item.task->in : &item.part.loop->blocks;
    while (s && s != covered) s = s->outer();
    return covered && s == covered;
  };
  while (me.stance.load(std::memory_order_acquire) != woken) {
    if (task_fiber* next = take_ready(w)) {
      auto here = waiting_here;
      if (!me.stance.compare_exchange_strong(here, elsewhere, std::memory_order_acq_rel)) {
        ++w.suspended;
        next->next_ready = w.ready;
        w.ready = next;
        return;
      }
      // From here on it is resumed like any other fiber, which takes it off the count; the caller will, too.
      w.running = next;
      fiber::switch_to(me.machine, next->machine, nothing, nullptr);
      ++w.suspended;
      return;
    }
    std::optional<work> item = w.queue.take_if(within);
    if (!item) item = whole_->centre.take_if(within);
    for (std::size_t i = 0; !item && i < workers_.size(); ++i) item = workers_[i]->queue.take_if(within);
    if (item)
      execute(w, *item);
    else
      std::this_thread::yield();
  }
}

}  // namespace maslin
