#include "exec/virtual/timing.hpp"

#include <cstdlib>
#include <string>

#include "base/clock.hpp"
#include "maslin/error.hpp"

namespace maslin {

namespace {

bool only_declared_from_environment() {
  const char* text = std::getenv("MASLIN_DURATIONS");
  const std::string how = text && *text ? text : "measured";
  if (how == "declared") return true;
  if (how == "measured") return false;
  throw error("MASLIN_DURATIONS=" + how +
              ": expected \"measured\" (what bodies take is measured where they declare nothing) or \"declared\" (only "
              "declared costs count)");
}

grain::host_policy host_policy_from_environment() {
  const char* text = std::getenv("MASLIN_HOST");
  if (!text || !*text) return grain::host_policy::yield_if_not_ready;
  if (const auto policy = grain::parse_host_policy(text)) return *policy;
  throw error("MASLIN_HOST=" + std::string(text) + ": expected edtlp, yield, adaptive or native");
}

picoseconds from_microseconds(const std::optional<double>& us) {
  return static_cast<picoseconds>(us.value_or(0) * 1e6);
}

}  // namespace

timing::timing(const machine::machine_spec& machine)
    : only_declared(only_declared_from_environment()),
      worker_picoseconds(base::seconds_per_tick() * 1e12 / machine.workers.speed) {
  if (machine.transfer) signal = from_microseconds(machine.transfer->signal_us);
  if (machine.dispatch) {
    task = from_microseconds(machine.dispatch->task_us);
    steal = signal = from_microseconds(machine.dispatch->handover_us);
    wake = from_microseconds(machine.dispatch->wake_us);
    spin = from_microseconds(machine.dispatch->spin_us);
  }
  node = machine.workers.count;
  group = node / machine.workers.groups;
  for (const machine::link_spec& link : machine.links)
    (link.between == machine::link_spec::ends::groups ? between_groups : between_nodes) =
        from_microseconds(link.latency_us);
  if (!machine.hosts) return;
  host_picoseconds = base::seconds_per_tick() * 1e12 / machine.hosts->speed.value_or(1);
  kernel_on_host = machine.workers.speed / machine.hosts->speed.value_or(1);
  contention = machine.hosts->contention.value_or(0);
  smt = machine.hosts->smt.value_or(0);
  context_switch = from_microseconds(machine.hosts->switch_us);
  quantum = from_microseconds(machine.hosts->quantum_us);
  host = host_policy_from_environment();
  // It is EDTLP's, the operating system has none. A speed that is not said is not known.
  controls_grain = machine.hosts->speed && host != grain::host_policy::native;
  if (host == grain::host_policy::native && quantum <= 0)
    throw error(machine.file + ": MASLIN_HOST=native needs the operating system's time slice: [hosts] quantum_us");
}

}  // namespace maslin
