#include "recorded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "maslin/error.hpp"
#include "output.hpp"
#include "store_transfers.hpp"

using namespace maslin::trace;

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// A replay would run each.
constexpr std::int64_t most_blocks = 1'000'000'000;

struct unplayable {
  std::string what;
};

class reading {
 public:
  reading(const file& trace, recorded& into)
      : trace_(trace), into_(into), tracks_(static_cast<std::size_t>(trace.about().workers)) {
    program_.open.push_back({frame::sort::body, new_body(), none, 0});
  }

  void add(const event& e) {
    if (is_of_transfer(e.kind)) return;
    track& t = track_of(e);
    if (e.kind == event_kind::held) {  // the recorder's time, not the program's
      const auto waited = static_cast<std::int64_t>(e.argument);
      t.since = std::min(t.since + waited, e.ns);
      if (e.worker <= 0) held_ns_ += waited;
    }
    if (&t == &program_) {
      starter_is_replaced_ = e.worker < 0;
      pass(program_, e.ns);
    } else {
      pass(t, e.ns);
      // What begins on worker 0 while nothing else is open there begins within the program, unless that is elsewhere.
      if (e.worker == 0 && t.open.empty() && !starter_is_replaced_) pass(program_, e.ns);
    }
    if (e.kind != event_kind::accessed && e.kind != event_kind::member) {
      keep_accesses(t);
      t.described = none;
    }
    switch (e.kind) {
      case event_kind::worker_start:
        if (e.worker == 0) began_ns_ = e.ns;
        break;
      case event_kind::worker_stop:
        if (e.worker == 0) ended_ns_ = e.ns;
        break;
      case event_kind::task_create:
        create(t, e);
        break;
      case event_kind::accessed:
        access(t, e);
        break;
      case event_kind::member:
        if (t.described != none) into_.tasks[t.described].group = group(e.argument);
        break;
      case event_kind::task_begin:
        begin_task(t, e);
        break;
      case event_kind::task_end:
        end_task(t, e.argument);
        break;
      case event_kind::wait_begin:
        say(t, recorded::act::wait, e.argument == 0 ? 0 : group(e.argument));
        t.open.push_back({frame::sort::rest});
        break;
      case event_kind::wait_end:
        pop(t, frame::sort::rest);
        break;
      case event_kind::foreign_caller:
        throw unplayable{
            "threads that the program made itself asked for work; only what is asked for by the thread that started "
            "the runtime, and inside tasks, loops and streams, is told apart"};
      case event_kind::group_end:
        say(t, recorded::act::end, group(e.argument));
        groups_.erase(e.argument);
        break;
      case event_kind::loop_begin:
        begin_loop(t, e);
        break;
      case event_kind::traffic:
        move(t, e.argument);
        break;
      case event_kind::piece:
        end_piece(t, static_cast<std::int64_t>(e.argument));
        break;
      case event_kind::loop_end:
        end_loop(t);
        break;
      case event_kind::chunk_begin:
        begin_chunk(t, e);
        break;
      case event_kind::chunk_end:
        end_chunk(t, unpack<chunk_at>(e.argument));
        break;
      case event_kind::phase_begin:
        begin_phase(t, e);
        break;
      case event_kind::cpu_time:
        add_cpu_time(e);
        break;
      case event_kind::phase_end:
        pop(t, frame::sort::phase);
        if (!begun_phases_.empty()) begun_phases_.pop_back();
        break;
      case event_kind::rank_begin:
        throw unplayable{
            "its ranks exchange messages: `maslin replay` runs them on the links of a described machine, if the "
            "program asks for nothing else before"};
      case event_kind::stream_begin:
        begin_stream(t, e);
        break;
      case event_kind::stream_end:
        pop(t, frame::sort::body);
        break;
      case event_kind::offload_begin: {
        const std::uint32_t runs = new_body();
        say(t, recorded::act::kernel, into_.kernels.size());
        into_.kernels.push_back({named(e.id), runs});
        t.open.push_back({frame::sort::body, runs});
        break;
      }
      case event_kind::offload_end:
        pop(t, frame::sort::body);
        break;
      case event_kind::stream_suspend:
        leave(t, stream_key(e));
        break;
      case event_kind::stream_resume:
        come_back(t, stream_key(e));
        break;
      case event_kind::suspend:
        away_[e.argument] = std::exchange(t.open, {});
        break;
      case event_kind::resume:
        if (auto found = away_.extract(e.argument); !found.empty()) t.open = std::move(found.mapped());
        break;
      default:
        break;
    }
    if (&t == &program_ && t.open.size() == 1 && e.kind != event_kind::worker_stop) last_return_ns_ = e.ns;
    if (e.worker == 0 && t.open.empty() && !starter_is_replaced_) program_.since = e.ns;  // it goes on
  }

