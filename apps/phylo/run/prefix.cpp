#include "phylo/run/prefix.hpp"

#include <filesystem>
#include <utility>

#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"

namespace phylo {

namespace fs = std::filesystem;

Prefix::Prefix(std::string text) : text_(std::move(text)) {
  if (text_.empty())
    throw input_error("--prefix is empty; give the beginning of the output files' names, as in out/run1");
  if (const fs::path last = fs::path(text_).filename(); last == "." || last == "..") text_ += '/';
  std::error_code unknown;
  const fs::file_status status = fs::status(text_, unknown);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
    fail(text_, "is a device or pipe, but --prefix is the beginning of file names; give one like out/run1");
}

std::string Prefix::file(const std::string& name) const { return text_ + (text_.back() == '/' ? "" : ".") + name; }

void Prefix::prepare() const {
  const fs::path path(text_);
  const std::string folder = path.parent_path().empty() ? "." : path.parent_path().string();
  make_folder(folder);
  check_writable(folder);
}

}  // namespace phylo
