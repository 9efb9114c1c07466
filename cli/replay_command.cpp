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
#include "traffic.hpp"

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

void run(const wishes& w) {
  expect_workers(w.how.workers, maslin::machine::read_spec(w.how.machine));
  if (const auto ranks = read_ranks(w.traces, w.how.trimmed)) return run_ranks(*ranks, w);
  recorded program = read_recorded(w.traces.front());
  const maslin::machine::machine_spec machine = maslin::machine::read_spec(w.how.machine);
  count_named_data(program, machine);
  const double fast = bandwidth(machine, w.how.workers > 0 ? w.how.workers : machine.workers.count * machine.nodes);
  const double memory = fast > 0 && counts_traffic(machine) ? bytes_moved(program) / fast : 0;
  replay again(program);
  const double seconds = again.run(w.how);
  double without_memory = seconds;
  if (memory > 0) {
    replay_wishes free = w.how;
    free.memory = false;
    free.trace.clear();
    without_memory = again.run(free);
  }
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
                             {"memory_s", memory},
                             {"without_memory_s", without_memory}};
    fmt::print("{}\n", json_text(all));
    return;
  }
  fmt::print("{}: {} tasks, {} loops, {:.6g} s of work; recorded on {} workers in {:.6g} s\n", program.program,
             program.tasks.size(), program.loops.size(), program.work, program.workers, recorded_seconds);
  const double waits = 1 - without_memory / seconds;
  constexpr double worth_saying = 0.005;
  fmt::print("would take {:.6g} s: {:.2f} times as fast{}\n", seconds, recorded_seconds / seconds,
             waits >= worth_saying ? fmt::format("; {:.0f} % of it waits for memory", 100 * waits) : "");
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
                   "Of recorded ranks: messages of up to so many bytes are sent before they are received. The default "
                   "is MASLIN_EAGER's between ranks of one process, and not what the run had")
      ->transform(command::whole_number(0, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str()
      ->type_name("BYTES");
  command->add_flag("--json", w->json, "Print one JSON object");
  command->callback([w] { run(*w); });
}
