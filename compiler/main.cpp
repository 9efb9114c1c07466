// maslin-cc: a C compiler that knows `#pragma css`. It translates what has such lines, and hands all the rest to the
// compiler that it stands in front of.

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "source.hpp"
#include "translate.hpp"

extern char** environ;

namespace {

using compiler::command_line;
using strings = std::vector<std::string>;
using kind = command_line::word::kind;
namespace fs = std::filesystem;

constexpr const char* help = R"(maslin-cc [--check] [--emit] OPTIONS AND FILES OF A C COMPILER

Compiles C whose functions are annotated as tasks (#pragma css task input(...) output(...) inout(...)), and hands
everything else to the compiler that MASLINCC names, or to cc.

  --check    makes a program that runs its tasks one by one, and says where one touches what it did not declare
  --emit     prints the translated program, and compiles nothing
  --help     prints this
  --version  prints the version, and the compiler's

make CC=maslin-cc builds a project as it is. docs/annotated-c.md has the annotations.
Status: the compiler's; 1 for annotations that make no sense; 2 if there is no compiler or no library.
)";

struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string real_compiler() {
  const char* const said = std::getenv("MASLINCC");
  return said && *said ? said : "cc";
}

/// Runs a command and gives its status. `input` and `output`: files for the standard streams; empty: this process's.
int run(const strings& words, const fs::path& input = {}, const fs::path& output = {}) {
  std::vector<char*> arguments;
  for (const std::string& one : words) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (!input.empty()) posix_spawn_file_actions_addopen(&files, 0, input.c_str(), O_RDONLY, 0);
  if (!output.empty()) posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed)
    throw failure(
        fmt::format("cannot run the compiler '{}' ({}); MASLINCC names another", words[0], std::strerror(failed)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] void become(const strings& words) {
  std::vector<char*> arguments;
  for (const std::string& one : words) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw failure(
      fmt::format("cannot run the compiler '{}' ({}); MASLINCC names another", words[0], std::strerror(errno)));
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) throw failure(fmt::format("cannot write {}; is the disk full?", file.string()));
}

/// A folder that is gone when this process is.
class scratch {
 public:
  scratch() {
    std::string name = (fs::temp_directory_path() / "maslin-cc-XXXXXX").string();
    if (!mkdtemp(name.data())) throw failure(fmt::format("cannot make a folder {} ({})", name, std::strerror(errno)));
    folder_ = name;
  }
  ~scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  /// Gives a file of that name in a folder of its own.
  fs::path file(const std::string& name) {
    const fs::path own = folder_ / std::to_string(count_++);
    fs::create_directory(own);
    return own / name;
  }

 private:
  fs::path folder_;
  int count_ = 0;
};

/// Gives where the libraries are: beside this command as it is installed, or where they were built.
fs::path library_folder() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder :
       {self.parent_path().parent_path() / MASLIN_LIBRARY_FOLDER, fs::path(MASLIN_BUILT_LIBRARIES)})
    if (fs::exists(folder / "libmaslin_css.a", ignored)) return folder;
  throw failure(fmt::format("libmaslin_css.a is not in {}; install Maslin's component tools",
                            (self.parent_path().parent_path() / MASLIN_LIBRARY_FOLDER).string()));
}

class driver {
 public:
  driver(strings words, bool checks, bool emits)
      : checks_(checks), emits_(emits), all_(std::move(words)), line_(compiler::read_command_line(all_)) {}

  int run() {
    strings sources;
    for (const command_line::word& one : line_.words)
      if (one.is == kind::source) sources.push_back(one.text[0]);
    using step = command_line::step;
    if (line_.until == step::preprocess || (sources.empty() && (line_.until != step::link || !links())))
      become(with_compiler(all_));
    const bool is_shared_output = !line_.output.empty() && line_.until != step::link && sources.size() > 1;
    if (is_shared_output) become(with_compiler(all_));  // it says what is wrong

    strings link = {real_compiler()};
    for (const command_line::word& one : line_.words) {
      if (one.is == kind::source) {
        const std::string made = compile(one.text[0]);
        if (status_) return status_;
        link.push_back(made);
      } else if (one.is != kind::language && one.is != kind::dependences) {
        link.insert(link.end(), one.text.begin(), one.text.end());
      }
    }
    if (emits_ || line_.until != step::link) return 0;
    const fs::path folder = library_folder();
    if (checks_) {
      for (const char* name : {"malloc", "calloc", "realloc", "free", "memcpy", "memmove", "memset"})
        link.push_back(fmt::format("-Wl,--wrap={}", name));
      link.insert(link.end(), {"-rdynamic", (folder / "libmaslin_css_check.a").string(), "-ldl"});
    } else {
      link.insert(link.end(), {(folder / "libmaslin_css.a").string(), (folder / MASLIN_SONAME).string(),
                               "-Wl,-rpath," + folder.string()});
    }
    return ::run(link);
  }

