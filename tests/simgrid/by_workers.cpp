#include <simgrid/s4u.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "rules.hpp"
#include "turns.hpp"

namespace sg = simgrid::s4u;

namespace {

constexpr double flops_per_nanosecond = 1;  // of the platform's hosts

/// An actor that sends and receives signals.
struct actor {
  sg::Host* host;
  sg::Mailbox* mail;
  std::optional<turns::key> turn = {};  ///< that it has now
};

/// What is sent.
struct message {
  turns::key turn;  ///< of who receives it
  bool all_is_done;
};

struct worker : actor {
  int number;
  std::deque<std::size_t> tasks = {};  ///< its own end is the back
  bool may_hold_tasks = false;         ///< its bit
  bool asleep = true;
};

class cluster {
 public:
  cluster(graph_run& run, queues rule);
  double seconds() const { return seconds_; }

 private:
  void create(actor& me, worker* own);
  void work(worker& me);
  std::optional<std::size_t> look(worker& me);
  std::optional<std::size_t> take_own(worker& me);
  worker* next_victim(const worker& me, int& circle);
  bool steal(worker& me, worker& from);
  void ready(std::size_t task, actor& me, worker* own);
  void wake_one(actor& me);
  void signal(actor& me, actor& to, bool all_is_done);
  bool sleep(actor& me);
  void pause(actor& me);

  graph_run& run_;
  const queues rule_;
  std::deque<worker> workers_;
  actor host_{};  ///< the program's own control flow, where no worker has it
  actor* creator_;
  std::deque<std::size_t> centre_;
  turns turns_;
  double seconds_ = 0;
};

cluster::cluster(graph_run& run, queues rule) : run_(run), rule_(rule) {
  const sg::Engine& engine = *sg::Engine::get_instance();
  const auto seat_at = [&](const std::string& name) {
    return actor{engine.host_by_name_or_null(name), sg::Mailbox::by_name(name)};
  };
  for (int i = 0; engine.host_by_name_or_null(std::to_string(i)); ++i)
    workers_.push_back({seat_at(std::to_string(i)), i});
  host_ = seat_at("host");
  worker* first = nullptr;
  if (!host_.host) {
    first = &workers_[0];
    first->asleep = false;
  }
  creator_ = first ? static_cast<actor*>(first) : &host_;
  sg::Actor::create("program", creator_->host, [this, first] { create(*creator_, first); });
  for (worker& w : workers_)
    if (&w != first)
      sg::Actor::create("worker", w.host, [this, &w] {
        sg::Actor::self()->daemonize();
        sleep(w);
        work(w);
      });
}

void cluster::create(actor& me, worker* own) {
  for (std::size_t task = 0; task < run_.size(); ++task)
    if (run_.leave_one(task)) ready(task, me, own);
  if (own) {
    const turns::key turn = turns_.announce(turns::rank::looks_around, sg::Engine::get_clock());
    pause(me);
    turns_.take(turn);
    me.turn = turn;
    work(*own);
  } else {
    sleep(me);
  }
  seconds_ = sg::Engine::get_clock();
}

void cluster::work(worker& me) {
  std::optional<std::size_t> made_ready;
  for (;;) {
    if (const auto task = made_ready ? std::exchange(made_ready, std::nullopt) : look(me)) {
      pause(me);
      run_.begins(*task, me.number, sg::Engine::get_clock());
      sg::this_actor::execute(run_.nanoseconds(*task) * flops_per_nanosecond);
      for (const std::size_t follower : run_.followers(*task)) {
        if (!run_.leave_one(follower)) continue;
        if (rule_ == queues::own && !made_ready)
          made_ready = follower;
        else
          ready(follower, me, &me);
      }
      run_.finish();
      if (!run_.is_done()) continue;
      if (creator_ == &me) return;
      signal(me, *creator_, true);
    } else {
      me.asleep = true;
      if (sleep(me)) return;
    }
  }
}

std::optional<std::size_t> cluster::look(worker& me) {
  if (const auto own = take_own(me)) return own;
  if (!centre_.empty()) {
    const std::size_t task = centre_.front();
    centre_.pop_front();
    if (!centre_.empty()) wake_one(me);
    return task;
  }
  int circle = 1;
  while (worker* victim = next_victim(me, circle)) {
    if (!steal(me, *victim)) continue;
    const auto stolen = take_own(me);
    circle = 1;
    if (next_victim(me, circle)) wake_one(me);  // there is more to take
    return stolen;
  }
  return std::nullopt;
}

std::optional<std::size_t> cluster::take_own(worker& me) {
  if (me.tasks.empty()) {
    me.may_hold_tasks = false;
    return std::nullopt;
  }
  const std::size_t task = me.tasks.back();
  me.tasks.pop_back();
  return task;
}

/// Gives the next worker whose bit is set, from the one `circle` places behind `me` on; null at the end of the circle.
worker* cluster::next_victim(const worker& me, int& circle) {
  const int count = static_cast<int>(workers_.size());
  while (circle < count) {
    worker& w = workers_[static_cast<std::size_t>((me.number + circle++) % count)];
    if (w.may_hold_tasks) return &w;
  }
  return nullptr;
}

/// Moves the older half of a victim's tasks, the oldest to the top.
bool cluster::steal(worker& me, worker& from) {
  if (from.tasks.empty()) {
    from.may_hold_tasks = false;
    return false;
  }
  const auto half = static_cast<std::ptrdiff_t>((from.tasks.size() + 1) / 2);
  for (auto i = from.tasks.begin(); i != from.tasks.begin() + half; ++i) me.tasks.push_front(*i);
  from.tasks.erase(from.tasks.begin(), from.tasks.begin() + half);
  me.may_hold_tasks = true;
  return true;
}

void cluster::ready(std::size_t task, actor& me, worker* own) {
  if (own && rule_ == queues::own) {
    own->tasks.push_back(task);
    own->may_hold_tasks = true;
  } else {
    centre_.push_back(task);
  }
  wake_one(me);
}

void cluster::wake_one(actor& me) {
  for (worker& w : workers_) {
    if (!w.asleep) continue;
    w.asleep = false;
    return signal(me, w, false);
  }
}

void cluster::signal(actor& me, actor& to, bool all_is_done) {
  std::vector<sg::Link*> links;
  double latency = 0;
  me.host->route_to(to.host, links, &latency);
  const double arrives = sg::Engine::get_clock() + latency;
  const turns::key mine = turns_.announce(turns::rank::goes_on, arrives);
  const message what{turns_.announce(turns::rank::looks_around, arrives), all_is_done};
  pause(me);
  to.mail->put(new message(what), 0);
  turns_.take(mine);
  me.turn = mine;
}

/// Waits for a signal; gives whether it was the last.
bool cluster::sleep(actor& me) {
  pause(me);
  const std::unique_ptr<message> what(me.mail->get<message>());
  turns_.take(what->turn);
  me.turn = what->turn;
  return what->all_is_done;
}

/// Time may pass now.
void cluster::pause(actor& me) {
  if (me.turn) turns_.pass_on(*std::exchange(me.turn, std::nullopt));
}

}  // namespace

double run_by_workers(graph_run& run, queues rule) {
  const cluster all(run, rule);
  sg::Engine::get_instance()->run();
  return all.seconds();
}
