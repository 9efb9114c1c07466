#include "sched/place/policy.hpp"

#include "base/settings.hpp"

namespace maslin::place {

placement of_the_run() { return static_cast<placement>(1 + base::word_of("MASLIN_PLACE")); }

std::string_view name(placement policy) {
  return base::known_setting("MASLIN_PLACE")->words[static_cast<std::size_t>(policy) - 1].word;
}

}  // namespace maslin::place
