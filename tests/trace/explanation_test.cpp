// What `maslin explain` says of a run.

#include "explanation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "maslin/maslin.hpp"
#include "run_report.hpp"
#include "sanitized.hpp"
#include "trace/recorder.hpp"

namespace ms = maslin;

namespace {

/// Runs the program on workers, two if nothing is said; gives its trace.
template <class Program>
ms::trace::file traced(const char* name, Program&& program, const char* detail = "all", int workers = 2) {
  const std::string path = testing::TempDir() + name + ".mtrace";
  setenv("MASLIN_TRACE", path.c_str(), 1);
  setenv("MASLIN_TRACE_DETAIL", detail, 1);
  {
    ms::Runtime r({.workers = workers, .serial = false});
    program();
  }
  unsetenv("MASLIN_TRACE");
  return ms::trace::file(path);
}

TEST(Explanation, OfAnEarlierMaslinSTraceSaysWhatWasChosen) {
  const ms::trace::file trace(std::string(TRACE_TESTDATA) + "/fungi-v1.mtrace");
  const explanation all = explain(trace);
  ASSERT_EQ(all.phases.size(), 1u);
  const phase_decisions& phase = all.phases.front();
  ASSERT_TRUE(phase.chosen);
  EXPECT_EQ(phase.pinned_by, "");
  EXPECT_TRUE(phase.estimates.empty());
  const std::string text = explanation_text(all);
  EXPECT_NE(text.find("ran in 2x1, then 1x1 (streams x width)"), std::string::npos) << text;
  EXPECT_NE(text.find("is of an earlier Maslin"), std::string::npos) << text;
  EXPECT_NE(explanation_json(all).find("\"chosen\""), std::string::npos);
}

/// What a run's trace and its report hold of the same phases.
struct twice_told {
  explanation by_trace, by_report;
};

/// Runs two phases under the policy, on two workers or on a described machine of sixteen.
twice_told run_twice_told(const char* policy, bool described, const std::string& learned = "off") {
  const std::string at = testing::TempDir() + "twice_told";
  const std::pair<const char*, std::string> settings[] = {
      {"MASLIN_GRAIN", policy},         {"MASLIN_REPORT", at + ".json"},
      {"MASLIN_TRACE", at + ".mtrace"}, {"MASLIN_TRACE_DETAIL", "streams"},
      {"MASLIN_LEARNED", learned},      {"MASLIN_MACHINE", described ? at + ".toml" : ""},
      {"MASLIN_DURATIONS", "declared"}, {"MASLIN_QUIET", "1"}};
  std::ofstream(at + ".toml") << R"(
name = "sixteen"
[workers]
kind = "cpu"
count = 16
source = "this test"
)";
  std::vector<std::pair<std::string, std::optional<std::string>>> before;
  for (const auto& [name, value] : settings) {
    const char* const was = std::getenv(name);
    before.emplace_back(name, was ? std::optional<std::string>(was) : std::nullopt);
    setenv(name, value.c_str(), 1);
  }
  {
    const ms::Runtime r({.workers = described ? 16 : 2, .serial = false});
    std::atomic<double> sum{0};
    for (const auto& [name, streams] : {std::pair{"many", 40}, std::pair{"three", 3}})
      ms::phase(name, streams, [&](std::int64_t stream) {
        for (int k = 0; k < (described ? 400 : 60); ++k) {
          ms::cost(std::chrono::microseconds(20 + 5 * (stream % 3)));
          ms::parallel_for(
              0, 16,
              [&](ms::range range) {
                ms::cost(range.size() * std::chrono::microseconds(5));
                double x = 1;
                for (std::int64_t i = 0; i < range.size() * (described ? 1 : 1000); ++i) x += 1 / x;
                sum += x;
              },
              ms::block{1});
        }
      });
  }
  for (const auto& [name, value] : before) value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  return {explain(ms::trace::file(at + ".mtrace")), read_run_report(at + ".json")};
}

/// Gives what is said of each phase's configuration, but not how long the phase took.
std::string said_of_sizing(const explanation& all) {
  std::istringstream text(explanation_text(all));
  std::string said;
  bool in_phase = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("phase "))
      said += line.substr(0, line.find(':')) + '\n', in_phase = true;
    else if (line.empty() || line.starts_with("  waited by") || line.find(" of CPU time") != std::string::npos)
      in_phase = false;
    else if (in_phase)
      said += line + '\n';
  }
  return said;
}

