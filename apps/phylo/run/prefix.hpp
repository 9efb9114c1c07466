#pragma once
// Where a run's files go.

#include <string>

namespace phylo {

/// What --prefix names: the beginning of file names ("out/d041" gives out/d041.bestTree), or with a slash at its end a
/// folder ("out/d041/" gives out/d041/bestTree). "." and ".." are folders.
class Prefix {
 public:
  Prefix() = default;
  /// Throws `input_error` for a prefix that no file name can begin with (empty, a device).
  explicit Prefix(std::string text);

  const std::string& text() const { return text_; }
  /// Gives the path of the file of that name.
  std::string file(const std::string& name) const;
  /// Makes the folder that the files lie in. Throws `input_error` when it can't be made or written to.
  void prepare() const;

 private:
  std::string text_;
};

}  // namespace phylo
