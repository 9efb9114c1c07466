#include "sched/loop/policy.hpp"

#include "base/settings.hpp"

namespace maslin::loop_policy {

schedule of_the_run() { return static_cast<schedule>(1 + base::word_of("MASLIN_LOOP")); }

std::string_view name(schedule policy) {
  return base::known_setting("MASLIN_LOOP")->words[static_cast<std::size_t>(policy) - 1].word;
}

}  // namespace maslin::loop_policy