  void finish(std::int64_t ns) {
    pass(program_, ns);
    for (track& t : tracks_) pass(t, ns);
    if (ended_ns_ == 0) ended_ns_ = ns;
    into_.trimmed_seconds =
        static_cast<double>(last_return_ns_ - std::max<std::int64_t>(first_call_ns_, 0) - held_ns_) * 1e-9;
    into_.seconds = static_cast<double>(ended_ns_ - began_ns_ - held_ns_) * 1e-9;
    for (recorded::loop& l : into_.loops)
      std::sort(l.pieces.begin(), l.pieces.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const std::uint32_t runs : unasked_) into_.bodies[runs].steps.clear();
    double ns_of_work = 0;
    for (const recorded::body& b : into_.bodies)
      for (const recorded::step& s : b.steps)
        if (s.does == recorded::act::compute) ns_of_work += static_cast<double>(s.what);
    into_.work = ns_of_work * 1e-9;
    for (std::uint32_t i = 0; i <= names_; ++i) into_.names.emplace_back(trace_.name(i));
  }

 private:
  /// What is open on a worker, from the outermost inwards.
  struct frame {
    enum class sort : std::uint8_t { body, loop, chunk, phase, rest };
    frame::sort is;
    std::uint32_t runs = none;                         ///< the body that its time belongs to
    std::uint32_t of = none;                           ///< of a loop or a chunk: its loop; of a phase: the phase
    std::int64_t first = 0;                            ///< the first block of the piece that runs
    std::optional<std::uint64_t> task = std::nullopt;  ///< whose body it is, by its number in the trace
    std::optional<std::pair<std::uint32_t, std::int64_t>> stream = std::nullopt;  ///< whose outermost frame it is
  };
  struct track {
    std::vector<frame> open;
    std::int64_t since = 0;
    std::vector<recorded::access> accesses;  ///< said of `described`, or of the wait that has just begun
    std::uint32_t described = none;
    std::uint32_t at_once = none;  ///< a task that begins next
  };
  struct begun_phase {
    std::uint32_t name;
    std::int64_t ns;  ///< without the recorder's time
  };
  using key = std::pair<std::uint32_t, std::int64_t>;

  static key stream_key(const event& e) { return {e.id, unpack<stream_at>(e.argument).index}; }

  std::uint32_t new_body() {
    into_.bodies.emplace_back();
    return static_cast<std::uint32_t>(into_.bodies.size() - 1);
  }

  /// The innermost body computed until then.
  void pass(track& t, std::int64_t ns) {
    const std::int64_t begin = std::exchange(t.since, ns);
    if (t.open.empty() || t.open.back().runs == none) return;
    // The event itself took some of it.
    const auto passed = ns - begin - std::lround(trace_.about().event_ns);
    if (passed <= 0) return;
    auto& steps = into_.bodies[t.open.back().runs].steps;
    if (!steps.empty() && steps.back().does == recorded::act::compute)
      steps.back().what += static_cast<std::uint64_t>(passed);
    else
      steps.push_back({recorded::act::compute, static_cast<std::uint64_t>(passed)});
  }