TEST(Explanation, OfATraceIsThatOfTheReport) {
  for (const bool described : {false, true})
    for (const char* policy : {"auto", "s-mgps", "s-mgps:work", "mgps", "edtlp"}) {
      const twice_told run = run_twice_told(policy, described);
      const std::string said = said_of_sizing(run.by_trace);
      EXPECT_EQ(said, said_of_sizing(run.by_report)) << policy;
      for (const char* phase : {"phase many\n", "phase three\n"})
        EXPECT_NE(said.find(phase), std::string::npos) << said;
      if (described && policy == std::string("auto")) {
        EXPECT_NE(said.find("<- chosen"), std::string::npos) << said;
        EXPECT_NE(said.find("when it was chosen"), std::string::npos) << said;
        EXPECT_NE(said.find("3x5+1"), std::string::npos) << said;
      }
      for (const explanation* one : {&run.by_trace, &run.by_report})
        for (const phase_decisions& p : one->phases)
          if (p.chosen && !p.estimates.empty()) {
            EXPECT_TRUE(std::ranges::count(p.estimates, *p.chosen, &ms::phase_estimate::under) == 1) << said;
          }
    }
}

TEST(Explanation, SaysWhatIsKnownFromAnEarlierRun) {
  const std::string learned = testing::TempDir() + "twice_told.learned";
  std::remove(learned.c_str());
  EXPECT_EQ(said_of_sizing(run_twice_told("auto", true, learned).by_trace).find("earlier run"), std::string::npos);
  const twice_told again = run_twice_told("auto", true, learned);
  const std::string said = said_of_sizing(again.by_trace);
  EXPECT_NE(said.find("known from an earlier run"), std::string::npos) << said;
  EXPECT_EQ(said, said_of_sizing(again.by_report));
}

/// Gives what is said of one phase.
std::string said_of(phase_decisions p) {
  explanation all;
  p.name = "p";
  p.policy = p.policy.empty() ? "auto" : p.policy;
  p.unit = "worker-seconds of work";
  all.phases = {std::move(p)};
  return said_of_sizing(all);
}

TEST(Explanation, TheReasonTheTableAndTheMarginAgree) {
  phase_decisions p;
  p.chosen = {2, 1};
  p.choices = {{{2, 1}, 1.96}};
  p.estimates = {{{2, 1}, 1.95, 0.015, 3}, {{1, 2}, 1.23, 0.04, 1}};
  EXPECT_EQ(said_of(p),
            "phase p\n"
            "  ran in 2x1 (streams x width): of what is known it completes most work per second (policy auto; "
            "MASLIN_GRAIN names another)\n"
            "        2x1    3 samples  1.95 ± 0.03 worker-seconds of work per second  <- chosen\n"
            "        1x2    1 sample   1.23 ± 0.05 worker-seconds of work per second\n"
            "  it was 58.5 % ahead of 1x2, the next; the error of that is 6.8 %\n"
            "  when it was chosen 1.96 was expected; by the end it was 1.95\n"
            "  pin it: MASLIN_PIN=\"p=2x1\"\n");
  p.estimates = {{{1, 2}, 1.954, 0.04, 0}, {{2, 1}, 1.95, 0.015, 3}};
  EXPECT_EQ(said_of(p),
            "phase p\n"
            "  ran in 2x1 (streams x width): it is as good as 1x2, to half a percent, and was already in use (policy "
            "auto; MASLIN_GRAIN names another)\n"
            "        1x2    0 samples  1.95 ± 0.08 worker-seconds of work per second, known from an earlier run\n"
            "        2x1    3 samples  1.95 ± 0.03 worker-seconds of work per second  <- chosen\n"
            "  2x1 and 1x2 cannot be told apart: they differ by 0.2 %, and the error of that is 4.3 %\n"
            "  when it was chosen 1.96 was expected; by the end it was 1.95\n"
            "  pin it: MASLIN_PIN=\"p=2x1\"\n");
  p.policy = "s-mgps";
  p.chosen = {1, 2, 1};
  p.estimates = {{{2, 1}, 1234, std::nullopt, 1}, {{1, 2, 1}, 0.01234, 0.001, 2}};
  EXPECT_EQ(said_of(p),
            "phase p\n"
            "  ran in 1x2+1 (streams x width): the policy's rule says so (policy s-mgps; MASLIN_GRAIN names "
            "another)\n"
            "        2x1    1 sample   1234 worker-seconds of work per second\n"
            "      1x2+1    2 samples  0.01234 ± 0.00001 worker-seconds of work per second  <- chosen\n"
            "    +N: N of the teams have one worker more\n"
            "  it was 100.0 % behind 2x1, the next; how sure that is, single samples do not say\n"
            "  pin it: MASLIN_PIN=\"p=1x2\"\n");
}

