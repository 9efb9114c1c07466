// maslin-sweep: the Sweep3D benchmark in three forms, checked against a serial one.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/memory.hpp"
#include "cli/shared/numbers.hpp"
#include "cli/shared/run.hpp"
#include "maslin/error.hpp"
#include "maslin/runtime.hpp"
#include "sweep/forms.hpp"
#include "sweep/reference.hpp"
#include "sweep/report.hpp"

namespace {

constexpr int wrong_answer = 1;
constexpr int largest = 1 << 20;  // of what is counted

/// What the command line says. What it does not say stays as the deck has it.
struct wishes {
  std::string form = "plain", deck_file, grid, ranks, store;
  std::optional<int> planes, block_angles, iterations, fixups;
  std::optional<double> epsi;
  bool weak = false, check = false, spoil = false, json = false;
};

/// Gives the numbers of a text as 50x50x50.
std::vector<int> numbers_of(const std::string& option, const std::string& text, std::size_t count,
                            const char* example) {
  std::vector<int> all;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (all.size() < count) {
    int one = 0;
    const auto [behind, wrong] = std::from_chars(at, end, one);
    if (wrong != std::errc() || one < 1 || one > largest) break;
    all.push_back(one);
    at = behind;
    if (at == end || *at != 'x') break;
    ++at;
  }
  if (all.size() != count || at != end)
    throw maslin::error(fmt::format("{} is '{}'; expected {} whole numbers from 1 to {}, as {}", option, text, count,
                                    largest, example));
  return all;
}

/// Gives the bytes of a text as 256K; 0 for none.
std::int64_t bytes_of(const std::string& text) {
  if (text.empty()) return 0;
  std::int64_t bytes = 0;
  const auto [behind, wrong] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  std::string unit(behind, text.data() + text.size());
  const std::size_t power = std::string("KMG").find(unit.empty() ? 'B' : unit[0]);
  constexpr std::int64_t most = std::int64_t{1} << 50;
  if (wrong != std::errc() || unit.size() > 1 || (power == std::string::npos && !unit.empty()) || bytes < 1 ||
      bytes > most >> (unit.empty() ? 0 : 10 * (power + 1)))
    throw maslin::error(
        fmt::format("--store is '{}'; expected a size in bytes, KiB, MiB or GiB, as 200000, 256K, 2M or 1G", text));
  return unit.empty() ? bytes : bytes << (10 * (power + 1));
}

sweep::deck deck_of(const wishes& w) {
  sweep::deck d = w.deck_file.empty() ? sweep::deck() : sweep::read_deck(w.deck_file);
  if (w.weak) {
    d.cells = {5, 5, 400};
    d.block_angles = d.angles;
  }
  if (!w.grid.empty()) {
    const std::vector<int> cells = numbers_of("--grid", w.grid, 3, "50x50x50");
    d.cells = {cells[0], cells[1], cells[2]};
  }
  if (!w.ranks.empty()) {
    const std::vector<int> ranks = numbers_of("--ranks", w.ranks, 2, "2x3");
    d.ranks_i = ranks[0];
    d.ranks_j = ranks[1];
  }
  if (w.weak) {
    const int ranks[] = {d.ranks_i, d.ranks_j};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (d.cells[axis] > sweep::most_cells / ranks[axis])
        throw maslin::error(
            fmt::format("--weak: {} ranks with {} cells each in a row; expected at most {} cells in all", ranks[axis],
                        d.cells[axis], sweep::most_cells));
      d.cells[axis] *= ranks[axis];
    }
  }
  if (w.planes) d.planes = *w.planes;
  if (w.block_angles) d.block_angles = *w.block_angles;
  if (w.epsi)
    d.epsi = *w.epsi;
  else if (w.iterations)
    d.epsi = -*w.iterations;
  if (w.iterations) d.most_iterations = *w.iterations;
  if (w.fixups) d.fixups = *w.fixups;
  d.planes = std::min(d.planes, d.cells[2]);
  sweep::expect_sound(d);
  return d;
}

/// Throws unless there is memory for the run and what it is compared with.
void expect_memory(const sweep::deck& d, const wishes& w) {
  const double needed =
      d.bytes() * (w.check ? 2 : 1) + (w.form == "accelerator" ? sweep::accelerated_faces_bytes(d) : 0);
  const double there = command::free_memory();
  if (needed <= there) return;
  constexpr double gibibyte = 1U << 30U;
  throw maslin::error(fmt::format(
      "{} x {} x {} cells need {:.1f} GiB of memory{}, and {:.1f} GiB are free; expected a smaller grid", d.cells[0],
      d.cells[1], d.cells[2], needed / gibibyte, w.check ? " with --check" : "", there / gibibyte));
}

