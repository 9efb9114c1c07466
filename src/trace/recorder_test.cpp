#include "trace/recorder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "maslin/error.hpp"

namespace maslin::trace {
namespace {

using enum event_kind;

/// An empty folder of this test's own.
class Recorder : public ::testing::Test {
 protected:
  Recorder() {
    folder_ = std::filesystem::temp_directory_path() / ("maslin_recorder_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Recorder() override {
    stop();
    unsetenv("MASLIN_TRACE");
    unsetenv("MASLIN_TRACE_DETAIL");
    std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string& name = "run.mtrace") const { return folder_ / name; }
  std::size_t files_left() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
};

std::vector<event> events_of(const std::string& path) {
  std::vector<event> found;
  file(path).each_event([&](const event& e) { found.push_back(e); });
  return found;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST_F(Recorder, RecordsNothingWhileNoTraceIsOn) {
  EXPECT_FALSE(on());
  record(0, park);
  record(-1, park);
  stop();
  EXPECT_EQ(files_left(), 0u);
}

TEST_F(Recorder, GivesBackEventsNamesAndTimes) {
  const std::uint32_t kernel = intern("newview of this test");
  start(path(), 2);
  EXPECT_TRUE(on());
  record(0, offload_begin, kernel, 4);
  record(0, offload_end, kernel, 4);
  const std::uint32_t late = intern("a name made while the trace runs");
  record(1, phase_begin, late, 32);
  record(1, decision, late, decision_of{{2, 1}, decision_stage::chosen, 3.5f});
  record(-1, wait_begin);
  stop();
  EXPECT_FALSE(on());

  const file trace(path());
  EXPECT_EQ(trace.about().workers, 2);
  EXPECT_EQ(trace.about().events(), 5u);
  EXPECT_EQ(trace.about().dropped(), 0u);
  EXPECT_FALSE(trace.about().only_streams);
  EXPECT_EQ(trace.about().pid, getpid());
  EXPECT_GT(trace.about().duration_ns, 0);
  const auto found = events_of(path());
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(trace.name(found[0].id), "newview of this test");
  EXPECT_EQ(found[0].argument, 4u);
  EXPECT_EQ(found[1].kind, offload_end);
  EXPECT_EQ(found[2].worker, 1);
  EXPECT_EQ(trace.name(found[2].id), "a name made while the trace runs");
  EXPECT_EQ(unpack<decision_of>(found[3].argument).under, (configuration{2, 1}));
  EXPECT_EQ(found[4].worker, -1);
  EXPECT_EQ(trace.name(4'000'000), "?");
  std::int64_t last = 0;
  for (const event& e : found) {
    EXPECT_GE(e.ns, last);
    EXPECT_LE(e.ns, trace.about().duration_ns);
    last = e.ns;
  }
}

TEST_F(Recorder, KeepsTheTimeOfTheMonotonicClock) {
  start(path(), 1);
  record(0, park);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  record(0, unpark);
  stop();
  const auto found = events_of(path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_GE(found[1].ns - found[0].ns, 29'900'000);
}

TEST_F(Recorder, RecordsOneRunAfterAnother) {
  for (int run = 0; run < 3; ++run) {
    start(path(), run + 1);
    record(run, park);
    stop();
    EXPECT_EQ(file(path()).about().workers, run + 1);
    EXPECT_EQ(events_of(path()).size(), 1u);
  }
  EXPECT_EQ(files_left(), 1u);
}

TEST_F(Recorder, LeavesNoFileBeforeItStops) {
  start(path(), 1);
  EXPECT_FALSE(std::filesystem::exists(path()));
  record(0, park);
  stop();
  EXPECT_TRUE(std::filesystem::exists(path()));
  EXPECT_EQ(files_left(), 1u);
}

TEST_F(Recorder, NumbersOneNameOnce) {
  EXPECT_EQ(intern("twice"), intern("twice"));
  EXPECT_NE(intern("twice"), intern("once"));
  const auto where = location::current();
  EXPECT_EQ(site(where), site(where));
  start(path(), 1);
  record(0, loop_begin, site(where), loop_shape{10, 1});
  stop();
  const auto found = events_of(path());
  const std::string name(file(path()).name(found.at(0).id));
  EXPECT_EQ(name, "trace/recorder_test.cpp:" + std::to_string(where.line()));
}

TEST_F(Recorder, DividesWhatIsTooMuchForOneBlock) {
  constexpr std::uint64_t count = 500'000;  // with arguments of ten bytes: more than a block holds
  start(path(), 1);
  for (std::uint64_t i = 0; i < count; ++i) record(0, steal, 0, i * 0x9e3779b97f4a7c15u);
  stop();
  std::uint64_t seen = 0;
  bool whole = true;
  const file trace(path());
  trace.each_event([&](const event& e) {
    whole = whole && (trace.about().dropped() > 0 || e.argument == seen++ * 0x9e3779b97f4a7c15u);
  });
  EXPECT_TRUE(whole);
  EXPECT_EQ(trace.about().events() + trace.about().dropped(), count);
}

TEST_F(Recorder, WaitsForRoomWhereItIsToldTo) {
  constexpr int rings = 200;  // so that each is small
  constexpr std::uint64_t count = 1'000'000;
  start(path(), rings, detail_level::all, nullptr, full::wait);
  for (std::uint64_t i = 0; i < count; ++i) record(0, steal, 0, i);
  stop();
  const file trace(path());
  EXPECT_EQ(trace.about().dropped(), 0u);
  std::uint64_t seen = 0, waits = 0;
  std::int64_t waited_ns = 0, last_ns = 0;
  bool in_order = true;
  trace.each_event([&](const event& e) {
    in_order = in_order && e.ns >= last_ns;
    last_ns = e.ns;
    if (e.kind == held) {
      ++waits;
      waited_ns += static_cast<std::int64_t>(e.argument);
    } else {
      in_order = in_order && e.argument == seen++;
    }
  });
  EXPECT_TRUE(in_order);
  EXPECT_EQ(seen, count);
  EXPECT_EQ(trace.about().events(), seen + waits);
  EXPECT_LE(waited_ns, trace.about().duration_ns);
  // Five times as many events as there is room for, in as much time as the recorder sleeps at first.
  if (trace.about().duration_ns - waited_ns < 10'000'000) {
    EXPECT_GT(waited_ns, 0);
  }
}

// The stress of the whole path: every event is either in the file, whole and in order, or counted as dropped.
class RecorderUnderLoad : public Recorder, public ::testing::WithParamInterface<int> {};

TEST_P(RecorderUnderLoad, LosesNothingUncounted) {
  const int producers = GetParam();
  const std::uint64_t each = 1'600'000 / static_cast<std::uint64_t>(producers);
  start(path(), producers);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(producers));
  for (int w = 0; w < producers; ++w)
    threads.emplace_back([w, each] {
      for (std::uint64_t i = 1; i <= each; ++i) {
        record(w, i % 2 ? offload_begin : offload_end, static_cast<std::uint32_t>(w + 1), i);
        if (i % 1000 == 0) record(-1, steal, 0, static_cast<std::uint64_t>(w));
      }
    });
  for (auto& t : threads) t.join();
  testing::internal::CaptureStderr();
  stop();
  const std::string said = testing::internal::GetCapturedStderr();

  const file trace(path());
  std::vector<std::uint64_t> last(static_cast<std::size_t>(producers), 0), seen(last);
  std::uint64_t foreign = 0;
  bool whole = true;
  trace.each_event([&](const event& e) {
    if (e.worker < 0) {
      ++foreign;
      return;
    }
    const auto w = static_cast<std::size_t>(e.worker);
    whole = whole && e.argument > last[w] && e.id == w + 1 && e.kind == (e.argument % 2 ? offload_begin : offload_end);
    last[w] = e.argument;
    ++seen[w];
  });
  EXPECT_TRUE(whole);
  for (int w = 0; w < producers; ++w)
    EXPECT_EQ(seen[static_cast<std::size_t>(w)] + trace.about().tracks[static_cast<std::size_t>(w)].dropped, each);
  const auto& outside = trace.about().tracks.back();
  EXPECT_EQ(foreign + outside.dropped, static_cast<std::uint64_t>(producers) * (each / 1000));
  EXPECT_EQ(said.empty(), trace.about().dropped() == 0) << said;
}

INSTANTIATE_TEST_SUITE_P(Producers, RecorderUnderLoad, ::testing::Values(1, 2, 8, 64));

TEST_F(Recorder, KeepsTheEventsOfATransferTogetherAndItsTimes) {
  start(path(), 1);
  constexpr int threads = 4, each = 2000;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([t] {
      for (std::uint64_t i = 1; i <= each; ++i) {
        const std::uint64_t began = now(), number = i * threads + static_cast<std::uint64_t>(t);
        record_transfer(-1, {-1, number, began, now(), {transfer_of::way::from_peer, true, 7, number}});
      }
    });
  for (auto& t : all) t.join();
  record(0, park);
  const std::uint64_t began = now();
  record(0, unpark);
  record_transfer(0, {0, 0, began, now(), {}});
  stop();
  std::vector<event> foreign, own;
  file(path()).each_event([&](const event& e) { (e.worker < 0 ? foreign : own).push_back(e); });
  ASSERT_EQ(foreign.size(), std::size_t{4} * threads * each);
  for (std::size_t i = 0; i < foreign.size(); i += 4) {
    ASSERT_EQ(foreign[i].kind, transfer_task);
    ASSERT_EQ(foreign[i + 1].kind, transfer_time);
    ASSERT_EQ(foreign[i + 2].kind, transfer_time);
    ASSERT_EQ(foreign[i + 3].kind, transfer);
    const auto what = unpack<transfer_of>(foreign[i + 3].argument);
    ASSERT_EQ(what.bytes, foreign[i].argument);
    ASSERT_TRUE(what.goes == transfer_of::way::from_peer && what.is_early && what.peer == 7);
    ASSERT_EQ(foreign[i + 3].id, ~std::uint32_t{0});
    ASSERT_LE(foreign[i + 1].argument, foreign[i + 2].argument);
  }
  ASSERT_EQ(own.size(), 5u);  // it was for no task
  EXPECT_LE(own[0].ns, static_cast<std::int64_t>(own[2].argument));
  EXPECT_LE(static_cast<std::int64_t>(own[2].argument), own[1].ns);
  EXPECT_EQ(static_cast<std::int64_t>(own[3].argument), own[3].ns);
  EXPECT_EQ(unpack<transfer_of>(own[4].argument).peer, -1);
}

TEST_F(Recorder, ThinsToStreamsWhenAsked) {
  setenv("MASLIN_TRACE", path().c_str(), 1);
  setenv("MASLIN_TRACE_DETAIL", "streams", 1);
  start_from_environment(1);
  const std::uint32_t phase = intern("bootstraps");
  const std::uint32_t kernel = intern("newview");
  record(0, stream_begin, phase, stream_at{3, 0});
  for (int i = 0; i < 1000; ++i) {
    record(0, offload_begin, kernel, 1);
    record(0, offload_end, kernel, 1);
  }
  record(0, stream_end, phase, stream_at{3, 0});
  stop();
  const auto found = events_of(path());
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1].kind, kernel_count);
  EXPECT_EQ(found[1].argument, 1000u);
  EXPECT_EQ(found[2].kind, kernel_total);
  EXPECT_LE(found[2].argument, static_cast<std::uint64_t>(found[3].ns - found[0].ns) + 1);
  EXPECT_TRUE(file(path()).about().only_streams);
}

TEST_F(Recorder, PutsTheProcessNumberForPercentP) {
  setenv("MASLIN_TRACE", path("run-%p.mtrace").c_str(), 1);
  start_from_environment(1);
  stop();
  EXPECT_TRUE(std::filesystem::exists(path("run-" + std::to_string(getpid()) + ".mtrace")));
}

TEST_F(Recorder, StaysOffWithoutTheEnvironment) {
  start_from_environment(1);
  EXPECT_FALSE(on());
  setenv("MASLIN_TRACE", "", 1);
  start_from_environment(1);
  EXPECT_FALSE(on());
}

TEST_F(Recorder, RefusesABadDetail) {
  setenv("MASLIN_TRACE_DETAIL", "some", 1);
  const std::string what = refusal([] { start_from_environment(1); });
  EXPECT_NE(what.find("MASLIN_TRACE_DETAIL=some"), std::string::npos) << what;
  EXPECT_NE(what.find("streams (small"), std::string::npos) << what;
  EXPECT_FALSE(on());
}

TEST_F(Recorder, RefusesAPathWhereNoFileCanBe) {
  std::ofstream(path("regular")) << "x";
  for (const std::string& bad : {folder_.string(), path("absent/run.mtrace"), path("regular/run.mtrace")}) {
    setenv("MASLIN_TRACE", bad.c_str(), 1);
    const std::string what = refusal([] { start_from_environment(1); });
    EXPECT_NE(what.find("MASLIN_TRACE=" + bad), std::string::npos) << what;
    EXPECT_FALSE(on());
  }
  EXPECT_EQ(files_left(), 1u);
}

TEST_F(Recorder, SaysOnceThatTheDiskIsFullAndLeavesTheDeviceAlone) {
  if (::access("/dev/full", W_OK) != 0)
    GTEST_SKIP() << "skipped: /dev/full absent; it is there where /dev is a usual Linux one";
  start("/dev/full", 1);
  for (int i = 0; i < 100'000; ++i) record(0, steal, 0, static_cast<std::uint64_t>(i));
  testing::internal::CaptureStderr();
  stop();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("No space left on device"), std::string::npos) << said;
  EXPECT_NE(said.find("'/dev/full'"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  struct stat there {};
  ASSERT_EQ(stat("/dev/full", &there), 0);
  EXPECT_TRUE(S_ISCHR(there.st_mode));
}

TEST_F(Recorder, WritesADeviceDirectly) {
  start("/dev/null", 1);
  record(0, park);
  testing::internal::CaptureStderr();
  stop();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Recorder, LetsTheChildOfAForkGoOn) {
  start(path(), 1);
  record(0, park);
  const pid_t child = fork();
  if (child == 0) {
    forget_after_fork();
    bool right = !on();
    record(0, unpark);
#ifdef __SANITIZE_THREAD__
    _exit(right ? 0 : 1);  // ThreadSanitizer allows no new thread behind a fork
#endif
    setenv("MASLIN_TRACE", path("child.mtrace").c_str(), 1);
    start_from_environment(1);
    record(0, steal);
    record(-1, steal);
    stop();
    right = right && std::filesystem::exists(path("child.mtrace." + std::to_string(getpid())));
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  record(0, unpark);
  stop();
  EXPECT_EQ(events_of(path()).size(), 2u);
#ifdef __SANITIZE_THREAD__
  return;
#endif
  EXPECT_EQ(events_of(path("child.mtrace." + std::to_string(child))).size(), 2u);
}

TEST_F(Recorder, LeavesNothingWhenTheProcessIsKilled) {
  const pid_t child = fork();
  if (child == 0) {
    start(path(), 1);
    for (int i = 0; i < 200'000; ++i) record(0, steal, 0, static_cast<std::uint64_t>(i) << 40);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace maslin::trace