TEST(Explanation, SaysThatAPolicyDecidedWithoutSamples) {
  setenv("MASLIN_GRAIN", "edtlp", 1);
  const ms::trace::file trace = traced("edtlp", [] { ms::phase("streams", 4, [](std::int64_t) {}); });
  unsetenv("MASLIN_GRAIN");
  const explanation all = explain(trace);
  ASSERT_EQ(all.phases.size(), 1u);
  EXPECT_TRUE(all.phases[0].chosen);
  EXPECT_TRUE(all.phases[0].estimates.empty());
  const std::string text = explanation_text(all);
  EXPECT_NE(text.find("ran in 2x1 (streams x width): nothing was sampled"), std::string::npos) << text;
}

TEST(Explanation, SaysHowAPhaseWaitedAndWhatItTookOfTheCpus) {
  const auto phase = [] { ms::phase("streams", 4, [](std::int64_t) {}); };
  setenv("MASLIN_WAIT", "yield", 1);
  const ms::trace::file named = traced("named_wait", phase, "streams");
  unsetenv("MASLIN_WAIT");
  std::string text = explanation_text(explain(named));
  EXPECT_NE(text.find("waited by yield (MASLIN_WAIT says so)"), std::string::npos) << text;
  EXPECT_EQ(text.find("MASLIN_PIN=\"wait="), std::string::npos) << text;
  EXPECT_NE(text.find("s of CPU time"), std::string::npos) << text;
  const std::string json = explanation_json(explain(named));
  EXPECT_NE(json.find("\"policy\": \"yield\""), std::string::npos) << json;

  const ms::trace::file learned = traced("learned_wait", phase);
  const explanation all = explain(learned);
  ASSERT_EQ(all.phases.size(), 1u);
  ASSERT_TRUE(all.phases[0].cpu_ns);
  EXPECT_EQ(all.phases[0].waiting_reason.substr(0, 6), "auto: ") << all.phases[0].waiting_reason;
  text = explanation_text(all);
  EXPECT_NE(text.find("pin that: MASLIN_PIN=\"wait=" + all.phases[0].waiting), std::string::npos) << text;
}

TEST(Explanation, SaysWhichLoopsWereTooSmallToShare) {
  std::atomic<long> ran{0};
  const ms::trace::file trace = traced("loops", [&] {
    for (int i = 0; i < 500; ++i)
      ms::parallel_for(
          0, 2, [&](ms::range) { ++ran; }, ms::block{1});
    for (int i = 0; i < 20; ++i)
      ms::parallel_for(
          0, 4, [&](ms::range) { ++ran; }, ms::schedule::dbs, ms::block{1});
  });
  ASSERT_EQ(ran, 1080);
  const explanation all = explain(trace);
  ASSERT_EQ(all.loops.size(), 2u);
  std::uint64_t alone = 0;
  for (const auto& [site, l] : all.loops) {
    EXPECT_NE(site.find("explanation_test.cpp:"), std::string::npos) << site;
    EXPECT_EQ(l.shared + l.alone, l.loops);
    if (l.loops == 20) {
      EXPECT_EQ(l.alone, 0u) << "a loop that names its schedule is shared";
    } else {
      EXPECT_EQ(l.loops, 500u);
      alone = l.alone;
    }
  }
  // Sanitized loops take longer, so it may be that none is too small.
  if (alone > 0) {
    EXPECT_NE(explanation_text(all).find("too small to gain from a team"), std::string::npos);
  } else {
    EXPECT_TRUE(sanitized) << "every loop was shared";
  }
}

