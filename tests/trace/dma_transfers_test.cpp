// Which transfers `maslin dma` makes of the tasks of a trace.

#include "dma_transfers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>

#include "maslin/error.hpp"
#include "trace/recorder.hpp"

namespace {

namespace trace = maslin::trace;
namespace dma = maslin::dma;
using enum trace::event_kind;

class DmaTransfers : public ::testing::Test {
 protected:
  DmaTransfers()
      : path_(std::filesystem::temp_directory_path() /
              ("maslin_dma_transfers_" + std::to_string(getpid()) + ".mtrace")) {
    trace::start(path_, 3);
  }
  ~DmaTransfers() override { std::filesystem::remove(path_); }

  static void accesses(int worker, const char* form, std::uint64_t address) {
    trace::record(worker, accessed, trace::intern(form), address);
  }
  transfers read() const {
    trace::stop();
    return transfers_of(trace::file(path_), path_);
  }

  std::string path_;
};

TEST_F(DmaTransfers, AreGetsWhereATaskBeginsAndPutsWhereItEnds) {
  trace::record(0, task_create, 0, 7);
  accesses(0, "in 512", 0x1000);
  accesses(0, "out 256", 0x2000);
  accesses(0, "inout 128", 0x3000);
  trace::record(0, member, 0, 1);
  trace::record(1, task_begin, 0, 7);
  trace::record(1, task_suspend, 0, 7);
  trace::record(2, task_resume, 0, 7);
  trace::record(2, task_end, 0, 7);
  const transfers all = read();
  EXPECT_EQ(all.tasks, 1u);
  EXPECT_EQ(all.bytes, 512u + 256 + 2 * 128);
  ASSERT_EQ(all.operations.size(), 4u);
  const auto expect = [&](std::size_t i, int worker, std::uint64_t address, std::uint64_t bytes, dma::direction way) {
    EXPECT_EQ(all.operations[i].worker, worker) << i;
    EXPECT_EQ(all.operations[i].address, address) << i;
    EXPECT_EQ(all.operations[i].bytes, bytes) << i;
    EXPECT_EQ(all.operations[i].way, way) << i;
  };
  expect(0, 1, 0x1000, 512, dma::direction::get);
  expect(1, 1, 0x3000, 128, dma::direction::get);
  expect(2, 2, 0x2000, 256, dma::direction::put);
  expect(3, 2, 0x3000, 128, dma::direction::put);
  EXPECT_LE(all.operations[0].start_ps, all.operations[3].start_ps);
}

TEST_F(DmaTransfers, OfATileAreOneAColumn) {
  trace::record(0, task_create, 0, 7);
  accesses(0, "in 512 x 3 / 4096", 0x1000);
  trace::record(0, task_begin, 0, 7);
  trace::record(0, task_end, 0, 7);
  const transfers all = read();
  EXPECT_EQ(all.bytes, 3u * 512);
  ASSERT_EQ(all.operations.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(all.operations[i].address, 0x1000 + 4096 * i);
}

TEST_F(DmaTransfers, OfTasksThatRunAtOnceAndInEachOtherAreTheirOwn) {
  trace::record(0, task_create, 0, trace::ran_at_once);
  accesses(0, "inout 128", 0x1000);
  trace::record(0, task_begin, 0, trace::ran_at_once);
  trace::record(0, task_create, 0, trace::ran_at_once);
  accesses(0, "inout 256", 0x2000);
  trace::record(0, task_begin, 0, trace::ran_at_once);
  trace::record(0, task_end, 0, trace::ran_at_once);
  trace::record(0, task_end, 0, trace::ran_at_once);
  const transfers all = read();
  EXPECT_EQ(all.tasks, 2u);
  std::vector<std::uint64_t> lengths;
  for (const dma::operation& o : all.operations) lengths.push_back(o.bytes);
  EXPECT_EQ(lengths, (std::vector<std::uint64_t>{128, 256, 256, 128}));
}

/// The accesses of a wait follow it like those of a task.
TEST_F(DmaTransfers, LeaveOutWhatWaitsName) {
  trace::record(0, task_create, 0, 7);
  accesses(0, "in 512", 0x1000);
  trace::record(0, wait_begin, 0, 0);
  accesses(0, "in 4096", 0x8000);
  trace::record(0, task_begin, 0, 7);
  trace::record(0, task_end, 0, 7);
  trace::record(0, wait_end, 0, 0);
  EXPECT_EQ(read().bytes, 512u);
}

TEST_F(DmaTransfers, AreRefusedWhereTheyLieOutsideMemoryOrCannotBeCounted) {
  const auto refusal = [this](std::initializer_list<std::pair<const char*, std::uint64_t>> all) {
    trace::stop();
    trace::start(path_, 3);
    trace::record(0, task_create, 0, 7);
    for (const auto& [form, address] : all) accesses(0, form, address);
    trace::record(0, task_begin, 0, 7);
    trace::record(0, task_end, 0, 7);
    try {
      (void)read();
    } catch (const maslin::error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  constexpr const char* outside = "lies outside all memory";
  EXPECT_NE(refusal({{"in 4611686018427387904 x 4 / 4611686018427387904", 0}}).find(outside), std::string::npos);
  EXPECT_NE(refusal({{"in 16 x 9223372036854775807 / 9223372036854775807", 0}}).find(outside), std::string::npos);
  EXPECT_NE(refusal({{"in 1 x 1099511627776 / 1", 0}}).find(outside), std::string::npos);
  EXPECT_NE(refusal({{"in 4096", ~std::uint64_t{0} - 8}}).find(outside), std::string::npos);
  constexpr const char* all_memory = "in 9223372036854775808";
  EXPECT_NE(refusal({{all_memory, 0}, {all_memory, 0}}).find("more bytes together"), std::string::npos);
}

TEST_F(DmaTransfers, AreRefusedWhereNoTaskNamesData) {
  trace::record(0, task_create, 0, 7);
  trace::record(0, task_begin, 0, 7);
  trace::record(0, task_end, 0, 7);
  EXPECT_THROW(read(), maslin::error);
}

}  // namespace
