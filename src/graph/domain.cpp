#include "graph/domain.hpp"

#include <new>
#include <utility>

#include "base/room.hpp"
#include "graph/merged_access.hpp"
#include "graph/poison.hpp"
#include "graph/store_clock.hpp"
#include "graph/version.hpp"
#include "task/pool.hpp"

namespace maslin::graph {

using detail::access_record;
using detail::declared;
using detail::edge;
using detail::task_node;
using detail::version;

namespace {

/// Values of a reduction that are kept before they are combined: bounds the memory, and leaves enough to run at a time.
constexpr std::size_t most_values = 64;

/// Somebody hears of the task's creation.
[[gnu::noinline, gnu::cold]] void tell_created(task_node& task, const declared* accesses, const context& creator,
                                               bool is_recorded) noexcept {
  set_birth(task);
  if (const auto hears = task_is_created.load(std::memory_order_acquire); hears && !is_recorded)
    hears(task, accesses, creator);
}

}  // namespace

domain& domain::of(context& creator) {
  if (!creator.data) creator.data = std::make_unique<domain>(creator);
  return static_cast<domain&>(*creator.data);
}

domain::~domain() {
  while (spare_) {
    edge* e = spare_;
    spare_ = e->next;
    pool::give(e, sizeof(edge));
  }
}

void domain::forget() {
  data_.clear();
  pending_.clear();
}

std::vector<region> domain::homes() const {
  std::vector<region> all;
  all.reserve(data_.size());
  for (const datum* d : data_)
    if (!d->home.empty()) all.push_back(d->home);
  return all;
}

bool domain::drain() {
  accesses_ = 0;
  bool used = !pending_.empty();
  for_each_list(
      [&](task_list& writers) {
        writers.drop_succeeded();
        used = used || !writers.empty();
      },
      [&](task_list& readers) {
        readers.drop_done();
        used = used || !readers.empty();
      });
  std::size_t stale = 0;
  for (datum* d : data_) stale += !std::exchange(d->named_lately, false);
  has_guests_ = used;
  if (!used && stale > data_.size() / 2) forget();
  return used;
}

bool domain::in_use() { return has_guests_ && drain(); }

void domain::forget_guests() {
  if (has_guests_ && accesses_ >= data_.size()) drain();
}

void domain::quiet(const scope* members, bool failed) {
  const scope* covered = members ? members : creator_.children;
  if (failed)
    for_each_list(
        [&](task_list& writers) {
          writers.drop_if([&](task_node& t) {
            if (!t.failed() || failed_for(t) != covered) return false;
            if (is_done(t)) return true;
            set_failed_for(t, nullptr);  // it is void no more for what comes later
            return false;
          });
        },
        [](task_list&) {});
  // Nobody waits for what is done, and names keep its memory. Members of groups may still be in flight.
  if (!members && accesses_ >= data_.size()) drain();
}

// Edges
// -------------------------------------------------------------------------------------------------------------------

void domain::reserve_edges(std::size_t count) {
  while (spares_ < count) {
    spare_ = new (pool::take(sizeof(edge))) edge{spare_, 0};
    ++spares_;
  }
}

void domain::begin(task_node& task) {
  now_ = {&task, 0, 0};
  task.blockers.store(task_node::not_counted, std::memory_order_relaxed);
}

bool domain::end(ready_sink& sink) {
  if (captures_) {
    now_.task->blockers.store(now_.edges, std::memory_order_relaxed);
    if (now_.edges == 0) sink.ready(now_.task);
    return false;
  }
  if (now_.edges == 0 && !now_.task->takes_turns) return true;
  unblock(*now_.task, task_node::not_counted - now_.edges, sink);
  return false;
}

void domain::wait_for(task_node& from, bool needs) {
  task_node& to = *now_.task;
  if (&from == &to) return;
  const bool own = now_.records_used < to.accesses;
  if (from.failed() && !failed_for(from)) needs = false;
  edge* with = own ? &to.records()[now_.records_used].link : spare_;
  edge* const next_spare = own ? spare_ : spare_->next;
  if (!link(from, *with, to, needs, !own)) {
    if (!own) spare_->next = next_spare;  // `link` tried it in a list
    return;
  }
  ++now_.edges;
  if (own) {
    ++now_.records_used;
  } else {
    spare_ = next_spare;
    --spares_;
  }
}

void domain::wait_for(task_list& sources, bool needs) {
  for (task_node* from : sources) wait_for(*from, needs);
}

void domain::wait_for_aliases(datum& d, bool reads, bool writes) {
  if (d.more) [[unlikely]]
    wait_for_overlapping(*d.more, reads, writes);
}

[[gnu::noinline]] void domain::wait_for_overlapping(datum::rare& more, bool reads, bool writes) {
  for (datum* other : more.aliases) {
    // What was written before the datum itself is not read any more.
    wait_for(other->writers, reads && other->more->written >= more.written);
    if (writes) wait_for(other->readers, false);
  }
  if (writes && !more.aliases.empty()) more.written = ++writes_;
}

// Accesses
// ----------------------------------------------------------------------------------------------------------------

void domain::read(datum& d) {
  wait_for(d.writers, true);
  wait_for_aliases(d, true, false);
  if (d.readers.empty() || d.readers.end()[-1] != now_.task) d.readers.add(*now_.task);
}

void domain::write(datum& d, bool reads) {
  wait_for(d.writers, reads);
  wait_for(d.readers, false);
  wait_for_aliases(d, reads, true);
  d.set_writer(*now_.task);
}

void domain::update(datum& d) {
  datum::rare& more = d.extended();
  if (!d.updated || !d.readers.empty()) {
    more.written_before = std::move(d.writers);
    more.read_before = std::move(d.readers);
    d.updated = true;
  }
  wait_for(more.written_before, true);
  wait_for(more.read_before, false);
  wait_for_aliases(d, true, true);
  d.writers.add(*now_.task);
}

void domain::contribute(datum& d, version& value, const detail::reduction_kind& kind) {
  datum::rare& more = *d.more;
  use(value);
  more.kind = &kind;
  more.values.push_back(&value);
  more.adders.add(*now_.task);
  add_pending(d);
}

/// Gives the datum a version of its own, so that the task need wait for nobody; false where that is impossible.
bool domain::rename(datum& d) {
  if (d.updated || d.has_aliases()) return false;
  d.writers.drop_succeeded();
  d.readers.drop_done();
  const bool in_the_way = !d.writers.all_done() || !d.readers.all_done();
  const bool checked = data_checks() && !captures_;  // a pointer to the home memory must not work by chance
  if (!in_the_way && !checked) return false;
  try {
    datum::rare& more = d.extended();
    if (!d.current && in_the_way) {
      for (task_list* users : {&d.writers, &d.readers})
        for (task_node* user : *users) {
          more.at_home.reserve_one();
          more.at_home.add(*user);
        }
    }
  } catch (const std::bad_alloc&) {
    return false;
  }
  version* fresh = make_version(d.home);
  if (!fresh) return false;
  if (d.current)
    release(*d.current);
  else if (!in_the_way)
    poison(d.home);
  d.current = fresh;
  d.set_writer(*now_.task);
  add_pending(d);
  return true;
}

void domain::add_pending(datum& d) {
  if (!d.pending) pending_.push_back(&d);  // `add` made room
  d.pending = true;
}

void domain::prepare(datum& d, const declared& a, access_record& record, bool at_home, ready_sink& sink) {
  scope& in = *creator_.children;
  const bool adds = a.mode == access_mode::reduction;
  if (d.more) {
    if (d.combining() && (!adds || d.more->kind != a.reduces || d.more->values.size() >= most_values))
      combine(d, in, sink);
    for (datum* other : d.more->aliases) {
      if (other->combining()) combine(*other, in, sink);
      if (other->current) move_home(*other, in, sink);
    }
    if (d.current && (at_home || !d.more->aliases.empty())) move_home(d, in, sink);
  }
  switch (a.mode) {
    case access_mode::in:
      d.readers.reserve_one();
      break;
    case access_mode::out:
    case access_mode::inout:
      d.writers.reserve_one();
      break;
    case access_mode::concurrent:
      d.writers.reserve_one();
      if (d.current) {
        d.current->let_take_turns();
      } else if (!d.extended().turns) {
        d.extended().turns = make_turns(d.home);
      }
      break;
    case access_mode::reduction: {
      datum::rare& more = d.extended();
      more.adders.reserve_one();
      base::make_room(more.values);
      record.of = make_value(d.home);
      a.reduces->begin(record.of->data, d.home.bytes / a.reduces->element);
      break;
    }
  }
}

bool domain::add(task_node& task, const declared* accesses, bool at_home, ready_sink& sink) {
  const int count = task.accesses;
  access_record* records = task.records();
  constexpr int few = 8;
  datum* near[few];
  std::unique_ptr<datum*[]> far;
  if (count > few) far = std::make_unique<datum*[]>(static_cast<std::size_t>(count));
  datum** data = far ? far.get() : near;
  std::vector<merged_access> merged;  // only where the task names a datum more than once
  for (int i = 0; i < count; ++i) new (&records[i]) access_record{accesses[i].data, nullptr, {}};
  accesses_ += static_cast<std::size_t>(count);
  has_guests_ = has_guests_ || (task.in != creator_.children && !at_home);

  // Everything that can fail comes first.
  try {
    data_.make_room(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const region where(accesses[i]);
      data[i] = where.empty() ? nullptr : &data_.find(where);
    }
    if (data_.names_one_again()) [[unlikely]]
      merged = merge(task, data, accesses);
    base::make_room(pending_, static_cast<std::size_t>(count));
    std::size_t sources = 0;
    for (int i = 0; i < count; ++i) {
      if (!data[i]) continue;
      prepare(*data[i], accesses[i], records[i], at_home, sink);
      // Said before the first edge: from then on others may look at the node.
      const version* now = data[i]->current;
      task.takes_turns = task.takes_turns || accesses[i].mode == access_mode::concurrent || (now && now->has_turns());
      const auto of = [](datum& d) -> std::size_t { return d.writers.size() + d.readers.size(); };
      sources += of(*data[i]);
      if (datum::rare* more = data[i]->more.get()) {
        sources += more->written_before.size() + more->read_before.size();
        for (datum* other : more->aliases) sources += of(*other);
      }
    }
    for (int i = 0; i < count; ++i)
      if (data[i] && accesses[i].mode == access_mode::reduction) {  // a later access may have had them combined
        data[i]->more->adders.reserve_one();
        base::make_room(data[i]->more->values);
      }
    if (sources > static_cast<std::size_t>(count)) reserve_edges(sources);
  } catch (...) {
    for (int i = 0; i < count; ++i)
      if (records[i].of) release(*records[i].of);
    throw;
  }

  name(task);  // until all is said
  begin(task);
  const auto apply = [&](int i, bool only_writes) {
    datum& d = *data[i];
    const auto [mode, renames, again] = merged.empty() ? merged_access{accesses[i].mode, accesses[i].renames, false}
                                                       : merged[static_cast<std::size_t>(i)];
    if ((mode == access_mode::out) != only_writes) return;
    if (again)
      ;
    else if (mode == access_mode::in)
      read(d);
    else if (mode == access_mode::concurrent)
      update(d);
    else if (mode == access_mode::reduction)
      contribute(d, *records[i].of, *accesses[i].reduces);
    else if (!renames || !rename(d))
      write(d, mode != access_mode::out);
    if (accesses[i].mode == access_mode::reduction) {
      records[i].data = records[i].of->data;
    } else if (version* v = d.more && mode == access_mode::concurrent && !d.current ? d.more->turns : d.current) {
      use(*v);
      records[i].of = v;
      records[i].data = v->data;
    }
  };
  bool writes = false;
  for (int i = 0; i < count; ++i) {
    if (data[i]) apply(i, false);
    writes = writes || accesses[i].mode == access_mode::out;
  }
  // What is only written comes last: another access of the task may read what that overwrites.
  for (int i = 0; writes && i < count; ++i)
    if (data[i]) apply(i, true);
  if (task.has_birth) [[unlikely]]
    tell_created(task, accesses, creator_, captures_);
  const bool ready = end(sink);
  unname(task);
  return ready;
}

}  // namespace maslin::graph
