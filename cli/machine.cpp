// `maslin machine`.

#include "commands.hpp"

void add_machine(CLI::App& app) {
  app.add_subcommand("machine", "What this machine is, and how many CPUs this process may use and why");
}
