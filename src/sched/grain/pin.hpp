#pragma once
// Pinned configurations: MASLIN_PIN="bootstraps=4x2,other=1x8" takes phases out of right-sizing's hands, by name.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "maslin/phase.hpp"

namespace maslin::grain {

using pins = std::map<std::string, configuration, std::less<>>;

/// Gives the configuration pinned for each phase named in `text`: NAME=STREAMSxWIDTH, separated by commas. Throws
/// `error` with the column of what it could not read.
pins parse_pins(std::string_view text);

/// Gives `pinned` if it fits; throws `error` if the phase `name` would need more than `workers`.
configuration fit_pin(std::string_view name, configuration pinned, int workers);

}  // namespace maslin::grain
