#pragma once
// What shells need to complete a command line: a script for bash or for zsh, from the command's own description.

#include <CLI/CLI.hpp>
#include <string>

namespace command {

/// Gives a script for bash-completion's folder, or for `source <(maslin --completion bash)`.
std::string bash_completion(const CLI::App& app);
/// Gives a file `_maslin` for a folder of zsh's fpath, or for `source <(maslin --completion zsh)`.
std::string zsh_completion(const CLI::App& app);

}  // namespace command