sweep::solution solve(const sweep::problem& of, const wishes& w) {
  const std::int64_t store = bytes_of(w.store);
  if (store > 0 && w.form != "reverse")
    throw maslin::error(fmt::format("--store is for the form reverse; the form is {}", w.form));
  if (w.form == "serial") return sweep::solve_serially(of);
  if (w.form == "plain") return sweep::solve_plain(of);
  if (w.form == "accelerator") return sweep::solve_accelerated(of);
  return sweep::solve_reversed(of, store);
}

void run(const CLI::App& app, const wishes& w) {
  const sweep::problem of(deck_of(w));
  expect_memory(of.with, w);
  const maslin::Runtime runtime;
  sweep::report r{of, w.form, maslin::workers(), solve(of, w)};
  if (w.spoil) {
    std::vector<double>& moment = r.found.flux[0];
    moment[moment.size() / 2] *= 1 + 1e-15;  // four units in the last place or more
  }
  if (w.check) r.with_reference = sweep::compare(of, r.found, sweep::solve_serially(of));
  fmt::print("{}", w.json ? to_json(r) : to_text(r));
  std::fflush(stdout);  // the answer comes before what is wrong with it
  if (!r.with_reference || r.with_reference->holds()) return;
  fmt::print(stderr, "{}: wrong: {}\n", app.get_name(), r.with_reference->wrong);
  throw CLI::RuntimeError(wrong_answer);
}

void add_options(CLI::App& app, wishes& w) {
  app.add_option("--form", w.form, "Which program: serial, plain, accelerator or reverse")
      ->check(CLI::IsMember({"serial", "plain", "accelerator", "reverse"}))
      ->capture_default_str();
  app.add_option("--grid", w.grid, "Cells in i, j and k (50x50x50 if nothing says so)")->type_name("NxNxN");
  app.add_option("--ranks", w.ranks, "Ranks in i and j (2x3 if nothing says so)")->type_name("NxN");
  app.add_option("--mk", w.planes, "Planes in k of a block (10 if nothing says so)")
      ->transform(command::whole_number(1, largest))
      ->type_name("N");
  app.add_option("--mmi", w.block_angles, "Angles of a block, 1, 2, 3 or 6 (3 if nothing says so)")
      ->transform(command::whole_number(1, 6))
      ->type_name("N");
  app.add_option("--iterations", w.iterations, "Iterations (12 if nothing says so); with --epsi, at most so many")
      ->transform(command::whole_number(1, largest))
      ->type_name("N");
  app.add_option("--epsi", w.epsi, "Iterate until no flux changes by a larger part than this")
      ->check(command::number_that([](double value) { return value > 0 && value <= 1; }, "a number above 0, at most 1"))
      ->type_name("X");
  app.add_option("--fixups", w.fixups, "Fix negative fluxes: 0 never, 1 always, -N after N iterations")
      ->transform(command::whole_number(-largest, 1))
      ->type_name("N");
  app.add_option("--deck", w.deck_file, "Input file of Sweep3D; options beside it count more")->type_name("FILE");
  app.add_flag("--weak", w.weak, "The grid is each rank's; without --grid 5x5x400, in blocks of all angles");
  app.add_option("--store", w.store, "Bytes of a worker's store, as 256K (form reverse)")->type_name("SIZE");
  app.add_flag("--check", w.check, "Compare with the serial program, bit by bit");
  app.add_flag("--spoil", w.spoil, "Change a flux in its last bits before it is checked");
  app.add_flag("--json", w.json, "Print the results as JSON");
}

void add_footer(CLI::App& app) {
  app.footer(
      "\nExamples:\n"
      "  maslin-sweep --grid 50x50x50 --ranks 2x3 --check\n"
      "  maslin-sweep --form reverse --weak --ranks 4x4 --store 256K\n"
      "  maslin-sweep --form accelerator --deck input.50\n\n"
      "Fluxes are the same to the last bit in all forms, however the grid is cut, at any number of\n"
      "workers (MASLIN_WORKERS), serially (MASLIN_SERIAL=1) and on a described machine (MASLIN_MACHINE).");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The Sweep3D benchmark: discrete ordinates on a grid that ranks sweep", "maslin-sweep");
  command::manual_facts facts{MASLIN_VERSION, {}, {"maslin(1)"}, "--check has found a wrong answer"};
  facts.environment.push_back({"MASLIN_...", "the settings of Maslin; `maslin settings` lists them"});
  wishes w;
  add_options(app, w);
  command::add_habits(app, facts);
  app.require_subcommand(0, 0);
  add_footer(app);
  return command::run(app, argc, argv, [&] { run(app, w); });
}
