#include "sched/loop/policy.hpp"

#include <fmt/format.h>

#include "maslin/error.hpp"

namespace maslin::loop_policy {

namespace {
constexpr schedule all[] = {schedule::dbs, schedule::static_, schedule::gss, schedule::afs};
}

std::string_view name(schedule policy) {
  switch (policy) {
    case schedule::static_:
      return "static";
    case schedule::gss:
      return "gss";
    case schedule::afs:
      return "afs";
    default:
      return "dbs";
  }
}

schedule parse(std::string_view text) {
  for (const schedule policy : all)
    if (text == name(policy)) return policy;
  throw error(fmt::format(
      "MASLIN_LOOP={}: expected the name of a loop policy: dbs (the default), static, gss or afs, in lower case",
      text));
}

}  // namespace maslin::loop_policy
