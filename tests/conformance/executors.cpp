#include "executors.hpp"

#include <cstdlib>
#include <fstream>

std::vector<executor_kind> executor_kinds() {
  if (const char* one = std::getenv("MASLIN_TEST_WORKERS")) return {{std::atoi(one)}};
  return {{0}, {1}, {2}, {3}, {8}, {64}, {1, true}, {2, true}, {3, true}, {64, true}};
}

void describe_machine(const executor_kind& kind) {
  static const std::string file = [] {
    std::string path = testing::TempDir() + "conformance_machine.toml";
    std::ofstream(path) << "name = \"some\"\n[workers]\nkind = \"cpu\"\ncount = 4\nsource = \"this test\"\n";
    return path;
  }();
  if (kind.described)
    setenv("MASLIN_MACHINE", file.c_str(), 1);
  else
    unsetenv("MASLIN_MACHINE");
}

std::string kind_name(const testing::TestParamInfo<executor_kind>& info) {
  return info.param.workers == 0
             ? "serial"
             : (info.param.described ? "described" : "workers") + std::to_string(info.param.workers);
}
