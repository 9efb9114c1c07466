// maslin-cc: a C compiler that knows `#pragma css`. It translates what has such lines, and hands all the rest to the
// compiler that it stands in front of.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/shared/child.hpp"
#include "cli/shared/scratch_folder.hpp"
#include "cli/shared/stopping.hpp"
#include "command_line.hpp"
#include "source.hpp"
#include "translate.hpp"

namespace {

using compiler::command_line;
using strings = std::vector<std::string>;
using kind = command_line::word::kind;
namespace fs = std::filesystem;

constexpr const char* help = R"(maslin-cc [--check] [--emit] OPTIONS AND FILES OF A C COMPILER

Compiles C whose functions are annotated as tasks.

An annotation is a line before a function: #pragma css task input(...) output(...) inout(...). Everything else is handed
to the compiler that MASLINCC names, or to cc.

  --check    makes a program that runs its tasks one by one, and says where one touches what it did not declare
  --emit     prints the translated program, and compiles nothing
  --help     prints this
  --version  prints the version, and the compiler's

make CC=maslin-cc builds a project as it is. docs/annotated-c.md has the annotations.

Exit status:
  1         annotations that make no sense: the message says where
  2         there is no compiler or no library
  others    the compiler's
)";

struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string real_compiler() {
  const char* const said = std::getenv("MASLINCC");
  return said && *said ? said : "cc";
}

[[noreturn]] void cannot_run(const strings& words, int problem) {
  throw failure(
      fmt::format("cannot run the compiler '{}' ({}); MASLINCC names another", words[0], std::strerror(problem)));
}

/// Runs a command and gives its status as a shell does.
int run(const strings& words) {
  const auto [problem, status] = command::run_child(words);
  if (problem) cannot_run(words, problem);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] void become(const strings& words) {
  execvp(words[0].c_str(), command::arguments_of(words).data());
  cannot_run(words, errno);
}

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) throw failure(fmt::format("cannot write {}; is the disk full?", file));
}

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
    using step = command_line::step;
    const auto sources = words_of({kind::source}).size(), files = words_of({kind::file}).size();
    // No files at all is a question such as -print-file-name; several sources and one output are an error to be told.
    const bool nothing_to_do =
        line_.until == step::preprocess || (sources == 0 && (line_.until != step::link || files == 0));
    const bool is_wrong = line_.until != step::link && !line_.output.empty() && sources > 1;
    if (nothing_to_do || is_wrong) {
      all_.insert(all_.begin(), real_compiler());
      become(all_);
    }

    strings link = {real_compiler()};
    for (const command_line::word& one : line_.words) {
      if (one.is == kind::source) {
        link.push_back(compile(one.text[0]));
        if (status_) return status_;
      } else if (one.is != kind::language && one.is != kind::dependences) {
        append(link, one.text);
      }
    }
    if (emits_ || line_.until != step::link) return 0;
    const fs::path folder = library_folder();
    if (checks_) {
      for (const char* name :
           {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free", "memcpy", "memmove", "memset"})
        link.push_back(fmt::format("-Wl,--wrap={}", name));
      append(link, {"-rdynamic", (folder / "libmaslin_css_check.a").string(), "-ldl"});
    } else {
      append(link, {(folder / "libmaslin_css.a").string(), (folder / MASLIN_SONAME).string(),
                    "-Wl,-rpath," + folder.string()});
    }
    return ::run(link);
  }

 private:
  /// Gives the words of these kinds, in their order.
  strings words_of(std::initializer_list<kind> kinds) const {
    strings found;
    for (const command_line::word& one : line_.words)
      if (std::find(kinds.begin(), kinds.end(), one.is) != kinds.end())
        found.insert(found.end(), one.text.begin(), one.text.end());
    return found;
  }

  /// Compiles a source as far as the command line says, and gives the file to link.
  std::string compile(const std::string& file) {
    const std::string stem = fs::path(file).stem().string();
    const bool is_linked = line_.until == command_line::step::link;
    const bool is_assembly = line_.until == command_line::step::compile;
    std::string object = is_linked              ? scratch_.file(fmt::format("{}.o", ++objects_))
                         : line_.output.empty() ? stem + (is_assembly ? ".s" : ".o")
                                                : line_.output;
    strings first = {real_compiler(), "-E", "-dD", "-x", "c", file, "-o", preprocessed_};
    append(first, words_of({kind::preprocessor, kind::dependences, kind::other}));
    if (line_.writes_dependences) {
      const std::string target = !is_linked ? object : line_.output.empty() ? stem + ".o" : line_.output;
      if (!line_.names_dependences) append(first, {"-MF", fs::path(target).replace_extension(".d").string()});
      if (!line_.names_target) append(first, {"-MT", target});
    }
    if ((status_ = ::run(first))) return {};

    const auto expand = [&](const std::string& macros) {
      write(macros_, macros);
      if (::run({real_compiler(), "-E", "-P", "-undef", "-w", "-x", "c", macros_, "-o", expanded_}))
        throw failure("the compiler could not replace the macros of a pragma");
      return content_of(expanded_);
    };
    const compiler::source source = compiler::read(content_of(preprocessed_), expand);
    const std::string text = source.pragmas.empty() ? source.text : compiler::translate(source, line_.standard);
    if (emits_) {
      fmt::print("{}", text);
      return {};
    }
    write(preprocessed_, text);
    strings second = {real_compiler()};
    append(second, words_of({kind::other}));
    if (checks_)
      append(second, {"-g", "-fsanitize=thread", "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset",
                      "-Wno-tsan"});
    append(second, {is_assembly ? "-S" : "-c", "-x", "cpp-output", preprocessed_, "-o", object});
    status_ = ::run(second);
    return object;
  }

  static void append(strings& to, const strings& more) { to.insert(to.end(), more.begin(), more.end()); }

  const bool checks_, emits_;
  strings all_;
  const command_line line_;
  command::scratch_folder scratch_;
  const std::string preprocessed_ = scratch_.file("unit.i"), macros_ = scratch_.file("macros.c"),
                    expanded_ = scratch_.file("macros.i");
  int objects_ = 0;
  int status_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  command::tidy_up_when_stopped();
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
