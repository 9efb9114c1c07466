#include "cli/shared/run.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "cli/shared/completion.hpp"
#include "cli/shared/grammar.hpp"
#include "cli/shared/printable.hpp"
#include "cli/shared/repeated.hpp"
#include "cli/shared/terminal.hpp"
#include "cli/shared/unknown.hpp"
#include "maslin/error.hpp"

namespace command {

namespace {

constexpr int defect = 1;
constexpr int to_mend = 2;

void tell_problem(const CLI::App& app, const std::string& problem) {
  tell(fmt::format("{}: {}\n", app.get_name(), problem));
}

/// Gives what is wrong with a command line, of which the parser says `problem`.
std::string wrong_in(const CLI::App& app, int argc, char** argv, const char* problem) {
  const known_line line = read_line(app, argc, argv);
  const auto unknown = first_unknown(line.words);
  const std::string lists =
      fmt::format("`{} --help` lists what there is", full_name_of(unknown ? *unknown->at : *line.command));
  if (unknown)
    return fmt::format("{} is not {}; {}", unknown->word, unknown->expected,
                       unknown->meant.empty() ? lists : fmt::format("did you mean {}?", unknown->meant));
  const std::string repeated = first_repeated(line.words);
  return repeated.empty() ? fmt::format("{}; {}", problem, lists) : repeated;
}

int print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);  // whether that went well is asked at the end
  return 0;
}

int flushed(const CLI::App& app) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  if (errno == EPIPE) end_unread();
  tell_problem(
      app, fmt::format("standard output cannot be written: {}; make room or write elsewhere", std::strerror(errno)));
  return to_mend;
}

/// Help of each command: its own words, then the exit statuses.
class help : public CLI::Formatter {
 public:
  explicit help(const manual_facts& facts) {
    for (const exit_status& one : exit_statuses)
      statuses_ += fmt::format("  {:<9} {}\n", one.number, meaning_of(one, facts));
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    if (app->get_prefix_command()) usage.insert(usage.find_last_not_of('\n') + 1, " PROGRAM [ARGUMENTS]");
    return usage;
  }

  std::string make_footer(const CLI::App* app) const override {
    std::string own = app->get_footer();
    CLI::detail::trim(own);
    if (!own.empty()) own += "\n\n";
    if (!commands_of(*app).empty()) own += full_name_of(*app) + " COMMAND --help explains a command.\n\n";
    return own + "Exit status:\n" + statuses_;
  }

 private:
  std::string statuses_;
};

int parse_and_work(CLI::App& app, int argc, char** argv, const std::function<void()>& work) {
  if (argc < 2) {
    tell(app.help());
    return to_mend;
  }
  try {
    app.parse(argc, argv);
    if (work) work();
    return 0;
  } catch (const CLI::RuntimeError& e) {  // which has been told
    return e.get_exit_code();
  } catch (const CLI::CallForHelp&) {
    return print(app.help());
  } catch (const CLI::Success& e) {  // what was asked for by an option
    return print(std::string(e.what()) + "\n");
  } catch (const CLI::ParseError& e) {
    tell_problem(app, printable(wrong_in(app, argc, argv, e.what())));
    return to_mend;
  } catch (const maslin::error& e) {
    tell_problem(app, e.what());
    return to_mend;
  } catch (const std::bad_alloc&) {
    tell_problem(app, "there is not enough memory for this; use fewer workers (MASLIN_WORKERS) or a smaller input");
    return to_mend;
  } catch (const std::exception& e) {
    if (std::ferror(stdout)) {  // fmt threw; `flushed` says so
      if (const auto* failed = dynamic_cast<const std::system_error*>(&e)) errno = failed->code().value();
      return to_mend;
    }
    tell_problem(app, fmt::format("this is a defect of the program, please report it: {}", e.what()));
    return defect;
  }
}

}  // namespace

void add_habits(CLI::App& app, const manual_facts& facts) {
  app.require_subcommand(1);
  app.set_version_flag("--version", app.get_name() + " " + facts.version);
  app.add_flag_callback(
      "--manual", [&app, facts] { throw CLI::CallForVersion(manual(app, facts), 0); },
      fmt::format("Print the page of the manual: {} --manual | man -l -", app.get_name()));
  app.add_option_function<std::string>(
         "--completion",
         [&app](const std::string& shell) {
           throw CLI::CallForVersion(shell == "zsh" ? zsh_completion(app) : bash_completion(app), 0);
         },
         fmt::format("Print what completes words in this shell: source <({} --completion bash)", app.get_name()))
      ->check(CLI::IsMember({"bash", "zsh"}));
  app.formatter(std::make_shared<help>(facts));
}

int run(CLI::App& app, int argc, char** argv, const std::function<void()>& work) {
  hold_standard_streams();
  const int status = parse_and_work(app, argc, argv, work);
  const int written = flushed(app);
  return status != 0 ? status : written;
}

}  // namespace command