TEST(Explanation, SaysWhichTasksTheirCreatorRanAtOnce) {
  long ran = 0;
  const ms::trace::file trace = traced("at_once", [&] {
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < 1000; ++i) ms::task([](ms::view<long> v) { ++v[0]; }, ms::inout(ran));
      ms::wait();  // now the site is known
      for (int i = 0; i < 1000; ++i) ms::task([](ms::view<long> v) { ++v[0]; }, ms::inout(ran), ms::priority{1});
      ms::wait();
    }
  });
  ASSERT_EQ(ran, 10000);
  const explanation all = explain(trace);
  ASSERT_EQ(all.tasks.size(), 2u);
  std::uint64_t at_once = 0;
  for (const auto& [site, t] : all.tasks) {
    EXPECT_NE(site.find("explanation_test.cpp:"), std::string::npos) << site;
    EXPECT_EQ(t.handed_over + t.at_once, 5000u);
    EXPECT_GT(t.handed_over, 0u) << "the first ones, which nobody knew yet";
    at_once += t.at_once;
  }
  // Sanitized bodies take longer, so it may be that none is too small.
  if (at_once > 0) {
    EXPECT_NE(explanation_text(all).find("MASLIN_AT_ONCE=0"), std::string::npos);
  } else {
    EXPECT_TRUE(sanitized) << "every task was handed over";
  }
}

// A worker that loses its core when a task is over must not leave its number to another task before its end is
// recorded: three workers on two cores, few tasks at a time, so that numbers come again soon.
TEST(Explanation, FindsEachTaskSNumberFreeWhenItIsCreated) {
  std::array<long, 64> data{};
  const int all = 100000;
  const auto program = [&] {
    for (int i = 0; i < all; ++i) {
      ms::task([](ms::view<long> v) { ++v[0]; }, ms::inout(data[static_cast<std::size_t>(i) % data.size()]));
      if (i % 5 == 4) ms::wait();
    }
  };
  setenv("MASLIN_AT_ONCE", "0", 1);
  const ms::trace::file trace = traced("numbers", program, "all", 3);
  unsetenv("MASLIN_AT_ONCE");
  std::unordered_set<std::uint64_t> alive;
  int created = 0;
  trace.each_event([&](const ms::trace::event& e) {
    using enum ms::trace::event_kind;
    if (e.kind == task_create) {
      EXPECT_TRUE(alive.insert(e.argument).second) << "the task before has not ended";
      ++created;
    }
    if (e.kind == task_end) {
      EXPECT_EQ(alive.erase(e.argument), 1u);
    }
  });
  EXPECT_EQ(created, all);
  EXPECT_EQ(std::accumulate(data.begin(), data.end(), 0L), all);
}

TEST(Explanation, CountsLoopsWhoseCallersTakeTurnsOnAWorker) {
  namespace trace = ms::trace;
  using enum trace::event_kind;
  const std::string path = testing::TempDir() + "turns.mtrace";
  trace::start(path, 2, trace::detail_level::all);
  const std::uint32_t sites[]{trace::intern("one.cpp:1"), trace::intern("two.cpp:2")};
  const auto task = [&](int worker, trace::event_kind kind, std::uint64_t which) {
    trace::record(worker, kind, sites[which], which);
  };
  const auto loop = [&](int worker, trace::event_kind kind, std::uint64_t which) {
    trace::record(worker, kind, sites[which], trace::loop_shape{8, 2});
  };
  for (const std::uint64_t which : {0, 1}) {
    task(0, task_begin, which);
    loop(0, loop_begin, which);
    trace::record(0, suspend, 0, which);
  }
  for (const int which : {0, 1}) {  // one goes on where it was, the other elsewhere
    trace::record(which, resume, 0, static_cast<std::uint64_t>(which));
    loop(which, loop_end, static_cast<std::uint64_t>(which));
    task(which, task_end, static_cast<std::uint64_t>(which));
  }
  trace::stop();
  const explanation all = explain(trace::file(path));
  ASSERT_EQ(all.loops.size(), 2u);
  for (const auto& [site, l] : all.loops) {
    EXPECT_EQ(l.loops, 1u) << site;
    EXPECT_EQ(l.shared, 1u) << site;
    EXPECT_EQ(l.blocks, 8u) << site;
  }
}

