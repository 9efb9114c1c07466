#pragma once
// What a translation needs to know of a program's functions and calls, as libclang finds them.

#include <string>
#include <vector>

namespace compiler {

/// A parameter of a function.
struct parameter {
  std::string name;
  std::string text;          ///< its declaration, as it is written
  std::size_t name_at = 0;   ///< where in that its name stands
  bool is_data = false;      ///< a pointer or an array
  bool is_untyped = false;   ///< void*
  bool is_const = false;     ///< what it points to
  bool has_extents = false;  ///< an array that says how large it is
  int rank = 0;              ///< how often it can be subscripted, up to what is no array
};

/// A declaration or definition of a function, at the outermost level.
struct function {
  std::string name;
  std::size_t begin = 0, end = 0;  ///< its bytes; a declaration ends in front of the semicolon
  bool is_definition = false;
  bool gives_nothing = false;  ///< void
  bool is_variadic = false;
  std::string parameters;  ///< between its parentheses; empty where it has none
  std::vector<parameter> list;
};

/// A call of a function by its name.
struct call {
  std::string name;
  std::size_t at = 0;  ///< of the name
  int arguments = 0;
  int inside = -1;  ///< the function, of `program::functions`
};

/// A thing at the outermost level, or a function.
struct extent {
  std::size_t begin, end;
  int function;  ///< of `program::functions`; -1: something else
};

/// What is wrong with a text.
struct complaint {
  std::string file;
  int line;
  std::string what;
};

struct program {
  std::vector<function> functions;
  std::vector<call> calls;
  std::vector<extent> outermost;
  std::vector<complaint> errors;
};

/// Reads a preprocessed C file. `standard`: as in -std=c11; empty for the compiler's own. Throws `std::runtime_error`.
program parse(const std::string& text, const std::string& standard);

}  // namespace compiler