  void say(track& t, recorded::act what, std::uint64_t argument) {
    if (t.open.empty() || t.open.back().runs == none)
      throw unplayable{
          "something was asked of the runtime outside of every body that it tells of, as where streams run on hosts; "
          "record it on CPU cores"};
    if (t.open.back().runs == 0 && first_call_ns_ < 0) first_call_ns_ = t.since;
    into_.bodies[t.open.back().runs].steps.push_back({what, argument});
  }

  /// The innermost body moves data. Blocks of a piece share what they move, as they share its time.
  void move(const track& t, std::uint64_t bytes) {
    if (t.open.empty() || t.open.back().runs == none) return;
    auto& steps = into_.bodies[t.open.back().runs].steps;
    const bool is_piece = t.open.back().of != none;
    if (is_piece && !steps.empty() && steps.front().does == recorded::act::move)
      steps.front().what += bytes;
    else
      steps.insert(is_piece ? steps.begin() : steps.end(), {recorded::act::move, bytes});
  }

  /// The program's own control flow is on worker 0's track, outside all that is open there, but while somebody else is
  /// worker 0: then it is on that of the threads that are no workers.
  track& track_of(const event& e) {
    if (e.worker < 0) return program_;
    track& t = tracks_[static_cast<std::size_t>(e.worker)];
    if (e.worker > 0 || !t.open.empty()) return t;
    switch (e.kind) {
      case event_kind::task_begin:
      case event_kind::task_end:
      case event_kind::chunk_begin:
      case event_kind::chunk_end:
      case event_kind::stream_begin:
      case event_kind::stream_end:
      case event_kind::stream_suspend:
      case event_kind::stream_resume:
      case event_kind::suspend:
      case event_kind::resume:
      case event_kind::park:
      case event_kind::unpark:
      case event_kind::steal:
      case event_kind::decision:
      case event_kind::waiting:
      case event_kind::cpu_time:
      case event_kind::sized:
      case event_kind::teams:
      case event_kind::choice:
      case event_kind::estimate:
        return t;
      default:
        return program_;
    }
  }

  void pop(track& t, frame::sort what) {
    while (t.open.size() > (&t == &program_ ? 1 : 0)) {  // the program itself is open to its end
      const frame::sort was = t.open.back().is;
      t.open.pop_back();
      if (was == what) return;
    }
  }

  /// Gives the number of the group that has that one in the trace now.
  std::uint32_t group(std::uint64_t traced) { return groups_.try_emplace(traced, ++last_group_).first->second; }

  void create(track& t, const event& e) {
    const auto place = static_cast<std::uint32_t>(into_.tasks.size());
    say(t, recorded::act::create, place);
    if (e.argument == ran_at_once)
      t.at_once = place;
    else
      live_[e.argument] = place;
    into_.tasks.push_back({named(e.id), 0, 0, new_body(), 0, -1});
    t.described = place;
  }

  /// The accesses of a task, or of a wait, follow each other on their worker; other workers' may come in between.
  void keep_accesses(track& t) {
    if (t.accesses.empty()) return;
    const std::size_t first = into_.accesses.size();
    into_.accesses.insert(into_.accesses.end(), t.accesses.begin(), t.accesses.end());
    if (t.described != none) {
      into_.tasks[t.described].first_access = static_cast<std::uint32_t>(first);
      into_.tasks[t.described].accesses = static_cast<std::uint32_t>(t.accesses.size());
    } else if (t.open.size() > 1 && t.open.back().is == frame::sort::rest) {
      auto& steps = into_.bodies[t.open[t.open.size() - 2].runs].steps;
      if (!steps.empty()) steps.back() = {recorded::act::wait_on, first};
    }
    t.accesses.clear();
  }

