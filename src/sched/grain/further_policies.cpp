#include "sched/grain/further_policies.hpp"

namespace maslin::grain {

// Alone in its file, so that a program may have another.
std::span<const further_policy> further_policies() { return {}; }

}  // namespace maslin::grain
