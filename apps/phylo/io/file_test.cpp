#include "phylo/io/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cli/shared/digest.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/text.hpp"

namespace phylo {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("phylo_file_test_" + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  template <class Call>
  static std::string complaint(Call&& call) {
    try {
      call();
    } catch (const input_error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }

  fs::path folder_;
};

TEST_F(File, ContentIsReplacedAndNothingElseStays) {
  write_file(path("x"), "one");
  write_file(path("x"), "two\n");
  EXPECT_EQ(read_text(path("x")), "two\n");
  EXPECT_EQ(files(), 1U);
}

TEST_F(File, AWriteThatFailsLeavesTheOldContentAndNoPart) {
  write_file(path("x"), "old");
  // A limit on the size of files fails like a full disk, in the middle of the write.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const std::string message = complaint([&] { write_file(path("x"), std::string(1000, 'n')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_NE(message.find(path("x") + ": can't be written: File too large; free some space"), std::string::npos)
      << message;
  EXPECT_EQ(read_text(path("x")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(File, FoldersThatCannotBe) {
  write_file(path("regular"), "");
  EXPECT_NE(complaint([&] { make_folder(path("regular/below/it")); }).find("regular is a file, not a folder"),
            std::string::npos);
  EXPECT_NE(complaint([&] { make_folder("/dev/full/out"); }).find("/dev/full is a file"), std::string::npos);
  EXPECT_NE(complaint([&] { make_folder("/proc/nothing/out"); }).find("can't be made"), std::string::npos);
  EXPECT_NE(complaint([&] { write_file(path("missing/x"), "y"); }).find("No such file or directory"),
            std::string::npos);
  make_folder(path("a/b/c"));
  make_folder(path("a/b/c/"));
  EXPECT_TRUE(fs::is_directory(path("a/b/c")));
}

TEST_F(File, ALockIsHeldByOneAndGivenBack) {
  {
    const FileLock held(path("lock"), "busy");
    EXPECT_EQ(complaint([&] { FileLock(path("lock"), "busy: wait"); }), "busy: wait");
  }
  const FileLock again(path("lock"), "busy");
}

TEST(Digest, IsFnv1a) {
  EXPECT_EQ(command::digest(""), 0xcbf29ce484222325U);
  EXPECT_EQ(command::digest("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(command::digest("bar", command::digest("foo")), command::digest("foobar"));
}

}  // namespace
}  // namespace phylo
