#include "executors.hpp"

#include <cstdlib>

std::vector<executor_kind> executor_kinds() {
  if (const char* one = std::getenv("MASLIN_TEST_WORKERS")) return {{std::atoi(one)}};
  return {{0}, {1}, {2}, {3}, {8}, {64}};
}

std::string kind_name(const testing::TestParamInfo<executor_kind>& info) {
  return info.param.workers == 0 ? "serial" : "workers" + std::to_string(info.param.workers);
}
