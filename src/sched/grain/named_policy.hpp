#pragma once
// The policies that choose a phase's configuration, by name: MASLIN_GRAIN=edtlp-llp:4.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sched/grain/controller.hpp"
#include "sched/grain/further_policies.hpp"

namespace maslin::grain {

struct policy {
  /// In the order of the words of MASLIN_GRAIN.
  enum class rule : std::uint8_t { automatic, edtlp, edtlp_llp, s_mgps, s_mgps_by_work, mgps };
  rule by = rule::automatic;
  int width = 1;                            ///< of edtlp_llp's teams
  const further_policy* further = nullptr;  ///< where it is none of the library's
};

/// Gives the policy that a word of MASLIN_GRAIN names, or that is a further one of this name. Throws `error`, with the
/// nearest name if there is one.
policy parse_policy(std::string_view text);

/// Gives its name, as `parse_policy` reads it.
std::string name_of(policy p);

/// Gives the policy's controller for a phase that begins. Throws std::bad_alloc.
std::unique_ptr<controller> make_controller(policy p, const situation& begin);

}  // namespace maslin::grain
