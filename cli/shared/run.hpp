#pragma once
// What all commands of this project do alike: --version, --manual and --completion, messages and exit statuses.

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/shared/manual.hpp"

namespace command {

/// Gives a command line that knows these options. Its help ends with the exit statuses; so does that of each command
/// that is added later.
void add_habits(CLI::App& app, const manual_facts& facts);

/// Parses the command line and does the work, which may be in its callbacks already. Gives the exit status; says on the
/// standard error what is to be mended.
int run(CLI::App& app, int argc, char** argv, const std::function<void()>& work = {});

}  // namespace command
