// MASLIN_RANK_PLACE: which worker has which rank.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ranks.hpp"

namespace {

/// Gives, for each rank, the first one that runs on the same thread.
std::vector<int> first_on_its_worker(int count) {
  std::vector<std::thread::id> threads(static_cast<std::size_t>(count));
  ms::ranks(count, [&](ms::communicator& world) {
    threads[static_cast<std::size_t>(world.rank())] = std::this_thread::get_id();
    world.barrier();
  });
  std::vector<int> first;
  for (const std::thread::id& one : threads)
    first.push_back(static_cast<int>(std::find(threads.begin(), threads.end(), one) - threads.begin()));
  return first;
}

/// A file that says on which worker each of six ranks is: on two by turns, but the last two the other way.
const std::string file =
    (std::filesystem::temp_directory_path() / ("ranks_place." + std::to_string(getpid()))).string();
const char* const file_name = file.c_str();

template <const char* const& how>
class placed_so : setting_is, public Promise {
 protected:
  placed_so() : setting_is("MASLIN_RANK_PLACE", how) {}
  void SetUp() override {
    std::ofstream(file) << "0 1 0 1 1 0\n";
    Promise::SetUp();
  }
  void TearDown() override {
    Promise::TearDown();
    std::filesystem::remove(file);
  }
  /// Of workers that are threads, of which a rank is told apart.
  static bool are(int workers) { return GetParam().workers == workers && !GetParam().described && !GetParam().host; }
};

constexpr const char *block = "block", *cyclic = "cyclic", *nowhere = "/no/such/place";

using RanksInBlocks = placed_so<block>;
TEST_P(RanksInBlocks, StayTogether) {
  if (are(2)) {
    EXPECT_EQ(first_on_its_worker(6), (std::vector{0, 0, 0, 3, 3, 3}));
  }
}
MASLIN_ON_EVERY_EXECUTOR(RanksInBlocks);

using RanksDealtOut = placed_so<cyclic>;
TEST_P(RanksDealtOut, GoToEachWorkerInTurn) {
  if (are(2)) {
    EXPECT_EQ(first_on_its_worker(6), (std::vector{0, 1, 0, 1, 0, 1}));
  }
  if (are(3)) {
    EXPECT_EQ(first_on_its_worker(7), (std::vector{0, 1, 2, 0, 1, 2, 0}));
  }
  EXPECT_EQ(first_on_its_worker(9).size(), 9u);
}
MASLIN_ON_EVERY_EXECUTOR(RanksDealtOut);

using RanksPlacedByAFile = placed_so<file_name>;
TEST_P(RanksPlacedByAFile, AreWhereItSays) {
  if (are(2)) {
    EXPECT_EQ(first_on_its_worker(6), (std::vector{0, 1, 0, 1, 1, 0}));
  }
}
TEST_P(RanksPlacedByAFile, AreAsManyAsItSays) {
  if (ms::workers() < 2) {
    EXPECT_NE(complaint([] { first_on_its_worker(6); }).find("worker 1 of rank 1; expected 0 to 0"), std::string::npos);
  } else {
    EXPECT_NE(
        complaint([] { first_on_its_worker(5); }).find("6 numbers, each of a worker; expected one for each of 5 ranks"),
        std::string::npos);
  }
}
MASLIN_ON_EVERY_EXECUTOR(RanksPlacedByAFile);

using RanksPlacedByNoFile = placed_so<nowhere>;
TEST_P(RanksPlacedByNoFile, Fail) {
  EXPECT_EQ(complaint([] { first_on_its_worker(2); }),
            "MASLIN_RANK_PLACE=/no/such/place: there is no such file; expected block, cyclic or one");
}
MASLIN_ON_EVERY_EXECUTOR(RanksPlacedByNoFile);

}  // namespace
