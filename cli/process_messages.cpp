#include "process_messages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include "calibrate_curves.hpp"
#include "cli/shared/child.hpp"
#include "cli/shared/scratch_folder.hpp"
#include "maslin/error.hpp"
#include "output.hpp"

namespace {

namespace fs = std::filesystem;
using maslin::layers::message_curve;
using maslin::layers::placement;

/// The figure as which all of them are watched.
constexpr const char* all_curves = "messages between processes";

/// A program that is beside this one where it was built, or where the installation has it. Empty if it is missing.
std::string beside(const char* name) {
  std::error_code lost;
  const fs::path here = fs::read_symlink("/proc/self/exe", lost).parent_path();
  for (const fs::path& folder : {here, here / ".." / MASLIN_LIBEXEC / "maslin"})
    if (fs::exists(folder / name, lost)) return (folder / name).string();
  return {};
}

/// Which points the program gives: call, placement, ranks, ranks of a node; and by bytes what its rounds gave.
using curve_key = std::tuple<std::string, std::string, int, int>;
struct given {
  std::string library;
  std::map<curve_key, std::map<int, std::vector<measured_round>>> curves;
};

given read_points(const std::string& file) {
  given all;
  std::ifstream in(file);
  for (std::string text; std::getline(in, text);) {
    std::istringstream words(text);
    std::string mark, call, where;
    if (!(words >> mark >> call) || mark != "maslin-messages") continue;
    if (call == "library") {
      std::getline(words >> std::ws, all.library);
      continue;
    }
    int ranks = 0, on_a_node = 0, bytes = 0;
    measured_round one;
    if (words >> where >> ranks >> on_a_node >> bytes >> one.is >> one.error)
      all.curves[{call, where, ranks, on_a_node}][bytes].push_back(one);
  }
  return all;
}

/// Runs the program and gives what it says.
given run(std::vector<std::string> words) {
  const bool ours = std::any_of(words.begin(), words.end(),
                                [](const std::string& word) { return fs::path(word).filename() == "maslin-mpirun"; });
  const char* const name = ours ? "maslin-messages" : "maslin-messages-mpi";
  const std::string program = beside(name);
  if (program.empty())
    throw maslin::error(fmt::format("{} is missing beside maslin: build Maslin with MASLIN_MPI=ON{}", name,
                                    ours ? "" : " where CMake finds the system's MPI"));
  words.push_back(program);
  const std::string command_line = command::command_line(words);
  command::scratch_folder folder;
  const std::string said = folder.file("said");
  const int to = open(said.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (to < 0) throw maslin::error(fmt::format("'{}' cannot be written: {}", said, std::strerror(errno)));
  const auto [problem, status] = command::run_child(words, to);
  close(to);
  if (problem != 0)
    throw maslin::error(
        fmt::format("'{}' cannot be run: {}; expected what starts ranks, such as maslin-mpirun -n 4 "
                    "--processes 4, or mpirun -n 4",
                    words[0], std::strerror(problem)));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw maslin::error(WIFSIGNALED(status)
                            ? fmt::format("'{}' was ended by signal {}", command_line, WTERMSIG(status))
                            : fmt::format("'{}' ended with status {}", command_line, WEXITSTATUS(status)));
  given all = read_points(said);
  if (all.curves.empty())
    throw maslin::error(
        fmt::format("'{}' has started no two processes that know each other: expected several processes "
                    "(maslin-mpirun -n 4 --processes 4), or nodes, of {}",
                    command_line, ours ? "one job" : "the MPI with which Maslin was built"));
  return all;
}

bool is_same(const message_curve& a, const message_curve& b) {
  return a.of == b.of && a.where == b.where && a.ranks == b.ranks && a.on_a_node == b.on_a_node;
}

}  // namespace

std::vector<std::string> launcher_of_processes(int ranks) {
  const std::string mpirun = beside("maslin-mpirun");
  if (mpirun.empty() || beside("maslin-messages").empty()) return {};
  // A worker for each rank.
  return {"env", "MASLIN_WORKERS=1", mpirun, "-n", std::to_string(ranks), "--processes", std::to_string(ranks)};
}

std::vector<message_group> messages_between_processes(const std::vector<std::string>& launcher, steady& figures) {
  given all;
  figures.watch(all_curves, [&] { all = run(launcher); });
  std::vector<message_group> groups;
  for (auto& [key, by_bytes] : all.curves) {
    const auto& [call, where, ranks, on_a_node] = key;
    message_group group;
    group.of.of = call == "send" ? message_curve::call::send : message_curve::call::all_reduce;
    group.of.where = where == "nodes" ? placement::nodes : placement::processes;
    group.of.ranks = ranks;
    group.of.on_a_node = where == "nodes" ? on_a_node : 1;
    const std::string spread = where == "nodes" ? fmt::format("on_a_node = {}\n", on_a_node) : std::string();
    group.name = fmt::format("{} of {} ranks (placement {}{})", call, ranks, where,
                             spread.empty() ? "" : fmt::format(", {} on a node", on_a_node));
    std::vector<curve_point> points;
    for (auto& [bytes, rounds] : by_bytes) {
      std::size_t next = 0;
      points.push_back(figures.settle(group.name, bytes, steady::best::least,
                                      [&, &values = rounds] { return values[next++ % values.size()]; }));
    }
    std::erase_if(all.library, [](unsigned char c) { return c == '"' || c == '\\' || c < ' '; });  // as a text of TOML
    group.text = fmt::format(
        "[[messages]]\ncall = \"{}\"\nplacement = \"{}\"\nranks = {}\n{}{}source = \"measured: processes of {}, "
        "medians "
        "of 10 to 60\"\n",
        call, where, ranks, spread, arrays_of(points, "bytes", "us", "error_us"), all.library);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string with_messages(const std::string& file, const std::vector<message_group>& groups, const steady& figures) {
  const std::vector<message_curve> there = maslin::layers::read_curves(file).messages;
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string text; std::getline(in, text);) lines.push_back(text);
  constexpr const char* header = "[[messages]]";
  if (static_cast<std::size_t>(std::count(lines.begin(), lines.end(), header)) != there.size())
    throw maslin::error(fmt::format(
        "{}: expected each of [[messages]] as a group, whose first line is {} and nothing else; write them so", file,
        header));
  std::string text;
  std::size_t group = 0;
  bool is_replaced = false;
  for (const std::string& one : lines) {
    if (one == header) {
      const message_curve& old = there[group++];
      is_replaced = std::any_of(groups.begin(), groups.end(), [&](const auto& g) { return is_same(g.of, old); });
    } else if (one.empty() || one[0] == '[') {
      is_replaced = false;  // a group ends before an empty line, or another one
    }
    if (!is_replaced) text += one + "\n";
  }
  for (const message_group& g : groups) {
    while (text.size() > 1 && text[text.size() - 1] == '\n' && text[text.size() - 2] == '\n') text.pop_back();
    text += "\n";
    const std::string::size_type after_header = g.text.find('\n') + 1;
    text += g.text.substr(0, after_header);
    for (const auto& [name, why] : figures.doubts())
      if (name == g.name || name == all_curves) text += fmt::format("# Doubtful: {}.\n", why);
    text += g.text.substr(after_header);
  }
  return text;
}
