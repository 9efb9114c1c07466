#include "exec/threads/ready_tasks.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <numeric>
#include <span>

#include "base/clock.hpp"
#include "base/settings.hpp"
#include "graph/describe.hpp"
#include "maslin/machine.hpp"

namespace maslin {

using detail::declared;
using detail::task_node;

namespace {

constexpr std::uint32_t most_pieces = place::local_tasks<task_node>::most_pieces;
using pieces = std::array<place::piece, most_pieces>;

/// Gives how many pieces of these can count.
std::size_t most_pieces_of(const task_node* const* tasks, std::uint32_t count) {
  return std::accumulate(tasks, tasks + count, std::size_t{0}, [](std::size_t sum, const task_node* one) {
    return sum + std::min<std::size_t>(one->accesses, most_pieces);
  });
}

/// Gives what the task uses, where it lies now. Nothing of the graph's own tasks, and of those with very many accesses.
std::span<const place::piece> pieces_of(const task_node& task, pieces& room) {
  constexpr std::size_t most_accesses = 32;
  if (task.is_internal || task.accesses > most_accesses) return {};
  std::array<declared, most_accesses> accesses;
  const std::span<const declared> found = graph::accesses_of(task, std::span(accesses).first(task.accesses));
  std::size_t count = 0;
  for (const declared& a : found.first(std::min<std::size_t>(found.size(), most_pieces)))
    room[count++] = {reinterpret_cast<std::uintptr_t>(a.data), a.bytes * a.columns};
  return std::span(room).first(count);
}

/// The bytes of this machine's L2 caches.
struct second_levels {
  std::int64_t least = 0;
  std::int64_t all = 0;
};
second_levels detect_second_levels() {
  second_levels found;
  for (const machine::cache& c : machine::detect_topology().caches)
    if (c.level == 2) {
      found.least = found.least == 0 ? c.bytes : std::min(found.least, c.bytes);
      found.all += c.bytes;
    }
  return found;
}

}  // namespace

near_tasks::near_tasks(int workers, place_choice* choice)
    : workers_(workers), hints_(base::flag_of("MASLIN_HINTS")), choice_(choice), tasks_(place::locality_settings{}) {
  if (choice_) in_force_ = choice_->now();
  if (is_on()) look_at_caches();
}

void near_tasks::look_at_caches() {
  static const second_levels here = detect_second_levels();  // hwloc takes some milliseconds
  place::locality_settings made{.hints = hints_};
  // Workers that share one have a part of it each.
  if (here.least > 0)
    made.cache = static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(here.least, here.all / workers_)));
  made.bundle = made.cache / 2;
  const base::locked held(lock_);
  tasks_.go_by(made);
  knows_caches_ = true;
}

task_node* near_tasks::next() noexcept {
  const std::uint64_t begin = in_force_.measures ? base::ticks() : 0;
  task_node* const task = taken([](auto& tasks) { return tasks.next(); });
  if (task) meter_.chose_since(begin);
  return task;
}

void near_tasks::begin_to_measure() noexcept {
  if (in_force_.measures) meter_.begin(base::ticks());
}

void near_tasks::measure(const location& where) noexcept {
  meter_.ran(where, base::ticks());
  if (meter_.sum() >= place_meter::handed_in_ticks) hand_in();
}

void near_tasks::follow() noexcept {
  const place_in_force now = choice_->now();
  if (now == in_force_) return;
  hand_in();
  in_force_ = now;
  if (!is_on() || knows_caches_) return;
  try {
    look_at_caches();
  } catch (const std::exception&) {  // it goes by the usual size of a cache, and asks again
  }
  if (meter_.runs()) begin_to_measure();  // no task took that time
}

bool near_tasks::push_all(task_node* const* tasks, std::uint32_t count, bool alone) noexcept {
  if (choice_ && alone && size() == 0) follow();
  if (!is_on()) return false;
  const bool is_apart = in_force_.measures && !meter_.runs();
  const std::uint64_t begin = is_apart ? base::ticks() : 0;
  // Read now: a thief may run it, and free it, before this is over.
  const location where = is_apart ? tasks[0]->where : location();
  for (std::uint32_t i = 0; i < count; ++i) {
    pieces room;
    const std::span<const place::piece> used = pieces_of(*tasks[i], room);
    const base::locked held(lock_);
    if (i == 0) try {
        tasks_.make_room(count, most_pieces_of(tasks, count));  // others only take
      } catch (const std::bad_alloc&) {
        return false;
      }
    tasks_.add(tasks[i], used);
    tell_size();
  }
  if (is_apart) meter_.queued(where, base::ticks() - begin);
  return true;
}

task_node* near_tasks::exchange(task_node* task) noexcept {
  pieces room;
  const std::span<const place::piece> used = pieces_of(*task, room);
  const base::locked held(lock_);
  try {
    tasks_.make_room(1, used.size());
  } catch (const std::bad_alloc&) {
    return task;
  }
  tasks_.add(task, used);
  return tasks_.next();
}

}  // namespace maslin
