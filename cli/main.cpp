// The command `maslin`.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "commands.hpp"
#include "maslin/error.hpp"

int main(int argc, char** argv) {
  constexpr int wrong_request = 2;
  CLI::App app{"Maslin: a runtime for multigrain parallelism", "maslin"};
  app.set_version_flag("--version", "maslin " MASLIN_VERSION);
  app.require_subcommand(1);
  add_machine(app);
  add_explain(app);
  add_trace(app);
  add_dma(app);
  add_figures(app);
  add_node(app);
  add_replay(app);
  add_scale(app);
  add_settings(app);
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
  if (std::fflush(stdout) != 0) {
    fmt::print(stderr, "maslin: standard output cannot be written: {}; make room or write elsewhere\n",
               std::strerror(errno));
    return wrong_request;
  }
  return 0;
}