  void access(track& t, const event& e) {
    auto found = forms_.find(e.id);
    if (found == forms_.end()) {
      const auto form = parse_access_form(trace_.name(e.id));
      if (!form) throw unplayable{fmt::format("'{}' is no access", trace_.name(e.id))};
      found = forms_.emplace(e.id, *form).first;
    }
    t.accesses.push_back({found->second, e.argument});
  }

  void begin_task(track& t, const event& e) {
    std::uint32_t place = none;
    if (e.argument == ran_at_once) {
      // Who created it may have been the program itself.
      track& by = t.at_once == none ? program_ : t;
      place = std::exchange(by.at_once, none);
    } else if (const auto found = live_.extract(e.argument); !found.empty()) {
      place = found.mapped();
    }
    std::uint32_t runs = none;
    if (place != none) {
      into_.tasks[place].begin_ns = e.ns;
      runs = into_.tasks[place].runs;
    } else if (e.argument != ran_at_once) {
      // What nobody created is the graph's own: it moves data, and a replay does so itself.
      runs = new_body();
      unasked_.push_back(runs);
    }
    t.open.push_back({frame::sort::body, runs});
    t.open.back().task = e.argument;
  }
  /// The program's own tasks may end on another of its tracks than they began on.
  void end_task(track& t, std::uint64_t number) {
    const auto closes = [&](track& on) {
      const auto at =
          std::find_if(on.open.rbegin(), on.open.rend(), [&](const frame& f) { return f.task && *f.task == number; });
      if (at == on.open.rend()) return false;
      on.open.erase(std::next(at).base(), on.open.end());
      return true;
    };
    if (closes(t)) return;
    for (track* other : {&program_, &tracks_[0]})
      if (other != &t && closes(*other)) return;
  }
  void begin_loop(track& t, const event& e) {
    const auto place = static_cast<std::uint32_t>(into_.loops.size());
    say(t, recorded::act::loop, place);
    const std::int64_t blocks = unpack<loop_shape>(e.argument).blocks;
    if (blocks > most_blocks) throw unplayable{fmt::format("a loop of {} blocks", blocks)};
    into_.loops.push_back({named(e.id), blocks, {}});
    // Until a chunk says that it is shared, its caller runs it.
    t.open.push_back({frame::sort::loop, new_body(), place});
    open_loops_.push_back({place, e.id, blocks});
  }
  void end_piece(track& t, std::int64_t next) {
    if (t.open.empty() || t.open.back().of == none || t.open.back().runs == none) return;
    frame& f = t.open.back();
    if (next > f.first) into_.loops[f.of].pieces.push_back({f.first, next, f.runs});
    f.first = next;
    f.runs = new_body();
  }
  void end_loop(track& t) {
    if (t.open.empty()) return;
    const frame& f = t.open.back();
    if (f.is == frame::sort::loop) {
      if (!is_shared(f.of) && f.first < into_.loops[f.of].blocks) end_piece(t, into_.loops[f.of].blocks);
      for (open_loop& l : open_loops_) l.ended |= l.place == f.of;
      std::erase_if(open_loops_, [&](const open_loop& l) { return l.place == f.of && (!l.shared || l.has_all()); });
    }
    pop(t, frame::sort::loop);
  }
  bool is_shared(std::uint32_t loop) const {
    return std::any_of(open_loops_.begin(), open_loops_.end(),
                       [&](const open_loop& l) { return l.place == loop && l.shared; });
  }

