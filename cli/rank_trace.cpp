#include "rank_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "maslin/error.hpp"
#include "maslin/trace.hpp"

using namespace maslin::trace;
using maslin::links::call_of_ranks;
using maslin::links::deed;

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

struct no_ranks {};
struct unplayable {
  std::string what;
};

/// A send or a receive that has begun. The other side of its message may be recorded later.
struct transfer {
  bool is_send = false;
  std::uint32_t message = none;  ///< that it is part of
  std::uint32_t peer = 0, channel = 0;
  std::uint64_t tag = 0;
  sent_as as{};
  bool is_void = false;  ///< it was taken back
  bool is_complete = false;
  recorded_message::end when{};
};

/// A call of all that a rank has come to.
struct coming {
  struct given {
    std::uint32_t to;
    std::int64_t bytes;
  };
  std::uint32_t channel = 0;
  met_as met{};
  moved_as moved{};
  std::vector<given> gives;   ///< to neighbours
  bool is_started = false;    ///< it goes on beside the rank
  std::vector<deed> deeds;    ///< of the rank; nothing: not all ranks have come
  std::uint32_t part = none;  ///< of a started one, in their place: in `recording::parts`
};

/// What a rank did, before it is known which sends and receives belong together.
struct step {
  /// What is started, is waited for.
  enum class act : std::uint8_t { compute, start, wait, meet, start_meeting, wait_for_meeting } does;
  std::int64_t what = 0;  ///< nanoseconds; place in `transfers`, or in `comings`
};

/// A loop of a rank, outside other loops.
struct own_loop {
  std::size_t step;  ///< that it is part of
  std::int64_t blocks, ns, before_ns;
};

struct rank_record {
  std::vector<step> steps;
  std::vector<own_loop> loops;
  int open_loops = 0;
  own_loop open{};  ///< the outermost of these
  std::vector<transfer> transfers;
  std::vector<coming> comings;
  /// What goes on beside it, by number: a place in `transfers`, or behind those, in `comings`.
  std::unordered_map<std::uint64_t, std::pair<bool, std::size_t>> beside;
  enum class calls : std::uint8_t { nothing, transfer, meeting, waiting, got } in = calls::nothing;
  std::size_t got = 0;  ///< the receive that `gets` and `channel` tell of
  int begun_in = 0;     ///< the number of the trace
  bool has_ended = false;
};

class reading {
 public:
  /// `for_messages`: only these are asked for, so what cannot be replayed is no hindrance.
  explicit reading(std::uint64_t events, bool for_messages = false) : events_(events), for_messages_(for_messages) {}

  /// Reads the ranks of that trace, which has some of the job's.
  void add(const file& trace) {
    here_ = {&trace, here_.number + 1, std::vector<track>(static_cast<std::size_t>(trace.about().workers)), {}, 0, 0, 0,
             0};
    trace.each_event([&](const event& e) { add(e); });
    if (here_.begun == 0 && !for_messages_) throw no_ranks{};
    workers_ += trace.about().workers;
    longest_ns_ = std::max(longest_ns_, here_.last_ns - here_.first_ns);
  }
  recorded_ranks finish(bool trimmed);
  std::vector<recorded_message> messages() {
    keep_messages();
    return std::move(messages_);
  }

 private:
  struct track {
    std::uint32_t rank = none;
    std::int64_t since = 0;
  };
  /// The trace that is read.
  struct place {
    const file* trace = nullptr;
    int number = 0;  ///< from 1
    std::vector<track> tracks;
    std::unordered_map<std::uint64_t, std::uint32_t> away;  ///< ranks that are suspended, by their numbers there
    std::size_t begun, ended;
    std::int64_t first_ns, last_ns;
  };

  void add(const event& e) {
    if (e.worker < 0) return outside(e);
    track& t = here_.tracks[static_cast<std::size_t>(e.worker)];
    if (e.kind == event_kind::held) t.since = std::min(t.since + static_cast<std::int64_t>(e.argument), e.ns);
    pass(t, e.ns);
    if (e.kind == event_kind::suspend) {
      if (t.rank != none) here_.away[e.argument] = std::exchange(t.rank, none);
      return;
    }
    if (e.kind == event_kind::resume) {
      if (const auto found = here_.away.extract(e.argument); !found.empty()) t.rank = found.mapped();
      return;
    }
    if (e.kind == event_kind::rank_begin) return begin(t, e);
    if (t.rank == none) return outside(e);
    if (e.kind == event_kind::rank_end) {
      ranks_[t.rank].has_ended = true;
      ++here_.ended;
      here_.last_ns = std::max(here_.last_ns, e.ns);
      t.rank = none;
      return;
    }
    within(ranks_[t.rank], e);
  }

