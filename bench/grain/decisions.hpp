#pragma once
// What right-sizing did with a phase, as the commands of bench/grain and bench/unseen print it.

#include <nlohmann/json.hpp>

#include "maslin/phase.hpp"

namespace grain {

/// Gives what it settled on, how long it sampled, and what of that time it would not have needed where it settled.
nlohmann::json decisions(const maslin::phase_report& r);

}  // namespace grain
