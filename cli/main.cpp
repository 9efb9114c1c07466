// The command `maslin`.

#include <csignal>
#include <string>

#include "cli/shared/run.hpp"
#include "cli/shared/stopping.hpp"
#include "commands.hpp"
#include "maslin/settings.hpp"

int main(int argc, char** argv) {
  command::tidy_up_when_stopped();
  std::signal(SIGPIPE, SIG_DFL);  // the parent may have ignored it
  CLI::App app{"Maslin: a runtime for multigrain parallelism", "maslin"};
  command::manual_facts facts{MASLIN_VERSION, {}, {"maslin-phylo(1)"}};
  for (const maslin::setting& one : maslin::settings())
    facts.environment.push_back({one.name, maslin::plain(one.help)});
  command::add_habits(app, facts);
  add_machine(app);
  add_explain(app);
  add_trace(app);
  add_dma(app);
  add_figures(app);
  add_layout(app);
  add_node(app);
  add_replay(app);
  add_scale(app);
  add_settings(app);
  return command::run(app, argc, argv);
}