  /// A chunk says of which call site's loops it is part. On the track of a loop's caller it is that loop's; else it is
  /// the latest's that its blocks are still missing from, first of those of which the block before it is known, or
  /// one's that has ended without them. So loops of one site that run at the same time can have swapped chunks. That
  /// loses nothing while these are of the same blocks; a chunk that no loop has all blocks free for belongs to none,
  /// and its time is not replayed.
  void begin_chunk(track& t, const event& e) {
    const chunk_at what = unpack<chunk_at>(e.argument);
    open_loop* of = nullptr;
    for (auto l = open_loops_.rbegin(); l != open_loops_.rend(); ++l) {
      if (l->site != e.id || l->holds_some_of(what)) continue;
      const auto rank = [&](const open_loop& one) { return 2 * !one.ended + one.reaches(what.first_block); };
      if (!of || rank(*l) > rank(*of)) of = &*l;
      if (!t.open.empty() && t.open.back().is == frame::sort::loop && t.open.back().of == l->place) {
        of = &*l;
        break;
      }
    }
    if (!of) return t.open.push_back({frame::sort::chunk});
    of->claim(what);
    of->shared = true;
    for (track* by : {&t, &program_})
      if (!by->open.empty() && by->open.back().is == frame::sort::loop && by->open.back().of == of->place)
        by->open.back().runs = none;
    t.open.push_back({frame::sort::chunk, new_body(), of->place, what.first_block});
    if (of->ended && of->has_all()) open_loops_.erase(open_loops_.begin() + (of - open_loops_.data()));
  }
  void end_chunk(track& t, const chunk_at& what) {
    if (!t.open.empty() && t.open.back().is == frame::sort::chunk) {
      const frame& f = t.open.back();
      const std::uint32_t loop = f.of;
      const std::int64_t end = what.blocks < 0xffff ? what.first_block + what.blocks : f.first;
      if (f.first < end) end_piece(t, end);
      for (open_loop& l : open_loops_)
        if (l.place == loop) l.ends(what.first_block, end);
    }
    pop(t, frame::sort::chunk);
  }

  void begin_phase(track& t, const event& e) {
    const auto place = static_cast<std::uint32_t>(into_.phases.size());
    say(t, recorded::act::phase, place);
    // Each stream has a begin.
    if (e.argument > trace_.about().events()) throw unplayable{"a phase of too many streams"};
    into_.phases.push_back({named(e.id), std::vector<std::uint32_t>(e.argument, none)});
    t.open.push_back({frame::sort::phase});
    begun_phases_.push_back({e.id, e.ns - held_ns_});
  }
  /// The innermost phase is about to end. Of several streams' phases at a time none is known to be that.
  void add_cpu_time(const event& e) {
    if (begun_phases_.empty() || begun_phases_.back().name != e.id) return;
    into_.phase_seconds += static_cast<double>(e.ns - held_ns_ - begun_phases_.back().ns) * 1e-9;
    into_.phase_cpu_seconds += static_cast<double>(e.argument) * 1e-9;
  }
  void begin_stream(track& t, const event& e) {
    const std::int64_t index = unpack<stream_at>(e.argument).index;
    const std::uint32_t runs = new_body();
    for (auto p = into_.phases.rbegin(); p != into_.phases.rend(); ++p) {
      if (p->name != e.id || static_cast<std::uint64_t>(index) >= p->streams.size()) continue;
      std::uint32_t& stream = p->streams[static_cast<std::size_t>(index)];
      if (stream != none) continue;
      stream = runs;
      break;
    }
    t.open.push_back({frame::sort::body, runs});
    t.open.back().stream = stream_key(e);
  }

  /// A stream leaves its worker with all that it has open.
  void leave(track& t, const key& stream) {
    const auto at = std::find_if(t.open.begin(), t.open.end(), [&](const frame& f) { return f.stream == stream; });
    std::vector<frame>& kept = streams_away_[stream];
    kept.assign(at, t.open.end());
    t.open.erase(at, t.open.end());
  }
  void come_back(track& t, const key& stream) {
    if (auto found = streams_away_.extract(stream); !found.empty())
      t.open.insert(t.open.end(), found.mapped().begin(), found.mapped().end());
  }

  /// Gives the number of a name that the trace holds, else that of none.
  std::uint32_t named(std::uint32_t id) {
    if (trace_.name(id) == "?") return 0;
    names_ = std::max(names_, id);
    return id;
  }

  struct open_loop {
    std::uint32_t place;
    std::uint32_t site;
    std::int64_t missing;  ///< blocks that no chunk has
    bool shared = false;
    bool ended = false;
    std::vector<chunk_at> chunks = {};

