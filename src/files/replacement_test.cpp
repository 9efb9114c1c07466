#include "files/replacement.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "files/marked.hpp"

namespace maslin::files {
namespace {

namespace fs = std::filesystem;
using stream = terms::stream;

constexpr terms ours{.mark = "ours 1\n", .kind = "one of ours"};
constexpr terms any{};

/// An empty folder of this test's own.
class Replacement : public ::testing::Test {
 protected:
  Replacement() : folder_(fs::temp_directory_path() / ("replacement_test." + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Replacement() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ / name; }
  void put(const std::string& name, const std::string& text) const { std::ofstream(at(name)) << text; }
  std::string text(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The names of all that is in the folder, in one line.
  std::string names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.insert(entry.path().filename());
    std::string line;
    for (const std::string& name : all) line += (line.empty() ? "" : " ") + name;
    return line;
  }
  mode_t mode(const std::string& name) const {
    struct stat about {};
    return lstat(at(name).c_str(), &about) == 0 ? about.st_mode : 0;
  }

  const fs::path folder_;
};

/// Runs `body` in a process of its own; gives whether it returned true.
bool holds_in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

constexpr uid_t nobody = 65534;

TEST_F(Replacement, MakesAFileAndLeavesNothingElse) {
  EXPECT_EQ(replace_file(at("new"), "text", any), "");
  EXPECT_EQ(text("new"), "text");
  EXPECT_EQ(replace_file(at("new"), "other", any), "");
  EXPECT_EQ(text("new"), "other");
  EXPECT_EQ(names(), "new");
}

TEST_F(Replacement, StandsThereOnlyWhenItIsWhole) {
  put("old", "old");
  {
    replacement given_up;
    ASSERT_TRUE(given_up.open(at("old"), any));
    EXPECT_TRUE(given_up.write("half"));
  }
  EXPECT_EQ(text("old"), "old");
  EXPECT_EQ(names(), "old");
}

TEST_F(Replacement, AKillLeavesTheOldFileAndNothingElse) {
  put("old", "old");
  const pid_t child = fork();
  if (child == 0) {
    replacement to;
    to.open(at("old"), any);
    to.write(std::string(std::size_t{1} << 20, 'x'));
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(text("old"), "old");
  if (const int unnamed = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600); unnamed >= 0) {
    close(unnamed);
    EXPECT_EQ(names(), "old");
  }
}

TEST_F(Replacement, ReplacesOnlyWhatBeginsWithTheMarkOrIsEmpty) {
  put("ours", "ours 1\nfirst");
  put("empty", "");
  put("foreign", "my thesis");
  put("short", "ou");
  EXPECT_EQ(replace_file(at("ours"), "ours 1\nsecond", ours), "");
  EXPECT_EQ(replace_file(at("empty"), "ours 1\n", ours), "");
  EXPECT_EQ(replace_file(at("foreign"), "ours 1\n", ours),
            "the file that is there is not one of ours and stays as it is");
  EXPECT_NE(replace_file(at("short"), "ours 1\n", ours), "");
  EXPECT_EQ(text("ours"), "ours 1\nsecond");
  EXPECT_EQ(text("empty"), "ours 1\n");
  EXPECT_EQ(text("foreign"), "my thesis");
  EXPECT_EQ(text("short"), "ou");
  EXPECT_EQ(replace_file(at("foreign"), "text", any), "") << "what the user names for this run";
  EXPECT_EQ(names(), "empty foreign ours short");
}

TEST_F(Replacement, LooksAgainBeforeItTakesItsName) {
  for (const bool foreign : {false, true}) {
    replacement to;
    ASSERT_TRUE(to.open(at("place"), ours));
    to.write("ours 1\n");
    if (foreign)
      put("place", "my thesis");
    else
      ASSERT_EQ(mkfifo(at("place").c_str(), 0600), 0);
    EXPECT_FALSE(to.commit());
    EXPECT_NE(to.problem(), "");
    EXPECT_EQ(names(), "place");
    fs::remove(at("place"));
  }
}

TEST_F(Replacement, FollowsALinkThatStays) {
  fs::create_directory(at("there"));
  put("there/file", "ours 1\nold");
  fs::create_symlink("there/file", at("link"));
  fs::create_symlink("link", at("link to it"));
  fs::create_symlink("there/none yet", at("dangling"));
  fs::create_symlink("nowhere/none", at("astray"));
  fs::create_symlink("round", at("round"));
  EXPECT_EQ(replace_file(at("link to it"), "ours 1\nnew", ours), "");
  EXPECT_EQ(replace_file(at("dangling"), "ours 1\n", ours), "");
  EXPECT_EQ(replace_file(at("astray"), "ours 1\n", ours), "No such file or directory");
  EXPECT_EQ(replace_file(at("round"), "ours 1\n", ours), "Too many levels of symbolic links");
  EXPECT_EQ(text("there/file"), "ours 1\nnew");
  EXPECT_EQ(text("there/none yet"), "ours 1\n");
  for (const char* link : {"link", "link to it", "dangling", "astray", "round"}) EXPECT_TRUE(S_ISLNK(mode(link)));
  EXPECT_EQ(names(), "astray dangling link link to it round there");
}

TEST_F(Replacement, LeavesAFolderAlone) {
  fs::create_directory(at("folder"));
  EXPECT_EQ(replace_file(at("folder"), "x", ours), "it is a folder");
  EXPECT_EQ(replace_file(at("folder") + "/", "x", any), "it is a folder");
  EXPECT_EQ(replace_file(at("none") + "/", "x", any), "it is a folder");
  EXPECT_EQ(names(), "folder");
  EXPECT_TRUE(fs::is_empty(at("folder")));
}

TEST_F(Replacement, DoesNotWaitForAFifo) {
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(replace_file(at("fifo"), "ours 1\n", ours), "it is a FIFO, expected a regular file");
  EXPECT_EQ(replace_file(at("fifo"), "x", {.streams = stream::written}), "it is a FIFO that nobody reads");
  EXPECT_EQ(read_marked(at("fifo"), "ours 1\n"), std::nullopt);
  const int reader = ::open(at("fifo").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(replace_file(at("fifo"), "x", {.streams = stream::written}), "");
  EXPECT_EQ(replace_file(at("fifo"), "y", {.streams = stream::awaited}), "");
  char said[3] = {};
  EXPECT_EQ(read(reader, said, 2), 2);
  EXPECT_STREQ(said, "xy");
  close(reader);
  EXPECT_TRUE(S_ISFIFO(mode("fifo")));
}

TEST_F(Replacement, ReplacesNoDevice) {
  if (mknod(at("zero").c_str(), S_IFCHR | 0666, makedev(1, 5)) != 0 ||
      mknod(at("disk").c_str(), S_IFBLK | 0666, makedev(7, 250)) != 0)
    GTEST_SKIP() << "skipped: devices cannot be made (" << std::strerror(errno) << "); run the tests as root";
  for (const char* name : {"zero", "disk"}) {
    fs::create_symlink(name, at("link"));
    for (const std::string& path : {at(name), at("link")}) {
      EXPECT_NE(replace_file(path, "ours 1\n", ours), "");
      EXPECT_EQ(read_marked(path, "ours 1\n"), std::nullopt);
    }
    fs::remove(at("link"));
  }
  EXPECT_EQ(replace_file(at("zero"), "x", {.streams = stream::written}).find("expected"), std::string::npos);
  EXPECT_EQ(replace_file(at("disk"), "x", {.streams = stream::written}), "it is a disk, expected a file");
  EXPECT_TRUE(S_ISCHR(mode("zero")));
  EXPECT_TRUE(S_ISBLK(mode("disk")));
  EXPECT_EQ(names(), "disk zero");
}

TEST_F(Replacement, ReplacesNoSocket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(at("socket").size(), sizeof address.sun_path);
  at("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(replace_file(at("socket"), "x", {.streams = stream::written}), "it is a socket, expected a file");
  EXPECT_TRUE(S_ISSOCK(mode("socket")));
  close(socket);
}

TEST_F(Replacement, AnOpenDescriptorIsWrittenWhereItStands) {
  put("out", "before ");
  EXPECT_TRUE(holds_in_child([&] {
    const int out = ::open(at("out").c_str(), O_WRONLY | O_APPEND);
    if (dup2(out, STDOUT_FILENO) != STDOUT_FILENO) return false;
    const bool refused = !replace_file("/dev/stdout", "nothing", any).empty();
    const bool done = replace_file("/dev/stdout", "text ", {.streams = stream::written}).empty();
    return refused && done && ::write(STDOUT_FILENO, "behind", 6) == 6;
  }));
  EXPECT_EQ(text("out"), "before text behind");
  EXPECT_EQ(names(), "out");
}

TEST_F(Replacement, KeepsTheModeAndObeysTheMask) {
  const mode_t before = umask(027);
  put("private", "");
  fs::permissions(at("private"), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(replace_file(at("private"), "x", any), "");
  EXPECT_EQ(replace_file(at("new"), "x", any), "");
  EXPECT_EQ(replace_file(at("new"), "x", any), "");
  umask(before);
  EXPECT_EQ(mode("private"), S_IFREG | 0600);
  EXPECT_EQ(mode("new"), S_IFREG | 0640);
}

TEST_F(Replacement, KeepsTheOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: only root may give files away; run the tests as root";
  put("theirs", "");
  ASSERT_EQ(chown(at("theirs").c_str(), nobody, nobody), 0);
  EXPECT_EQ(replace_file(at("theirs"), "x", any), "");
  struct stat about {};
  ASSERT_EQ(stat(at("theirs").c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, nobody);
  EXPECT_EQ(about.st_gid, nobody);
}

TEST_F(Replacement, SaysWhereItMayNotWrite) {
  put("protected", "old");
  fs::permissions(at("protected"), fs::perms::owner_read | fs::perms::others_read);
  fs::create_directory(at("closed"));
  put("closed/file", "old");
  fs::permissions(at("closed/file"), fs::perms::all);
  fs::permissions(at("closed"),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  EXPECT_TRUE(holds_in_child([&] {
    if (geteuid() == 0 && (fs::permissions(folder_, fs::perms::all), setuid(nobody)) != 0) return false;
    return replace_file(at("protected"), "x", any) == "Permission denied" &&
           replace_file(at("closed/new"), "x", any) == "Permission denied" &&
           replace_file(at("closed/file"), "x", any) == "Permission denied";
  }));
  fs::permissions(at("closed"), fs::perms::owner_all);
  EXPECT_EQ(text("protected"), "old");
  EXPECT_EQ(text("closed/file"), "old");
  EXPECT_EQ(names(), "closed protected");
}

TEST_F(Replacement, SaysThatTheDiskIsFullAndLeavesNothing) {
  put("old", "old");
  EXPECT_TRUE(holds_in_child([&] {
    const rlimit some{1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &some) != 0) return false;
    for (const char* name : {"old", "new"})
      if (replace_file(at(name), std::string(5000, 'x'), any) != "File too large") return false;
    return replace_file(at("small"), "x", any).empty();
  }));
  EXPECT_EQ(text("old"), "old");
  EXPECT_EQ(names(), "old small");
  if (access("/dev/full", W_OK) == 0) {
    EXPECT_EQ(replace_file("/dev/full", "x", {.streams = stream::written}), "No space left on device");
  }
}

TEST_F(Replacement, OfTwoAtOnceOneWinsWhole) {
  constexpr int writers = 4, times = 50;
  const auto content = [](int writer) { return std::string(100'000, static_cast<char>('a' + writer)); };
  std::vector<pid_t> all;
  for (int w = 0; w < writers; ++w) {
    all.push_back(fork());
    if (all.back() == 0) {
      bool good = true;
      for (int i = 0; i < times; ++i) good = good && replace_file(at("one"), content(w), {.durable = false}).empty();
      _exit(good ? 0 : 1);
    }
  }
  int running = writers;
  while (running > 0) {
    if (fs::exists(at("one"))) {
      const std::string seen = text("one");
      ASSERT_EQ(seen.size(), 100'000u);
      ASSERT_EQ(seen, content(seen[0] - 'a'));
    }
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) > 0) {
      --running;
      EXPECT_EQ(status, 0);
    }
  }
  EXPECT_EQ(names(), "one");
}

TEST_F(Replacement, NeedsNoUnnamedFiles) {
  put("old", "old");
  fs::create_directory(at("folder"));
  const bool hidden = holds_in_child([] {  // without /proc an unnamed file could never get its name
    return unshare(CLONE_NEWNS) == 0 && mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
  });
  if (!hidden) GTEST_SKIP() << "skipped: /proc cannot be hidden from a process; run the tests as root";
  EXPECT_TRUE(holds_in_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", "/proc", "tmpfs", 0, nullptr) != 0)
      return false;
    const bool done = replace_file(at("new"), "new", any).empty() && replace_file(at("old"), "new", any).empty();
    const rlimit some{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &some);
    return done && !replace_file(at("old"), std::string(5000, 'x'), any).empty() &&
           !replace_file(at("folder"), "x", any).empty();
  }));
  EXPECT_EQ(text("new"), "new");
  EXPECT_EQ(text("old"), "new");
  EXPECT_EQ(names(), "folder new old");
}

TEST_F(Replacement, GoesWhereItWasOpenedWhenTheProcessMoves) {
  fs::create_directory(at("away"));
  EXPECT_TRUE(holds_in_child([&] {
    replacement to;
    return chdir(folder_.c_str()) == 0 && to.open("file", any) && chdir("away") == 0 && to.write("x") && to.commit();
  }));
  EXPECT_EQ(text("file"), "x");
  EXPECT_EQ(names(), "away file");
  EXPECT_TRUE(fs::is_empty(at("away")));
}

TEST_F(Replacement, HasRoomForTheLongestName) {
  const std::string longest(255, 'n');
  put(longest, "old");
  EXPECT_EQ(replace_file(at(longest), "new", any), "");
  EXPECT_EQ(text(longest), "new");
  EXPECT_EQ(replace_file(at(longest + "n"), "new", any), "File name too long");
}

TEST_F(Replacement, WhatAKillLeftIsKnownByItsName) {
  EXPECT_EQ(replacement::name_without_part(".a.json.0123abcd.part"), "a.json");
  for (const char* other : {"a.json", ".a.json", "a.json.0123abcd.part", ".a.json.0123abc.part", ".a.0123abcx.part",
                            ".0123abcd.part", "..0123abcd.part", ".part", ""})
    EXPECT_EQ(replacement::name_without_part(other), "") << other;
}

TEST_F(Replacement, MarkedFilesAreReadAndNothingElse) {
  put("ours", "ours 1\n" + std::string(200'000, 'x'));
  put("foreign", "ours 2\n");
  put("empty", "");
  fs::create_symlink("ours", at("link"));
  EXPECT_EQ(read_marked(at("ours"), ours.mark), text("ours"));
  EXPECT_EQ(read_marked(at("link"), ours.mark), text("ours"));
  for (const char* name : {"foreign", "empty", "none", "."}) EXPECT_EQ(read_marked(at(name), ours.mark), std::nullopt);
  EXPECT_EQ(look_at(AT_FDCWD, at("ours").c_str(), ours.mark), beginning::marked);
  EXPECT_EQ(look_at(AT_FDCWD, at("link").c_str(), ours.mark), beginning::other);
  EXPECT_EQ(look_at(AT_FDCWD, at("empty").c_str(), ours.mark), beginning::empty);
  EXPECT_EQ(look_at(AT_FDCWD, at("none").c_str(), ours.mark), beginning::unknown);
}

}  // namespace
}  // namespace maslin::files
