#include "phylo/run/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"
#include "phylo/run/record.hpp"

namespace phylo {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("phylo_checkpoint_test_" + std::to_string(::getpid()));
    fs::create_directory(root_);
    folder_ = (root_ / "x.checkpoint").string();
    identity_ = {"0123", "a.phy", 4, 10, "GTR+G", 1, "avx2", "", "standard", "", "1"};
  }
  void TearDown() override { fs::remove_all(root_); }

  static FinishedTree tree(int index) {
    return {{Purpose::bootstrap, index},
            -1234.5678901234567 - index / 3.0,
            "(a:0.1,\xff:1e-06,(c:1,'d d':2):3);",
            std::vector<std::string>(static_cast<std::size_t>(index), "(a:0.2,\xff:3,(c:1,'d d':2):3);"),
            "GTR{1/2}",
            0.25};
  }
  std::string complaint(const Identity& identity) const {
    try {
      Checkpoint(folder_, identity, false);
    } catch (const input_error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
  std::string record(int index) const { return folder_ + "/bootstrap-000" + std::to_string(index); }

  fs::path root_;
  std::string folder_;
  Identity identity_;
};

TEST_F(CheckpointTest, FinishedTreesComeBackToTheLastBit) {
  {
    Checkpoint checkpoint(folder_, identity_, false);
    EXPECT_EQ(checkpoint.find({Purpose::bootstrap, 0}), nullptr);
    for (int i = 0; i < 3; ++i) checkpoint.save(tree(i));
  }
  const Checkpoint checkpoint(folder_, identity_, false);
  EXPECT_TRUE(checkpoint.damaged().empty());
  for (int i = 0; i < 3; ++i) {
    const FinishedTree* found = checkpoint.find({Purpose::bootstrap, i});
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->lnl, tree(i).lnl);
    EXPECT_EQ(found->newick, tree(i).newick);
    EXPECT_EQ(found->part_newicks, tree(i).part_newicks);
    EXPECT_EQ(found->model, tree(i).model);
  }
  EXPECT_EQ(checkpoint.find({Purpose::search, 0}), nullptr);
}

TEST_F(CheckpointTest, EveryDamageToARecordIsFoundAndCostsThatTreeOnly) {
  {
    Checkpoint checkpoint(folder_, identity_, false);
    checkpoint.save(tree(0));
    checkpoint.save(tree(1));
  }
  const std::string whole = read_text(record(0));
  std::vector<std::string> damaged;
  for (std::size_t length = 0; length < whole.size(); length += 7) damaged.push_back(whole.substr(0, length));
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    damaged.push_back(whole);
    damaged.back()[at] ^= 1;
  }
  damaged.push_back(whole + "x");
  damaged.push_back(read_text(record(1)));
  for (const std::string& text : damaged) {
    std::ofstream(record(0), std::ios::binary) << text;
    const Checkpoint checkpoint(folder_, identity_, false);
    ASSERT_EQ(checkpoint.damaged().size(), 1U) << text;
    EXPECT_NE(checkpoint.damaged().front().find("computed anew"), std::string::npos);
    EXPECT_EQ(checkpoint.find({Purpose::bootstrap, 0}), nullptr);
    EXPECT_NE(checkpoint.find({Purpose::bootstrap, 1}), nullptr);
  }
}

