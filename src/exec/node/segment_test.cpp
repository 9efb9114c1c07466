#include "exec/node/segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "exec/node/member.hpp"
#include "maslin/error.hpp"

namespace maslin::node {
namespace {

std::string fresh_job(const char* what) { return std::string("test-") + what + "-" + std::to_string(getpid()); }

bool exists(const std::string& job) {
  const auto all = segment::jobs();
  return std::find(all.begin(), all.end(), job) != all.end();
}

/// Runs `body` in a process of its own, which ends with this one at the latest.
pid_t child(const std::function<void()>& body) {
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process != 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  try {
    body();
    _exit(0);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    _exit(1);
  }
}

int end_of(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

rights all_of(const segment& s, int own = 4) {
  rights may;
  may.home.assign(static_cast<std::size_t>(s.what().cpu_count), true);
  may.reach = may.home;
  may.own = own;
  may.most = s.what().cpu_count;
  return may;
}

TEST(Segment, IsFoundByItsNameAndGoneWithItsLastMember) {
  const std::string job = fresh_job("found");
  EXPECT_FALSE(exists(job));
  EXPECT_EQ(segment::find(job), nullptr);
  {
    const auto here = segment::join(job);
    EXPECT_TRUE(exists(job));
    EXPECT_EQ(here->slot_number(), 0);
    EXPECT_TRUE(here->alive(0));
    const pid_t other = child([&] {
      const auto there = segment::join(job);
      if (there->slot_number() != 1) throw error("expected the second slot");
      if (!there->alive(0)) throw error("expected the first to be alive");
    });
    EXPECT_EQ(end_of(other), 0);
  }
  EXPECT_FALSE(exists(job));
}

TEST(Segment, IsGoneWhenAllMembersAreKilled) {
  const std::string job = fresh_job("killed");
  pid_t all[3];
  for (pid_t& one : all)
    one = child([&] {
      const auto there = segment::join(job);
      pause();
    });
  while (true) {
    const auto seen = segment::find(job);
    int members = 0;
    if (seen)
      for (int s = 0; s < seen->what().slot_count; ++s) members += seen->alive(s);
    if (members == 3) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const pid_t one : all) kill(one, SIGKILL);
  for (const pid_t one : all) end_of(one);
  EXPECT_FALSE(exists(job));
}

TEST(Segment, AForkedChildIsNoMember) {
  const std::string job = fresh_job("forked");
  auto here = segment::join(job);
  int ready[2], stop[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(stop), 0);
  const pid_t other = child([&] {
    segment::forget_after_fork();
    char c = 0;
    if (write(ready[1], &c, 1) != 1 || read(stop[0], &c, 1) != 1) throw error("pipe");
  });
  char c = 0;
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  here.reset();
  EXPECT_FALSE(exists(job)) << "the child does not keep it";
  ASSERT_EQ(write(stop[1], &c, 1), 1);
  EXPECT_EQ(end_of(other), 0);
}

TEST(Segment, OfAnotherVersionIsRefusedWithAMessage) {
  const std::string job = fresh_job("version");
  const int other = memfd_create(("maslin-" + job).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(other, 4096), 0);
  ASSERT_EQ(fcntl(other, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  try {
    segment::join(job);
    FAIL() << "it joined";
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("another version of Maslin"), std::string::npos) << e.what();
  }
  close(other);
}

TEST(Segment, IsFoundByNobodyBeforeItIsWhole) {
  const std::string job = fresh_job("half");
  for (const off_t bytes : {0, 4096}) {  // as its maker leaves it between two steps
    const int half = memfd_create(("maslin-" + job).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(half, bytes), 0);
    EXPECT_EQ(segment::find(job), nullptr);
    EXPECT_EQ(segment::join(job)->slot_number(), 0) << "its maker died";
    close(half);
  }
}

TEST(Segment, IsLookedForWhileOthersComeAndGo) {
  const std::string job = fresh_job("turns");
  const pid_t other = child([&] {
    for (int i = 0; i < 50; ++i) segment::join(job);
  });
  int status = 0;
  while (waitpid(other, &status, WNOHANG) == 0) EXPECT_NO_THROW(segment::find(job));
  EXPECT_EQ(status, 0);
}

/// A process of another user that holds the job's name.
pid_t other_user(const std::string& job, bool listens) {
  int ready[2];
  if (pipe(ready) != 0) return -1;
  const pid_t process = child([&] {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "maslin-" + std::to_string(geteuid()) + "-" + job;
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    constexpr uid_t nobody_at_all = 65534;
    if (setuid(nobody_at_all) != 0) throw error("setuid");
    const int held = socket(AF_UNIX, SOCK_STREAM, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // another user's process begins without
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (bind(held, reinterpret_cast<const sockaddr*>(&address), length) != 0) throw error("bind");
    if (listens && listen(held, 1) != 0) throw error("listen");
    if (write(ready[1], "", 1) == 1) pause();
  });
  char c = 0;
  close(ready[1]);
  const bool holds = read(ready[0], &c, 1) == 1;
  close(ready[0]);
  return holds ? process : -1;
}

TEST(Segment, AnotherUserWhoHoldsTheNameIsNotWaitedFor) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: another user is needed; run the tests as root";
  for (const bool listens : {true, false}) {
    const std::string job = fresh_job(listens ? "listens" : "silent");
    SCOPED_TRACE(job);
    const pid_t other = other_user(job, listens);
    ASSERT_GT(other, 0);
    testing::internal::CaptureStderr();
    const auto here = segment::join(job);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("MASLIN_NODE=" + job + ": another user holds the name"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    testing::internal::CaptureStderr();
    EXPECT_EQ(segment::join(job)->slot_number(), 1) << "who comes later finds the table all the same";
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    kill(other, SIGKILL);
    end_of(other);
  }
}

TEST(Segment, WhoJoinAtTheSameMomentShareOneTable) {
  constexpr int processes = 8;
  for (int round = 0; round < 5; ++round) {
    const std::string job = fresh_job("together") + "-" + std::to_string(round);
    std::vector<pid_t> all;
    for (int i = 0; i < processes; ++i)
      all.push_back(child([&] {
        const auto there = segment::join(job);
        for (;;) {  // until all are here
          int members = 0;
          for (int s = 0; s < there->what().slot_end(); ++s) members += there->what().at(s).process != 0;
          if (members == processes) break;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        _exit(0);  // as somebody who is killed: nobody's slot becomes free before all were seen
      }));
    for (const pid_t one : all) EXPECT_EQ(end_of(one), 0);
  }
}

TEST(Segment, WhoRunsAnotherProgramIsNoMemberAnyMore) {
  const std::string job = fresh_job("exec");
  const auto here = segment::join(job);
  const pid_t other = child([&] {
    const auto there = segment::join(job);
    execlp("sleep", "sleep", "100", nullptr);
    _exit(1);
  });
  const auto program = [&] {
    std::string name;
    std::getline(std::ifstream("/proc/" + std::to_string(other) + "/comm"), name);
    return name;
  };
  while (program() != "sleep") std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const int slot = 1 - here->slot_number();
  EXPECT_EQ(here->what().at(slot).process, static_cast<std::uint32_t>(other));
  // The system lets go of the locks a little later than it gives the process its new name.
  for (int look = 0; look < 10'000 && here->alive(slot); ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(here->alive(slot));
  int forgotten = nobody;
  here->bury_the_dead([&](int s) { forgotten = s; });
  EXPECT_EQ(forgotten, slot);
  EXPECT_EQ(here->what().at(slot).process, 0U);
  kill(other, SIGKILL);
  end_of(other);
}

TEST(Segment, WhatAnotherUserMadeIsNoTable) {
  if (geteuid() != 0) GTEST_SKIP() << "it takes root to give a file away; run the tests as root";
  const std::string job = fresh_job("given");
  const auto here = segment::join(job);
  EXPECT_TRUE(segment::find(job));
  for (int fd = 3; fd < 1000; ++fd) {
    char name[256] = {};
    if (readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), name, sizeof name - 1) > 0 &&
        std::string(name).find("memfd:maslin-" + job) != std::string::npos) {
      EXPECT_EQ(fchown(fd, 65534, 65534), 0);
    }
  }
  EXPECT_FALSE(segment::find(job));
}

TEST(Segment, NamesAreChecked) {
  EXPECT_THROW(check_job_name(""), error);
  EXPECT_THROW(check_job_name("a b"), error);
  EXPECT_THROW(check_job_name("a/b"), error);
  EXPECT_THROW(check_job_name(std::string(81, 'a')), error);
  EXPECT_NO_THROW(check_job_name("slurm-12.0:3@host+x_y"));
}

/// Lends, borrows and takes back for ever.
void trade(const std::string& job, unsigned seed) {
  const auto there = segment::join(job);
  member m(there->what(), there->slot_number(), all_of(*there));
  m.claim();
  std::minstd_rand random(seed);
  for (;;) {
    switch (random() % 5) {
      case 0:
        m.lend_down_to(0);
        break;
      case 1:
        m.regain();
        break;
      case 2:
        m.borrow_up_to(4);
        break;
      case 3:
        m.hunger(random() % 2 == 0);
        break;
      case 4:
        there->bury_the_dead([&](int s) { m.forget(s); });
        break;
    }
  }
}

TEST(Segment, WhoIsKilledAnywhereLeavesNoCpuBehind) {
  constexpr int rounds = 60;
  const std::string job = fresh_job("trade");
  const auto here = segment::join(job);
  member m(here->what(), here->slot_number(), all_of(*here));
  m.claim();
  const int all = m.owned();
  std::minstd_rand random(1);
  for (int round = 0; round < rounds; ++round) {
    pid_t traders[2];
    for (pid_t& one : traders) {
      const auto seed = static_cast<unsigned>(random());
      one = child([&] { trade(job, seed); });
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    for (const pid_t one : traders) {
      kill(one, SIGKILL);
      end_of(one);
    }
    here->bury_the_dead([&](int s) { m.forget(s); });
    for (int s = 1; s < here->what().slot_count; ++s) ASSERT_EQ(here->what().at(s).process, 0U);
    m.claim();
    m.regain();
    ASSERT_EQ(m.borrow_up_to(all), all) << "round " << round;
    ASSERT_EQ(m.owned(), all) << "round " << round;
    for (int c = 0; c < here->what().cpu_count; ++c) {
      const cpu_state now = here->what().cpu(c).look();
      if (now.present) {
        ASSERT_EQ(now.user, here->slot_number());
      }
    }
  }
}

}  // namespace
}  // namespace maslin::node
