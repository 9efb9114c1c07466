// What is exported is right whatever was recorded: a made-up run with streams that move between workers, helpers, tasks
// and parked workers goes through the recorder, and the exports are checked against what is known of it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "maslin/error.hpp"
#include "trace/recorder.hpp"
#include "trace_export.hpp"
#include "trace_info.hpp"

namespace {

namespace trace = maslin::trace;
using enum trace::event_kind;
using nlohmann::json;

class Export : public ::testing::Test {
 protected:
  Export() {
    folder_ = std::filesystem::temp_directory_path() / ("maslin_export_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Export() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "run.mtrace") const { return folder_ / name; }

  /// Two streams at a time of `streams`, each off-loading; worker 2 helps, worker 3 sleeps. One event in `lose` is left
  /// out (0: none), as if it had been dropped.
  void record_run(int streams, unsigned seed, unsigned lose = 0,
                  trace::detail_level detail = trace::detail_level::all) const {
    std::mt19937 random(seed);
    trace::start(path(), 4, detail);
    const auto put = [&](int worker, trace::event_kind kind, std::uint32_t id = 0, std::uint64_t argument = 0) {
      if (lose == 0 || random() % lose != 0) trace::record(worker, kind, id, argument);
    };
    const std::uint32_t phase = trace::intern("bootstraps \"quoted\"\\");
    const std::uint32_t kernels[]{trace::intern("newview"), trace::intern("evaluate")};
    const std::uint32_t here = trace::site(maslin::location::current());
    for (int w = 0; w < 4; ++w) put(w, worker_start);
    put(0, phase_begin, phase, static_cast<std::uint64_t>(streams));
    put(0, wait_begin);
    put(3, park);
    for (int i = 0; i < streams; ++i) {
      int worker = i % 2;
      put(0, decision, phase,
          trace::pack(trace::decision_of{
              {2, 1 + i % 2}, i < 2 ? trace::decision_stage::sampling : trace::decision_stage::chosen, 1.5f}));
      put(worker, stream_begin, phase, trace::pack(trace::stream_at{i, worker}));
      for (int n = 0; n < 20; ++n) {
        const std::uint32_t kernel = kernels[random() % 2];
        put(worker, offload_begin, kernel, 2);
        put(worker, loop_begin, here, trace::pack(trace::loop_shape{4, 2}));
        const std::uint64_t own = trace::pack(trace::chunk_at{worker, 0, 2});
        const std::uint64_t helped = trace::pack(trace::chunk_at{worker, 2, 2});
        put(worker, chunk_begin, here, own);
        put(2, chunk_begin, here, helped);
        put(worker, chunk_end, here, own);
        put(2, chunk_end, here, helped);
        put(worker, loop_end, here, trace::pack(trace::loop_shape{4, 2}));
        if (random() % 4 == 0) {  // it is suspended within the off-load and goes on elsewhere
          put(worker, stream_suspend, phase, trace::pack(trace::stream_at{i, worker}));
          worker = 1 - worker;
          put(worker, stream_resume, phase, trace::pack(trace::stream_at{i, worker}));
        }
        put(worker, offload_end, kernel, 2);
      }
      put(worker, stream_end, phase, trace::pack(trace::stream_at{i, worker}));
    }
    put(3, unpark);
    put(-1, task_create, here, 1);
    put(3, task_begin, here, 1);
    put(3, task_end, here, 1);
    put(0, wait_end);
    put(0, phase_end, phase, static_cast<std::uint64_t>(streams));
    for (int w = 0; w < 4; ++w) put(w, worker_stop);
    trace::stop();
  }

  json exported(const time_window& window = {}) const {
    {
      output_file to(path("out.json"));
      export_perfetto(trace::file(path()), window, to);
      to.commit();
    }
    std::ifstream in(path("out.json"));
    return json::parse(in);
  }

  /// Gives what Paraver is told of messages, and why something is left out.
  std::pair<std::vector<std::string>, std::string> messages(const time_window& window = {}) const {
    const auto written = export_paraver(trace::file(path()), path(), window, path("out"));
    std::ifstream in(path("out.prv"));
    std::vector<std::string> found;
    for (std::string record; std::getline(in, record);)
      if (record.starts_with("3:")) found.push_back(record);
    return {found, written.left_out};
  }

  std::filesystem::path folder_;
};

/// What two ranks record that exchange messages.
void send(int worker, std::uint32_t to, std::uint64_t bytes, std::uint64_t tag, std::uint32_t communicator = 0) {
  trace::record(worker, sends, to, trace::pack(trace::sent_as{bytes, false}));
  trace::record(worker, channel, communicator, tag);
  trace::record(worker, completes);
}
void start_to_receive(int worker, std::uint64_t number) {
  trace::record(worker, receives);
  trace::record(worker, starts, 0, number);
}
void complete_receive(int worker, std::uint64_t number, std::uint32_t from, std::uint64_t bytes, std::uint64_t tag,
                      std::uint32_t communicator = 0) {
  trace::record(worker, completes, 0, number);
  trace::record(worker, gets, from, bytes);
  trace::record(worker, channel, communicator, tag);
}

/// Fails unless begins and ends nest on every track and times never run backwards.
void expect_nesting(const json& exported) {
  std::map<int, int> depth;
  std::map<int, double> last;
  std::map<int, int> phases;
  for (const json& e : exported.at("traceEvents")) {
    const std::string ph = e.at("ph");
    if (ph == "M") continue;
    const int track = e.at("tid");
    const double ts = e.at("ts");
    if (ph == "B" || ph == "E") {
      EXPECT_GE(ts, last[track]) << e;
      last[track] = ts;
      depth[track] += ph == "B" ? 1 : -1;
      EXPECT_GE(depth[track], 0) << e;
      if (ph == "B") {
        EXPECT_FALSE(e.at("name").get<std::string>().empty());
      }
    } else if (ph == "b" || ph == "e") {
      phases[e.at("id").get<int>()] += ph == "b" ? 1 : -1;
    } else if (ph == "C") {
      EXPECT_GE(e.at("args").at("workers").get<int>(), 0);
      EXPECT_LE(e.at("args").at("workers").get<int>(), 4);
    }
  }
  for (const auto& [track, open] : depth) EXPECT_EQ(open, 0) << "track " << track;
  for (const auto& [id, open] : phases) EXPECT_EQ(open, 0) << "phase " << id;
}

std::size_t count(const json& exported, const std::string& ph, const std::string& category) {
  std::size_t found = 0;
  for (const json& e : exported.at("traceEvents"))
    found += e.at("ph") == ph && e.value("cat", "") == category ? 1u : 0u;
  return found;
}

TEST_F(Export, NestsEveryTrackAndKeepsEveryOffload) {
  record_run(6, 1);
  const json out = exported();
  expect_nesting(out);
  EXPECT_EQ(count(out, "i", "decision"), 6u);
  EXPECT_EQ(count(out, "b", "phase"), 1u);
  EXPECT_GE(count(out, "B", "offload"), 120u);  // one that a suspension cuts is begun again
  std::size_t first = 0;
  for (const json& e : out.at("traceEvents"))
    first += e.value("cat", "") == "offload" && e.at("ph") == "B" && !e.at("args").contains("resumed") ? 1u : 0u;
  EXPECT_EQ(first, 120u);
  EXPECT_EQ(count(out, "B", "chunk"), 240u);
  bool named = false;
  for (const json& e : out.at("traceEvents")) named = named || e.value("name", "") == "bootstraps \"quoted\"\\ 5";
  EXPECT_TRUE(named);
}

TEST_F(Export, NestsWhateverWasDropped) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    record_run(4, seed, 2 + seed % 20);
    expect_nesting(exported());
    const auto spans = json::parse(spans_json(trace::file(path()), 0));
    EXPECT_EQ(spans.at("tracks").size(), 4u);
  }
}

TEST_F(Export, CutsAtTheWindow) {
  record_run(6, 1);
  const trace::file whole(path());
  const double duration = static_cast<double>(whole.about().duration_ns) * 1e-9;
  std::vector<trace::event> events;
  whole.each_event([&](const trace::event& e) { events.push_back(e); });
  const trace::event& in_the_middle = events[events.size() / 2];
  const double middle = static_cast<double>(in_the_middle.ns) * 1e-9;
  const json out = exported({middle, duration});
  expect_nesting(out);
  EXPECT_LT(out.at("traceEvents").size(), exported().at("traceEvents").size());
  for (const json& e : out.at("traceEvents"))
    if (e.contains("ts")) {
      EXPECT_GE(e.at("ts").get<double>(), middle * 1e6 - 0.001);
    }
  expect_nesting(exported({0, middle}));
  expect_nesting(exported({duration + 1, duration + 2}));
}

TEST_F(Export, WritesThePhasesOfTheWindowOnly) {
  trace::start(path(), 2, trace::detail_level::all);
  const std::uint32_t name = trace::intern("step");
  for (int i = 0; i < 3; ++i) {
    trace::record(0, phase_begin, name, 1);
    trace::record(0, stream_begin, name, trace::pack(trace::stream_at{0, 0}));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    trace::record(0, stream_end, name, trace::pack(trace::stream_at{0, 0}));
    trace::record(0, phase_end, name, 1);
  }
  trace::stop();
  std::vector<std::int64_t> begins, ends;
  trace::file(path()).each_event([&](const trace::event& e) {
    if (e.kind == phase_begin) begins.push_back(e.ns);
    if (e.kind == phase_end) ends.push_back(e.ns);
  });
  ASSERT_EQ(begins.size(), 3U);
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  const json second = exported({seconds(begins[1] + 1000), seconds(ends[1] - 1000)});
  EXPECT_EQ(count(second, "b", "phase"), 1U);
  EXPECT_EQ(count(second, "e", "phase"), 1U);
  EXPECT_EQ(count(exported(), "b", "phase"), 3U);
}

TEST_F(Export, TellsTheStreamsOfRepeatedPhasesApart) {
  trace::start(path(), 2, trace::detail_level::streams);
  const std::uint32_t name = trace::intern("step");
  for (int i = 0; i < 3; ++i) {
    trace::record(0, phase_begin, name, 2);
    for (int s = 0; s < 2; ++s) {
      trace::record(0, stream_begin, name, trace::pack(trace::stream_at{s, trace::no_slot}));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      trace::record(0, stream_end, name, trace::pack(trace::stream_at{s, trace::no_slot}));
    }
    trace::record(0, phase_end, name, 2);
  }
  const std::uint32_t here = trace::site(maslin::location::current());
  trace::record(1, task_begin, here, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  trace::record(1, task_end, here, 1);
  trace::stop();
  const auto spans = json::parse(spans_json(trace::file(path()), 1e-12));
  EXPECT_EQ(spans.at("phases").size(), 3U);
  EXPECT_EQ(spans.at("streams").size(), 6U);
  for (const json& s : spans.at("streams"))
    EXPECT_LT(s.at("end_s").get<double>() - s.at("begin_s").get<double>(), 0.02) << s;
  for (const json& span : spans.at("tracks")[1].at("spans"))
    EXPECT_EQ(span[2], -1) << "a task belongs to no stream that was run in place";
}

TEST_F(Export, GivesTheSameFiguresFromBothDetails) {
  record_run(6, 3);
  const trace_figures all = figures_of(trace::file(path()));
  record_run(6, 3, 0, trace::detail_level::streams);
  const trace_figures streams = figures_of(trace::file(path()));
  ASSERT_EQ(all.kernels.size(), 2u);
  for (const auto& [name, k] : all.kernels) {
    EXPECT_EQ(streams.kernels.at(name).count, k.count) << name;
    EXPECT_GT(k.ns, 0) << name;
  }
  EXPECT_EQ(all.unmatched, 0u);
  EXPECT_EQ(streams.unmatched, 0u);
  EXPECT_LT(streams.events[static_cast<std::size_t>(kernel_total)], 200u);
  expect_nesting(exported());
}

TEST_F(Export, FollowsForWhomEveryWorkerWorks) {
  for (const auto detail : {trace::detail_level::all, trace::detail_level::streams}) {
    record_run(6, 5, 0, detail);
    const auto spans = json::parse(spans_json(trace::file(path()), 1e-12));
    EXPECT_EQ(spans.at("phases").size(), 1u);
    EXPECT_EQ(spans.at("phases")[0].at("streams"), 6);
    EXPECT_EQ(spans.at("decisions").size(), 6u);
    EXPECT_EQ(spans.at("decisions")[5].at("stage"), "chosen");
    EXPECT_EQ(spans.at("streams").size(), 6u);
    ASSERT_EQ(spans.at("tracks").size(), 4u);
    for (const json& track : spans.at("tracks")) {
      double last = 0;
      for (const json& span : track.at("spans")) {
        EXPECT_GE(span[0].get<double>(), last);
        EXPECT_GE(span[1].get<double>(), span[0].get<double>());
        EXPECT_LT(span[2].get<int>(), 6);
        last = span[1];
      }
    }
    // Worker 2 ran no stream, it helped.
    const json& helper = spans.at("tracks")[2].at("spans");
    ASSERT_FALSE(helper.empty());
    EXPECT_GE(helper[0][2].get<int>(), 0);
  }
}

TEST_F(Export, KeepsTheSpansFewHoweverManyThereAre) {
  record_run(2'000, 5);
  const auto spans = json::parse(spans_json(trace::file(path()), 1e-12));
  for (const json& track : spans.at("tracks")) EXPECT_LE(track.at("spans").size(), 8'192u);
}

TEST_F(Export, PrintsFiguresForPeopleAndPrograms) {
  record_run(3, 2);
  const trace::file from(path());
  const trace_figures figures = figures_of(from);
  const std::string text = info_text(from, figures);
  for (const char* word : {"duration", "4 workers", "newview", "offload_begin", "others"})
    EXPECT_NE(text.find(word), std::string::npos) << word << " is not in\n" << text;
  const auto object = json::parse(info_json(from, figures));
  EXPECT_EQ(object.at("workers").size(), 5u);
  EXPECT_EQ(object.at("kinds").at("stream_begin"), 3);
  EXPECT_EQ(object.at("events"), from.about().events());
}

/// Splits "3:...", and gives its numbers.
std::vector<std::int64_t> numbers(const std::string& record) {
  std::vector<std::int64_t> all;
  std::istringstream in(record);
  for (std::string number; std::getline(in, number, ':');) all.push_back(std::stoll(number));
  return all;
}

TEST_F(Export, TellsParaverWhichSendBelongsToWhichReceive) {
  trace::start(path(), 2);
  for (int calls = 0; calls < 2; ++calls) {
    for (const int rank : {0, 1}) trace::record(rank, rank_begin, static_cast<std::uint32_t>(rank), 2);
    for (const std::uint64_t number : {1, 2, 3, 4}) start_to_receive(1, number);
    send(0, 1, 100, 5);
    send(0, 1, 200, 6);
    send(0, 1, 300, 5);
    send(0, 1, 400, 5, 9);
    send(0, 1, 500, 7);  // nobody receives it
    complete_receive(1, 3, 0, 400, 5, 9);
    complete_receive(1, 1, 0, 200, 6);
    trace::record(1, suspend, 0, 77);
    trace::record(1, task_create, 0, 1);  // not the rank's
    trace::record(1, task_begin, 0, 1);
    trace::record(1, task_end, 0, 1);
    trace::record(1, trace::event_kind::resume, 0, 77);
    complete_receive(1, 2, 0, 100, 5);
    complete_receive(1, 4, 0, 300, 5);
    for (const int rank : {0, 1}) trace::record(rank, rank_end, static_cast<std::uint32_t>(rank), 2);
  }
  trace::stop();
  const auto [found, left_out] = messages();
  EXPECT_EQ(left_out, "");
  ASSERT_EQ(found.size(), 8u);
  std::multiset<std::pair<std::int64_t, std::int64_t>> sizes_and_tags;
  std::map<std::int64_t, std::int64_t> by_begin, by_end;  // of receives: their sizes
  for (const std::string& record : found) {
    const auto n = numbers(record);
    ASSERT_EQ(n.size(), 15u) << record;
    EXPECT_EQ(std::vector(n.begin() + 1, n.begin() + 5), (std::vector<std::int64_t>{1, 1, 1, 1}));
    EXPECT_EQ(std::vector(n.begin() + 7, n.begin() + 11), (std::vector<std::int64_t>{2, 1, 1, 2}));
    EXPECT_LE(n[5], n[6]) << record;
    EXPECT_LE(n[6], n[12]) << record;
    EXPECT_LE(n[11], n[5]) << "all receives were begun before: " << record;
    sizes_and_tags.emplace(n[13], n[14]);
    by_begin[n[11]] = by_end[n[12]] = n[13];
  }
  const auto sizes_of = [](const auto& all) {
    std::vector<std::int64_t> sizes;
    for (const auto& [at, size] : all) sizes.push_back(size);
    return sizes;
  };
  EXPECT_EQ(sizes_of(by_begin), (std::vector<std::int64_t>{200, 100, 400, 300, 200, 100, 400, 300}));
  EXPECT_EQ(sizes_of(by_end), (std::vector<std::int64_t>{400, 200, 100, 300, 400, 200, 100, 300}));
  using sizes = std::multiset<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(sizes_and_tags, (sizes{{100, 5}, {100, 5}, {200, 6}, {200, 6}, {300, 5}, {300, 5}, {400, 5}, {400, 5}}));
}

TEST_F(Export, ShowsParaverAMessageAsAWholeOrNotAtAll) {
  trace::start(path(), 2);
  for (const int rank : {0, 1}) trace::record(rank, rank_begin, static_cast<std::uint32_t>(rank), 2);
  start_to_receive(1, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  send(0, 1, 100, 5);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  complete_receive(1, 1, 0, 100, 5);
  for (const int rank : {0, 1}) trace::record(rank, rank_end, static_cast<std::uint32_t>(rank), 2);
  trace::stop();
  const auto whole = messages().first;
  ASSERT_EQ(whole.size(), 1u);
  const auto n = numbers(whole[0]);
  const double begun = 1e-9 * static_cast<double>(n[11]), sent = 1e-9 * static_cast<double>(n[5]),
               there = 1e-9 * static_cast<double>(n[12]);
  EXPECT_GE(there - begun, 0.004);
  EXPECT_EQ(messages({.from = begun - 1e-6, .to = there + 1e-6}).first.size(), 1u);
  EXPECT_EQ(messages({.from = (begun + sent) / 2, .to = there + 1}).first.size(), 0u);
  EXPECT_EQ(messages({.from = 0, .to = (sent + there) / 2}).first.size(), 0u);
}

/// Records a copy of that store between now and a moment later.
void copy_to_store(int worker, int store, trace::transfer_of::way goes, std::uint64_t bytes, std::uint64_t task = 0) {
  const std::uint64_t began = trace::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const int peer = goes == trace::transfer_of::way::from_peer ? 1 - store : -1;
  trace::record_transfer(worker, {store, task, began, trace::now(), {goes, task != 0, peer, bytes}});
}

TEST_F(Export, ShowsWhatALocalStoreCopiesBesideItsWorker) {
  using enum trace::transfer_of::way;
  trace::start(path(), 2);
  copy_to_store(0, 0, from_memory, 100, 7);
  copy_to_store(0, 1, to_memory, 200);  // worker 0 looks for what worker 1 has
  copy_to_store(1, 1, from_peer, 300, 8);
  trace::stop();
  const json out = exported();
  expect_nesting(out);
  std::map<int, std::string> tracks;
  std::map<std::string, int> order;
  for (const json& e : out.at("traceEvents")) {
    if (e.value("name", "") == "thread_name") tracks[e.at("tid")] = e.at("args").at("name");
    if (e.value("name", "") == "thread_sort_index") order[tracks[e.at("tid")]] = e.at("args").at("sort_index");
  }
  EXPECT_LT(order.at("worker 0"), order.at("local store of worker 0"));
  EXPECT_LT(order.at("local store of worker 0"), order.at("worker 1"));
  EXPECT_LT(order.at("worker 1"), order.at("local store of worker 1"));
  std::vector<std::string> shown;
  double first_us = 0;
  for (const json& e : out.at("traceEvents")) {
    if (e.value("cat", "") != "transfer") continue;
    EXPECT_GE(e.at("dur").get<double>(), 2000) << e;
    if (shown.empty()) first_us = e.at("ts").get<double>();
    const json& more = e.at("args");
    shown.push_back(tracks[e.at("tid")] + ": " + e.at("name").get<std::string>() + " " + more.at("bytes").dump() +
                    (more.contains("task") ? " for " + more.at("task").dump() : "") +
                    more.value("from the store of", ""));
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"local store of worker 0: stage in, early 100 for 7",
                                             "local store of worker 1: stage out 200",
                                             "local store of worker 1: stage in from another store, early 300 for "
                                             "8worker 0"}));
  std::vector<double> cut_us;
  const json part = exported({.from = 1e-6 * first_us + 0.001, .to = 1e-6 * first_us + 0.0015});
  for (const json& e : part.at("traceEvents"))
    if (e.contains("dur")) cut_us.push_back(e.at("dur"));
  ASSERT_EQ(cut_us.size(), 1u);
  EXPECT_NEAR(cut_us[0], 500, 0.01) << "a copy is cut at the window";
  const auto found = messages().first;
  ASSERT_EQ(found.size(), 1u);
  const auto n = numbers(found[0]);
  EXPECT_EQ(std::pair(n[1], n[7]), (std::pair<std::int64_t, std::int64_t>{1, 2}));
  EXPECT_EQ(n[13], 300);
  EXPECT_GE(n[12] - n[5], 2'000'000);
}

TEST_F(Export, LeavesOutACopyThatWasNotRecordedAsAWhole) {
  using enum trace::transfer_of::way;
  trace::start(path(), 1);
  trace::record(0, transfer_task, 0, 5);
  trace::record(0, transfer_time, 0, trace::now());
  trace::record(0, transfer, 0, trace::pack(trace::transfer_of{from_memory, false, -1, 100}));
  trace::record(0, transfer_time, 0, trace::now());  // of one whose last event was dropped
  trace::record(0, transfer_time, 0, trace::now());
  copy_to_store(0, 0, to_memory, 200, 6);
  copy_to_store(0, 9, to_memory, 400);  // there is no such worker
  copy_to_store(0, -1, to_memory, 800);
  trace::stop();
  const trace_figures figures = figures_of(trace::file(path()));
  std::uint64_t bytes = 0;
  for (const auto& sum : figures.transfers) bytes += sum.bytes;
  EXPECT_EQ(bytes, 1000u);
}

TEST_F(Export, LeavesOutMessagesOfRanksThatCannotBeToldApart) {
  trace::start(path(), 2);
  trace::record(0, rank_begin, 0, 2);
  trace::record(1, rank_begin, 0, 1);  // of another call
  send(0, 1, 100, 5);
  trace::stop();
  const auto [found, left_out] = messages();
  EXPECT_TRUE(found.empty());
  EXPECT_NE(left_out.find("a call of ms::ranks begins before another has ended"), std::string::npos) << left_out;
}

TEST_F(Export, LeavesNothingOutWhereOnlyAWaitNamesData) {
  trace::start(path(), 2);
  trace::record(0, task_create, 0, 7);
  trace::record(1, task_begin, 0, 7);
  trace::record(1, task_end, 0, 7);
  trace::record(0, wait_begin);
  trace::record(0, accessed, trace::intern("in 512"), 0x1000);
  trace::record(0, wait_end);
  trace::stop();
  EXPECT_EQ(messages().second, "");
}

TEST_F(Export, LeavesNothingBehindWhenItCannotBeWritten) {
  record_run(3, 2);
  EXPECT_THROW(output_file("/nowhere/at/all.json"), maslin::error);
  if (access("/dev/full", W_OK) == 0) {
    output_file full("/dev/full");
    EXPECT_THROW(
        {
          export_perfetto(trace::file(path()), {}, full);
          full.commit();
        },
        maslin::error);
  }
  { output_file abandoned(path("abandoned.json")); }
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_EQ(entry.path().filename(), "run.mtrace");
}

}  // namespace
