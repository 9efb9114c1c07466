#pragma once
// The command line of a C compiler: which of its words are sources, and what is to be made of them.

#include <string>
#include <vector>

namespace compiler {

struct command_line {
  enum class step { preprocess, compile, assemble, link };  ///< the last one: -E and the like; -S; -c; none of these

  struct word {
    enum class kind {
      source,        ///< a file in C
      file,          ///< another one, to be linked
      output,        ///< -o and what follows
      until,         ///< -c, -S
      preprocessor,  ///< only for who preprocesses: macros to define, files to include
      dependences,   ///< the same, for `make`
      linker,        ///< only for who links
      language,      ///< -x and what follows
      other
    };
    kind is;
    std::vector<std::string> text;  ///< one word or, where an option stands apart from what it is given, two
  };

  std::vector<word> words;
  step until = step::link;
  std::string output;    ///< of -o; empty
  std::string standard;  ///< "-std=c11"; empty
  bool writes_dependences = false, names_dependences = false, names_target = false;
};

command_line read_command_line(const std::vector<std::string>& words);

}  // namespace compiler
