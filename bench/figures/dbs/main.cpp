// maslin-dbs: the programs of the Dynamic Bisectioning paper, each against its serial answer.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"
#include "misses.hpp"

namespace figures {

std::span<const program* const> programs() {
  static constexpr const program* all[] = {&mta, &cmm, &slu, &sac, &cfd, &mdj};
  return all;
}

namespace {

constexpr int failure = 1;
constexpr int wrong_request = 2;

/// Gives the policy of the run: the runtime reads the same variable, and refuses what it does not know.
std::string_view policy() {
  const char* text = std::getenv("MASLIN_LOOP");
  return text && *text ? text : "dbs";
}

nlohmann::json as_json(const measurement& m) {
  nlohmann::json run{{"program", m.what->name},
                     {"form", name(m.how)},
                     {"policy", policy()},
                     {"functional_as", m.as_iterations ? "iterations" : "tasks"},
                     {"workers", maslin::workers()},
                     {"size", m.size},
                     {"steps", m.steps},
                     {"seconds", m.seconds},
                     {"defect", m.defect},
                     {"checked", "equal to the serial answer, bit for bit"}};
  for (const auto& missed : m.misses) {
    run["misses"].push_back(missed.all);
    run["misses_at_first_use"].push_back(missed.at_first_use);
  }
  return run;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print_row(const measurement& m) {
  const auto [least, most] = std::minmax_element(m.seconds.begin(), m.seconds.end());
  fmt::print("{:<8} {:<11} {:>6} {:>6} {:>10.3f} {:>10.3f} {:>10.3f}\n", m.what->name, name(m.how), m.size, m.steps,
             median(m.seconds) * 1e3, *least * 1e3, *most * 1e3);
}

std::string list_of_programs() {
  std::string text = "Programs:\n";
  for (const program* p : programs())
    text += fmt::format("  {:<5} {} (--size: {}, {} unless given; --steps: {}, {})\n", p->name, p->what, p->size_of,
                        p->size.usual, p->step, p->steps.usual);
  return text +
         "\nMASLIN_LOOP=dbs|static|gss|afs chooses the loop policy, MASLIN_WORKERS the workers. Under dbs functional\n"
         "parallelism is tasks; under the other policies, which know loops only, iterations of a loop.\n"
         "Status 1: an answer was wrong. Status 2: the request cannot be met.";
}

int run(int argc, char** argv) {
  CLI::App app{"The programs of the Dynamic Bisectioning paper; each answer must equal the serial one, bit for bit",
               "maslin-dbs"};
  app.footer(list_of_programs());
  std::vector<std::string> chosen;
  std::vector<std::string> known{"all"};
  for (const program* p : programs()) known.emplace_back(p->name);
  app.add_option("PROGRAM", chosen, "programs to run, or all")->required()->check(CLI::IsMember(known));
  const std::map<std::string, std::vector<form>> forms{{"serial", {form::serial}},
                                                       {"loop", {form::loop}},
                                                       {"functional", {form::functional}},
                                                       {"all", {form::serial, form::loop, form::functional}}};
  std::string wished_form = "all";
  app.add_option("--form", wished_form, "serial, loop (loops only), functional (loops and functional parallelism), all")
      ->check(CLI::IsMember({"serial", "loop", "functional", "all"}))
      ->capture_default_str();
  request wish;
  app.add_option("--size", wish.size, "how large: see below")->check(CLI::Range(1, 100'000));
  app.add_option("--steps", wish.steps, "how long: see below")->check(CLI::Range(1, 1'000'000));
  app.add_option("--repeat", wish.repeat, "timed runs of each form")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--warm-up", wish.warm_up_ms, "milliseconds of untimed runs before them")
      ->check(CLI::Range(0, 60'000))
      ->capture_default_str();
  app.add_flag("--quick", wish.quick, "small sizes, for tests");
  app.add_option("--operation-ns", wish.operation_ns,
                 "on a described machine: what a floating-point operation takes, instead of what is measured here")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--cache", wish.cache_bytes,
                 fmt::format("on a described machine, with MASLIN_DURATIONS=declared: count the lines of {} bytes that "
                             "processors use and do not hold in caches of so many bytes each; for --json",
                             line_bytes))
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{line_bytes}, std::uint64_t{1} << 32));
  bool json = false;
  app.add_flag("--json", json, "write the figures as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : wrong_request;
  }

  const maslin::Runtime runtime;
  if (wish.cache_bytes > 0) cache_misses{wish.cache_bytes};  // is it possible?
  const bool as_iterations = policy() != "dbs";
  auto runs = nlohmann::json::array();
  if (!json) {
    fmt::print("MASLIN_LOOP={}, {} workers, functional parallelism as {}\n", policy(), maslin::workers(),
               as_iterations ? "iterations of a loop" : "tasks");
    fmt::print("program  form          size  steps  median ms   least ms    most ms\n");
  }
  for (const program* p : programs()) {
    const auto names = [&](std::string_view name) {
      return std::find(chosen.begin(), chosen.end(), name) != chosen.end();
    };
    if (!names(p->name) && !names("all")) continue;
    for (const measurement& m : measure(*p, forms.at(wished_form), as_iterations, wish))
      if (json)
        runs.push_back(as_json(m));
      else
        print_row(m);
  }
  if (json) fmt::print("{}\n", runs.dump(1));
  if (std::fflush(stdout) != 0)
    throw maslin::error(
        fmt::format("standard output cannot be written: {}; make room or write elsewhere", std::strerror(errno)));
  return 0;
}

}  // namespace
}  // namespace figures

int main(int argc, char** argv) {
  try {
    return figures::run(argc, argv);
  } catch (const maslin::error& e) {
    fmt::print(stderr, "maslin-dbs: {}\n", e.what());
    return figures::wrong_request;
  } catch (const std::exception& e) {
    fmt::print(stderr, "maslin-dbs: {}\n", e.what());
    return figures::failure;
  }
}
