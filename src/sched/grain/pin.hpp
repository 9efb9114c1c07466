#pragma once
// Pinned decisions: MASLIN_PIN="bootstraps=4x2,other=1x8,newview=host,wait=yield" takes phases out of right-sizing's
// hands, by name, says where kernels run, and how the whole process waits.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "maslin/phase.hpp"
#include "sched/grain/wait.hpp"

namespace maslin::grain {

using pins = std::map<std::string, configuration, std::less<>>;

/// Where a kernel runs that a stream on a host off-loads.
enum class kernel_place : std::uint8_t { host, accelerator };

struct pinned {
  pins phases;
  std::map<std::string, kernel_place, std::less<>>
      kernels;                      ///< an entry `kernels` is of all that have none of their own
  std::optional<wait_policy> wait;  ///< of the whole process: an entry `wait`, which is no phase's
};

/// Gives what `text` pins: NAME=STREAMSxWIDTH for phases, NAME=host or NAME=accelerator for kernels, and
/// wait=POLICY, separated by commas. Throws `error` with the
/// column of what it could not read.
pinned parse_pins(std::string_view text);

/// Gives `pinned` if it fits; throws `error` if the phase `name` would need more than `workers`.
configuration fit_pin(std::string_view name, configuration pinned, int workers);

}  // namespace maslin::grain
