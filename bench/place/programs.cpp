// What the programs of apps/linalg take under each place policy, by turns in one process: medians and quartiles of
// rounds. `hot` is a run under dbs whose kernels find their data in cache (resident.hpp): what is between it and dbs is
// what waiting for memory takes. Answers are compared with the serial elision's, to the bit.
//
//   place_programs PROGRAM ROUNDS WORKERS SIZES...  sizes as of linalg_compare: n and block; vectors and length;
//                                                   n, slice and block
//   place_programs json PROGRAM ROUNDS WORKERS SIZES...  each round's times, in seconds
//   place_programs auto PROGRAM ROUNDS WORKERS SIZES...  the same of dbs, locality and auto, once that has decided;
//                                                        MASLIN_LEARNED names an empty file for what it learns
//   place_programs cases                                 those of this machine, a line each

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "by_turns.hpp"
#include "cases.hpp"
#include "maslin/run_report.hpp"
#include "resident.hpp"

namespace {

using place::taken;

constexpr const char* usage =
    "usage: place_programs [json|auto] PROGRAM ROUNDS WORKERS SIZES...\n       place_programs cases\n";

void print_cases() {
  for (const place::chosen_case& one : place::cases_of_this_machine()) {
    std::printf("%s,%s,%d,", one.program.c_str(), one.working_set.c_str(), one.block);
    for (std::size_t i = 0; i < one.sizes.size(); ++i) std::printf("%s%d", i > 0 ? " " : "", one.sizes[i]);
    std::printf("\n");
  }
}

/// What MASLIN_PLACE=auto has learned of a program.
struct learned {
  bool is_near = false;
  int runs = 0;  ///< until it had decided
};

/// Gives it once it has decided, in as many runs as that takes. A run waits once or more, as the program does.
template <class Run>
std::optional<learned> learn(int workers, Run&& run) {
  constexpr int most_runs = 60;  // 24 where each is half of a pair, and some that were too short
  for (int i = 0; i <= most_runs; ++i) {
    const maslin::Runtime runtime({.workers = workers, .serial = false, .place = maslin::placement::automatic});
    const std::string report = maslin::run_report_json();
    if (report.find("\"decided\": true") != std::string::npos)
      return learned{report.find("\"now\": \"locality\"") != std::string::npos, i};
    run();
  }
  return std::nullopt;
}

void print_json(const std::vector<place::side>& sides, std::size_t tasks, bool right,
                const std::optional<learned>& decided) {
  std::printf("{\"tasks\": %zu, \"right\": %s", tasks, right ? "true" : "false");
  if (decided) std::printf(", \"decided\": \"%s\", \"runs\": %d", decided->is_near ? "locality" : "dbs", decided->runs);
  const auto list = [&](const char* what, double taken::*which) {
    std::printf(", \"%s\": {", what);
    for (std::size_t k = 0; k < sides.size(); ++k) {
      std::printf("%s\"%s\": [", k > 0 ? ", " : "", sides[k].name.c_str());
      for (std::size_t i = 0; i < sides[k].rounds.size(); ++i)
        std::printf("%s%.9f", i > 0 ? ", " : "", sides[k].rounds[i].*which);
      std::printf("]");
    }
    std::printf("}");
  };
  list("seconds", &taken::wall);
  list("cpu_seconds", &taken::cpu);
  std::printf("}\n");
}

void print_text(const std::string& what, const std::vector<place::side>& sides, std::size_t tasks, bool right) {
  const place::side& dbs = sides.front();
  const double cpu = dbs.beside(dbs, [](taken d, taken) { return d.cpu; }).median();
  std::printf("%s: %zu tasks of %.1f us of CPU time under dbs%s\n", what.c_str(), tasks,
              1e6 * cpu / static_cast<double>(tasks), right ? "" : " WRONG");
  for (const place::side& one : sides) {
    const place::spread time = one.beside(dbs, [](taken a, taken d) { return a.wall / d.wall; });
    const place::spread cpu_time = one.beside(dbs, [](taken a, taken d) { return a.cpu / d.cpu; });
    std::printf("  %-14s time x %.3f (%.3f to %.3f), CPU time x %.3f (%.3f to %.3f)\n", one.name.c_str(), time.median(),
                time.at(0.25), time.at(0.75), cpu_time.median(), cpu_time.at(0.25), cpu_time.at(0.75));
  }
}

}  // namespace

int main(int argc, char** argv) {
  setenv("MASLIN_FOREIGN", "reproducible", 0);  // as maslin-linalg does
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"cases"}) return print_cases(), 0;
  const bool is_auto = !words.empty() && words.front() == "auto";
  const bool is_json = is_auto || (!words.empty() && words.front() == "json");
  if (is_json) words.erase(words.begin());
  std::vector<int> sizes;
  std::string what;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i >= 3) sizes.push_back(std::atoi(words[i].c_str()));
    if (i == 0 || i >= 3) what += (i > 0 ? " " : "") + words[i];
  }
  const std::unique_ptr<linalg::program> program = words.size() > 3 ? linalg::make_program(words[0], sizes) : nullptr;
  if (!program) return std::fputs(usage, stderr), 2;
  const int rounds = std::max(1, std::atoi(words[1].c_str())), workers = std::max(1, std::atoi(words[2].c_str()));
  std::uint64_t checksum = 0;
  std::size_t tasks = 0;
  {
    const maslin::Runtime serial({.serial = true});
    program->prepare();
    tasks = program->run();
    checksum = linalg::checksum_of(program->answer());
  }
  bool right = true;
  std::vector<place::side> sides = place::all_policies();
  std::optional<learned> decided;
  if (is_auto) {
    sides.resize(2);
    sides.push_back({"auto", maslin::placement::automatic});
    decided = learn(workers, [&] {
      program->prepare();
      program->run();
    });
  } else {
    sides.push_back({"locality again", maslin::placement::locality});
    sides.push_back({"no-hints", maslin::placement::locality, {}, false});
    sides.push_back({"hot", maslin::placement::dbs});
  }
  place::by_turns(sides, rounds, workers, [&](const place::side& one) {
    const bool is_hot = one.name == "hot";
    program->kernels = is_hot ? place::resident_kernels() : linalg::kernel_set{};
    program->prepare();
    std::size_t ran = 0;
    const taken found = place::time_of([&] { ran = program->run(); });
    right = right && ran == tasks && (is_hot || linalg::checksum_of(program->answer()) == checksum);
    return found;
  });
  is_json ? print_json(sides, tasks, right, decided) : print_text(what, sides, tasks, right);
  return right ? 0 : 1;
}
