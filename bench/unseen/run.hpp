#pragma once
// What both commands do alike: the request, the run and its check, the line of JSON.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "program.hpp"

namespace CLI {
class App;
}

namespace unseen {

struct request {
  std::string name;
  unseen::size size;
};

/// Adds the options that both have.
void options(CLI::App& app, request& what);

/// Makes the program, runs its streams and checks its answer. Throws wrong_answer.
nlohmann::json run_program(const request& what);

/// Gives the status.
int print(const nlohmann::json& line);

/// Parses the options, calls `run` and gives the status of the process. 1: an answer was wrong. 2: the request cannot
/// be met.
int run_main(CLI::App& app, int argc, char** argv, const std::function<int()>& run);

}  // namespace unseen
