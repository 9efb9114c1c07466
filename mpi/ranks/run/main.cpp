// maslin-mpirun: starts a program as the ranks of one process, or of some.

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/shared/child.hpp"
#include "cli/shared/grammar.hpp"
#include "cli/shared/numbers.hpp"
#include "cli/shared/run.hpp"
#include "launch.hpp"
#include "launcher.hpp"
#include "maslin/error.hpp"
#include "maslin/settings.hpp"
#include "processes.hpp"

namespace {

namespace fs = std::filesystem;

struct options {
  int ranks = 1, processes = 1;
  bool is_one_of_nodes = false;
  std::string place = "block";
  bool tags_output = false, has_threads = false;
  std::string stack = "8M";
  std::vector<std::string> program;
};

/// A program that this one starts: beside it where it was built, or where the installation has it. Empty if it is
/// missing.
std::string started(const char* name) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {here, here / ".." / MASLIN_LIBEXEC / "maslin"})
    if (fs::exists(folder / name)) return (folder / name).string();
  return {};
}

/// The program that holds the ranks.
std::string host() {
  std::string found = started("maslin-mpi-host");
  if (found.empty()) throw maslin::error("maslin-mpi-host is missing beside maslin-mpirun; install Maslin again");
  return found;
}

/// The program that joins nodes.
std::string forwarder() {
  std::string found = started("maslin-mpi-forwarder");
  if (found.empty())
    throw maslin::error(
        "--nodes: maslin-mpi-forwarder is missing beside maslin-mpirun; build Maslin where CMake finds the system's "
        "MPI");
  return found;
}

/// The program's file: as given, or found as a shell finds it.
std::string found(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  if (const char* const path = std::getenv("PATH")) {
    const std::string all = path;
    for (std::size_t from = 0; from <= all.size();) {
      const std::size_t to = std::min(all.find(':', from), all.size());
      const fs::path file = fs::path(all.substr(from, to - from)) / program;
      if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file.string();
      from = to + 1;
    }
  }
  throw maslin::error(
      fmt::format("there is no program '{}' in PATH; a program of this folder is ./{}", program, program));
}

/// Throws if another launcher has started several of these, each of which would run the program's ranks as a job of its
/// own. A program that is started by its name comes here, too.
void expect_to_be_alone() {
  if (const int started = mpi::started_by_launcher(); started > 1)
    throw maslin::error(
        fmt::format("the system's launcher has started {} of these, and each would be a job of its own; expected "
                    "maslin-mpirun -n RANKS PROGRAM alone, or --nodes on several nodes",
                    started));
}

/// Throws if a colon begins another program with its own options there, as other launchers have it.
void expect_one_program(const CLI::App& app, const std::vector<std::string>& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string next = words[i + 1].substr(0, words[i + 1].find('='));
    if (words[i] == ":" && (next.starts_with("-n") || app.get_option_no_throw(next)))
      throw maslin::error(
          fmt::format("': {}' begins another program; expected one, which all ranks run: it may do another thing in "
                      "each rank",
                      words[i + 1]));
  }
}

void run(const CLI::App& app, const options& said) {
  if (said.program.empty()) throw maslin::error("no program is named; expected maslin-mpirun -n RANKS PROGRAM");
  if (said.program[0][0] == '-') throw CLI::ExtrasError({said.program[0]});
  expect_one_program(app, said.program);
  if (!said.is_one_of_nodes) expect_to_be_alone();
  setenv("MASLIN_STACK", said.stack.c_str(), 0);
  setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", 0);  // a rank that aborts would lose what it has printed to a file
  std::vector<std::string> words{host(), std::to_string(said.ranks), said.tags_output ? "tagged" : "plain",
                                 said.has_threads ? "threads" : "fibers", found(said.program[0])};
  words.insert(words.end(), said.program.begin() + 1, said.program.end());
  constexpr std::size_t place = 4;
  if (said.processes > 1 || said.is_one_of_nodes)
    std::exit(mpi::launch(std::move(words), place, said.ranks, said.processes, said.place,
                          said.is_one_of_nodes ? forwarder() : std::string()));
  words.insert(words.begin() + place, "/" + said.place);
  execv(words[0].c_str(), command::arguments_of(words).data());
  throw maslin::error(fmt::format("{} cannot be run ({})", words[0], std::strerror(errno)));
}

/// Makes --np of -np in front of the program, which other launchers have. CLI11 takes it for -n and the value "p".
void spell_np(const CLI::App& app, int argc, char** argv) {
  static char np[] = "--np";
  for (int i = 1; i < argc && argv[i][0] == '-'; ++i) {
    if (std::strcmp(argv[i], "-np") == 0) argv[i] = np;
    const CLI::Option* const option = app.get_option_no_throw(argv[i]);
    if (option && !command::is_flag(*option)) ++i;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs an MPI program whose ranks are fibers, in one process, in several, or on several nodes.",
               "maslin-mpirun");
  options said;
  app.add_option("-n,--np", said.ranks, "How many ranks; -np is the same")
      ->transform(command::whole_number(1, 1000000))
      ->type_name("RANKS")
      ->capture_default_str();
  app.add_option("--processes", said.processes, "How many processes the ranks are divided among, on each node")
      ->transform(command::whole_number(1, mpi::shared_by_processes::most))
      ->type_name("PROCESSES")
      ->capture_default_str();
  app.add_flag("--nodes", said.is_one_of_nodes,
               "The ranks are divided among several nodes: the system's mpirun starts this command on each");
  app.add_option(
         "--place", said.place,
         "How ranks are divided among the processes, or among the workers of the only one: block (those that follow "
         "each other), cyclic (in turn), or a file with the process or worker of each rank, from 0")
      ->type_name("HOW")
      ->capture_default_str();
  app.add_flag("--tag-output", said.tags_output, "Begin each line that a rank prints with its number");
  app.add_flag("--threads", said.has_threads,
               "Have as many workers as ranks: for programs that want more than MPI_THREAD_FUNNELED");
  app.add_option("--stack", said.stack, "The stack of a rank, unless MASLIN_STACK is set")
      ->type_name("SIZE")
      ->capture_default_str();
  app.prefix_command();
  command::manual_facts facts{MASLIN_VERSION, {}, {"maslin(1)"}};
  for (const maslin::setting& one : maslin::settings())
    facts.environment.push_back({one.name, maslin::plain(one.help)});
  command::add_habits(app, facts);
  app.require_subcommand(0);
  app.footer(
      "\nThe program is one that maslin-mpicc, maslin-mpicxx or maslin-mpif90 has made; its own arguments follow "
      "it.\n\n"
      "Examples:\n"
      "  maslin-mpirun -n 64 ./solver input.txt\n"
      "  maslin-mpirun -n 64 --processes 4 ./solver input.txt\n"
      "  mpirun --map-by ppr:1:node --bind-to none maslin-mpirun --nodes -n 64 ./solver input.txt\n"
      "  MASLIN_WORKERS=2 maslin-mpirun -n 6 --tag-output ./solver\n\n"
      "The exit status is that of the first rank whose status is not 0. If the program cannot be started, it is one "
      "of\n"
      "these.");
  spell_np(app, argc, argv);
  return command::run(app, argc, argv, [&] {
    said.program = app.remaining();
    run(app, said);
  });
}
