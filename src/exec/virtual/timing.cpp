#include "exec/virtual/timing.hpp"

#include "base/clock.hpp"
#include "base/settings.hpp"
#include "maslin/error.hpp"

namespace maslin {

namespace {

picoseconds from_microseconds(const std::optional<double>& us) {
  return static_cast<picoseconds>(us.value_or(0) * 1e6);
}

double picoseconds_of_a_byte(double gb_per_s) { return 1e3 / gb_per_s; }

}  // namespace

timing::timing(const machine::machine_spec& machine)
    : only_declared(base::flag_of("MASLIN_DURATIONS")),
      worker_picoseconds(base::seconds_per_tick() * 1e12 / machine.workers.speed) {
  if (machine.transfer) signal = from_microseconds(machine.transfer->signal_us);
  if (machine.local_store && machine.local_store->code_bytes)
    code = from_microseconds(machine.transfer->latency_us) +
           static_cast<picoseconds>(static_cast<double>(*machine.local_store->code_bytes) *
                                    picoseconds_of_a_byte(machine.transfer->bandwidth_gb_per_s));
  if (machine.dispatch) {
    task = from_microseconds(machine.dispatch->task_us);
    steal = signal = from_microseconds(machine.dispatch->handover_us);
    wake = from_microseconds(machine.dispatch->wake_us);
    spin = from_microseconds(machine.dispatch->spin_us);
  }
  nodes = machine.nodes;
  node = machine.workers.count;
  group = node / machine.workers.groups;
  for (const machine::link_spec& link : machine.links)
    (link.between == machine::link_spec::ends::groups ? between_groups : between_nodes) =
        from_microseconds(link.latency_us);
  if (!machine.hosts) {
    if (const machine::memory_spec* const level = memory::main_memory(machine)) {
      memory_byte = picoseconds_of_a_byte(*level->bandwidth_gb_per_s);
      memories = {*level, machine};
    }
    return;  // what accelerators move goes to their local stores
  }
  contexts = machine.hosts->contexts;
  host_picoseconds = base::seconds_per_tick() * 1e12 / machine.hosts->speed.value_or(1);
  kernel_on_host = machine.workers.speed / machine.hosts->speed.value_or(1);
  contention = machine.hosts->contention.value_or(0);
  smt = machine.hosts->smt.value_or(0);
  context_switch = from_microseconds(machine.hosts->switch_us);
  quantum = from_microseconds(machine.hosts->quantum_us);
  host = base::choice_of<grain::host_policy>("MASLIN_HOST");
  master = base::choice_of<grain::loop_master>("MASLIN_MASTER");
  // There a thread that waits spins, and one that waits for a loop leaves its host: nothing to be compared.
  if (host == grain::host_policy::native && master == grain::loop_master::automatic)
    master = grain::loop_master::worker;
  // It is EDTLP's, the operating system has none. A speed that is not said is not known.
  controls_grain = machine.hosts->speed && host != grain::host_policy::native;
  if (host == grain::host_policy::native && quantum <= 0)
    throw error(machine.file + ": MASLIN_HOST=native needs the operating system's time slice: [hosts] quantum_us");
}

}  // namespace maslin
