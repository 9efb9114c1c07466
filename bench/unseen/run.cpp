#include "run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "maslin/error.hpp"

namespace unseen {

namespace {
constexpr int failure = 1;
constexpr int wrong_request = 2;
}  // namespace

void options(CLI::App& app, request& what) {
  std::vector<std::string> names;
  for (const auto& [name, one] : programs()) names.push_back(name);
  app.add_option("NAME", what.name)->required()->check(CLI::IsMember(names));
  app.add_flag("--small", what.size.small, "for tests: few streams and little work");
  app.footer("Status 1: an answer was wrong. Status 2: the request cannot be met.");
}

nlohmann::json run_program(const request& what) {
  const entry& one = programs().at(what.name);
  const auto phase = one.make(what.size);
  const double seconds = run_streams(phase->streams(), [&](std::int64_t i) { phase->stream(i); });
  if (!declared) phase->check();
  return {{"name", what.name},
          {"family", one.family},
          {"units", phase->streams()},
          {"seconds", seconds},
          {"answer", fmt::format("{:016x}", declared ? 0 : phase->answer())},
          {"checked", declared ? "nothing: costs are declared" : "closed form, invariant or residual"}};
}

int print(const nlohmann::json& line) {
  fmt::print("{}\n", line.dump());
  return std::fflush(stdout) == 0 ? 0 : failure;
}

int run_main(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : wrong_request;
  } catch (const maslin::error& e) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), e.what());
    return wrong_request;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), e.what());
    return failure;
  }
}

}  // namespace unseen