  /// Nothing of what is asked outside of ranks is replayed.
  void outside(const event& e) const {
    if (e.worker < 0 && e.kind == event_kind::rank_begin)
      throw unplayable{"its ranks ran in turns; record it without MASLIN_SERIAL"};
    if (e.kind == event_kind::sends || e.kind == event_kind::receives || e.kind == event_kind::meets)
      throw unplayable{"its ranks have threads that call MPI; what these do beside their ranks is not told apart"};
    if (for_messages_) return;
    switch (e.kind) {
      case event_kind::task_create:
      case event_kind::loop_begin:
      case event_kind::phase_begin:
      case event_kind::offload_begin:
        if (here_.begun == 0) throw no_ranks{};
        break;
      case event_kind::chunk_begin:
        if (here_.ended < here_.begun) refuse_helpers();
        break;
      default:
        break;
    }
  }
  [[noreturn]] static void refuse_helpers() {
    throw unplayable{
        "its ranks let other workers help them; what is then at the same time is not known. Record it with "
        "MASLIN_WORKERS=1"};
  }

  void begin(track& t, const event& e) {
    const bool is_new = e.argument != ranks_.size() || (e.id < ranks_.size() && ranks_[e.id].begun_in != 0);
    if (for_messages_ && !ranks_.empty() && is_new) begin_next_call();
    if (ranks_.empty()) {
      if (e.argument > events_) throw unplayable{"it has fewer events than ranks"};  // each has a begin
      ranks_.resize(e.argument);
    }
    const bool is_there = e.argument == ranks_.size() && e.id < ranks_.size();
    if (is_there ? ranks_[e.id].begun_in == here_.number : here_.begun > 0)
      throw unplayable{"it calls ms::ranks more than once; record one call alone"};
    if (!is_there || ranks_[e.id].begun_in != 0)
      throw unplayable{"its ranks are not those that the other traces lack; give each trace of one job once"};
    ranks_[e.id].begun_in = here_.number;
    if (here_.begun++ == 0) here_.first_ns = e.ns;
    t.rank = e.id;
  }

  /// `ms::ranks` is called again.
  void begin_next_call() {
    if (here_.ended < here_.begun) throw unplayable{"a call of ms::ranks begins before another has ended"};
    keep_messages();
    ranks_.clear();
    here_.begun = here_.ended = 0;
  }

  /// The rank that runs there computed until then, if it was not in a call.
  void pass(track& t, std::int64_t ns) {
    const std::int64_t passed = ns - std::exchange(t.since, ns) - std::lround(here_.trace->about().event_ns);
    if (t.rank == none || passed <= 0) return;
    rank_record& r = ranks_[t.rank];
    if (r.in != rank_record::calls::nothing && r.in != rank_record::calls::got) return;
    if (r.open_loops > 0) r.open.ns += passed;
    if (!r.steps.empty() && r.steps.back().does == step::act::compute)
      r.steps.back().what += passed;
    else
      r.steps.push_back({step::act::compute, passed});
  }