TEST_F(CheckpointTest, TheLineOfARecordThatIsWrongIsNamed) {
  { Checkpoint(folder_, identity_, false).save(tree(1)); }
  const std::string whole = read_text(record(1));  // a line of JSON, two trees, the checksum
  const auto expect = [&](const std::string& text, const char* place, const char* why) {
    std::ofstream(record(1), std::ios::binary) << text;
    EXPECT_EQ(Checkpoint(folder_, identity_, false).damaged(),
              std::vector<std::string>{record(1) + ":" + place + ": this finished tree can't be used: " + why +
                                       "; it is computed anew"});
  };
  const std::string lines(*unsealed(whole));
  const std::size_t first = lines.find('\n') + 1, second = lines.find('\n', first) + 1;
  expect("", "1:1", "it is cut off, or its checksum does not fit");
  expect(whole.substr(0, second - 1), "2:1", "it is cut off, or its checksum does not fit");
  expect(whole.substr(0, whole.size() - 2) + "x\n", "4:1", "it is cut off, or its checksum does not fit");
  expect(sealed(lines.substr(0, first)), "2:1", "it has no tree");
  expect(sealed(lines.substr(0, second)), "3:1", "it has another number of trees than it says");
  expect(sealed("{\"record\": }\n" + lines.substr(first)), "1:1", "it is no record of a tree");
  expect(sealed("{}\n" + lines.substr(first)), "1:1", "it is no record of a tree");
  expect(format_record(tree(1), "other"), "1:1", "it belongs to another run");
  Checkpoint(folder_, identity_, false).save(tree(2));
  expect(read_text(record(2)), "1:1", "its name is not that of its tree");
}

TEST_F(CheckpointTest, WhatAnInterruptedWriteLeftIsTakenAway) {
  { Checkpoint(folder_, identity_, false).save(tree(0)); }
  const std::string part = folder_ + "/.bootstrap-0001.0123abcd.part";
  std::ofstream(part) << "half";
  const Checkpoint checkpoint(folder_, identity_, false);
  EXPECT_TRUE(checkpoint.damaged().empty());
  EXPECT_FALSE(fs::exists(part));
}

TEST_F(CheckpointTest, AnotherRunsCheckpointIsRefusedAndSaysWhatToDo) {
  { Checkpoint(folder_, identity_, false).save(tree(0)); }
  Identity other = identity_;
  other.alignment = "4567";
  other.alignment_file = "b.phy";
  EXPECT_NE(complaint(other).find("belongs to another alignment: to a.phy (4 taxa, 10 sites), not to b.phy"),
            std::string::npos);
  EXPECT_NE(complaint(other).find("--redo"), std::string::npos);
  other = identity_;
  other.model = "HKY";
  EXPECT_NE(complaint(other).find("the model GTR+G, not HKY"), std::string::npos);
  other = identity_;
  other.seed = 2;
  EXPECT_NE(complaint(other).find("--seed 1, not 2"), std::string::npos);
  other = identity_;
  other.instructions = "scalar";
  EXPECT_NE(complaint(other).find("MASLIN_SIMD=avx2"), std::string::npos);
  other = identity_;
  other.search = "thorough";
  EXPECT_NE(complaint(other).find("made with --search standard, not thorough"), std::string::npos);
  other = identity_;
  other.alignment_file = "moved/a.phy";
  EXPECT_EQ(complaint(other), "nothing was thrown");
  EXPECT_TRUE(fs::exists(record(0)));
  std::ofstream(folder_ + "/identity.json") << "{";
  EXPECT_NE(complaint(identity_).find("identity.json:1:2: is damaged"), std::string::npos);
}

