// The protocol of local stores, step by step on one thread: random tasks on several small stores, whose steps come in
// any order that the graph allows. Each body must find what was written last.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "exec/store/local_store.hpp"
#include "exec/store/thread_platform.hpp"

namespace {

using namespace maslin;
using detail::declared;
using store::keeping;
using store::local_store;
using store::places;
using store::plan;
using store::thread_platform;
using store::use;

/// What is played wrong on purpose.
enum class mistake {
  none,
  fetches_twice,     ///< early for a task whose data another store has fetched early
  runs_elsewhere,    ///< a task whose data another store has fetched early, and that is not told
  serves_nothing,    ///< what is dirty in other stores stays there
  ends_own,          ///< copies of what is written, in the writer's store alone
  cancels_untold,    ///< a task whose data were fetched early
  program_is_early,  ///< it looks before the stores have heard that it has waited
};

constexpr std::size_t ints = 48;

struct datum {
  std::array<int, ints> memory{};
  std::array<int, ints> expected{};

  bool is_right() const { return memory == expected; }
  void fill(int value) {
    memory.fill(value);
    expected.fill(value);
  }
};

struct played_access {
  datum* of;
  std::size_t first, count;
  access_mode mode;
};

struct played_task {
  enum class state : std::uint8_t { created, ready, fetches, has_run };

  std::vector<played_access> accesses;
  std::uint64_t born;
  state now = state::created;
  local_store<thread_platform>* in = nullptr;  ///< null: on memory
  plan of{};
  places at{};
  bool fails = false;

  bool writes(const datum& d) const {
    return std::ranges::any_of(accesses,
                               [&d](const played_access& a) { return a.of == &d && a.mode != access_mode::in; });
  }
  bool names(const datum& d) const {
    return std::ranges::any_of(accesses, [&d](const played_access& a) { return a.of == &d; });
  }
  bool conflicts(const played_task& other) const {
    return std::ranges::any_of(
        accesses, [&](const played_access& a) { return other.names(*a.of) && (writes(*a.of) || other.writes(*a.of)); });
  }
  /// Are all data afterwards what they were before, or as expected, if it does not run, or throws?
  bool may_fail() const {
    return std::ranges::none_of(accesses, [](const played_access& a) { return a.mode == access_mode::out; });
  }
};

class played_program {
 public:
  played_program(mistake made, keeping keeps, bool is_adverse, unsigned seed) : made_(made), chance_(seed) {
    for (std::size_t i = 0; i < 3; ++i)
      stores_.emplace_back(576, keeps, is_adverse ? std::optional<std::uint64_t>(seed + i) : std::nullopt);
    for (datum& one : data_) one.fill(++value_);
  }

  void step() {
    const auto what = below(256);
    if (what == 0) return look();
    if (what == 1) return free();
    if (tasks_.size() < 2 || (what < 96 && tasks_.size() < 12)) return create();
    advance(below(tasks_.size()));
  }
  void end() {
    while (!tasks_.empty()) advance(below(tasks_.size()));
    look();
  }
  int wrong() const { return wrong_; }
  store::counts told() const {
    store::counts sum;
    for (const auto& one : stores_) sum += one.told();
    return sum;
  }

 private:
  using state = played_task::state;

  std::size_t below(std::size_t n) { return chance_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }

  void create() {
    auto made = std::make_unique<played_task>(played_task{.accesses = {}, .born = clock_});
    for (std::size_t left = 1 + below(3); left > 0; --left) {
      constexpr std::array modes{access_mode::in, access_mode::inout, access_mode::in, access_mode::inout,
                                 access_mode::out};
      // Many are the same, and some overlap.
      const std::size_t count = one_in(4) ? ints / 2 : ints;
      made->accesses.push_back(
          {&data_[below(data_.size())], count * below(ints / count), count, modes[below(modes.size())]});
    }
    tasks_.push_back(std::move(made));
  }

  void advance(std::size_t which) {
    played_task& task = *tasks_[which];
    switch (task.now) {
      case state::created:
        if (std::none_of(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(which),
                         [&](const auto& earlier) { return earlier->conflicts(task); }))
          task.now = state::ready;
        return;
      case state::ready: {
        auto& in = stores_[below(stores_.size())];
        if (one_in(3)) return fetch_early(task, in);
        if (task.may_fail() && one_in(12)) return cancel(which);
        if (one_in(2)) begin(task, in);
        return;
      }
      case state::fetches:
        if (one_in(2)) run(task);
        return;
      case state::has_run:
        if (one_in(2)) finish(which);
        return;
    }
  }

  plan plan_of(const played_task& task) {
    std::vector<declared> accesses;
    for (const played_access& a : task.accesses)
      accesses.push_back(
          {&a.of->memory[a.first], a.count * sizeof(int), 1, a.count * sizeof(int), a.mode, true, nullptr});
    plan of = store::make_plan(accesses);
    for (store::copy& c : of.copies) c.is_lazy = !one_in(4);
    return of;
  }
  void drop_early(const played_task& task, const local_store<thread_platform>* but) {
    for (auto& one : stores_)
      if (&one != but) one.drop_early(&task);
  }
  void serve(const plan& of, places& at, const local_store<thread_platform>& in) {
    if (made_ == mistake::serves_nothing) return;
    for (auto& one : stores_)
      if (&one != &in) one.serve(of, at);
  }