  void within(rank_record& r, const event& e) {
    using calls = rank_record::calls;
    switch (e.kind) {
      case event_kind::sends:
      case event_kind::receives:
        r.in = calls::transfer;
        r.transfers.push_back({});
        r.transfers.back().is_send = e.kind == event_kind::sends;
        r.transfers.back().peer = e.id;
        r.transfers.back().as = unpack<sent_as>(e.argument);
        r.transfers.back().when = {e.worker, e.ns, e.ns};
        say(r, step::act::start, r.transfers.size() - 1);
        break;
      case event_kind::channel: {
        if (r.in != calls::got && r.in != calls::transfer) break;  // of what is complete, and is tested again
        transfer& of = r.in == calls::got ? r.transfers[r.got] : r.transfers.back();
        of.channel = e.id;
        of.tag = e.argument;
        r.in = r.in == calls::got ? calls::nothing : r.in;
        break;
      }
      case event_kind::starts: {
        const bool is_call = r.in == calls::meeting;
        if (!is_call && r.in != calls::transfer) {
          if (for_messages_) break;
          throw unplayable{"a rank starts what it has not begun"};
        }
        const std::size_t at = (is_call ? r.comings.size() : r.transfers.size()) - 1;
        r.beside[e.argument] = {is_call, at};
        r.in = calls::nothing;
        if (!is_call) break;
        r.comings.back().is_started = true;
        say(r, step::act::start_meeting, at);
        break;
      }
      case event_kind::awaits:
        if (e.id == 1)
          r.in = calls::waiting;
        else if (r.in == calls::waiting)
          r.in = calls::nothing;
        break;
      case event_kind::completes:
        complete(r, e);
        break;
      case event_kind::gets:
        if (r.in != calls::got) break;
        r.transfers[r.got].peer = e.id;
        r.transfers[r.got].as.bytes = e.argument;
        break;
      case event_kind::meets:
        r.in = calls::meeting;
        r.comings.emplace_back();
        r.comings.back().channel = e.id;
        r.comings.back().met = unpack<met_as>(e.argument);
        break;
      case event_kind::gives:
        if (r.in == calls::meeting) r.comings.back().gives.push_back({e.id, static_cast<std::int64_t>(e.argument)});
        break;
      case event_kind::moves:
        if (for_messages_) break;
        if (r.comings.empty() || unpack<moved_as>(e.argument).is > moved_as::pattern::all_to_all)
          throw unplayable{"a rank tells of a call of all that there is not"};
        r.comings.back().moved = unpack<moved_as>(e.argument);
        break;
      case event_kind::loop_begin:
        if (r.open_loops++ == 0) {
          const bool computes = !r.steps.empty() && r.steps.back().does == step::act::compute;
          r.open = {0, unpack<loop_shape>(e.argument).blocks, 0, computes ? r.steps.back().what : 0};
        }
        break;
      case event_kind::loop_end:
        if (r.open_loops == 0 || --r.open_loops > 0 || r.open.ns == 0) break;
        r.open.step = r.steps.size() - 1;  // it computed until now
        r.loops.push_back(r.open);
        break;
      case event_kind::task_create:
        if (e.argument != ran_at_once && !for_messages_)
          throw unplayable{"its ranks create tasks; what these do beside each other is not told apart"};
        break;
      case event_kind::phase_begin:
        if (for_messages_) break;
        throw unplayable{"its ranks have phases; what their streams do beside each other is not told apart"};
      default:
        break;
    }
  }

  static void say(rank_record& r, step::act what, std::size_t of) {
    r.steps.push_back({what, static_cast<std::int64_t>(of)});
  }

  void complete(rank_record& r, const event& e) {
    using calls = rank_record::calls;
    const bool was_started = e.argument != 0;
    std::pair<bool, std::size_t> what{r.in == calls::meeting, 0};
    if (was_started) {
      const auto found = r.beside.extract(e.argument);
      if (found.empty()) return;  // it was told before
      what = found.mapped();
    } else {
      const std::size_t all = what.first ? r.comings.size() : r.transfers.size();
      if (r.in == calls::nothing || all == 0) return;
      what.second = all - 1;
    }
    r.in = calls::nothing;
    if (what.first) return say(r, was_started ? step::act::wait_for_meeting : step::act::meet, what.second);
    transfer& t = r.transfers[what.second];
    t.is_void = e.id == 1;
    if (t.is_void) return;
    t.is_complete = true;
    t.when.worker = e.worker;
    t.when.complete_ns = e.ns;
    say(r, step::act::wait, what.second);
    if (t.is_send) return;
    r.in = calls::got;
    r.got = what.second;
  }

  /// The two sides of a message, and the ranks that they are of.
  struct matched {
    transfer* sent;
    transfer* got;
    std::uint32_t from, to;
  };
  std::vector<matched> match();
  void number_messages(recorded_ranks& into);
  void keep_messages();
  void carry_out_calls(recorded_ranks& into);

  const std::uint64_t events_;  ///< of all traces
  const bool for_messages_;
  std::vector<recorded_message> messages_;
  place here_{};
  std::vector<rank_record> ranks_;
  int workers_ = 0;              ///< of the traces that have been read
  std::int64_t longest_ns_ = 0;  ///< that one of them took
};