TEST_F(CheckpointTest, AnotherModelIsToldByTheFirstPartitionThatDiffers) {
  identity_.model = "GTR+FO, a = 1-5; HKY+FO, b = 6-8; JC, c = 9-10 (--brlen scaled)";
  { const Checkpoint checkpoint(folder_, identity_, false); }
  Identity other = identity_;
  other.model = "GTR+FO, a = 1-5; K80, b = 6-8; GTR+FO, c = 9-10 (--brlen scaled)";
  EXPECT_NE(complaint(other).find("the model HKY+FO, b = 6-8, not K80, b = 6-8;"), std::string::npos);
  other.model = "GTR+FO, a = 1-5; HKY+FO, b = 6-8; JC, c = 9-10 (--brlen linked)";
  EXPECT_NE(complaint(other).find("JC, c = 9-10 (--brlen scaled), not JC, c = 9-10 (--brlen linked);"),
            std::string::npos);
  other.model = "GTR+FO, a = 1-5; HKY+FO, b = 6-8 (--brlen scaled)";
  EXPECT_NE(complaint(other).find("the model HKY+FO, b = 6-8; JC, c = 9-10 (--brlen scaled), "
                                  "not HKY+FO, b = 6-8 (--brlen scaled);"),
            std::string::npos);
  other.model = "GTR+FO, a = 1-50; HKY+FO, b = 6-8; JC, c = 9-10 (--brlen scaled)";
  EXPECT_NE(complaint(other).find("the model GTR+FO, a = 1-5, not GTR+FO, a = 1-50;"), std::string::npos);
  other.model = "GTR\x1b[31m" + std::string(1000, 'G');
  const std::string message = complaint(other);
  EXPECT_NE(message.find("not 'GTR\\x1b[31mGGG"), std::string::npos) << message;
  EXPECT_LT(message.size(), 500U);
}

TEST_F(CheckpointTest, RedoForgetsEverything) {
  { Checkpoint(folder_, identity_, false).save(tree(0)); }
  Identity other = identity_;
  other.seed = 2;
  const Checkpoint checkpoint(folder_, other, true);
  EXPECT_EQ(checkpoint.find({Purpose::bootstrap, 0}), nullptr);
  EXPECT_FALSE(fs::exists(record(0)));
}

TEST_F(CheckpointTest, RedoForgetsTheResultsBeforeTheTrees) {
  { Checkpoint(folder_, identity_, false).save(tree(0)); }
  const std::string result = (root_ / "x.bestTree").string(), obstacle = (root_ / "x.support").string();
  std::ofstream(result) << "(a,b);";
  fs::create_directory(obstacle);
  EXPECT_THROW(Checkpoint(folder_, identity_, true, {result, obstacle}), input_error);
  EXPECT_FALSE(fs::exists(result));
  EXPECT_TRUE(fs::is_directory(obstacle));
  EXPECT_NE(Checkpoint(folder_, identity_, false).find({Purpose::bootstrap, 0}), nullptr);
}

TEST_F(CheckpointTest, WhatIsNoneOfItsFilesStays) {
  { Checkpoint(folder_, identity_, false).save(tree(0)); }
  std::ofstream(folder_ + "/search-notes.txt") << "mine";
  { const Checkpoint again(folder_, identity_, true); }
  EXPECT_EQ(read_text(folder_ + "/search-notes.txt"), "mine");
  const std::string foreign = (root_ / "y.checkpoint").string();
  fs::create_directory(foreign);
  std::ofstream(foreign + "/search-0000") << "mine";
  EXPECT_THROW(Checkpoint(foreign, identity_, true), input_error);
  EXPECT_EQ(read_text(foreign + "/search-0000"), "mine");
  EXPECT_FALSE(fs::exists(foreign + "/lock"));
}

TEST_F(CheckpointTest, OneProcessAtATime) {
  const Checkpoint checkpoint(folder_, identity_, false);
  EXPECT_NE(complaint(identity_).find("another process is working on this checkpoint"), std::string::npos);
}

TEST_F(CheckpointTest, TheDigestIsOfTheContent) {
  const Alignment a = parse_alignment("4 2\na AC\nb AC\nc GT\nd GU\n", "x");
  const Alignment b = parse_alignment(">a\nac\n>b\nAC\n>c\nGT\n>d\nGT\n", "y");
  Alignment c = a;
  c.rows[3][1] = 'A';
  Alignment d = a;
  d.names[3] = "dd";
  EXPECT_EQ(alignment_digest(a), alignment_digest(b));
  EXPECT_NE(alignment_digest(a), alignment_digest(c));
  EXPECT_NE(alignment_digest(a), alignment_digest(d));
}

}  // namespace
}  // namespace phylo
