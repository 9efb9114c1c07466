// What the applications of the CellSs paper transfer under a policy; bench/figures/cellss.py asks.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "execution.hpp"
#include "makespan.hpp"
#include "maslin/error.hpp"
#include "on_engine.hpp"
#include "scheduling.hpp"

namespace {

using namespace cellss;

nlohmann::json row(const application& app, const std::string& order, std::uint64_t sl1_kb, const result& r) {
  return {{"application", app.name()},
          {"order", order},
          {"sl1_kb", sl1_kb},
          {"tasks", r.tasks},
          {"bundles", r.bundles},
          {"fetches", r.fetches},
          {"software_hits", r.software_hits},
          {"packets", r.packets},
          {"sl1_hits", r.sl1_hits},
          {"memory_accesses", r.memory_accesses},
          {"page_hits", r.page_hits},
          {"page_misses", r.page_misses},
          {"most_unrolled", r.most_unrolled}};
}

/// The techniques of section 5.3, in the order in which figure 12 adds them.
const std::vector<std::string> all_techniques{"mso", "ec", "cache", "db"};

nlohmann::json in_time(const application& app, int block, const settings& how, double flops_per_ns,
                       const std::vector<std::string>& with, described_machine machine) {
  machine.workers = how.workers;
  machine.unrolled = how.unrolled;
  machine.cache_bytes = how.software_cache_bytes;
  machine.kernel_ns = kernel_times(app, block, flops_per_ns);
  const auto on = [&](const char* name) { return std::ranges::find(with, name) != with.end(); };
  const time_line told = run_in_time(app, machine, {on("mso"), on("ec"), on("cache"), on("db")}, how.bundles);
  return {{"application", app.name()}, {"workers", how.workers}, {"with", with},
          {"tasks", told.tasks},       {"ns", told.ns},          {"kernel_ns", told.kernel_ns},
          {"host_ns", told.host_ns},   {"bytes", told.bytes},    {"call_backs", told.call_backs}};
}

nlohmann::json on_engine(const application& app, int block, double flops_per_ns) {
  const engine_line told = run_on_engine(app, kernel_times(app, block, flops_per_ns));
  return {{"application", app.name()},
          {"workers", told.workers},
          {"tasks", app.tasks().size()},
          {"ns", told.ns},
          {"stores", nlohmann::json::parse(told.report).value("stores", nlohmann::json())}};
}

nlohmann::json scheduled(const application& app, const settings& how) {
  const scheduling took = schedule_all(app, how.bundles);
  return {
      {"application", app.name()}, {"tasks", app.tasks().size()}, {"ns_a_task", took.ns}, {"bytes_a_task", took.bytes}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App cli{"Transfers of the CellSs paper's applications under a policy", "figures_cellss"};
  std::string name;
  std::vector<std::uint64_t> sl1_kb{256, 512, 1024, 2048, 4096, 8192};
  const std::vector<std::string> all_orders{"program-order", "chains", "bundles", "locality"};  // as `policy` has them
  std::vector<std::string> orders = all_orders;
  settings how;
  size s{0, 0};
  bool small = false, no_co_parents = false, no_hints = false, every_stage_out = false, all_at_once = false;
  bool by_engine = false;
  std::uint64_t software_cache_kb = how.software_cache_bytes >> 10;
  double flops_per_ns = 0;
  std::vector<std::string> with;
  described_machine machine;
  double create_us = 1e-3 * machine.create_ns, schedule_us = 1e-3 * machine.schedule_ns;
  cli.add_option("APPLICATION", name)->required()->check(CLI::IsMember(application_names()));
  cli.add_option("--sl1", sl1_kb, "KB of SL1, one run each")->delimiter(',');
  cli.add_option("--order", orders)->delimiter(',')->check(CLI::IsMember(all_orders));
  cli.add_option("--blocks", s.blocks);
  cli.add_option("--block", s.block);
  cli.add_option("--bound", how.bundles.bound, "Tasks in a bundle at most")->check(CLI::PositiveNumber);
  cli.add_option("--lists", how.bundles.lists)->check(CLI::Range(1, 64));
  cli.add_option("--unrolled", how.unrolled)->check(CLI::Range(0.0, 1.0));
  cli.add_option("--created-a-task", how.created_a_task);
  cli.add_option("--workers", how.workers)->check(CLI::PositiveNumber);
  cli.add_option("--clusters", how.machine.clusters)->check(CLI::PositiveNumber);
  cli.add_option("--software-cache", software_cache_kb, "KB");
  cli.add_flag("--small", small, "A small problem instead of the paper's");
  cli.add_flag("--no-co-parents", no_co_parents);
  cli.add_flag("--no-hints", no_hints);
  cli.add_flag("--every-stage-out", every_stage_out, "No minimal stage-out");
  cli.add_flag("--scheduling", all_at_once, "Give what scheduling a task takes here, in a graph of all tasks");
  cli.add_option("--time", flops_per_ns,
                 "Give how long it takes under bundles, without SL1, where kernels do so many GFLOPS")
      ->check(CLI::PositiveNumber);
  cli.add_flag("--engine", by_engine,
               "With --time: where Maslin's engine runs the tasks, on the machine that MASLIN_MACHINE describes");
  cli.add_option("--with", with, "With --time: minimal stage-out, early call-back, cache, double buffering")
      ->delimiter(',')
      ->check(CLI::IsMember(all_techniques));
  cli.add_option("--create", create_us, "With --time: us of the main thread for a task; 0: four for each that is done")
      ->check(CLI::NonNegativeNumber);
  cli.add_option("--schedule", schedule_us, "With --time: us of the host for each task of a bundle")
      ->check(CLI::NonNegativeNumber);
  cli.add_option("--bus", machine.bus_bytes_per_ns, "With --time: GB/s of the bus")->check(CLI::PositiveNumber);
  cli.add_option("--spread", machine.spread, "With --time: so far a kernel's time may be off, as a share")
      ->check(CLI::Range(0.0, 1.0));
  CLI11_PARSE(cli, argc, argv);
  machine.create_ns = 1e3 * create_us;
  machine.schedule_ns = 1e3 * schedule_us;
  how.bundles.co_parents = !no_co_parents;
  how.bundles.hints = !no_hints;
  how.minimal_stage_out = !every_stage_out;
  how.software_cache_bytes = software_cache_kb << 10;
  try {
    const application app = application_of(name, s, small);
    if (all_at_once) {
      fmt::print("{}\n", scheduled(app, how).dump(1));
      return 0;
    }
    if (flops_per_ns > 0) {
      const int block = s.block > 0 ? s.block : small ? 32 : 64;
      const nlohmann::json told =
          by_engine ? on_engine(app, block, flops_per_ns) : in_time(app, block, how, flops_per_ns, with, machine);
      fmt::print("{}\n", told.dump(1));
      return 0;
    }
    nlohmann::json all = nlohmann::json::array();
    for (const std::uint64_t kb : sl1_kb)
      for (const std::string& order : orders) {
        how.machine.cache_bytes = kb << 10;
        how.how = static_cast<policy>(std::ranges::find(all_orders, order) - all_orders.begin());
        all.push_back(row(app, order, kb, execute(app, how)));
      }
    fmt::print("{}\n", all.dump(1));
  } catch (const maslin::error& e) {
    fmt::print(stderr, "figures_cellss: {}\n", e.what());
    return 2;
  }
  return 0;
}
