#include "exec/phase/learned.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace maslin {
namespace {

class Learned : public testing::Test {
 protected:
  Learned() { std::filesystem::create_directories(folder_); }
  ~Learned() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return folder_ / "cache" / "learned"; }
  void write(const std::string& text) const {
    std::filesystem::create_directories(folder_ / "cache");
    std::ofstream(file()) << text;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("learned_test." + std::to_string(getpid()));
};

const grain::knowledge wide{1e-4, {{{1, 8}, 7.5}, {{8, 1}, 5}}};
const grain::knowledge uneven{1e-3, {{{3, 5, 1}, 14}}};

TEST_F(Learned, WhatWasKeptIsThereForTheNextProcess) {
  {
    learned_phases phases("a processor", file());
    EXPECT_TRUE(phases.of("searches", 8, 100).empty());
    phases.keep("searches", 8, 100, wide);
    phases.keep("searches", 16, 100, uneven);
  }
  const learned_phases phases("a processor", file());
  const auto found = phases.of("searches", 8, 100);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(found[0].kernel_seconds, 1e-4);
  ASSERT_EQ(found[0].best.size(), 2u);
  EXPECT_EQ(found[0].best[0].under, (configuration{1, 8}));
  EXPECT_DOUBLE_EQ(found[0].best[0].throughput, 7.5);
  EXPECT_EQ(phases.of("searches", 16, 100)[0].best[0].under, (configuration{3, 5, 1}));
}

TEST_F(Learned, AnotherMachineOrPhaseIsAnother) {
  learned_phases("a processor", file()).keep("searches", 8, 100, wide);
  EXPECT_TRUE(learned_phases("another", file()).of("searches", 8, 100).empty());
  EXPECT_TRUE(learned_phases("a processor", file()).of("others", 8, 100).empty());
  EXPECT_TRUE(learned_phases("a processor", file()).of("searches", 4, 100).empty());
}

TEST_F(Learned, InputsOfDifferentSizesAreKeptBesideEachOtherAndTheLatestOfAsManyStreamsComesFirst) {
  learned_phases phases("a processor", file());
  grain::knowledge large = wide;
  large.kernel_seconds = 1e-2;
  phases.keep("searches", 8, 100, wide);
  phases.keep("searches", 8, 1000, large);
  EXPECT_EQ(phases.of("searches", 8, 100).size(), 2u);
  EXPECT_EQ(phases.of("searches", 8, 100)[0].kernel_seconds, 1e-4);
  EXPECT_EQ(phases.of("searches", 8, 1000)[0].kernel_seconds, 1e-2);
  large.best = {{{2, 4}, 9}};
  phases.keep("searches", 8, 1000, large);
  EXPECT_EQ(phases.of("searches", 8, 1000).size(), 2u) << "the same size again takes its place";
  EXPECT_EQ(phases.of("searches", 8, 1000)[0].best[0].under, (configuration{2, 4}));
}

// Where memory bounds kernels, their time on one worker is another one in each configuration.
TEST_F(Learned, AnInputWhoseKernelsCompleteAsFastIsTheSameWhateverTheyTookOnOneWorker) {
  learned_phases phases("a processor", file());
  grain::knowledge later = wide;
  later.kernel_seconds *= 4;
  for (auto& known : later.best) known.throughput *= 4;
  phases.keep("searches", 8, 100, wide);
  phases.keep("searches", 8, 100, later);
  ASSERT_EQ(phases.of("searches", 8, 100).size(), 1u);
  EXPECT_EQ(phases.of("searches", 8, 100)[0].kernel_seconds, later.kernel_seconds);
}

TEST_F(Learned, TwoProcessesThatWriteKeepEachOthersPhases) {
  learned_phases one("a processor", file());
  learned_phases other("a processor", file());
  one.keep("mine", 8, 1, wide);
  other.keep("theirs", 8, 1, wide);
  one.save();
  other.save();
  const learned_phases both("a processor", file());
  EXPECT_EQ(both.of("mine", 8, 1).size(), 1u);
  EXPECT_EQ(both.of("theirs", 8, 1).size(), 1u);
}

TEST_F(Learned, WhatCannotBeReadIsLeftOut) {
  learned_phases("a processor", file()).keep("good", 8, 1, wide);
  std::string text;
  {
    std::ifstream in(file());
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  write(text + "nonsense\n\n1\t2\t3\n" + "p\ta processor\tbad\t8\t1\t1\t1\t0x1+0:1 1x1+1:2 x:+ 1x1+0:nan\n");
  const learned_phases phases("a processor", file());
  EXPECT_EQ(phases.of("good", 8, 1).size(), 1u);
  EXPECT_TRUE(phases.of("bad", 8, 1).empty());
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    write(text.substr(0, cut));
    EXPECT_LE(learned_phases("a processor", file()).of("good", 8, 1).size(), 1u) << cut;
  }
  write("another format\n" + text);
  EXPECT_TRUE(learned_phases("a processor", file()).of("good", 8, 1).empty());
}

TEST_F(Learned, WhereItCannotBeWrittenNothingIsLeftBehind) {
  write("");
  const std::string inside = file() + "/impossible/learned";
  learned_phases phases("a processor", inside);
  phases.keep("searches", 8, 1, wide);
  phases.save();
  EXPECT_EQ(phases.of("searches", 8, 1).size(), 1u) << "in this process it counts all the same";
}

TEST_F(Learned, NoNameIsNoFile) {
  learned_phases phases("a processor", "");
  phases.keep("searches", 8, 1, wide);
  phases.save();
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace maslin
