#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace compiler {

namespace {

// Options of gcc and clang whose value may be the next word.
constexpr std::array with_value = {"-o",
                                   "-I",
                                   "-D",
                                   "-U",
                                   "-L",
                                   "-l",
                                   "-x",
                                   "-include",
                                   "-imacros",
                                   "-isystem",
                                   "-iquote",
                                   "-idirafter",
                                   "-iprefix",
                                   "-iwithprefix",
                                   "-isysroot",
                                   "-imultilib",
                                   "-Xpreprocessor",
                                   "-Xassembler",
                                   "-Xlinker",
                                   "-MF",
                                   "-MT",
                                   "-MQ",
                                   "-T",
                                   "-u",
                                   "-z",
                                   "-e",
                                   "-A",
                                   "-B",
                                   "--param",
                                   "-aux-info",
                                   "-wrapper",
                                   "-target",
                                   "-arch",
                                   "-framework",
                                   "-dumpbase",
                                   "-dumpdir"};

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

bool is_for_linking(std::string_view word) {
  for (const char* one : {"-l", "-L", "-Wl,", "-Xlinker", "-shared", "-static", "-rdynamic", "-T", "-u", "-z"})
    if (word.starts_with(one) && word != "-undef") return true;
  return false;
}

}  // namespace

command_line read_command_line(const std::vector<std::string>& words) {
  command_line made;
  std::string written_in;
  const auto reach = [&](command_line::step one) { made.until = std::min(made.until, one); };
  using enum command_line::word::kind;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& one = words[i];
    command_line::word is{other, {one}};
    if (std::find(with_value.begin(), with_value.end(), one) != with_value.end() && i + 1 < words.size())
      is.text.push_back(words[++i]);
    const std::string value = is.text.size() > 1 ? is.text[1] : one.size() > 2 ? one.substr(2) : "";
    if (one.empty() || one[0] != '-' || one == "-") {
      is.is = one != "-" && (written_in == "c" || (written_in.empty() && one.ends_with(".c"))) ? source : file;
    } else if (one.starts_with("-o") && !one.starts_with("-on")) {
      is.is = output;
      made.output = value;
    } else if (one.starts_with("-x")) {
      written_in = value == "none" ? "" : value;
      is.is = language;
    } else if (one == "-c" || one == "-S") {
      reach(one == "-c" ? command_line::step::assemble : command_line::step::compile);
      is.is = until;
    } else if (is_any_of(one, {"-E", "-M", "-MM", "-fsyntax-only"})) {
      reach(command_line::step::preprocess);
    } else if (is_any_of(one, {"-MD", "-MMD", "-MP", "-MG"}) || is_any_of(one.substr(0, 3), {"-MF", "-MT", "-MQ"})) {
      is.is = dependences;
      made.writes_dependences |= one == "-MD" || one == "-MMD";
      made.names_dependences |= one.starts_with("-MF");
      made.names_target |= one.starts_with("-MT") || one.starts_with("-MQ");
    } else if (one.starts_with("-Wp,") || is_any_of(one, {"-include", "-imacros", "-Xpreprocessor"}) ||
               (is_any_of(one.substr(0, 2), {"-D", "-U", "-I"}))) {
      is.is = preprocessor;
    } else if (one.starts_with("-std=") || one == "-ansi") {
      made.standard = one;
    } else if (is_for_linking(one)) {
      is.is = linker;
    }
    made.words.push_back(std::move(is));
  }
  return made;
}

}  // namespace compiler
