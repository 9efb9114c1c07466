// `maslin dma`: what the tasks of a run would transfer between workers with memories of their own and main memory.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/shared/numbers.hpp"
#include "commands.hpp"
#include "dma_transfers.hpp"
#include "json_text.hpp"
#include "maslin/error.hpp"
#include "model/dma/simulation.hpp"
#include "output.hpp"

namespace {

namespace dma = maslin::dma;

struct wishes {
  std::string trace;
  dma::parameters machine;
  std::uint64_t bandwidth_mb = 25600;
  std::string interleave = "packets";
  std::string priority = "rotating";
  bool json = false;
};

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }
double percent(std::uint64_t part, std::uint64_t whole) {
  return percent(static_cast<double>(part), static_cast<double>(whole));
}

nlohmann::json json_of(const dma::counts& c) {
  return {{"get_packets", c.gets},   {"put_packets", c.puts},     {"sl1_hits", c.hits},
          {"memory_reads", c.reads}, {"memory_writes", c.writes}, {"stalled_cycles", c.stalls}};
}

void print_json(const maslin::trace::summary& about, const transfers& all, const dma::simulation& s,
                const dma::parameters& p) {
  nlohmann::json out{{"program", about.program},
                     {"workers", p.workers},
                     {"tasks", all.tasks},
                     {"operations", all.operations.size()},
                     {"bytes", all.bytes},
                     {"trace_ns", about.duration_ns},
                     {"last_packet_ns", static_cast<double>(s.now_ps()) / 1000},
                     {"newer_in_sl1", s.dirty()},
                     {"page_hits", s.page_hits()},
                     {"page_misses", s.page_misses()},
                     {"clusters", nlohmann::json::array()},
                     {"packets_of_workers", nlohmann::json::array()}};
  for (int c = 0; c < p.clusters; ++c) out["clusters"].push_back(json_of(s.cluster(c)));
  for (int w = 0; w < p.workers; ++w) out["packets_of_workers"].push_back(s.packets_of(w));
  out.update(json_of(s.total()));
  fmt::print("{}\n", json_text(out));
}

void print_text(const maslin::trace::summary& about, const transfers& all, const dma::simulation& s,
                const dma::parameters& p) {
  const dma::counts sum = s.total();
  std::string out;
  line(out, "{}: {} tasks on {} workers, {} transfers of {:.6g} MB", about.program, all.tasks, p.workers,
       all.operations.size(), static_cast<double>(all.bytes) * 1e-6);
  line(out, "packets   {} of {} bytes: {} got, {} put", sum.packets(), p.packet_bytes, sum.gets, sum.puts);
  if (p.cache_bytes > 0)
    line(out, "SL1       {} x {} KB: {:.1f} % of the packets hit", p.clusters, p.cache_bytes >> 10,
         percent(sum.hits, sum.packets()));
  line(out, "memory    {} packets read, {} written; {} more are newer in SL1 at the end", sum.reads, sum.writes,
       s.dirty());
  line(out, "pages     {:.1f} % of the accesses hit an open page; {} banks, pages of {} bytes",
       percent(s.page_hits(), s.page_hits() + s.page_misses()), p.banks, p.page_bytes);
  const double run_ms = static_cast<double>(about.duration_ns) * 1e-6, last_ms = static_cast<double>(s.now_ps()) * 1e-9;
  for (int c = 0; c < p.clusters; ++c)
    line(out, "bus {:<5} {:.1f} % of the run's {:.6g} ms busy, {} cycles waiting for memory", c,
         percent(static_cast<double>(s.cluster(c).packets()) * static_cast<double>(p.cycle_ps), run_ms * 1e9), run_ms,
         s.cluster(c).stalls);
  line(out, "time      the last packet arrives after {:.6g} ms{}", last_ms,
       last_ms > run_ms ? ": the buses are too slow for this run" : "");
  fmt::print("{}", out);
}

void run(wishes w) {
  const maslin::trace::file trace(w.trace);
  const transfers all = transfers_of(trace, w.trace);
  w.machine.workers = std::max(trace.about().workers, 1);
  w.machine.banks_by = w.interleave == "pages"      ? dma::interleaving::pages
                       : w.interleave == "permuted" ? dma::interleaving::permuted
                                                    : dma::interleaving::packets;
  w.machine.memory_goes_to = w.priority == "fixed" ? dma::priority::fixed : dma::priority::rotating;
  constexpr std::uint64_t most_bytes = 1 << 30;
  if (w.machine.packet_bytes > most_bytes)
    throw maslin::error(
        fmt::format("--packet is {}; expected a power of two up to {} bytes", w.machine.packet_bytes, most_bytes));
  // Bytes a microsecond are megabytes a second.
  w.machine.cycle_ps = static_cast<std::int64_t>(w.machine.packet_bytes * 1'000'000 / w.bandwidth_mb);
  dma::simulation s(w.machine);
  for (const dma::operation& o : all.operations) s.add(o);
  s.run();
  if (w.json)
    print_json(trace.about(), all, s, w.machine);
  else
    print_text(trace.about(), all, s, w.machine);
}

}  // namespace

void add_dma(CLI::App& app) {
  const auto w = std::make_shared<wishes>();
  CLI::App* command = app.add_subcommand(
      "dma",
      "What a recorded run would transfer if each worker had a memory of its own, behind a cache that clusters share");
  command->footer(
      "From the trace: which task ran where and when, and the data that it names.\n"
      "Assumed: a task gets all that it reads when it begins, and puts all that it writes when it ends; nothing\n"
      "stays in a worker's memory; renamed data lie where the program named them; transfers delay no task.\n"
      "Not seen: loops, kernels, and data that tasks do not name.");
  command->add_option("FILE", w->trace, "The trace (record one with MASLIN_TRACE=run.mtrace)")->required();
  command->add_option("--sl1", w->machine.cache_bytes, "Size of each cluster's cache, e.g. 2048k; 0: none")
      ->transform(command::size())
      ->default_str("1024k");
  command->add_option("--clusters", w->machine.clusters, "How many clusters the workers are divided into")
      ->transform(command::whole_number(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  command->add_option("--bandwidth", w->bandwidth_mb, "Bandwidth of a cluster's bus, in MB/s")
      ->transform(command::whole_number(1, 100'000'000))
      ->capture_default_str();
  command->add_option("--packet", w->machine.packet_bytes, "Bytes of a packet and of a line of the cache")
      ->transform(command::size())
      ->capture_default_str();
  command->add_option("--banks", w->machine.banks, "Banks of the memory")
      ->transform(command::whole_number(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  command->add_option("--page", w->machine.page_bytes, "Bytes of a page; each bank has one open")
      ->transform(command::size())
      ->capture_default_str();
  command->add_option("--interleave", w->interleave, "What lies in the next bank: packets, pages, or permuted pages")
      ->check(CLI::IsMember({"packets", "pages", "permuted"}))
      ->capture_default_str();
  command->add_option("--priority", w->priority, "Which cluster may use the memory first")
      ->check(CLI::IsMember({"rotating", "fixed"}))
      ->capture_default_str();
  command->add_flag("--json", w->json, "Print one JSON object");
  command->callback([w] { run(*w); });
}
