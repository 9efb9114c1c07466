// grain_shapes: one phase of a shape, timed and checked. bench/grain/run.py calls it under every configuration and
// policy.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "decisions.hpp"
#include "maslin/error.hpp"
#include "shape.hpp"

namespace {

using namespace shapes;

constexpr int failure = 1;
constexpr int wrong_request = 2;

using maker = std::unique_ptr<shape> (*)(const size&);
const std::map<std::string, maker> makers{{"cholesky", make_cholesky}, {"monte-carlo", make_monte_carlo},
                                          {"stencil", make_stencil},   {"lognormal", make_lognormal},
                                          {"change", make_change},     {"md", make_md},
                                          {"tree", make_tree}};

int run(int argc, char** argv) {
  CLI::App app{"One phase of a shape: prints its time and what right-sizing did as one line of JSON.", "grain_shapes"};
  app.footer("Status 1: an answer was wrong. Status 2: the request cannot be met.");
  std::vector<std::string> names;
  for (const auto& [name, make] : makers) names.push_back(name);
  std::string name;
  size what;
  app.add_option("SHAPE", name)->required()->check(CLI::IsMember(names));
  app.add_option("--units", what.streams, "streams")->check(CLI::Range(1, 100'000))->capture_default_str();
  app.add_option("--kernels", what.kernels, "off-loads of a stream, in the mean")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--patterns", what.patterns, "of the alignment (tree)")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_flag("--declared", what.declared, "on a described machine: compute nothing, and say what it would take");
  app.add_flag("--small", what.small, "little memory, for tests");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : wrong_request;
  }

  const ms::Runtime runtime;
  const auto phase = makers.at(name)(what);
  if (what.declared && !what.pays(0))
    throw ms::error("--declared needs a described machine; set MASLIN_MACHINE=bench/grain/specs/synthetic-8.toml");
  const auto begin = ms::time();
  ms::phase(phase_name, what.streams, [&](std::int64_t i) { phase->stream(i); });
  const double seconds = (ms::time() - begin).count();
  phase->check_off_loads();
  if (!what.declared) phase->check();

  nlohmann::json line{
      {"name", name},
      {"units", what.streams},
      {"kernels", what.kernels},
      {"workers", ms::workers()},
      {"seconds", seconds},
      {"off_loads", phase->off_loads()},
      {"answer", fmt::format("{:016x}", what.declared ? 0 : phase->answer())},
      {"checked", what.declared ? "every off-load ran once" : "closed form, and every off-load ran once"}};
  if (const auto report = ms::report(phase_name)) line.update(grain::decisions(*report));
  fmt::print("{}\n", line.dump());
  return std::fflush(stdout) == 0 ? 0 : failure;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const maslin::error& e) {
    fmt::print(stderr, "grain_shapes: {}\n", e.what());
    return wrong_request;
  } catch (const std::exception& e) {
    fmt::print(stderr, "grain_shapes: {}\n", e.what());
    return failure;
  }
}