/// Sends and receives of two ranks with one tag, in one communicator, belong together in the order in which they began.
std::vector<reading::matched> reading::match() {
  using key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;
  std::map<key, std::pair<std::vector<transfer*>, std::vector<transfer*>>> channels;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    for (transfer& t : ranks_[rank].transfers) {
      // Whose message a receive has got is known once it is complete.
      if (t.is_void || (!t.is_send && !t.is_complete)) continue;
      auto& both = channels[t.is_send ? key{rank, t.peer, t.channel, t.tag} : key{t.peer, rank, t.channel, t.tag}];
      (t.is_send ? both.first : both.second).push_back(&t);
    }
  std::vector<matched> all;
  for (const auto& [of, both] : channels)
    for (std::size_t i = 0; i < std::min(both.first.size(), both.second.size()); ++i)
      all.push_back({both.first[i], both.second[i], std::get<0>(of), std::get<1>(of)});
  return all;
}

void reading::number_messages(recorded_ranks& into) {
  for (const matched& m : match()) {
    m.sent->message = m.got->message = static_cast<std::uint32_t>(into.program.messages.size());
    into.program.messages.push_back(
        {m.from, m.to, static_cast<std::int64_t>(m.sent->as.bytes), m.sent->as.is_synchronous});
    into.bytes += m.sent->as.bytes;
  }
  into.messages = into.program.messages.size();
}

void reading::keep_messages() {
  for (const matched& m : match()) messages_.push_back({m.sent->when, m.got->when, m.sent->as.bytes, m.sent->tag});
}

/// The calls of a communicator are carried out in the order in which its ranks come to them.
void reading::carry_out_calls(recorded_ranks& into) {
  struct member {
    std::uint32_t rank;
    std::size_t coming;
  };
  // By the communicator's number and first rank, and the number of the call.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::vector<member>> calls;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> come;
    for (std::size_t i = 0; i < ranks_[rank].comings.size(); ++i) {
      const coming& c = ranks_[rank].comings[i];
      calls[{c.channel, c.met.first, come[{c.channel, c.met.first}]++}].push_back({rank, i});
    }
  }
  for (const auto& [of, members] : calls) {
    const auto coming_of = [&](const member& m) -> coming& { return ranks_[m.rank].comings[m.coming]; };
    const std::size_t ranks = coming_of(members[0]).met.ranks;
    if (members.size() != ranks) continue;  // the job ended before the others came
    call_of_ranks call{call_of_ranks::pattern::meet, std::vector<std::uint32_t>(ranks), 0,
                       std::vector<std::int64_t>(ranks)};
    for (const member& m : members) {
      const coming& c = coming_of(m);
      if (c.met.rank >= ranks) throw unplayable{"a call of all names a rank that its communicator has not"};
      call.ranks[c.met.rank] = m.rank;
      call.add(c.met.rank, c.moved);
    }
    for (const member& m : members)
      for (const coming::given& one : coming_of(m).gives) {
        const auto to = std::ranges::lower_bound(members, one.to, {}, &member::rank);
        if (to == members.end() || to->rank != one.to)
          throw unplayable{"a rank gives something to a neighbour that does not take part"};
        call.is = call_of_ranks::pattern::neighbours;
        call.edges.push_back({coming_of(m).met.rank, coming_of(*to).met.rank, one.bytes});
      }
    if (maslin::links::is_long(call) && ranks > maslin::links::most_ranks_of_a_long_call)
      throw unplayable{
          fmt::format("a call of {} ranks in which each gives to each is too many messages; the most are {}", ranks,
                      maslin::links::most_ranks_of_a_long_call)};
    auto deeds = maslin::links::carried_out(call, into.program);
    for (const member& m : members) {
      coming& c = coming_of(m);
      std::vector<deed>& its = deeds[c.met.rank];
      if (!c.is_started) {
        c.deeds = std::move(its);
        continue;
      }
      c.part = static_cast<std::uint32_t>(into.program.parts.size());
      into.program.parts.push_back(std::move(its));
    }
    if (ranks > 1) ++into.calls;
  }
}

