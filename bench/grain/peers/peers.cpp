// Adds the peers to the policies of the programs that this is linked into (sched/grain/further_policies.hpp).

#include "hill_climbing.hpp"
#include "sched/grain/further_policies.hpp"
#include "ucb.hpp"

namespace maslin::grain {

namespace {

template <class Peer>
std::unique_ptr<controller> make(const situation& begin) {
  return std::make_unique<Peer>(begin);
}

constexpr further_policy peers[] = {{"hill-climbing", make<hill_climbing>}, {"ucb", make<ucb>}};

}  // namespace

std::span<const further_policy> further_policies() { return peers; }

}  // namespace maslin::grain
