#include "executors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

std::vector<executor_kind> executor_kinds() {
  // What an earlier run learned may be fewer streams at a time, and some tests have theirs meet.
  setenv("MASLIN_LEARNED", "off", 0);
  const std::vector<executor_kind> described = {{1, true},
                                                {2, true},
                                                {3, true},
                                                {64, true},
                                                {1, true, "yield"},
                                                {3, true, "edtlp"},
                                                {3, true, "adaptive"},
                                                {3, true, "native"},
                                                {8, true, "yield"},
                                                {3, true, "edtlp", true},
                                                {8, true, "yield", true}};
  std::vector<executor_kind> kinds;
  const char* some = std::getenv("MASLIN_TEST_WORKERS");
  std::istringstream words(some ? some : "0,1,2,3,8,64,described");
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "described")
      kinds.insert(kinds.end(), described.begin(), described.end());
    else
      kinds.push_back({std::stoi(word)});
  }
  return kinds;
}

namespace {

/// A description of this process's own, since several run this program at a time; gone when it ends.
struct spec_file {
  spec_file(const char* name, const std::string& text)
      : process(getpid()), path(testing::TempDir() + fmt::format("conformance_{}.{}.toml", name, process)) {
    std::ofstream(path) << text;
  }
  ~spec_file() {
    if (getpid() == process) std::remove(path.c_str());  // not at the end of a child
  }
  const pid_t process;
  const std::string path;
};

}  // namespace

void describe_machine(const executor_kind& kind) {
  // Messages between ranks take time here; where there are hosts, none but a signal's.
  static const spec_file cores("cores", R"(
name = "cores"
[workers]
kind = "cpu"
count = 64
source = "this test"
[[hop]]
name = "bus"
shared_by = 2
startup_us = 0.5
bandwidth_gb_per_s = 10
source = "this test"
[[hop]]
name = "queue"
shared_by = 2
startup_us = 2
bandwidth_gb_per_s = 1
source = "this test"
[[route]]
name = "near"
within = 2
across = ["bus"]
source = "this test"
[[route]]
name = "far"
within = 64
out = ["queue"]
in = ["queue"]
source = "this test"
)");
  constexpr const char* behind_hosts = R"(
name = "accelerators"
[workers]
kind = "accelerator"
count = 4
source = "this test"
[hosts]
contexts = 2
{}
quantum_us = 50
switch_us = 1
source = "this test"
[transfer]
signal_us = {}
bandwidth_gb_per_s = 10
source = "this test"
)";
  static const spec_file accelerators("accelerators", fmt::format(behind_hosts, "", 0.5));
  static const spec_file for_large("for_large", fmt::format(behind_hosts, "speed = 0.5", 10000));
  unsetenv("MASLIN_MACHINE");
  unsetenv("MASLIN_HOST");
  if (kind.described)
    setenv("MASLIN_MACHINE", (kind.small ? for_large : kind.host ? accelerators : cores).path.c_str(), 1);
  if (kind.host) setenv("MASLIN_HOST", kind.host, 1);
}

std::string kind_name(const testing::TestParamInfo<executor_kind>& info) {
  return info.param.workers == 0
             ? "serial"
             : (info.param.host        ? std::string("hosts_") + info.param.host + (info.param.small ? "_small_" : "_")
                : info.param.described ? "described"
                                       : "workers") +
                   std::to_string(info.param.workers);
}
