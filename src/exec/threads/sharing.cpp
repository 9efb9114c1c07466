#include "exec/threads/sharing.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "exec/phase/phase_run.hpp"
#include "exec/threads/threads.hpp"

namespace maslin {

namespace {

/// How long a worker must have slept before its CPU is lent: a few wake-ups, so that gaps between loops are not worth
/// it.
constexpr auto grace = std::chrono::microseconds(200);
/// How often a process that wants more looks for those who died without a word.
constexpr auto rescan = std::chrono::milliseconds(10);

}  // namespace

sharing::sharing(threads_executor& exec, std::unique_ptr<node::membership> as)
    : exec_(exec),
      as_(std::move(as)),
      mine_(as_->mine()),
      at_start_(std::clamp(as_->here().held(), 1, as_->most())),
      home_(as_->here().may().home),
      active_(at_start_),
      possible_(at_start_),
      used_(static_cast<std::size_t>(as_->here().cpu_count())),
      slept_(static_cast<std::size_t>(as_->most())),
      steps_(static_cast<std::size_t>(as_->most())) {}

sharing::~sharing() { end(); }

void sharing::begin() {
  keeper_ = std::thread([this] { keep(); });
}

void sharing::end() {
  if (!keeper_.joinable()) return;
  stop_.store(true, std::memory_order_seq_cst);
  node::ring(mine_);
  keeper_.join();
}

bool sharing::serves_a_phase(const worker& w) const {
  // One that cannot be divided anew yet keeps its workers; they stay on the CPUs that are left.
  return w.in_team.load(std::memory_order_seq_cst) != &exec_.whole();
}

void sharing::notice() noexcept {
  // Who has the lock may have looked before the CPU was taken; and until it has followed the table, this worker does
  // not know whether it goes on.
  const threads_executor::grain_guard held(exec_);
  if (mine_.taken.load(std::memory_order_relaxed) != seen_.load(std::memory_order_relaxed)) follow();
}

void sharing::take_back() noexcept {
  if (!exec_.grain_lock().try_lock()) return;
  as_->here().regain();
  follow();
  exec_.grain_lock().unlock();
}

void sharing::ask() noexcept {
  // Said although there may be nobody else's CPU: the keeper, who hears of new members, looks at it afterwards.
  if (!wants_.exchange(true, std::memory_order_seq_cst) && active() < possible()) node::ring(mine_);
}

void sharing::report_idle() noexcept {
  if (!idle_.exchange(true, std::memory_order_seq_cst)) node::ring(mine_);
}

void sharing::lend() {
  blocked_.store(true, std::memory_order_seq_cst);
  if (!alone_.load(std::memory_order_relaxed)) report_idle();
}

void sharing::reclaim() {
  blocked_.store(false, std::memory_order_seq_cst);
  // The lock first: the keeper may be about to lend what it saw idle.
  const threads_executor::grain_guard held(exec_);
  if (!lent_.load(std::memory_order_relaxed)) return;
  as_->here().regain();
  follow();
}

void sharing::follow() noexcept {
  node::member& here = as_->here();
  const std::uint32_t taken = mine_.taken.load(std::memory_order_seq_cst);
  const int held = here.held();
  const int owned = here.owned();
  bool changed = false;
  int own_in_use = 0;
  for (int c = 0; c < here.cpu_count(); ++c) {
    const node::cpu_state now = here.look(c);
    const bool used = now.user == here.slot_number();
    if (used && now.owner == here.slot_number()) ++own_in_use;
    changed |= used_[static_cast<std::size_t>(c)] != used;
    used_[static_cast<std::size_t>(c)] = used;
  }
  const bool was_alone = alone_.exchange(as_->alone(), std::memory_order_relaxed);
  if (was_alone && !alone_.load(std::memory_order_relaxed)) idle_.store(true, std::memory_order_seq_cst);
  lent_.store(own_in_use < owned, std::memory_order_seq_cst);
  empty_handed_.store(held == 0 && owned > 0, std::memory_order_seq_cst);
  possible_.store(std::max(1, std::min(here.possible(), exec_.workers())), std::memory_order_seq_cst);

  team& whole = exec_.whole();
  const int before = active_.load(std::memory_order_relaxed);
  int now = std::clamp(held, std::max(1, static_cast<int>(whole.phases.size())), exec_.workers());
  if (exec_.stopping()) now = std::min(now, before);
  for (int i = before; i < now; ++i)
    if (!exec_.start_worker(exec_.at(i))) now = i;
  if (changed || now != before) revision_.fetch_add(1, std::memory_order_seq_cst);
  if (now != before) {
    whole.set_workers({0, now});
    active_.store(now, std::memory_order_seq_cst);
  }
  // Release, and only now: who reads this goes by the number of active workers and by the CPUs that belong to it.
  seen_.store(taken, std::memory_order_release);
  if (now == before) return;
  mine_.working.store(static_cast<std::uint32_t>(now), std::memory_order_relaxed);
  phase_run::divide(whole, exec_);
  for (int i = before; i < now; ++i) exec_.notify(exec_.at(i));
}

void sharing::set_mask(worker& w) noexcept {
  // The program's own thread keeps what the program gave it.
  if (w.index == 0) {
    w.mask_seen = revision_.load(std::memory_order_relaxed);
    return;
  }
  try {
    std::vector<bool> mask;
    bool granted = false;
    {
      // Not while it sets the mask: that may cost the thread its core.
      const threads_executor::grain_guard held(exec_);
      w.mask_seen = revision_.load(std::memory_order_relaxed);
      mask = used_;
      granted = w.index < active();
    }
    const bool any = std::find(mask.begin(), mask.end(), true) != mask.end();
    if (granted || !any)
      for (std::size_t c = 0; c < mask.size(); ++c) mask[c] = mask[c] || home_[c];
    if (mask == w.mask || (w.mask.empty() && mask == home_)) return;
    if (node::set_affinity(mask)) w.mask = std::move(mask);
  } catch (const std::bad_alloc&) {  // it stays where it is until the next change
  }
}

void sharing::keep() {
  for (;;) {
    const std::uint32_t bell = mine_.bell.load(std::memory_order_seq_cst);
    if (stop_.load(std::memory_order_seq_cst)) return;
    bool wants = false;
    {
      const threads_executor::grain_guard held(exec_);
      follow();
      wants = still_wants();
    }
    if (wants)
      borrow();
    else if (mine_.hungry.load(std::memory_order_relaxed) != 0)
      as_->here().hunger(false);
    if (idle_.exchange(false, std::memory_order_seq_cst)) {
      lend_what_is_idle();
      // Who made work meanwhile saw more active workers than there are now, and did not ring.
      if (wants_.load(std::memory_order_seq_cst)) continue;
    }
    if (wants && wants_.load(std::memory_order_seq_cst))
      as_->sleep(bell, rescan);
    else
      as_->sleep(bell);
  }
}

bool sharing::still_wants() noexcept {
  // Taken down before it looks: who finds no sleeper after this look puts it up again. Who sleeps at this look has
  // seen what was made before (README, race 1).
  if (!wants_.exchange(false, std::memory_order_seq_cst)) return false;
  // What it was put up for may be done. Who queues something after this look puts it up again, too.
  if (!exec_.has_queued_work()) return false;
  for (int i = exec_.worker_0_is_absent() ? 1 : 0; i < active(); ++i)
    if (exec_.sleeps(i)) return false;
  wants_.store(true, std::memory_order_seq_cst);
  return active() < possible();
}

void sharing::borrow() {
  as_->bury_the_dead();
  // Hungry before it looks: who lends after this look sees that (exec/node/README.md, race 2).
  as_->here().hunger(true);
  const threads_executor::grain_guard held(exec_);
  const int before = as_->here().regain();
  const int active = active_.load(std::memory_order_relaxed);
  // Twice as many at a time: who finds work and leaves some asks again.
  if (as_->here().borrow_up_to(std::max(before, 2 * active)) > active) {
    wants_.store(false, std::memory_order_seq_cst);
    as_->here().hunger(false);
  }
  follow();
}

void sharing::lend_what_is_idle() {
  const int active_before = active();
  const auto sleeps = [this](int i) {
    if (i == 0 && exec_.worker_0_is_absent()) return blocked_.load(std::memory_order_seq_cst);
    return exec_.sleeps(i);
  };
  const auto steps_of = [this](int i) { return exec_.at(i).steps.load(std::memory_order_relaxed); };
  for (int i = 0; i < active_before; ++i) {
    slept_[static_cast<std::size_t>(i)] = sleeps(i);
    steps_[static_cast<std::size_t>(i)] = steps_of(i);
  }
  std::this_thread::sleep_for(grace);
  threads_executor::grain_guard held(exec_);
  int busy = std::min(active(), active_before);
  while (busy > 0) {
    const auto i = static_cast<std::size_t>(busy - 1);
    if (!slept_[i] || !sleeps(busy - 1) || steps_[i] != steps_of(busy - 1)) break;
    --busy;
  }
  // A phase knows what it leaves idle, and may be measuring it.
  if (busy > 0 && !exec_.whole().phases.empty()) return;
  if (busy >= as_->here().held()) return;
  const bool gave = as_->here().give_down_to(busy);
  follow();
  held.unlock();
  if (gave) as_->here().ring_the_hungry();
}

}  // namespace maslin