    bool has_all() const { return missing <= 0; }
    bool holds_some_of(const chunk_at& c) const {
      return std::any_of(chunks.begin(), chunks.end(), [&](const chunk_at& had) {
        return had.first_block < c.first_block + c.blocks && c.first_block < had.first_block + had.blocks;
      });
    }
    bool reaches(std::int64_t block) const {
      return std::any_of(chunks.begin(), chunks.end(),
                         [&](const chunk_at& had) { return had.first_block + had.blocks == block; });
    }
    /// A chunk that does not say how many blocks it has counts as all that are missing.
    void claim(const chunk_at& c) {
      const std::int64_t blocks = c.blocks < 0xffff ? c.blocks : missing;
      chunks.push_back({c.slot, c.first_block, blocks});
      missing -= blocks;
    }
    /// A chunk may end before all of its blocks were done: others do the rest.
    void ends(std::int64_t first, std::int64_t end) {
      for (chunk_at& c : chunks) {
        if (c.first_block != first || c.blocks <= end - first) continue;
        missing += c.blocks - (end - first);
        c.blocks = end - first;
      }
    }
  };

  const file& trace_;
  recorded& into_;
  std::vector<track> tracks_;
  track program_;                     ///< its own control flow
  bool starter_is_replaced_ = false;  ///< somebody else is worker 0: what is done there is done beside the program
  std::unordered_map<std::uint64_t, std::uint32_t> live_;  ///< tasks that were created and have not begun
  std::vector<std::uint32_t> unasked_;                     ///< bodies of tasks that nobody created
  std::unordered_map<std::uint32_t, access_form> forms_;
  std::unordered_map<std::uint64_t, std::uint32_t> groups_;  ///< that are there, by their numbers in the trace
  std::uint32_t last_group_ = 0;
  std::vector<open_loop> open_loops_;
  std::map<std::uint64_t, std::vector<frame>> away_;
  std::map<key, std::vector<frame>> streams_away_;
  std::uint32_t names_ = 0;
  std::int64_t began_ns_ = 0;
  std::int64_t ended_ns_ = 0;
  std::int64_t first_call_ns_ = -1;
  std::int64_t last_return_ns_ = 0;
  std::vector<begun_phase> begun_phases_;  ///< that have not ended, the innermost last
  std::int64_t held_ns_ = 0;               ///< that the recorder has held up worker 0 and the program
};

}  // namespace

bool recorded::tells_traffic(std::uint32_t place) const {
  return place < bodies.size() && std::any_of(bodies[place].steps.begin(), bodies[place].steps.end(),
                                              [](const step& s) { return s.does == act::move; });
}

recorded read_recorded(const std::string& path, const std::string& lacks) {
  const file trace(path);
  const summary& about = trace.about();
  const auto refuse = [&](const std::string& why) {
    throw maslin::error(fmt::format("the trace '{}' {}: {}", path, lacks, why));
  };
  if (about.version < 2)
    refuse("it was recorded by a Maslin that kept less of what a program asks for; record it anew");
  if (about.only_streams)
    refuse("it was recorded with MASLIN_TRACE_DETAIL=streams, which leaves out tasks and loops; record it without");
  if (about.dropped() > 0)
    refuse(
        fmt::format("it lacks {} events, which came faster than they could be written; record it with "
                    "MASLIN_TRACE_FULL=wait",
                    about.dropped()));
  if (about.workers == 0) refuse("it has no workers");
  recorded all;
  all.program = about.program;
  all.workers = about.workers;
  reading into(trace, all);
  progress bar("reading", about.events());
  std::uint64_t seen = 0;
  try {
    trace.each_event([&](const event& e) {
      into.add(e);
      if ((++seen & 0xffff) == 0) bar.at(seen);
    });
  } catch (const unplayable& why) {
    refuse(why.what);
  }
  into.finish(about.duration_ns);
  return all;
}
