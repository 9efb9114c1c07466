#pragma once
// Where in the program a call stands.

namespace maslin {

/// A place in the source: std::source_location's file and line, also with compilers that do not have it yet (clang 14
/// with libstdc++ 12). As a default argument, `location::current()` is the place of the call.
class location {
 public:
  /// Gives the place where it stands as a default argument.
  static constexpr location current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept {
    location here;
    here.file_ = file;
    here.line_ = line;
    return here;
  }
  constexpr const char* file_name() const noexcept { return file_; }  ///< as the compiler was given it
  constexpr unsigned line() const noexcept { return line_; }          ///< from 1

 private:
  const char* file_ = "";
  unsigned line_ = 0;
};

}  // namespace maslin
