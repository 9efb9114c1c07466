#include "sched/loop/policy.hpp"

#include <fmt/format.h>

#include "maslin/error.hpp"

namespace maslin::loop_policy {

namespace {
constexpr kind all[] = {kind::dbs, kind::static_, kind::gss, kind::afs};
}

std::string_view name(kind policy) {
  switch (policy) {
    case kind::static_:
      return "static";
    case kind::gss:
      return "gss";
    case kind::afs:
      return "afs";
    default:
      return "dbs";
  }
}

kind parse(std::string_view text) {
  for (const kind policy : all)
    if (text == name(policy)) return policy;
  throw error(fmt::format(
      "MASLIN_LOOP={}: expected the name of a loop policy: dbs (the default), static, gss or afs, in lower case",
      text));
}

}  // namespace maslin::loop_policy
