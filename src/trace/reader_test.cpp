#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "maslin/error.hpp"
#include "trace/format.hpp"
#include "trace/recorder.hpp"

namespace maslin::trace {
namespace {

using bytes = std::string;

class Reader : public ::testing::Test {
 protected:
  Reader() {
    folder_ = std::filesystem::temp_directory_path() / ("maslin_reader_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Reader() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "run.mtrace"; }
  void write(const bytes& what) const {
    std::filesystem::remove(path());  // some file systems flush a file that is truncated and written again
    std::ofstream(path(), std::ios::binary) << what;
  }

  /// A trace with every kind of block.
  bytes small_trace() const {
    start(path(), 2);
    for (std::uint64_t i = 0; i < 3; ++i) {
      record(0, event_kind::offload_begin, intern("newview"), i);
      record(1, event_kind::steal, 0, i * 1'000'000'007u);
      record(-1, event_kind::wait_begin);
    }
    stop();
    std::ifstream in(path(), std::ios::binary);
    return bytes(std::istreambuf_iterator<char>(in), {});
  }

  /// Reads everything; gives the message of the error, or nothing.
  std::string problem() const {
    try {
      const file trace(path());
      trace.each_event([](const event&) {});
    } catch (const error& e) {
      return e.what();
    }
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(Reader, NoticesATraceThatIsCutAnywhere) {
  const bytes whole = small_trace();
  ASSERT_EQ(problem(), "");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    const std::string what = problem();
    EXPECT_NE(what.find(path()), std::string::npos) << "cut at " << length << ": " << what;
    EXPECT_TRUE(what.find("at byte") != std::string::npos || what.find("is no trace") != std::string::npos)
        << "cut at " << length << ": " << what;
  }
}

TEST_F(Reader, NoticesEveryFlippedByte) {
  const bytes whole = small_trace();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff}) {
      bytes bad = whole;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      write(bad);
      EXPECT_NE(problem(), "") << "byte " << at << " flipped by " << flip;
    }
}

TEST_F(Reader, NoticesWhatIsMissingRepeatedOrAdded) {
  const bytes whole = small_trace();
  write(whole + "x");
  EXPECT_NE(problem().find("at byte"), std::string::npos);
  write(whole + whole.substr(internal::preamble_bytes));
  EXPECT_NE(problem().find("bytes follow"), std::string::npos);
  // Without its second block, whichever that is.
  internal::block_head head{};
  std::memcpy(&head, whole.data() + internal::preamble_bytes, sizeof head);
  const std::size_t second = internal::preamble_bytes + sizeof head + head.bytes;
  std::memcpy(&head, whole.data() + second, sizeof head);
  write(whole.substr(0, second) + whole.substr(second + sizeof head + head.bytes));
  EXPECT_NE(problem(), "");
}

/// Makes the checksums of all blocks right again, so that what is wrong reaches the code behind them.
void mend_checksums(bytes& trace) {
  std::size_t at = internal::preamble_bytes;
  while (trace.size() - at >= sizeof(internal::block_head)) {
    internal::block_head head{};
    std::memcpy(&head, trace.data() + at, sizeof head);
    if (head.bytes > trace.size() - at - sizeof head) return;
    head.checksum = internal::checksum(head, reinterpret_cast<const unsigned char*>(trace.data()) + at + sizeof head);
    std::memcpy(trace.data() + at, &head, sizeof head);
    at += sizeof head + head.bytes;
  }
}

TEST_F(Reader, SurvivesAnyBytesBehindRightChecksums) {
  const bytes whole = small_trace();
  std::mt19937 random(20240229);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    bytes bad = whole;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
      bad[internal::preamble_bytes + random() % (bad.size() - internal::preamble_bytes)] = static_cast<char>(random());
    mend_checksums(bad);
    write(bad);
    refused += problem().empty() ? 0 : 1;  // an event's time or argument may have become another valid one
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(Reader, SurvivesGarbage) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    bytes garbage(random() % 300, '\0');
    for (char& c : garbage) c = static_cast<char>(random());
    write(garbage);
    EXPECT_NE(problem().find("is no trace of Maslin"), std::string::npos);
    // The same behind the right first bytes.
    bytes start(internal::magic.begin(), internal::magic.end());
    start += bytes("\1\0\0\0", 4);
    write(start + garbage);
    EXPECT_NE(problem(), "");
  }
}

TEST_F(Reader, TellsAnotherVersionFromDamage) {
  bytes other = small_trace();
  other[internal::magic.size()] = 3;
  write(other);
  const std::string what = problem();
  EXPECT_NE(what.find("has version 3, this program reads versions 1 to 2"), std::string::npos) << what;
}

TEST_F(Reader, SaysWhatIsNoTrace) {
  write("");
  EXPECT_NE(problem().find("the file is empty"), std::string::npos);
  write("#NEXUS\nbegin trees;\n");
  EXPECT_NE(problem().find("is no trace of Maslin"), std::string::npos);
  std::filesystem::remove(path());
  EXPECT_NE(problem().find("No such file"), std::string::npos);
  std::filesystem::create_directory(path());
  EXPECT_NE(problem().find("no regular file"), std::string::npos);
}

}  // namespace
}  // namespace maslin::trace