  void fetch_early(played_task& task, local_store<thread_platform>& in) {
    if (in.is_early(&task)) return;
    if (made_ != mistake::fetches_twice) drop_early(task, &in);
    plan of = plan_of(task);
    places at;
    if (of.copies.empty() || !in.take_early(of, at, task.born)) return;
    serve(of, at, in);
    in.begin_early(&task, std::move(of), std::move(at), true, clock_);
  }
  void cancel(std::size_t which) {
    if (made_ != mistake::cancels_untold) drop_early(*tasks_[which], nullptr);
    ++clock_;
    forget(which);
  }
  void begin(played_task& task, local_store<thread_platform>& in) {
    if (made_ != mistake::runs_elsewhere) drop_early(task, &in);
    task.now = state::fetches;
    task.in = &in;
    if (in.find_early(&task, task.of, task.at)) return;
    task.of = plan_of(task);
    if (!task.of.copies.empty() && in.take(task.of, task.at, task.born)) {
      serve(task.of, task.at, in);
      return in.begin_stage_in(task.of, task.at, true, clock_);
    }
    task.in = nullptr;
    for (auto& one : stores_) one.show(task.of.uses);
  }
  void run(played_task& task) {
    if (task.in) task.in->end_stage_in(task.of, task.at);
    for (std::size_t i = 0; i < task.accesses.size(); ++i) {
      const played_access& a = task.accesses[i];
      if (a.mode != access_mode::out)
        wrong_ += !std::equal(body(task, i), body(task, i) + a.count, &a.of->expected[a.first]);
    }
    task.fails = task.may_fail() && one_in(12);
    for (std::size_t i = 0; i < task.accesses.size(); ++i) {
      const played_access& a = task.accesses[i];
      if (a.mode == access_mode::in) continue;
      std::fill_n(body(task, i), a.count, ++value_);
      std::fill_n(&a.of->expected[a.first], a.count, value_);
    }
    task.now = state::has_run;
  }
  /// Where its body finds that.
  int* body(const played_task& task, std::size_t access) {
    const int k = task.of.of_access[access];
    if (task.in && k != plan::on_memory) return reinterpret_cast<int*>(task.at[static_cast<std::size_t>(k)].at);
    return &task.accesses[access].of->memory[task.accesses[access].first];
  }
  void finish(std::size_t which) {
    played_task& task = *tasks_[which];
    if (task.in) {
      task.in->begin_stage_out(task.of, task.at, task.fails);
      task.in->end_stage_out();
    }
    for (auto& one : stores_)
      if (made_ != mistake::ends_own || &one == task.in) one.end_copies(task.of.uses);
    ++clock_;
    if (task.in && task.fails) task.in->give(task.of, task.at);
    if (task.in && !task.fails) task.in->leave(task.of, task.at, clock_);
    forget(which);
  }
  void forget(std::size_t which) {
    ended_.push_back(std::move(tasks_[which]));  // a store that has not been told may still know its address
    tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  /// The program has waited for something. It may read what no task will write, and write what none names.
  void look() {
    if (made_ != mistake::program_is_early)
      for (auto& one : stores_) one.show_everything();
    for (datum& d : data_) {
      const auto names = [&d](const auto& task) { return task->names(d); };
      const auto writes = [&d](const auto& task) { return task->writes(d); };
      if (std::ranges::any_of(tasks_, writes)) continue;
      wrong_ += !d.is_right();
      if (one_in(2) && std::ranges::none_of(tasks_, names)) d.fill(++value_);
    }
  }
  /// Memory that no task names is freed, and something else.
  void free() {
    datum& d = data_[below(data_.size())];
    if (std::ranges::any_of(tasks_, [&d](const auto& task) { return task->names(d); })) return;
    for (auto& one : stores_) {
      graph::region all;
      all.start = reinterpret_cast<std::uintptr_t>(d.memory.data());
      all.bytes = sizeof d.memory;
      one.forget(all);
    }
    d.fill(++value_);
  }

  const mistake made_;
  std::mt19937 chance_;
  std::deque<local_store<thread_platform>> stores_;
  std::array<datum, 12> data_;
  std::deque<std::unique_ptr<played_task>> tasks_;  ///< not ended, in the order of their creation
  std::vector<std::unique_ptr<played_task>> ended_;
  std::uint64_t clock_ = 0;
  int value_ = 0;
  int wrong_ = 0;
};

struct played {
  int wrong = 0;  ///< of so many programs
  store::counts told;
};
played play(mistake made, keeping keeps, unsigned programs) {
  played all;
  for (unsigned seed = 0; seed < programs; ++seed) {
    played_program one(made, keeps, seed % 2, seed);
    for (int i = 0; i < 2000; ++i) one.step();
    one.end();
    all.wrong += one.wrong() > 0;
    all.told += one.told();
  }
  return all;
}

TEST(StoreProtocol, EachBodyFindsWhatWasWrittenLast) {
  for (const keeping keeps : {keeping::all, keeping::out, keeping::in, keeping::none}) {
    const played all = play(mistake::none, keeps, 1000);
    EXPECT_EQ(all.wrong, 0);
    const bool dirty = keeps == keeping::all || keeps == keeping::out;
    EXPECT_GT(all.told.early, 0u);
    EXPECT_EQ(all.told.bytes_from_peers > 0, dirty);
    EXPECT_EQ(all.told.puts_saved > 0, dirty);
    EXPECT_EQ(all.told.hits > 0, keeps != keeping::none);
  }
}

TEST(StoreProtocol, EachMistakeIsFound) {
  for (const mistake made : {mistake::fetches_twice, mistake::runs_elsewhere, mistake::serves_nothing,
                             mistake::ends_own, mistake::cancels_untold, mistake::program_is_early})
    EXPECT_GT(play(made, keeping::all, 500).wrong, 5) << static_cast<int>(made);
}

}  // namespace
