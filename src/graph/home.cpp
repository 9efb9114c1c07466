// The tasks of a domain's own: they bring data home that were written elsewhere, and combine the values of reductions.

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "graph/domain.hpp"
#include "graph/version.hpp"

namespace maslin::graph {

using detail::access_record;
using detail::task_node;
using detail::version;

namespace {

/// How the bodies of the domain's own tasks begin: with what they write, and which record says where it lies.
struct own_body {
  region written;
  int record = 1;
};

/// What brings a version home.
struct copy_task : own_body {
  void operator()(const access_record* records) const { copy_home(written, records[1].data, records[0].data); }
};

/// What combines the values of a reduction with the datum, in program order.
struct combine_task : own_body {
  const detail::reduction_kind* kind;
  std::size_t extent;
  std::vector<version*> values;

  /// `is_away`: it is combined with a version.
  combine_task(const region& into, bool is_away, const detail::reduction_kind* k, std::vector<version*> v)
      : own_body{into, is_away ? 0 : 1}, kind(k), extent(into.bytes / k->element), values(std::move(v)) {}
  combine_task(combine_task&&) = default;
  ~combine_task() {
    for (version* v : values) release(*v);
  }
  void operator()(const access_record* records) const {
    for (const version* v : values) kind->combine(records[record].data, v->data, extent);
  }
};

/// Only waits.
struct waiting_task : own_body {
  void operator()(const access_record*) const {}
};

}  // namespace

region read_by_own(task_node& task) {
  const version* const from = task.records()->of;
  return from ? region_of(*from) : region();
}

region written_by_own(task_node& task) {
  const auto& body = *static_cast<const own_body*>(task.callable);
  region written = body.written;
  written.start = reinterpret_cast<std::uintptr_t>(task.records()[body.record].data);
  return written;
}

template <class Body>
task_node& domain::make_task(scope& in, location where, version* of, void* home, Body&& body) {
  using stored = std::decay_t<Body>;
  constexpr std::size_t accesses = 2;
  const detail::task_storage storage = detail::new_task_storage(sizeof(stored), alignof(stored), accesses);
  new (storage.callable) stored(std::forward<Body>(body));
  // Only a scope's creator counts privately, and of a group that is perhaps another.
  const bool is_own = &in == creator_.children;
  const std::uint64_t place = is_own ? in.enter() : in.created();
  if (!is_own) in.enter_beside();
  auto* task = new (storage.node) task_node(in, place, creator_.stream, storage,
                                            {detail::use_stored<stored>, nullptr, where, 0, nullptr, accesses});
  task->is_internal = true;
  new (&task->records()[0]) access_record{of ? of->data : nullptr, of, {}};
  new (&task->records()[1]) access_record{home, nullptr, {}};
  if (of) use(*of);
  return *task;
}

void domain::move_home(datum& d, scope& in, ready_sink& sink) {
  reserve_edges(d.writers.size() + d.more->at_home.size());
  const location where = d.writers.empty() ? location{} : (*d.writers.begin())->where;
  task_node& task = make_task(in, where, d.current, d.home.data(), copy_task{{d.home}});
  begin(task);
  wait_for(d.writers, true);
  wait_for(d.more->at_home, false);
  release(*d.current);
  d.current = nullptr;
  d.more->at_home.clear();
  d.set_writer(task);  // who read the version need not be waited for: the copy leaves it as it is
  if (end(sink)) sink.ready(&task);
}

void domain::combine(datum& d, scope& in, ready_sink& sink) {
  datum::rare& more = *d.more;
  std::size_t sources = more.adders.size() + d.writers.size() + d.readers.size();
  for (datum* other : more.aliases) sources += other->writers.size() + other->readers.size();
  reserve_edges(sources);
  // A task that found no memory may have been the next one to add; those before it are done then.
  const location where = more.adders.empty() ? location{} : (*more.adders.begin())->where;
  // The values change hands when nothing can fail any more.
  task_node& task =
      make_task(in, where, d.current, d.home.data(), combine_task{d.home, d.current != nullptr, more.kind, {}});
  if (!more.adders.empty()) task.mode = more.adders.end()[-1]->mode;  // those before it may be done, and forgotten
  static_cast<combine_task*>(task.callable)->values = std::move(more.values);
  begin(task);
  wait_for(more.adders, true);
  wait_for(d.writers, true);
  wait_for(d.readers, false);
  wait_for_aliases(d, true, true);
  more.values.clear();
  more.adders.clear();
  more.kind = nullptr;
  d.set_writer(task);
  if (end(sink)) sink.ready(&task);
}

void domain::await_in(scope& in, task_list& tasks, ready_sink& sink) {
  reserve_edges(tasks.size());
  task_node& task = make_task(in, (*tasks.begin())->where, nullptr, nullptr, waiting_task{});
  name(task);  // until all is said: no datum names it, and who unnames it last frees it
  begin(task);
  wait_for(tasks, false);
  if (end(sink)) sink.ready(&task);
  unname(task);
}

void domain::bring_home(scope* members, ready_sink& sink) {
  const auto contributed = [&](task_list& tasks) {
    return std::any_of(tasks.begin(), tasks.end(), [&](task_node* t) { return t->in == members; });
  };
  const auto comes_home = [](task_list& writers) {
    return std::any_of(writers.begin(), writers.end(), [](task_node* t) { return t->is_internal && !is_done(*t); });
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    datum& d = *pending_[i];
    const bool settled = d.writers.empty() && d.more->adders.empty();  // who wrote it is done, and was unnamed since
    const bool now = !members || settled || contributed(d.writers) || contributed(d.more->adders);
    try {
      if (now) {
        scope& in = members ? *members : *creator_.children;
        if (d.combining()) combine(d, in, sink);
        if (d.current) move_home(d, in, sink);
      } else if (comes_home(d.writers)) {
        await_in(*members, d.writers, sink);  // the members' values, perhaps, for a task of the creator's
      }
    } catch (...) {
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(kept),
                     pending_.begin() + static_cast<std::ptrdiff_t>(i));
      throw;
    }
    d.pending = !now;
    if (!now) pending_[kept++] = &d;
  }
  pending_.resize(kept);
}

void domain::bring_home_up_to(std::size_t bytes, ready_sink& sink) {
  std::size_t away = 0;
  for (const datum* d : pending_) away += d->home.bytes;
  if (away <= bytes) bring_home(nullptr, sink);
}

void domain::keep_guests(ready_sink& sink) {
  if (!in_use()) return;
  task_list guests;
  const auto collect = [&](task_list& users) {
    for (task_node* user : users) {
      if (user->in == creator_.children || is_done(*user)) continue;
      guests.reserve_one();
      guests.add(*user);
    }
  };
  for_each_list(collect, collect);
  if (!guests.empty()) await_in(*creator_.children, guests, sink);
}

namespace {

/// What that found no memory for is an error of the scope.
template <class Call>
void or_note(scope& errors, Call&& call) noexcept {
  try {
    call();
  } catch (const std::bad_alloc&) {
    errors.add_error(std::numeric_limits<std::uint64_t>::max(), std::current_exception());
  }
}

}  // namespace

void settle(context& creator, scope* members, ready_sink& sink) noexcept {
  if (creator.data)
    or_note(members ? *members : *creator.children, [&] { domain::of(creator).bring_home(members, sink); });
}

void settle_at_end(context& creator, ready_sink& sink) noexcept {
  if (!creator.data) return;
  settle(creator, nullptr, sink);
  or_note(*creator.children, [&] { domain::of(creator).keep_guests(sink); });
}

}  // namespace maslin::graph
