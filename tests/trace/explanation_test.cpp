// What `maslin explain` says of a run.

#include "explanation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "maslin/maslin.hpp"
#include "run_report.hpp"
#include "sanitized.hpp"
#include "trace/recorder.hpp"

namespace ms = maslin;

namespace {

/// Runs the program on two workers; gives its trace.
template <class Program>
ms::trace::file traced(const char* name, Program&& program, const char* detail = "all") {
  const std::string path = testing::TempDir() + name + ".mtrace";
  setenv("MASLIN_TRACE", path.c_str(), 1);
  setenv("MASLIN_TRACE_DETAIL", detail, 1);
  {
    ms::Runtime r({.workers = 2, .serial = false});
    program();
  }
  unsetenv("MASLIN_TRACE");
  return ms::trace::file(path);
}

TEST(Explanation, SaysWhatWasTriedChosenAndHowToPinIt) {
  const ms::trace::file trace(std::string(TRACE_TESTDATA) + "/fungi-v1.mtrace");
  const explanation all = explain(trace);
  ASSERT_EQ(all.phases.size(), 1u);
  const phase_decisions& phase = all.phases.front();
  EXPECT_TRUE(phase.decided);
  EXPECT_EQ(phase.pinned_by, "");
  ASSERT_GE(phase.configurations.size(), 2u);
  for (const auto& tried : phase.configurations) EXPECT_GT(tried.samples, 0);
  const std::string text = explanation_text(all);
  const std::string pin = "MASLIN_PIN=\"" + phase.name + "=" + std::to_string(phase.chosen.streams) + "x" +
                          std::to_string(phase.chosen.width) + "\"";
  EXPECT_NE(text.find(pin), std::string::npos) << text;
  EXPECT_NE(text.find("<- chosen"), std::string::npos) << text;
  EXPECT_NE(explanation_json(all).find("\"chosen\""), std::string::npos);
}

TEST(Explanation, SaysThatAPolicyDecidedWithoutSamples) {
  setenv("MASLIN_GRAIN", "edtlp", 1);
  const ms::trace::file trace = traced("edtlp", [] { ms::phase("streams", 4, [](std::int64_t) {}); });
  unsetenv("MASLIN_GRAIN");
  const explanation all = explain(trace);
  ASSERT_EQ(all.phases.size(), 1u);
  EXPECT_TRUE(all.phases[0].decided);
  EXPECT_TRUE(all.phases[0].configurations.empty());
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
           "ran in 4x2 (streams x width): of what was tried it completed most work per second (policy auto",
           "    8x1    1 samples, 5 worker-seconds of work per second (5 to 5)\n",
           "    4x2    2 samples, 6 worker-seconds of work per second (5 to 7)  <- chosen\n",
           "it was +20.0 % against 8x1, the next\n",
           "expected of it 6, measured afterwards 6.5\n",
           "pin it: MASLIN_PIN=\"searches=4x2\"\n",
           "waited by park (auto: few waits so far)\n",
           "21.000 s of CPU time: 7.00 CPUs busy\n",
           "phase support: 10 streams, 4 done so far, 0.500 s; the last of 12 of that name\n",
           "nothing is chosen yet: s-mgps still tries what pays\n  now in 1x8\n",
           "    1x8    1 samples, 1e+03 off-loads per second (1e+03 to 1e+03)\n",
           "pin all of that: MASLIN_PIN=\"searches=4x2,wait=park\"\n",
           "MASLIN_TRACE=run.mtrace fungi",
       })
    EXPECT_NE(text.find(says), std::string::npos) << says << "\nis not in\n" << text;
}

TEST(Explanation, MeasuresTheRestOfAPhaseWhosePolicyTakesNoMoreSamples) {
  std::ifstream in(std::string(TRACE_TESTDATA) + "/run.report.json");
  std::string text(std::istreambuf_iterator<char>(in), {});
  const std::string last = ",\n    {\"under\": {\"streams\": 4, \"width\": 2, \"wider\": 0}, \"work\": 0.65";
  const std::size_t at = text.find(last);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, text.find('}', text.find("seconds", at)) + 1 - at);
  const std::string path = testing::TempDir() + "rest.report.json";
  std::ofstream(path) << text;
  const explanation all = read_run_report(path);
  EXPECT_NEAR(all.phases.at(0).later.mean(), (20 - 2) / (3 - 0.5), 1e-9);
}

}  // namespace
