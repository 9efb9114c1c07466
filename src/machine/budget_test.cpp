#include "machine/budget.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "checkout.hpp"
#include "complaint.hpp"

namespace maslin::machine {
namespace {

std::filesystem::path recorded(const std::string& name) { return checkout() / "src/machine/testdata" / name; }

/// Sets or unsets (nullptr) a variable as long as it lives.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Budget, TheSmallestLimitCounts) {
  surroundings around{
      .root = recorded("v2_fractional"), .allowed_cpus = 64, .online_cpus = 64, .slurm_cpus_per_task = {}};
  EXPECT_EQ(budget(around).cpus, 2);
  around.allowed_cpus = 1;
  EXPECT_EQ(budget(around).cpus, 1);
  around = {.root = recorded("none"), .allowed_cpus = 16, .online_cpus = 64, .slurm_cpus_per_task = "4"};
  EXPECT_EQ(budget(around).cpus, 4);
  around.slurm_cpus_per_task = "400";
  EXPECT_EQ(budget(around).cpus, 16);
}

TEST(Budget, EverySourceIsKeptWithWhatItSaid) {
  const cpu_budget b = budget(
      surroundings{.root = recorded("v2_nested"), .allowed_cpus = 8, .online_cpus = 64, .slurm_cpus_per_task = {}});
  ASSERT_EQ(b.limits.size(), 1u + 3u + 1u);
  EXPECT_EQ(b.limits.front().source, "affinity mask");
  EXPECT_EQ(b.limits.front().found, "8 of 64 CPUs allowed");
  EXPECT_EQ(b.limits.back().source, "SLURM_CPUS_PER_TASK");
  EXPECT_EQ(b.limits.back().found, "not set");
  EXPECT_FALSE(b.limits.back().cpus);
  const worker_grant grant = grant_workers(b, std::nullopt);
  EXPECT_EQ(grant.workers, 3);
  EXPECT_NE(grant.reason.find("3 CPUs (300000 us every 100000 us in /sys/fs/cgroup/batch/cpu.max)"), std::string::npos)
      << grant.reason;
}

TEST(Budget, ABadGrantOfTheBatchSystemIsAnErrorThatNamesIt) {
  for (const char* bad : {"banana", "0", "-1", "2x", " 2", "99999999999"}) {
    const surroundings around{
        .root = recorded("none"), .allowed_cpus = 2, .online_cpus = 2, .slurm_cpus_per_task = bad};
    const std::string what = complaint([&] { budget(around); });
    EXPECT_NE(what.find("SLURM_CPUS_PER_TASK=\"" + std::string(bad) + "\""), std::string::npos) << what;
  }
}

TEST(Budget, TheAffinityMaskOfTheCallerCounts) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cpu_set_t all;
    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof all, &all) != 0) _exit(100);
    int first = 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(101);
    surroundings around = this_process();
    around.root = recorded("none");
    around.slurm_cpus_per_task.reset();
    _exit(budget(around).cpus);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Budget, OfThisProcessLiesBetweenOneAndTheCpusThatAreOnline) {
  variable slurm("SLURM_CPUS_PER_TASK", nullptr);
  const cpu_budget b = budget();
  EXPECT_GE(b.cpus, 1);
  EXPECT_LE(b.cpus, sysconf(_SC_NPROCESSORS_ONLN));
}

TEST(Budget, ABatchGrantInTheEnvironmentIsSeen) {
  variable slurm("SLURM_CPUS_PER_TASK", "1");
  EXPECT_EQ(budget().cpus, 1);
}

TEST(Workers, WithoutAWishThereIsOneForEachCpuOfTheBudget) {
  variable workers("MASLIN_WORKERS", nullptr);
  EXPECT_EQ(worker_count(), budget().cpus);
  variable empty("MASLIN_WORKERS", "");
  EXPECT_EQ(worker_count(), budget().cpus);
}

TEST(Workers, AWishCountsEvenBeyondTheBudget) {
  const cpu_budget two{.cpus = 2, .limits = {}};
  EXPECT_EQ(grant_workers(two, 1).workers, 1);
  EXPECT_EQ(grant_workers(two, 8).workers, 8);
  EXPECT_NE(grant_workers(two, 8).reason.find("beyond the budget of 2"), std::string::npos);
  EXPECT_EQ(grant_workers(two, 4096).workers, 4096);
  variable workers("MASLIN_WORKERS", "3");
  EXPECT_EQ(worker_count(), 3);
}

TEST(Workers, WhatIsNoNumberOfWorkersIsAClearError) {
  for (const char* bad : {"banana", "0", "-2", "2.5", "4097", "8 ", "99999999999999999999"}) {
    variable workers("MASLIN_WORKERS", bad);
    const std::string what = complaint([] { worker_count(); });
    EXPECT_NE(what.find("MASLIN_WORKERS=" + std::string(bad) + ": expected a number of workers from 1 to 4096"),
              std::string::npos)
        << what;
  }
}

TEST(Workers, MoreThanTheBudgetOversubscribe) {
  const int cpus = budget().cpus;
  EXPECT_FALSE(oversubscribed(cpus));
  EXPECT_TRUE(oversubscribed(cpus + 1));
}

TEST(DescribedMachine, IsThereIfOneIsNamed) {
  {
    variable none("MASLIN_MACHINE", nullptr);
    EXPECT_FALSE(described_machine());
  }
  const auto specs = checkout() / "specs";
  variable cell("MASLIN_MACHINE", (specs / "roadrunner.toml").c_str());
  const auto machine = described_machine();
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->name, "roadrunner");
}

TEST(DescribedMachine, HasItsOwnWorkersUnlessTheUserAsksForOthers) {
  machine_spec machine;
  machine.workers.count = 6;
  machine.nodes = 2;
  {
    variable none("MASLIN_WORKERS", nullptr);
    EXPECT_EQ(worker_count(machine), 12);
  }
  variable three("MASLIN_WORKERS", "3");
  EXPECT_EQ(worker_count(machine), 3);
}

TEST(DescribedMachine, ABadOneSaysWhatIsWrongWithIt) {
  const auto path = std::filesystem::temp_directory_path() / ("maslin_spec_" + std::to_string(getpid()) + ".toml");
  std::ofstream(path) << "name = \"half\"\n";
  variable half("MASLIN_MACHINE", path.c_str());
  const std::string what = complaint([] { described_machine(); });
  std::filesystem::remove(path);
  EXPECT_NE(what.find("missing key 'workers'"), std::string::npos) << what;
}

}  // namespace
}  // namespace maslin::machine