 private:
  static strings with_compiler(strings words) {
    words.insert(words.begin(), real_compiler());
    return words;
  }
  /// Are there files to link, or is this a question such as -print-file-name?
  bool links() const {
    for (const command_line::word& one : line_.words)
      if (one.is == kind::other && one.text[0][0] != '-') return true;
    return false;
  }

  /// Compiles a source as far as the command line says, and gives the file to link.
  std::string compile(const std::string& file) {
    const std::string stem = fs::path(file).stem().string();
    const bool is_linked = line_.until == command_line::step::link;
    const std::string suffix = line_.until == command_line::step::compile ? ".s" : ".o";
    const std::string object = is_linked              ? scratch_.file(stem + ".o").string()
                               : line_.output.empty() ? stem + suffix
                                                      : line_.output;
    const fs::path preprocessed = scratch_.file(stem + ".i");
    strings first = {real_compiler(), "-E", "-dD", "-x", "c", file, "-o", preprocessed.string()};
    for (const command_line::word& one : line_.words)
      if (one.is == kind::other || one.is == kind::preprocessor || one.is == kind::dependences)
        if (one.text[0] != "-c" && one.text[0] != "-S" && (one.text[0][0] == '-' && !is_for_linking(one.text[0])))
          first.insert(first.end(), one.text.begin(), one.text.end());
    if (line_.writes_dependences) {
      const std::string target = is_linked && !line_.output.empty() ? line_.output : is_linked ? stem + ".o" : object;
      if (!line_.names_dependences)
        first.insert(first.end(), {"-MF", fs::path(target).replace_extension(".d").string()});
      if (!line_.names_target) first.insert(first.end(), {"-MT", target});
    }
    if ((status_ = ::run(first))) return {};

    const auto expand = [&](const std::string& macros) {
      const fs::path in = scratch_.file("macros.c"), out = scratch_.file("macros.i");
      write(in, macros);
      if (::run({real_compiler(), "-E", "-P", "-undef", "-w", "-x", "c", in.string(), "-o", out.string()}))
        throw failure("the compiler could not replace the macros of a pragma");
      return content_of(out);
    };
    const compiler::source source = compiler::read(content_of(preprocessed), expand);
    const std::string text = source.pragmas.empty() ? source.text : compiler::translate(source, line_.standard);
    if (emits_) {
      fmt::print("{}", text);
      return {};
    }
    write(preprocessed, text);
    strings second = {real_compiler()};
    for (const command_line::word& one : line_.words)
      if (one.is == kind::other && one.text[0][0] == '-' && one.text[0] != "-S" && one.text[0] != "-c" &&
          !is_for_linking(one.text[0]))
        second.insert(second.end(), one.text.begin(), one.text.end());
    if (checks_)
      second.insert(second.end(), {"-g", "-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                                   "-fno-builtin-memset", "-Wno-tsan"});
    second.insert(second.end(),
                  {suffix == ".s" ? "-S" : "-c", "-x", "cpp-output", preprocessed.string(), "-o", object});
    status_ = ::run(second);
    return object;
  }

  static bool is_for_linking(const std::string& word) {
    for (const char* one : {"-l", "-L", "-Wl,", "-Xlinker", "-shared", "-static", "-rdynamic", "-T", "-u", "-z"})
      if (word.starts_with(one) && word != "-undef") return true;
    return false;
  }

  const bool checks_, emits_;
  const strings all_;
  const command_line line_;
  scratch scratch_;
  int status_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  strings words(argv + 1, argv + argc);
  const auto take = [&](const char* option) { return std::erase(words, option) > 0; };
  const bool checks = take("--check"), emits = take("--emit");
  if (words.size() == 1 && words[0] == "--help") return fmt::print("{}", help), 0;
  if (words.size() == 1 && words[0] == "--version") {
    fmt::print("maslin-cc {}\n", MASLIN_VERSION);
    std::fflush(stdout);
    return run({real_compiler(), "--version"});
  }
  return driver(std::move(words), checks, emits).run();
} catch (const compiler::mistake& e) {
  compiler::say(e.where, "error", e.what(), e.word);
  return 1;
} catch (const std::exception& e) {
  fmt::print(stderr, "maslin-cc: {}\n", e.what());
  return 2;
}
