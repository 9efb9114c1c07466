// The command `maslin`.

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "maslin/error.hpp"

int main(int argc, char** argv) {
  constexpr int wrong_request = 2;
  CLI::App app{"Maslin: a runtime for multigrain parallelism", "maslin"};
  app.require_subcommand(1);
  add_machine(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : wrong_request;
  } catch (const maslin::error& e) {
    fmt::print(stderr, "maslin: {}\n", e.what());
    return wrong_request;
  } catch (const std::exception& e) {
    fmt::print(stderr, "maslin: unexpected: {}\n", e.what());
    return 1;
  }
  return 0;
}
