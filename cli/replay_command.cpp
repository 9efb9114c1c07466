// `maslin replay`: a trace's program on a described machine.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/shared/numbers.hpp"
#include "commands.hpp"
#include "json_text.hpp"
#include "rank_replay.hpp"
#include "replay.hpp"
#include "scaling.hpp"

namespace {

struct wishes {
  std::vector<std::string> traces;
  replay_wishes how;
  rank_wishes ranks;
  bool json = false;
};

void run_ranks(const recorded_ranks& program, wishes w) {
  w.ranks.machine = w.how.machine;
  w.ranks.workers = w.how.workers;
  const rank_times times = times_of(program, w.ranks);
  if (w.json)
    fmt::print("{}\n", json_text(as_json(program, w.ranks, times)));
  else
    print(program, times);
}

/// Gives how long memory takes to move what tasks name, as `maslin scale` counts it; 0 where the description does not
/// say how fast it is. What accelerators transfer is not counted so: it goes to their local stores.
double seconds_of_memory(const recorded& program, const maslin::machine::machine_spec& machine, int workers,
                         std::uint64_t data) {
  if (machine.hosts) return 0;
  const double fast = bandwidth(machine, workers > 0 ? workers : machine.workers.count * machine.nodes);
  return fast > 0 ? bytes_from_memory(program, machine, data) / fast : 0;
}

void run(const wishes& w) {
  expect_workers(w.how.workers, maslin::machine::read_spec(w.how.machine));
  if (const auto ranks = read_ranks(w.traces, w.how.trimmed)) return run_ranks(*ranks, w);
  const recorded program = read_recorded(w.traces.front());
  replay again(program);
  const maslin::machine::machine_spec machine = maslin::machine::read_spec(w.how.machine);
  const double memory = seconds_of_memory(program, machine, w.how.workers, again.data_bytes());
  const double seconds = std::max(again.run(w.how), memory);
  const double recorded_seconds = w.how.trimmed ? program.trimmed_seconds : program.seconds;
  if (w.json) {
    const nlohmann::json all{{"program", program.program},
                             {"recorded_workers", program.workers},
                             {"recorded_s", recorded_seconds},
                             {"work_s", program.work},
                             {"tasks", program.tasks.size()},
                             {"loops", program.loops.size()},
                             {"machine", w.how.machine},
                             {"workers", w.how.workers},
                             {"policy", w.how.loops},
                             {"seconds", seconds},
                             {"memory_s", memory}};
    fmt::print("{}\n", json_text(all));
    return;
  }
  fmt::print("{}: {} tasks, {} loops, {:.6g} s of work; recorded on {} workers in {:.6g} s\n", program.program,
             program.tasks.size(), program.loops.size(), program.work, program.workers, recorded_seconds);
  fmt::print("would take {:.6g} s: {:.2f} times as fast{}\n", seconds, recorded_seconds / seconds,
             memory >= seconds && memory > 0 ? "; memory bandwidth is what it waits for" : "");
}

}  // namespace

void add_replay(CLI::App& app) {
  const auto w = std::make_shared<wishes>();
  CLI::App* command =
      app.add_subcommand("replay", "What a recorded run would take on another machine, or under another policy");
  command
      ->add_option("FILE", w->traces,
                   "The trace (record one with MASLIN_TRACE=run.mtrace), or those of a job's processes (run-%p.mtrace)")
      ->required();
  command->add_option("--machine", w->how.machine, "The machine's description, e.g. specs/epyc-128.toml")
      ->required()
      ->type_name("FILE");
  command->add_option("--workers", w->how.workers, "How many of its workers (default: all)")
      ->transform(command::whole_number(1, std::numeric_limits<int>::max()))
      ->type_name("N");
  command->add_option("--loop", w->how.loops, "The policy by which loops are shared: dbs, static, gss or afs")
      ->check(CLI::IsMember({"dbs", "static", "gss", "afs"}))
      ->capture_default_str();
  command->add_flag("--trim", w->how.trimmed,
                    "Leave out what the program computed before its first call of Maslin and after its last");
  command->add_option("--trace", w->how.trace, "Write a trace of the replay, in the described machine's time")
      ->type_name("FILE");
  command
      ->add_option(
          "--place", w->ranks.place,
          "Of recorded ranks: block (nodes are filled one by one), cyclic, or traffic (who exchanges most is together)")
      ->check(CLI::IsMember({"block", "cyclic", "traffic"}))
      ->capture_default_str();
  command
      ->add_option("--placement", w->ranks.placement,
                   "Of recorded ranks: write the node of each in this file, for maslin-mpirun --place")
      ->type_name("FILE");
  command
      ->add_option("--eager", w->ranks.eager_bytes,
                   "Of recorded ranks: messages of up to so many bytes are sent before they are received")
      ->transform(command::whole_number(0, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str()
      ->type_name("BYTES");
  command->add_flag("--json", w->json, "Print one JSON object");
  command->callback([w] { run(*w); });
}