recorded_ranks reading::finish(bool trimmed) {
  const auto missing = std::count_if(ranks_.begin(), ranks_.end(), [](const rank_record& r) { return !r.has_ended; });
  if (missing > 0)
    throw unplayable{
        fmt::format("{} of {} ranks do not end in it; record a job that ends, and give the traces of all its processes",
                    missing, ranks_.size())};
  recorded_ranks all;
  all.name = here_.trace->about().program;
  all.workers = workers_;
  all.seconds = static_cast<double>(longest_ns_) * 1e-9;
  number_messages(all);
  carry_out_calls(all);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const rank_record& r = ranks_[rank];
    auto first = r.steps.begin(), last = r.steps.end();
    if (trimmed && first != last && first->does == step::act::compute) ++first;
    if (trimmed && first != last && last[-1].does == step::act::compute) --last;
    std::vector<deed>& deeds = all.program.ranks.emplace_back();
    std::int64_t computed_ns = 0;
    auto loop = r.loops.begin();
    for (auto s = first; s != last; ++s) {
      const auto at = static_cast<std::size_t>(s->what);
      if (s->does == step::act::compute) {
        const auto number = static_cast<std::size_t>(s - r.steps.begin());
        while (loop != r.loops.end() && loop->step < number) ++loop;  // of a step that is trimmed
        for (; loop != r.loops.end() && loop->step == number; ++loop)
          all.loops.push_back({rank, deeds.size(), loop->blocks, static_cast<double>(loop->ns) * 1e-9,
                               static_cast<double>(loop->before_ns) * 1e-9});
        computed_ns += s->what;
        deeds.push_back(deed::compute(1000 * s->what));
      } else if (s->does == step::act::meet) {
        const std::vector<deed>& its = r.comings[at].deeds;
        deeds.insert(deeds.end(), its.begin(), its.end());
      } else if (s->does == step::act::start_meeting || s->does == step::act::wait_for_meeting) {
        const bool starts = s->does == step::act::start_meeting;
        if (const std::uint32_t part = r.comings[at].part; part != none)
          deeds.push_back({starts ? deed::kind::start_part : deed::kind::wait_part, part, 0});
      } else if (const transfer& t = r.transfers[at]; t.message != none) {
        const bool starts = s->does == step::act::start;
        const deed::kind send = starts ? deed::kind::start_send : deed::kind::wait_sent;
        const deed::kind receive = starts ? deed::kind::start_receive : deed::kind::wait_received;
        deeds.push_back({t.is_send ? send : receive, t.message, 0});
      }
    }
    all.computation += static_cast<double>(computed_ns) * 1e-9;
    all.longest_computation = std::max(all.longest_computation, static_cast<double>(computed_ns) * 1e-9);
  }
  return all;
}

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw maslin::error(fmt::format("the trace '{}' cannot be replayed: {}", path, why));
}

}  // namespace

std::optional<recorded_ranks> read_ranks(const std::vector<std::string>& paths, bool trimmed) {
  std::vector<file> traces;
  std::uint64_t events = 0;
  for (const std::string& path : paths) events += traces.emplace_back(path).about().events();
  std::size_t at = 0;
  try {
    reading all(events);
    for (; at < traces.size(); ++at) {
      const summary& about = traces[at].about();
      if (about.workers == 0 || about.only_streams) throw no_ranks{};
      all.add(traces[at]);
      if (about.dropped() > 0)
        throw unplayable{
            fmt::format("it lacks {} events, which came faster than they could be written; record it with "
                        "MASLIN_TRACE_FULL=wait",
                        about.dropped())};
    }
    --at;
    return all.finish(trimmed);
  } catch (const no_ranks&) {
    if (paths.size() == 1) return std::nullopt;
    refuse(paths[at], "it holds no ranks; expected one trace, or those of one job's processes");
  } catch (const unplayable& why) {
    refuse(paths[at], why.what);
  }
}

std::vector<recorded_message> messages_of(const file& trace, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw no_messages(fmt::format("the trace '{}' does not tell all messages: {}", path, why));
  };
  if (const std::uint64_t dropped = trace.about().dropped()) refuse(fmt::format("it lacks {} events", dropped));
  reading all(trace.about().events(), true);
  try {
    all.add(trace);
  } catch (const unplayable& why) {
    refuse(why.what);
  }
  return all.messages();
}