TEST(Explanation, ListsKernelsThatRanOnHosts) {
  namespace trace = ms::trace;
  using enum trace::event_kind;
  const std::string path = testing::TempDir() + "kernels.mtrace";
  trace::start(path, 1, trace::detail_level::all);
  const std::uint32_t small = trace::intern("small"), large = trace::intern("large");
  for (const auto& [kernel, width] :
       {std::pair{small, std::uint64_t{2}}, std::pair{small, trace::on_host}, std::pair{large, std::uint64_t{2}}}) {
    trace::record(0, offload_begin, kernel, width);
    trace::record(0, offload_end, kernel, width);
  }
  trace::stop();
  const trace::file read(path);
  const explanation all = explain(read);
  EXPECT_EQ(all.kernels.at("small").on_host, 1u);
  EXPECT_EQ(all.kernels.at("small").off_loaded, 1u);
  EXPECT_EQ(all.kernels.at("large").on_host, 0u);
  const std::string text = explanation_text(all);
  EXPECT_NE(text.find("kernel small: 2 times"), std::string::npos) << text;
  EXPECT_NE(text.find("MASLIN_PIN=\"small=accelerator\""), std::string::npos) << text;
  EXPECT_EQ(text.find("kernel large"), std::string::npos) << text;
}

TEST(Explanation, SaysWhoseLimitALibraryHas) {
  namespace trace = ms::trace;
  const std::string path = testing::TempDir() + "libraries.mtrace";
  trace::start(path, 1, trace::detail_level::streams);
  trace::record(0, trace::event_kind::library, trace::intern("OpenBLAS 0.3.21 (pthreads)"), 1);
  trace::record(0, trace::event_kind::library, trace::intern("OpenMP (libgomp.so.1)"), 0);
  trace::stop();
  const trace::file read(path);
  const std::string text = explanation_text(explain(read));
  EXPECT_NE(text.find("OpenBLAS 0.3.21 (pthreads): one limit on its threads for the whole process"), std::string::npos);
  EXPECT_NE(text.find("OpenMP (libgomp.so.1): each stream has as many"), std::string::npos);
}

TEST(Explanation, SaysThatAThinTraceHoldsNoLoops) {
  const ms::trace::file trace = traced(
      "thin", [] { ms::parallel_for(0, 100, [](ms::range) {}); }, "streams");
  EXPECT_NE(explanation_text(explain(trace)).find("MASLIN_TRACE_DETAIL=all"), std::string::npos);
}

TEST(Explanation, OfAReportSaysWhatItSaysOfATrace) {
  const explanation all = read_run_report(std::string(TRACE_TESTDATA) + "/run.report.json");
  ASSERT_TRUE(all.report_of);
  EXPECT_EQ(all.report_of->is, process_state::life::ended);
  const std::string text = explanation_text(all);
  for (const char* says : {
           "fungi: 8 workers, 3.500 s\nprocess 4242 on node7 (AMD EPYC), began ",
           "it has ended\n",
           "OpenMP (libgomp.so.1): each stream has as many",
           "phase searches: 101 streams, 3.000 s\n",
           "ran in 4x2 (streams x width): of what is known it completes most work per second (policy auto",
           "    4x2    3 samples  6.50 ± 0.10 worker-seconds of work per second  <- chosen\n",
           "    8x1    1 sample   5.00 ± 0.40 worker-seconds of work per second\n",
           "it was 30.0 % ahead of 8x1, the next; the error of that is 10.6 %\n",
           "when it was chosen 6.00 was expected; by the end it was 6.50\n",
           "pin it: MASLIN_PIN=\"searches=4x2\"\n",
           "waited by park (auto: few waits so far)\n",
           "loops of kernels are given out by a host, which is faster here (MASLIN_MASTER)\n",
           "21.000 s of CPU time: 7.00 CPUs busy\n",
           "phase support: 10 streams, 4 done so far, 0.500 s; the last of 12 of that name\n",
           "nothing is chosen yet: s-mgps still tries what pays\n  now in 1x8\n",
           "    1x8    1 sample   1000 off-loads per second\n",
           "pin all of that: MASLIN_PIN=\"searches=4x2,wait=park\"\n",
           "MASLIN_TRACE=run.mtrace fungi",
       })
    EXPECT_NE(text.find(says), std::string::npos) << says << "\nis not in\n" << text;
}

}  // namespace
