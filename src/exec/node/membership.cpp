#include "exec/node/membership.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/checksum.hpp"
#include "base/settings.hpp"
#include "machine/cgroup.hpp"

namespace maslin::node {

namespace {

struct mask {
  explicit mask(std::size_t cpus) : words(CPU_ALLOC_SIZE(cpus) / sizeof(unsigned long)) {}
  std::size_t bytes() const { return words.size() * sizeof(unsigned long); }
  cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(words.data()); }
  std::vector<unsigned long> words;
};

int number_of(const std::vector<bool>& cpus) { return static_cast<int>(std::count(cpus.begin(), cpus.end(), true)); }

/// Gives the CPUs that the kernel lets this process use when asked for all: those of its cpuset.
std::vector<bool> within_reach(int cpus) {
  std::vector<bool> all;
  try {
    // On a thread of its own: the caller's mask stays.
    std::thread([&] {
      set_affinity(std::vector<bool>(static_cast<std::size_t>(cpus), true));
      all = affinity(cpus);
    }).join();
  } catch (const std::system_error&) {
    all = affinity(cpus);  // there are no more threads to be had: it will not need other CPUs
  }
  return all;
}

rights rights_of_this_process(int cpus, int own) {
  rights may;
  may.home = affinity(cpus);
  may.reach = within_reach(cpus);
  may.most = number_of(may.reach);
  for (const machine::cpu_limit& limit : machine::cgroup_limits("/"))
    may.most = std::min(may.most, limit.cpus.value_or(may.most));
  may.most = std::max(may.most, 1);
  may.own = std::clamp(own, 1, std::max(1, std::min(number_of(may.home), may.most)));
  return may;
}

}  // namespace

std::vector<bool> affinity(int cpus) {
  std::vector<bool> all(static_cast<std::size_t>(cpus));
  constexpr std::size_t largest = 1 << 20;
  for (std::size_t size = 1024; size <= largest; size *= 2) {
    mask m(size);
    if (sched_getaffinity(0, m.bytes(), m.set()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    for (std::size_t c = 0; c < all.size() && c < size; ++c) all[c] = CPU_ISSET_S(c, m.bytes(), m.set());
    return all;
  }
  all.assign(all.size(), true);
  return all;
}

bool set_affinity(const std::vector<bool>& cpus) {
  mask m(std::max<std::size_t>(cpus.size(), 1024));
  for (std::size_t c = 0; c < cpus.size(); ++c)
    if (cpus[c]) CPU_SET_S(c, m.bytes(), m.set());
  return sched_setaffinity(0, m.bytes(), m.set()) == 0;
}

std::string job_from_environment() {
  const char* text = base::text_of("MASLIN_NODE");
  std::string job = text ? text : "";
  if (job.empty() || job == "0") return {};
  check_job_name(job);
  return job;
}

membership::membership(const std::string& job, int own)
    : table_(segment::join(job)),
      here_(table_->what(), table_->slot_number(), rights_of_this_process(table_->what().cpu_count, own)),
      mine_(here_.mine()) {
  std::uint64_t sum = 0;
  for (const bool c : here_.may().home) sum = base::checksum(sum + (c ? 1 : 0), nullptr, 0) + 1;
  mine_.affinity.store(sum, std::memory_order_relaxed);
  bury_the_dead();
  here_.claim();
  here_.greet();
}

membership::~membership() { leave(); }
void membership::leave() { here_.leave(); }

bool membership::alone() const { return here_.alone(); }

}  // namespace maslin::node
