#pragma once
// What a command line may hold, read from its description: for the manual, for shells that complete words, and for
// messages about words that are not known.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace command {

/// Gives the commands below one, in the order in which they are listed.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// Gives its options that are listed, and its positional arguments, in that order.
std::vector<const CLI::Option*> options_of(const CLI::App& app);
std::vector<const CLI::Option*> positionals_of(const CLI::App& app);

/// Gives "--output" and "-o", as they are written.
std::vector<std::string> spellings_of(const CLI::Option& option);
/// Is it followed by no value?
bool is_flag(const CLI::Option& option);
/// Gives the words that its value may be; none if it is no word of a list.
std::vector<std::string> choices_of(const CLI::Option& option);

enum class value_kind : std::uint8_t { other, file, folder, program };
/// Tells by the name of the value: FILE, FOLDER, PROGRAM.
value_kind kind_of(const CLI::Option& option);
/// Gives what stands for its value: "FILE", "{dbs,static}".
std::string value_name_of(const CLI::Option& option);

/// Gives "maslin trace info".
std::string full_name_of(const CLI::App& app);

}  // namespace command
