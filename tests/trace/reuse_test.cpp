// Where `maslin trace reuse` lets the tasks of a trace find their data.

#include "reuse.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "maslin/error.hpp"
#include "trace/recorder.hpp"

namespace {

namespace trace = maslin::trace;
using enum trace::event_kind;
using maslin::reuse::bytes_found;

constexpr std::uint64_t kb = 1024;

class Reuse : public ::testing::Test {
 protected:
  Reuse() : path_(std::filesystem::temp_directory_path() / ("maslin_reuse_" + std::to_string(getpid()) + ".mtrace")) {
    trace::start(path_, 2);
    trace::record(0, worker_start);
    trace::record(1, worker_start);
  }
  ~Reuse() override { std::filesystem::remove(path_); }

  /// A task of that line, which names one piece of data, is created by worker 0 and run by `worker`.
  void task(const char* line, int worker, const char* form, std::uint64_t address) {
    const std::uint32_t site = trace::intern(line);
    trace::record(0, task_create, site, ++number_);
    trace::record(0, accessed, trace::intern(form), address);
    trace::record(worker, task_begin, site, number_);
    trace::record(worker, task_end, site, number_);
  }
  reuse read(std::uint64_t own, std::uint64_t shared) const {
    trace::record(0, worker_stop);
    trace::record(1, worker_stop);
    trace::stop();
    return reuse_of(path_, {.workers = 2, .own_bytes = own, .shared_bytes = shared});
  }

  std::string path_;
  std::uint64_t number_ = 0;
};

TEST_F(Reuse, SaysForEachLineWhereItsTasksFindTheirData) {
  task("a.cpp:1", 0, "inout 4096", 1 << 20);
  task("a.cpp:2", 0, "in 4096", 1 << 20);   // its own
  task("a.cpp:2", 1, "in 4096", 1 << 20);   // worker 0's
  task("a.cpp:3", 1, "in 65536", 2 << 20);  // pushes everything out of worker 1's
  task("a.cpp:2", 1, "in 4096", 1 << 20);   // worker 0 has it still
  task("a.cpp:3", 0, "in 65536", 3 << 20);
  task("a.cpp:2", 1, "in 2048", 2 << 20);  // in the cache for all
  task("a.cpp:2", 1, "in 1024", 1 << 20);  // its own since two tasks
  const reuse r = read(8 * kb, 256 * kb);
  ASSERT_EQ(r.lines.size(), 3u);
  EXPECT_EQ(r.lines[0].line, "a.cpp:3");
  EXPECT_EQ(r.lines[0].bytes, (bytes_found{0, 0, 0, 0, 2 * 65536}));
  EXPECT_EQ(r.lines[1].line, "a.cpp:1");
  EXPECT_EQ(r.lines[1].bytes, (bytes_found{0, 0, 0, 0, 4096}));
  EXPECT_EQ(r.lines[2].line, "a.cpp:2");
  EXPECT_EQ(r.lines[2].count, 5u);
  EXPECT_EQ(r.lines[2].bytes, (bytes_found{4096 + 1024, 2 * 4096, 2048, 0, 0}));
  EXPECT_EQ(r.all.count, 8u);
}

TEST_F(Reuse, TellsWhatWasUsedBeforeFromWhatIsNew) {
  task("a.cpp:1", 0, "inout 16384", 0x10000);
  task("a.cpp:1", 0, "inout 16384", 0x10000);
  EXPECT_EQ(read(8 * kb, 0).all.bytes, (bytes_found{0, 0, 0, 16384, 16384}));
}

TEST_F(Reuse, OfATileIsThatOfItsColumns) {
  task("a.cpp:1", 0, "in 512 x 3 / 4096", 0x10000);
  task("a.cpp:1", 0, "in 9216", 0x10000);
  EXPECT_EQ(read(64 * kb, 0).all.bytes, (bytes_found{3 * 512, 0, 0, 0, 3 * 512 + 9216 - 3 * 512}));
}

TEST_F(Reuse, IsTheSameInEachForm) {
  task("<&a.cpp:1", 0, "in 1000000", 1 << 20);
  task("<&a.cpp:1", 1, "in 1000000", 1 << 20);
  const reuse r = read(4096 * kb, 0);
  const auto json = nlohmann::json::parse(reuse_json(r));
  EXPECT_EQ(json["all"]["peer"], 1000000);
  EXPECT_EQ(json["lines"][0]["memory_first"], 1000000);
  EXPECT_EQ(json["lines"][0]["line"], "<&a.cpp:1");
  EXPECT_NE(reuse_text(r).find("2 tasks on 2 workers use 2 MB"), std::string::npos) << reuse_text(r);
  EXPECT_NE(reuse_text(r).find("50.0 %"), std::string::npos) << reuse_text(r);
  EXPECT_NE(reuse_svg(r).find("a peer's: 1 MB, 50.0 %"), std::string::npos) << reuse_svg(r);
  EXPECT_NE(reuse_svg(r).find("&lt;&amp;a.cpp:1"), std::string::npos);
}

TEST_F(Reuse, OfATraceWithoutDataIsRefused) {
  trace::record(0, task_create, trace::intern("a.cpp:1"), 1);
  trace::record(0, task_begin, trace::intern("a.cpp:1"), 1);
  trace::record(0, task_end, trace::intern("a.cpp:1"), 1);
  try {
    read(8 * kb, 0);
    FAIL();
  } catch (const maslin::error& e) {
    EXPECT_NE(std::string(e.what()).find("does not tell where tasks found their data: none of its tasks names data"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
