#include "graph/recording.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/room.hpp"
#include "graph/domain.hpp"
#include "graph/store_clock.hpp"
#include "graph/version.hpp"
#include "maslin/error.hpp"
#include "task/pool.hpp"

namespace maslin {

using detail::access_record;
using detail::body_use;
using detail::edge;
using detail::task_node;

namespace graph {

namespace {

// Tags of a follower.
constexpr std::uintptr_t needs_it = 1;  // for its data
constexpr std::uintptr_t is_last = 2;   // and waits for nobody else, so nothing is counted

/// Where the program declared the data of a record, or null for a version: in a recorded task the edges are elsewhere.
void* home_of(const access_record& record) { return record.link.next; }
void set_home(access_record& record) {
  const bool at_home = !record.of || record.of->bytes == 0;
  record.link.next = at_home ? static_cast<edge*>(record.data) : nullptr;
}

/// The callable and the versions end with the task.
void destroy_recorded(task_node* task) noexcept {
  task->run(task->callable, task->records(), body_use::destroy);
  for (int i = 0; i < task->accesses; ++i)
    if (detail::version* v = task->records()[i].of) release(*v);
  destroy(task);
}

}  // namespace

recorder::recorder() : made_(std::make_unique<recording::state>()), creator_(made_->members) {
  creator_.records_into = this;
  creator_.data = std::make_unique<domain>(creator_, true);
}

void recorder::ready(task_node* task) noexcept { task->stream = std::exchange(roots_, task); }

void recorder::add(const detail::task_storage& storage, const detail::task_description& what) {
  auto* task = new (storage.node) task_node(made_->members, nullptr, storage, what);
  try {
    if (what.in)
      throw error(std::string("the task created at ") + what.where.file_name() + ":" +
                  std::to_string(what.where.line()) +
                  " belongs to a group, and is created while tasks are recorded: a group's tasks cannot be "
                  "recorded, use ms::task");
    const auto reduces = [](const detail::declared& a) { return a.mode == access_mode::reduction; };
    base::make_room(reductions_,
                    static_cast<std::size_t>(std::count_if(what.accesses, what.accesses + what.access_count, reduces)));
    if (what.access_count == 0)
      ready(task);
    else
      domain::of(creator_).add(*task, what.accesses, false, *this);
  } catch (...) {
    task->accesses = 0;
    destroy_recorded(task);
    throw;
  }
  for (std::size_t i = 0; i < what.access_count; ++i) {
    const detail::declared& a = what.accesses[i];
    if (a.mode == access_mode::reduction)
      reductions_.push_back({task, {task->records()[i].data, a.reduces, a.bytes * a.columns / a.reduces->element}});
  }
}

recorder::~recorder() {
  creator_.data.reset();
  // Every task follows a root: who has lost its last blocker is the next to go.
  while (task_node* task = roots_) {
    roots_ = static_cast<task_node*>(task->stream);
    for (edge* e = edges_of(*task); e;) {
      edge* after = e->next;
      task_node* to = target(*e);
      if (is_block(*e)) pool::give(e, sizeof(edge));
      if (to->blockers.fetch_sub(1, std::memory_order_relaxed) == 1) ready(to);
      e = after;
    }
    destroy_recorded(task);
  }
}

std::unique_ptr<recording::state> recorder::finish() {
  auto& data = domain::of(creator_);
  data.bring_home(nullptr, *this);
  recording::state& r = *made_;
  r.homes = data.homes();

  // All of them, since everything follows a root (and whoever found no memory does not): by place, but that the
  // combining and moving of data for which a task waits was created right after it.
  std::vector<task_node*> found;
  found.reserve(r.members.created());
  std::vector<std::int32_t> met(r.members.created());  // edges into each, by place
  std::vector<task_node*> open;
  const auto later = [](const task_node* a, const task_node* b) { return a->place > b->place; };
  std::size_t edges = 0;
  for (task_node* task = roots_; task; task = static_cast<task_node*>(task->stream)) open.push_back(task);
  std::make_heap(open.begin(), open.end(), later);
  while (!open.empty()) {
    std::pop_heap(open.begin(), open.end(), later);
    task_node* task = open.back();
    open.pop_back();
    found.push_back(task);
    for (edge* e = edges_of(*task); e; e = e->next, ++edges) {
      task_node* to = target(*e);
      if (++met[to->place] < to->blockers.load(std::memory_order_relaxed)) continue;
      open.push_back(to);
      std::push_heap(open.begin(), open.end(), later);
    }
  }

  std::sort(reductions_.begin(), reductions_.end(),
            [](const reduction& a, const reduction& b) { return a.task->place < b.task->place; });
  r.values.reserve(reductions_.size());
  r.followers.reserve(edges);
  r.parts.reserve(found.size());
  r.roots.reserve(found.size());
  constexpr std::size_t timed_every = 16;
  r.timed.reserve(found.size() / timed_every + 1);
  // Nothing can fail any more.
  data.forget();
  std::size_t next_reduction = 0;
  for (task_node* task : found) {
    const std::size_t first = r.followers.size();
    for (edge* e = edges_of(*task); e;) {
      edge* after = e->next;
      const std::uintptr_t last = target(*e)->blockers.load(std::memory_order_relaxed) == 1 ? is_last : 0;
      r.followers.push_back(reinterpret_cast<std::uintptr_t>(target(*e)) | (is_needed(*e) ? needs_it : 0) | last);
      if (is_block(*e)) pool::give(e, sizeof(edge));
      e = after;
    }
    std::reverse(r.followers.begin() + static_cast<std::ptrdiff_t>(first), r.followers.end());
    const std::size_t first_value = r.values.size();
    for (; next_reduction < reductions_.size() && reductions_[next_reduction].task == task; ++next_reduction)
      r.values.push_back(reductions_[next_reduction].value);
    const std::int32_t blockers = task->blockers.load(std::memory_order_relaxed);
    r.parts.push_back({{r.followers.data() + first, r.followers.size() - first},
                       {r.values.data() + first_value, r.values.size() - first_value},
                       blockers});
    if (blockers == 0) r.roots.push_back(task);
    if (r.followers.size() == first) ++r.sinks;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    task_node& task = *found[i];
    task.followers.store(reinterpret_cast<std::uintptr_t>(&r.parts[i]), std::memory_order_relaxed);
    task.is_recorded = true;
    task.is_timed = i % timed_every == 0;
    if (task.is_timed) r.timed.push_back(&task);
    task.stream = nullptr;
    for (int k = 0; k < task.accesses; ++k) set_home(task.records()[k]);
  }
  r.tasks = std::move(found);
  r.members.leave(r.members.created());
  roots_ = nullptr;
  return std::move(made_);
}

void begin_values(task_node& task) noexcept {
  for (const recorded_value& v : part_of(task).values) v.kind->begin(v.value, v.extent);
}

void fail_followers(task_node& task) noexcept {
  for (const std::uintptr_t follower : part_of(task).followers)
    if (follower & needs_it) cancel(*node_of(follower), nullptr);
}

bool end_recorded(task_node& task, ready_sink& sink) noexcept {
  const recorded_task& part = part_of(task);
  const bool failed = task.failed();
  if (task.takes_turns) return_turns(task, sink);
  // Before anything follows: behind the last that does, the next replay may begin.
  task.children.reopen();
  if (failed) task.cancelled.store(false, std::memory_order_relaxed);
  task.blockers.store(part.blockers, std::memory_order_relaxed);
  const std::span<const std::uintptr_t> followers = part.followers;
  for (const std::uintptr_t follower : followers) {
    task_node& to = *node_of(follower);
    if (failed && (follower & needs_it)) cancel(to, nullptr);
    if (follower & is_last)
      start(to, sink);
    else
      unblock(to, 1, sink);
  }
  return followers.empty();  // the recording itself may be gone
}

}  // namespace graph

recording::state::~state() {
  for (task_node* task : tasks) graph::destroy_recorded(task);
}

void recording::state::begin(void* stream, detail::float_mode mode, graph::ready_sink& sink) noexcept {
  if (!tasks.empty() && (tasks.front()->stream != stream || tasks.front()->mode != mode))
    for (task_node* task : tasks) {
      task->stream = stream;
      task->mode = mode;
    }
  members.enter(sinks);
  for (task_node* task : roots) graph::start(*task, sink);
}

void recording::state::set_births() noexcept {
  for (task_node* task : tasks) graph::set_birth(*task);
}

namespace {

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// Gives the rebinding that replaces this data, or null.
const rebinding* moving(std::span<const rebinding> instead, const void* data) {
  for (const rebinding& r : instead)
    if (address(data) - address(r.from) < r.bytes) return &r;
  return nullptr;
}
void* moved(std::span<const rebinding> instead, void* data) {
  const rebinding* r = moving(instead, data);
  return r ? static_cast<char*>(r->to) + (address(data) - address(r->from)) : data;
}

std::string bytes_at(const void* data, std::size_t bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%zu bytes at %p", bytes, data);
  return text;
}

}  // namespace

void recording::state::bind(std::span<const rebinding> instead, location where) {
  if (instead.empty() && !bound) return;
  const auto complain = [&](const std::string& what) {
    const std::string call =
        where.line() ? std::string("replay at ") + where.file_name() + ":" + std::to_string(where.line()) : "replay";
    throw error(call + ": " + what);
  };
  const auto meet = [](std::uintptr_t a, std::size_t a_bytes, std::uintptr_t b, std::size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
  };
  for (const rebinding& r : instead) {
    if (r.bytes != r.to_bytes)
      complain("rebind(" + bytes_at(r.from, r.bytes) + ", " + bytes_at(r.to, r.to_bytes) +
               "): expected data of the same size");
    for (const rebinding& other : instead) {
      if (&other == &r) continue;
      if (meet(address(r.from), r.bytes, address(other.from), other.bytes) ||
          meet(address(r.to), r.bytes, address(other.to), other.bytes))
        complain("two rebindings overlap: " + bytes_at(r.from, r.bytes) + " and " + bytes_at(other.from, other.bytes) +
                 ", or what replaces them");
    }
    for (const graph::region& home : homes) {
      const std::size_t extent = home.end() - home.start;
      if (meet(home.start, extent, address(r.from), r.bytes) &&
          (home.start < address(r.from) || home.end() > address(r.from) + r.bytes))
        complain("a recorded access to " + bytes_at(home.data(), extent) + " is only partly inside rebind(" +
                 bytes_at(r.from, r.bytes) + ", ...): rebind all of its data");
      if (!moving(instead, home.data()) && meet(home.start, extent, address(r.to), r.bytes))
        complain(bytes_at(r.to, r.bytes) +
                 " are to replace other data, but recorded accesses use them, too: rebind these");
    }
  }
  for (task_node* task : tasks)
    for (int i = 0; i < task->accesses; ++i) {
      access_record& record = task->records()[i];
      void* home = graph::home_of(record);
      if (!home) continue;
      record.data = moved(instead, home);
    }
  bound = !instead.empty();
}

std::vector<detail::declared> recording::state::accesses(std::span<const rebinding> instead) const {
  std::vector<detail::declared> all;
  all.reserve(homes.size());
  for (const graph::region& home : homes)
    all.push_back({moved(instead, home.data()), home.bytes, home.columns, home.columns > 1 ? home.stride : home.bytes,
                   access_mode::inout, false, nullptr});
  return all;
}

recording::recording(std::unique_ptr<state> tasks) noexcept : state_(std::move(tasks)) {}
recording::recording(recording&&) noexcept = default;
recording& recording::operator=(recording&&) noexcept = default;
recording::~recording() = default;
std::size_t recording::tasks() const noexcept { return state_ ? state_->tasks.size() : 0; }

}  // namespace maslin
