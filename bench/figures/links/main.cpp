// What messages and a wavefront take on the links of a described machine; bench/figures/links.py asks.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "maslin/error.hpp"
#include "model/links/network.hpp"
#include "model/links/ranks.hpp"
#include "wavefront.hpp"

namespace {

using maslin::links::action;
using maslin::links::network;
using nlohmann::json;

constexpr double ps = 1e-12;

/// Two ranks that send a message there and back; all others have nothing to do.
class ping_pong {
 public:
  ping_pong(std::uint32_t other, std::int64_t bytes) : other_(other), bytes_(bytes) {}
  action next(std::uint32_t rank) {
    if (rank != 0 && rank != other_) return {};
    int& step = rank == 0 ? steps_[0] : steps_[1];
    if (step == 2) return {};
    const bool sends = (step++ == 0) == (rank == 0);
    return sends ? action::send(other_ - rank, bytes_) : action::receive(other_ - rank);
  }

 private:
  std::uint32_t other_;
  std::int64_t bytes_;
  int steps_[2] = {0, 0};
};

/// Gives the time of each hop, alone.
json hops(const network& on, const std::vector<std::int64_t>& sizes) {
  json all = json::array();
  for (const maslin::links::hop& h : on.hops)
    for (const std::int64_t bytes : sizes)
      all.push_back({{"hop", h.name},
                     {"bytes", bytes},
                     {"startup", static_cast<double>(h.startup_ps) * ps},
                     {"seconds", static_cast<double>(h.takes_ps(bytes)) * ps}});
  return all;
}

/// Gives half a round trip from worker 0 to the nearest one that each route leads to.
json messages(const network& on, const std::vector<std::int64_t>& sizes) {
  json all = json::array();
  std::uint32_t other = 1;
  for (const maslin::links::route& r : on.routes) {
    for (const std::int64_t bytes : sizes) {
      ping_pong program(other, bytes);
      const std::int64_t there_and_back = maslin::links::ranks(on, other + 1, program).run();
      all.push_back({{"route", r.name}, {"bytes", bytes}, {"seconds", 0.5 * static_cast<double>(there_and_back) * ps}});
    }
    other = r.within;
  }
  return all;
}

json sweep(const network& on, const wavefront::deck& with) {
  wavefront::program program(with);
  maslin::links::ranks all(on, with.ranks(), program);
  const double seconds = static_cast<double>(all.run()) * ps;
  const double computing = static_cast<double>(program.computed_ps()) * ps;
  return {{"ranks", with.ranks()},
          {"seconds", seconds},
          {"computing", computing / with.ranks() / seconds},
          {"messages", all.messages()},
          {"events", all.events()}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App cli{"Messages and a wavefront on the links of a described machine", "figures_links"};
  cli.require_subcommand(1);
  std::string file;
  std::vector<std::int64_t> sizes{0};
  wavefront::deck with;
  std::vector<std::uint32_t> cells{5, 5, 400}, ranks{1, 1};
  double cell_ns = 1;
  bool hosts = false, no_links = false;
  const auto add = [&](const char* name, const char* about) {
    CLI::App* one = cli.add_subcommand(name, about);
    one->add_option("SPEC", file, "Description of a machine")->required();
    return one;
  };
  CLI::App* of_hops = add("hops", "Time of each hop, alone");
  CLI::App* of_messages = add("messages", "Half a round trip over each route");
  for (CLI::App* one : {of_hops, of_messages}) one->add_option("--bytes", sizes)->delimiter(',');
  CLI::App* of_sweep = add("sweep", "An iteration of Sweep3D");
  of_sweep->add_option("--cells", cells, "In i, j and k, of all ranks")->expected(3)->check(CLI::PositiveNumber);
  of_sweep->add_option("--ranks", ranks, "In i and j")->expected(2)->check(CLI::PositiveNumber);
  of_sweep->add_option("--planes", with.planes)->check(CLI::PositiveNumber);
  of_sweep->add_option("--angles", with.angles)->check(CLI::PositiveNumber);
  of_sweep->add_option("--block-angles", with.block_angles)->check(CLI::PositiveNumber);
  of_sweep->add_option("--cell-ns", cell_ns, "Of a cell in an angle")->check(CLI::PositiveNumber);
  of_sweep->add_flag("--hosts", hosts, "Ranks on the hosts");
  of_sweep->add_flag("--no-links", no_links, "Messages take no time");
  CLI11_PARSE(cli, argc, argv);
  try {
    network on = maslin::links::read_network(file);
    if (hosts) on = maslin::links::between_hosts(on);
    if (of_hops->parsed() || of_messages->parsed()) {
      fmt::print("{}\n", (of_hops->parsed() ? hops(on, sizes) : messages(on, sizes)).dump(1));
      return 0;
    }
    with.cells_i = cells[0];
    with.cells_j = cells[1];
    with.cells_k = cells[2];
    with.ranks_i = ranks[0];
    with.ranks_j = ranks[1];
    with.cell_ps = static_cast<std::int64_t>(cell_ns * 1e3 + 0.5);
    if (no_links) on = maslin::links::without_links(with.ranks());
    fmt::print("{}\n", sweep(on, with).dump(1));
  } catch (const maslin::error& e) {
    fmt::print(stderr, "figures_links: {}\n", e.what());
    return 2;
  }
  return 0;
}
